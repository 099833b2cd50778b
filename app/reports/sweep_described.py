"""What an uploaded table of a sweep says about itself, checked: it may have been edited, or be somebody else's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, Strict, ValidationError

from blocktime.model.errors import SpecError, cut, quote
from blocktime.scenarios.spec import SECTIONS
from blocktime.scenarios.sweeps.sweep_spec import sweep_of
from blocktime.scenarios.sweeps.table import TableColumn


def _filled(value: JsonValue) -> JsonValue:
    """*value*, as a file of a scenario has it: nothing in it is null."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if value is None or any(_filled(part) is None for part in parts):
        raise ValueError
    return value


Text = Annotated[str, Strict()]


MUST_BE: Final = {
    "string_type": "it must be a text",
    "string_too_short": "it must be a text",
    "list_type": "it is a list",
    "int_type": "it must be a whole number",
    "float_type": "it must be a number",
    "finite_number": "it must be a finite number",
    "dict_type": "it is a table of fields",
    "model_type": "it is a table of fields",
    "value_error": "a scenario has no null",
}


class _Checked(BaseModel):
    """Takes what it knows, and leaves the rest to later versions."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class _Scenario(_Checked):
    """The scenario that the points differ from, as a file has it."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[JsonValue, AfterValidator(_filled)]]

    name: Annotated[Text, Field(min_length=1)]
    title: Text = ""
    base: Text = ""


class _About(_Checked):
    """What made the table."""

    scenario: _Scenario
    model: Text = ""
    seeds: list[Annotated[int, Strict()]] = []
    reference: dict[str, Annotated[float, Strict()]] = {}
    resolved: dict[str, JsonValue] = {}
    constants: dict[str, JsonValue] = {}


class _Column(_Checked):
    """A column as the file beside a CSV describes it."""

    name: Text
    kind: Text
    unit: Text
    says: Text


def check_description(about: Mapping[str, Any], columns: Sequence[TableColumn], name: str) -> None:
    """Complain in one sentence about what the table *name* says of itself and no sweep has written."""
    try:
        _About.model_validate(about)
        for column in columns:
            _Column.model_validate(asdict(column))
    except ValidationError as error:
        raise SpecError(f"{name}: {_first(error)}") from None
    for section in SECTIONS:
        if not isinstance(about["scenario"].get(section, {}), dict | list):
            got = quote(about["scenario"][section])
            raise SpecError(f"{name}: scenario.{section}: got {got}; it is a table of fields")
    sweep_of(about.get("sweep"), name)


def _first(error: ValidationError) -> str:
    """The first fault: where it is, what was got, and what is allowed."""
    fault = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"][:3])
    if fault["type"] == "missing":
        return f"is damaged, or not a table of a sweep: {cut(where)} is missing"
    return f"{cut(where)}: got {quote(fault['input'])}; {MUST_BE.get(fault['type'], 'no sweep has written that')}"
