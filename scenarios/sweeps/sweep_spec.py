"""What a sweep varies: the [sweep] table of a scenario's file, and an axis as the command line writes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, ValidationInfo, WithJsonSchema, field_validator, model_validator

from blocktime.model.errors import SpecError, UnknownName, cut, quote
from blocktime.model.provenance import Frozen
from blocktime.model.spec import Whole
from blocktime.model.spec.fields import parse_number
from blocktime.model.units import parse_bytes, parse_seconds, unit_of
from blocktime.scenarios.faults import more_faults
from blocktime.scenarios.load import value_of
from blocktime.scenarios.spec import SECTIONS
from blocktime.scenarios.sweeps.conditions import Condition
from blocktime.scenarios.synonyms import no_such_field, no_such_section

MOST_AXES: Final = 32
MOST_VALUES: Final = 100_000
MOST_SAMPLES: Final = 2**20
LONGEST_TEXT: Final = 200
LONGEST_AXIS: Final = 100_000
LARGEST: Final = 2**63

Number = Annotated[
    int | float, WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[0-9]"}]})
]


class Axis(Frozen):
    """One field that varies: the values it takes, or the range they come from."""

    key: Annotated[str, Field(max_length=LONGEST_TEXT)]
    """The field, as SECTION.FIELD."""
    values: Annotated[tuple[bool | int | float | str, ...], Field(max_length=MOST_VALUES)] | None = None
    """Numbers, texts, or true and false; fields for bytes or seconds also take a text with a unit."""
    low: Number | None = None
    """Where a range begins."""
    high: Number | None = None
    """Where a range ends; it belongs to the range."""
    points: Annotated[Whole, Field(ge=2, le=MOST_VALUES)] | None = None
    """How many values of the range a crossed design takes."""
    scale: Literal["linear", "log"] = "linear"
    """Whether neighbours in the range have the same distance, or the same ratio."""
    zip: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    """Axes of one zip name move together, and are crossed with the others."""

    @field_validator("key")
    @classmethod
    def _names_a_field(cls, key: str) -> str:
        parts = [part.strip() for part in key.split(".")]
        if len(parts) < 2 or not all(parts):
            raise ValueError(no_such_field(key, "SECTION.FIELD"))
        if parts[0] not in SECTIONS:
            raise ValueError(no_such_section(".".join(parts), SECTIONS))
        return ".".join(parts)

    @field_validator("values", mode="before")
    @classmethod
    def _plain_values(cls, values: object, info: ValidationInfo) -> object:
        if not isinstance(values, list | tuple):
            return values
        return tuple(_value(info.data.get("key", ""), value) for value in values)

    @field_validator("low", "high", mode="before")
    @classmethod
    def _an_end(cls, value: object, info: ValidationInfo) -> object:
        return None if value is None else _number(info.data.get("key", ""), value)

    @property
    def ends(self) -> tuple[int | float, int | float]:
        """Low and high, of an axis that has no values."""
        if self.low is None or self.high is None:
            raise AssertionError("an axis without values has both ends")
        return self.low, self.high

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        ends = (self.low, self.high)
        if self.values:
            if ends != (None, None) or self.points is not None or self.scale == "log":
                raise ValueError(f"{self.key}: has values and a range (low, high, points, scale); give one of them")
            return self
        if ends == (None, None) or self.values is not None:
            raise ValueError(f"{self.key}: has no values; give values, or a range by low and high")
        if self.low is None or self.high is None:
            raise ValueError(f"{self.key}: {'low' if self.low is None else 'high'} of its range is missing")
        if self.low > self.high:
            raise ValueError(f"{self.key}: got low {self.low:,} above high {self.high:,}; low is at most high")
        if self.scale == "log" and self.low <= 0:
            raise ValueError(f"{self.key}: got low {self.low:,} on a log scale; it is more than 0 there")
        return self


def _length(axis: Axis) -> int | None:
    """How many values it takes; None for a range that a sampled design takes from."""
    return axis.points if axis.values is None else len(axis.values)


class Sweep(Frozen):
    """Scenarios that differ from a base along axes: how the points are chosen, and how each is answered."""

    design: Literal["crossed", "latin_hypercube"] = "crossed"
    """All combinations of the axes' values, or so many samples of the space that the axes span."""
    samples: Annotated[Whole, Field(ge=1, le=MOST_SAMPLES)] | None = None
    """How many points a sampled design has."""
    seed: Annotated[Whole, Field(ge=0, le=LARGEST - 1)] = 1
    """Of the samples."""
    where: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    """Conditions such as ``workload.users <= 50 * host.cpus``; points that do not fulfil all of them are left out."""
    measures: Annotated[
        tuple[Annotated[str, Field(max_length=LONGEST_TEXT)], ...], Field(min_length=1, max_length=10)
    ] = ("elapsed_s",)
    """What a summary is about, unless something else is asked for: columns of the table."""
    replications: Annotated[Whole, Field(ge=1, le=1000)] | None = None
    """How many seeds a simulated point is answered with."""
    axis: Annotated[tuple[Axis, ...], Field(max_length=MOST_AXES, json_schema_extra={"minItems": 1})]
    """What varies; in a crossed design the first axis varies slowest."""

    @model_validator(mode="before")
    @classmethod
    def _without_engine(cls, table: Any) -> Any:
        """A table of an earlier version without the engine that it names: the question says who answers."""
        if isinstance(table, Mapping) and "engine" in table:
            return {name: value for name, value in table.items() if name != "engine"}
        return table

    @field_validator("where")
    @classmethod
    def _conditions(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            Condition(text)
        return texts

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.axis:
            raise ValueError("axis: there is none; each [[sweep.axis]] says by its key what varies")
        key, times = Counter(axis.key for axis in self.axis).most_common(1)[0]
        if times > 1:
            raise ValueError(f"{key} is the key of {times} axes; a field varies along one")
        if self.design == "crossed":
            self._check_crossed()
        else:
            self._check_sampled()
        for name in dict.fromkeys(axis.zip for axis in self.axis if axis.zip):
            lengths = {length for axis in self.axis if axis.zip == name and (length := _length(axis)) is not None}
            if len(lengths) > 1:
                text = " and ".join(f"{length:,}" for length in sorted(lengths))
                raise ValueError(
                    f"axes of zip {cut(name)!r} have {text} values; those that move together have as many each"
                )
        return self

    def _check_crossed(self) -> None:
        if self.samples is not None:
            raise ValueError("samples: only the design latin_hypercube has samples; leave it out")
        for axis in self.axis:
            if _length(axis) is None:
                example = f"{axis.key}={axis.low:g}:{axis.high:g}:8"
                raise ValueError(
                    f"{axis.key}: points are missing; give their number: KEY=LOW:HIGH:POINTS, such as {example}"
                )

    def _check_sampled(self) -> None:
        if self.samples is None:
            raise ValueError(f"samples: a {self.design} design needs the number of its points; give --samples N")
        for axis in self.axis:
            if axis.points is not None:
                raise ValueError(
                    f"{axis.key}: got points {axis.points:,}; in a {self.design} design, a range has only low and high"
                )


def sweep_of(table: object, where: str = "scenario") -> Sweep:
    """The sweep that a file's [sweep] table describes; raises :class:`SpecError` with one sentence that begins *where*.

    Its axes may be given as tables or as :class:`Axis`.
    """
    try:
        return Sweep.model_validate(table)
    except ValidationError as error:
        raise SpecError(f"{cut(where)}: {_sentence(error, 'sweep')}") from None
    except SpecError as error:  # a condition says itself what is wrong with it
        raise SpecError(f"{cut(where)}: sweep.{error}") from None


def axis_of(text: str) -> Axis:
    """An axis written as KEY=a,b,c or KEY=low:high:points, also with :log; KEY=low:high in a sampled design.

    Values are read as TOML, else as text; quotes protect commas and colons. Raises :class:`SpecError`.
    """
    key, equals, written = text.partition("=")
    key, where = key.strip(), f"axis {cut(text)}"
    if len(text) > LONGEST_AXIS:
        raise SpecError(f"{where}: has {len(text):,} characters; written so, an axis has at most {LONGEST_AXIS:,}")
    if not equals or not key:
        raise SpecError(f"{where}: write it as KEY=A,B,C or KEY=LOW:HIGH:POINTS, such as workload.users=1:200:20:log")
    parts, marks = _split(written)
    if written.strip() and not all(part.strip() for part in parts):
        raise SpecError(f'{where}: has an empty value; an empty text is written ""')
    if any(part.strip()[:1] in _QUOTES and not _QUOTED.fullmatch(part) for part in parts if part.strip()):
        raise SpecError(f"{where}: has a quote that is not closed before the next comma or colon")
    if _WITH_DOTS.fullmatch(written):
        raise SpecError(f"{where}: a range is LOW:HIGH:POINTS, such as 1:200:20")
    if len(marks) > 1:
        raise SpecError(f"{where}: has commas and colons; write A,B,C or LOW:HIGH:POINTS, and quotes protect either")
    values = [value_of(key, part) for part in parts if part.strip()]
    return _axis(key, _range(where, values) if ":" in marks else {"values": values}, where)


def listed_axis(key: str, values: Sequence[Any]) -> Axis:
    """The axis of a field over *values*; raises :class:`SpecError`."""
    return _axis(key, {"values": tuple(values)}, f"axis {cut(key)}")


def _axis(key: str, values: Mapping[str, Any], where: str) -> Axis:
    try:
        return Axis.model_validate({"key": key, **values})
    except ValidationError as error:
        raise SpecError(f"{where}: {_sentence(error)}") from None


_QUOTES: Final = ('"', "'")
_QUOTED = re.compile(r"\s*(?:\"(?:[^\"\\]|\\.)*\"|'[^']*')\s*")
_WITH_DOTS: Final = re.compile(r"\s*[0-9.]+\w*\s*\.\.+\s*[0-9.]+\w*\s*")
_PART = re.compile(rf"{_QUOTED.pattern}(?=[,:]|\Z)|[^,:]*")


def _split(written: str) -> tuple[list[str], set[str]]:
    """What stands between commas and colons outside quotes, and which of the two were met."""
    parts, marks, place = [], set(), 0
    while match := _PART.match(written, place):
        parts.append(match[0])
        place = match.end() + 1
        if place > len(written):
            break
        marks.add(written[match.end()])
    return parts, marks


def _range(text: str, values: list[Any]) -> dict[str, Any]:
    """LOW:HIGH, then a number of points, a scale, or both."""
    low, high, *rest = values
    ends = {"low": low, "high": high}
    if rest and isinstance(rest[-1], str):
        ends["scale"] = rest.pop()
    if len(rest) > 1:
        raise SpecError(f"{text}: a range is LOW:HIGH, LOW:HIGH:POINTS or LOW:HIGH:POINTS:log")
    return ends | ({"points": rest[0]} if rest else {})


def _value(key: str, value: object) -> object:
    """A value of an axis; a text with a unit, where the field has one, as the number it means."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and not _has_unit(key):
        if len(value) > LONGEST_TEXT:
            raise ValueError(f"got a text of {len(value):,} characters; allowed are at most {LONGEST_TEXT}")
        return value
    if not isinstance(value, str | int | float):
        raise ValueError(f"got {quote(value)}; a value is a number, a text, or true or false")
    return _number(key, value)


def _number(key: str, value: object) -> int | float:
    number = value
    if isinstance(value, str):
        parse = parse_seconds if unit_of(key) == "s" else parse_bytes if _has_unit(key) else parse_number
        number = parse(value)
        number = int(number) if float(number).is_integer() else number
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"got {quote(value)}; it must be a number")
    if not -LARGEST <= number <= LARGEST:  # nor is it what is no number at all
        raise ValueError(f"got {quote(value)}; allowed are numbers up to {LARGEST:.1e}")
    return number


def _has_unit(key: str) -> bool:
    return unit_of(key) in ("bytes", "bytes/s", "Hz", "s") or key.endswith("_bytes_sd")


def _sentence(error: ValidationError, root: str = "") -> str:
    """The first fault of *error*, below *root*: the place, what was got, what is allowed; and how many others."""
    first, *others = error.errors(include_url=False)
    location, *further = (
        ".".join(str(part) for part in (root, *error_part["loc"]) if part != "") for error_part in (first, *others)
    )
    return ": ".join((*([cut(location)] if location else []), _said(first))) + more_faults(further)


def _said(fault: Any) -> str:
    kind, location = fault["type"], fault["loc"]
    if kind == "extra_forbidden":
        known = Axis.model_fields if location[0] == "axis" and len(location) > 1 else Sweep.model_fields
        return str(UnknownName("field", str(location[-1]), known))
    if location == ("axis",) and kind in ("missing", "tuple_type"):
        kind = "no axis"
    sentence = _SENTENCES.get(kind, f"got {{got}}; {fault['msg'][0].lower()}{fault['msg'][1:]}")
    return sentence.format(got=quote(fault["input"]), **fault.get("ctx", {}))


_SENTENCES: Final = {
    "value_error": "{error}",
    "no axis": "there is none; each [[sweep.axis]] says by its key what varies",
    "missing": "it is missing",
    "literal_error": "got {got}; allowed are {expected}",
    "greater_than_equal": "got {got}; allowed is at least {ge:,}",
    "less_than_equal": "got {got}; allowed is at most {le:,}",
    "too_long": "got {actual_length} of them; allowed are at most {max_length:,}",
    "int_from_float": "got {got}; it must be a whole number",
    "string_type": "got {got}; it must be a text",
    "string_too_long": "got {got}; it is a text of at most {max_length} characters",
    "tuple_type": "got {got}; it is a list",
    "model_type": "got {got}; it is a table with fields",
}
