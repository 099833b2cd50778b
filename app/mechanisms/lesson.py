"""What a page about a mechanism consists of: words, law, controls, and what is worked out from their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from blocktime.app.charts.drawing import Figure
from blocktime.app.controls.control_fields import Facts, as_text, facts, value_at
from blocktime.app.mechanisms import DESCRIBED
from blocktime.app.mechanisms.lesson_scenarios import loaded
from blocktime.model.units import parse_bytes, show_number

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Knob:
    """One control: a field of the specification, or something of the picture that is no field."""

    name: str
    """Path of the field, or a word of the picture's own."""
    label: str
    start: Any
    options: tuple[Any, ...] = ()
    """Values to choose from; without them it is a slider from *low* to *high* by *step*."""
    low: float = 0
    high: float = 0
    step: float = 1
    kind: str = "full_scan"
    """Kind of workload that the field is looked up for."""
    titles: Mapping[Any, str] = field(default_factory=dict)
    """Option -> what the page calls it, where the field does not say."""
    says: str = ""
    """Help, where it is no field or the field does not say enough."""
    unit: str = ""
    sets: tuple[str, ...] = ()
    """Fields of the scenario that it sets, where they are not the one that it is named for."""
    per: float = 1
    """What its value is divided by in the scenario."""
    keeps: bool = False
    """Whether its start stands for what the scenario has, of which it is a round number."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of the scenario that it sets."""
        return self.sets or ((self.name,) if "." in self.name else ())

    @property
    def facts(self) -> Facts | None:
        """What the specification declares; None for what is no field."""
        return facts(self.name, self.kind) if "." in self.name else None

    def show(self, value: Any) -> str:
        """A value with its unit, as the page shows it."""
        declared = self.facts
        if value in self.titles:
            return self.titles[value]
        if declared is not None and not self.unit:
            return declared.show(value)
        return f"{show_number(value, 15)} {self.unit}".strip() if isinstance(value, int | float) else str(value)

    def help(self) -> str:
        """What it is, its limits and where that stands."""
        declared = self.facts
        return " — ".join(part for part in (self.says, declared.help() if declared else "") if part)

    def parse(self, text: str) -> Any:
        """The value that an address gives; raises ValueError for what the control does not offer."""
        if self.options:
            chosen = next((option for option in self.options if as_text(option) == text), None)
            if chosen is None:
                chosen = next((option for option in self.options if _same_size(option, text)), None)
            if chosen is None:
                raise ValueError(", ".join(as_text(option) for option in self.options))
            return chosen
        limits = f"{self.low:g} to {self.high:g}"
        try:
            value = type(self.start)(float(text))
        except (ValueError, OverflowError):
            raise ValueError(limits) from None
        if not self.low <= value <= self.high:
            raise ValueError(limits)
        return value


def _same_size(option: Any, text: str) -> bool:
    try:
        return isinstance(option, int | float) and parse_bytes(text) == option
    except ValueError:
        return False


@dataclass(frozen=True)
class Chart:
    """A figure and the sentence that states its finding."""

    figure: Figure
    says: str


@dataclass(frozen=True)
class LessonAnswer:
    """What a page shows for the values of its controls."""

    picture: Chart
    curves: tuple[Chart, ...]
    numbers: tuple[tuple[str, str], ...]
    """Label and value of what matters most."""
    scenario: str
    changes: Mapping[str, str]
    """Fields of *scenario* that make it what is shown."""


@dataclass(frozen=True)
class Citation:
    """Where a law or its numbers come from: the key of the list of sources, author and title."""

    key: str
    author: str
    title: str


@dataclass(frozen=True)
class Lesson:
    """One page: a module that answers, and what ``lessons.toml`` says of it."""

    module: str
    path: str
    scenario: str
    """The scenario of the library that the controls change."""
    title: str
    mechanism: str
    """What measured numbers about it are marked with."""
    says: str
    """What it is, in one sentence."""
    law: str
    """The formula, as LaTeX."""
    symbols: str
    assumes: str
    law_in: str
    """Module of the law."""
    sources: tuple[Citation, ...]
    asks: str
    """What to predict."""
    knobs: tuple[Knob, ...]

    @property
    def start(self) -> dict[str, Any]:
        """Every control where it begins."""
        return {knob.name: knob.start for knob in self.knobs}

    def knob(self, name: str) -> Knob:
        """The control *name*."""
        return next(knob for knob in self.knobs if knob.name == name)

    def settings(self, values: Values, scenario: str = "") -> dict[str, str]:
        """What *values* change in the lesson's scenario, or another one: fields that it has otherwise.

        A control without a value changes nothing.
        """
        base, changes = loaded(scenario or self.scenario), dict[str, str]()
        for knob in self.knobs:
            if knob.name not in values or (knob.keeps and values[knob.name] == knob.start):
                continue
            value = values[knob.name] if knob.per == 1 else values[knob.name] / knob.per
            text = f"{value:.12g}" if isinstance(value, float) else str(value)
            changes |= {path: text for path in knob.fields if value_at(base, path) != value}
        return changes

    def answer(self, values: Values) -> LessonAnswer:
        """What the page shows for *values*."""
        lesson_answer: LessonAnswer = import_module(f"blocktime.app.mechanisms.{self.module}").answer(values)
        return lesson_answer


@cache
def lesson_of(module: str) -> Lesson:
    """The page of *module*, as ``lessons.toml`` describes it."""
    page = DESCRIBED[module]
    sources = tuple(Citation(key, *DESCRIBED["sources"][key]) for key in page["sources"])
    knobs = tuple(map(_knob, page["knobs"]))
    return Lesson(module, **page | {"law": "".join(page["law"]), "sources": sources, "knobs": knobs})


def _knob(table: dict[str, Any]) -> Knob:
    """A control whose titles stand by its options as an address has them."""
    options, titles = tuple(table.get("options", ())), table.get("titles", {})
    named = {option: titles[text] for option in options if (text := as_text(option)) in titles}
    return Knob(**table | {"options": options, "titles": named})
