"""Entries that a scenario file defines for itself in ``[profile.KIND.NAME]``, for ``use`` beside the catalog's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError

from blocktime.model.catalog import KINDS, Entry, entries
from blocktime.model.errors import SpecError, UnknownName, cut, quote
from blocktime.model.provenance import Constant, Frozen
from blocktime.model.spec import System
from blocktime.scenarios.faults import one_sentence
from blocktime.scenarios.spec import PROFILE, Scenario
from blocktime.scenarios.user_catalog import user_layers

Model = TypeVar("Model", bound=BaseModel)
LONGEST_CHAIN: Final = 8
"""Own entries that stand on one another."""
SAID: Final = ("title", "source")
"""What an entry says of itself, beside ``use`` and the fields of its section."""


class OwnValue(Frozen):
    """A value of an own entry with where it comes from."""

    value: Any
    how: Literal["read", "derived", "general knowledge", "assumed", "set by the scenario"] = "set by the scenario"
    source: str = ""
    note: str = ""
    interval: tuple[float, float] | None = None


Tables = dict[str, dict[str, tuple[str, Mapping[str, Any]]]]
"""Kind -> name of an entry -> where it is defined, and its fields."""


class Profiles:
    """What ``use`` may name in a scenario: the entries that its *layers* define, the catalog's, and the user's own."""

    def __init__(self, layers: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Read and check every entry of a layer; raises :class:`SpecError` with one sentence for what is wrong."""
        self._tables = tables_in(layers)
        self._by_kind = {kind: {name: self._built(kind, name) for name in self._tables[kind]} for kind in KINDS}

    def known(self, kind: str) -> dict[str, Entry]:
        """Every entry of a kind by name, those of the catalog first."""
        users = {name: self._built(kind, name) for name in tables_in(user_layers())[kind]}
        return {**entries(kind), **users, **self._by_kind[kind]}

    def entry(self, kind: str, used: object, where: str) -> Entry:
        """The entry that ``use`` names; raises :class:`SpecError` that begins with *where* for what is none."""
        return self._named(kind, used, where, ())

    def _named(self, kind: str, used: object, where: str, chain: tuple[str, ...]) -> Entry:
        if not isinstance(used, str):
            raise SpecError(f"{where}: got {quote(used)}; it is the name of an entry, of the catalog or of this file")
        if used in self._tables[kind]:
            return self._built(kind, used, chain)
        if used in entries(kind):
            return entries(kind)[used]
        if used not in (users := tables_in(user_layers())[kind]):
            raise SpecError(
                f"{where}: {UnknownName(kind, used, [*entries(kind), *users], from_file=self._tables[kind])}"
            )
        return self._built(kind, used, chain)

    def _built(self, kind: str, name: str, chain: tuple[str, ...] = ()) -> Entry:
        """An own entry, with what it builds on below its values; *chain* are those that build on it."""
        is_in_file = name in self._tables[kind]
        where, table = (self._tables if is_in_file else tables_in(user_layers()))[kind][name]
        origin = "this file" if is_in_file else where.partition(": ")[0]
        if name in chain or len(chain) == LONGEST_CHAIN:
            raise SpecError(
                f"{where}.use: entries build on one another in a circle or too deeply: "
                f"{' -> '.join(cut(text, 20) for text in (*chain, name))}"
            )
        values = {field: value for field, value in table.items() if field not in ("use", *SAID)}
        words = {}
        for field, value in values.items():
            words[field] = _said(f"{where}.{field}", value)
            _refuse_what_no_constant_has(f"{where}.{field}", words[field])
        below = Entry(name=name, title="", source="", constants={})
        if "use" in table:
            below = self._named(kind, table["use"], f"{where}.use", (*chain, name))
        given = {field: constant.value for field, constant in words.items()}
        section = _checked(section_of(kind), {**below.values(), **given}, where)
        constants, texts = dict(below.constants), dict(below.texts)
        for field, constant in words.items():
            value = getattr(section, field)
            if value is None:
                raise SpecError(f"{where}.{field}: got {quote(value)}; give a value, or leave it out")
            constants.pop(field, None)
            if isinstance(value, str):
                texts[field] = value
            else:
                constants[field] = Constant(
                    value=float(value),
                    name=f"{kind}/{name}: {field}",
                    how=constant.how,
                    source=constant.source or f"{name} ({origin})",
                    note=constant.note,
                    interval=constant.interval,
                )
        title, source = (_text(f"{where}.{field}", table.get(field, "")) for field in SAID)
        return Entry(name=name, title=title, source=source, constants=constants, texts=texts)


def tables_in(layers: Iterable[tuple[str, Mapping[str, Any]]]) -> Tables:
    """The entries that *layers* define; raises :class:`SpecError` with one sentence for one that cannot be."""
    tables: Tables = {kind: {} for kind in KINDS}
    for place, layer in layers:
        for kind, named in _table(layer.get(PROFILE, {}), f"{place}: {PROFILE}").items():
            if kind not in KINDS:
                raise UnknownName("kind of entry", str(kind), KINDS, where=f"{cut(place, 40)}: {PROFILE}")
            for name, table in _table(named, f"{place}: {PROFILE}.{kind}").items():
                where = f"{place}: {PROFILE}.{kind}.{cut(str(name))}"
                if name in entries(kind):
                    raise SpecError(f"{where}: the catalog has a {kind} of that name; give this one another name")
                tables[kind][str(name)] = where, _table(table, where)
    return tables


def entries_of(scenario: Scenario, kind: str) -> dict[str, Entry]:
    """Every entry of a kind that ``use`` may name in *scenario*, those of the catalog first."""
    return Profiles([(scenario.origin, scenario.differences)]).known(kind)


def known_entries(kind: str) -> dict[str, Entry]:
    """Every entry of a kind that any scenario may name: the catalog's and the user's own."""
    return Profiles([]).known(kind)


LEAST_SOURCE: Final = 3
"""Characters that name a source."""


def _refuse_what_no_constant_has(where: str, constants: OwnValue) -> None:
    if constants.source and len(constants.source) < LEAST_SOURCE:
        raise SpecError(f"{where}.source: got {quote(constants.source)}; allowed are {LEAST_SOURCE} characters or more")
    if constants.interval is not None and not 0 <= constants.interval[0] <= constants.interval[1]:
        low, high = constants.interval
        raise SpecError(f"{where}.interval: got {low:g} to {high:g}; give two numbers from 0 on, the lower one first")


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(f"{where}: got {quote(value)}; it is a section with fields")
    return value


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise SpecError(f"{where}: got {quote(value)}; it must be text")
    return value


def _said(where: str, value: Any) -> OwnValue:
    """A value as a file gives it: alone, or as a table with where it comes from."""
    given = value if isinstance(value, Mapping) and "value" in value else {"value": value}
    return _checked(OwnValue, given, where)


def section_of(kind: str) -> type[BaseModel]:
    """What an entry of a kind fills: Disk, Host, and so on."""
    model: type[BaseModel] = System
    for part in KINDS[kind].split("."):
        model = cast(type[BaseModel], model.model_fields[part].annotation)
    return model


def _checked(model: type[Model], values: Mapping[str, Any], where: str) -> Model:
    """The *values* as what they describe; raises :class:`SpecError` that begins with *where*."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        place, text = one_sentence(error, root=model)
        raise SpecError(f"{where}{'.' if place else ': '}{text}") from None
