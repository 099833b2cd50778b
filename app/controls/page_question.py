"""A question: a system and a change, as one value that every page, link and file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from blocktime.app.controls import control_fields, forms, presets, settings
from blocktime.scenarios import Scenario
from blocktime.scenarios.verdict import Ask

Moves = Literal["what-if", "both"]
WHAT_IF: Final = "what-if"
BOTH: Final = "both"
Fields = Mapping[str, str]
"""Dotted path of a field -> its value, as ``--set`` writes it."""


@dataclass(frozen=True)
class PageQuestion:
    """A scenario with the fields that are set on both sides, and the fields that the change sets otherwise."""

    name: str
    """Of the scenario; see :mod:`app.controls.user_files`."""
    system: Fields = field(default_factory=dict)
    change: Fields = field(default_factory=dict)
    preset: str = ""
    """Key of what was chosen last."""
    moves: Moves = WHAT_IF
    """The sides that a control moves."""
    about: tuple[str, ...] = ()
    """Fields of the change that the question opened with: their controls come first, and move the change alone."""

    @property
    def changed(self) -> Fields:
        """Every field that is set on the side with the change."""
        return {**self.system, **self.change}

    @property
    def usual_moves(self) -> Moves:
        """What a control moves where nobody says: both sides of a question, else the what-if."""
        return BOTH if presets.question(self.preset) else WHAT_IF

    @property
    def ask(self) -> Ask:
        """What is asked of the change: what the preset asks, where the change is its own."""
        preset = presets.BY_KEY.get(self.preset)
        return preset.ask if preset and preset.changes == self.change and preset.scenario == self.name else "change"

    def sides(self) -> tuple[Scenario, Scenario, dict[str, str]]:
        """The system without and with the change, and a sentence for each field that is refused."""
        return (settings.settle(self.name, self.system)[0], *settings.settle(self.name, self.changed))

    def with_text(self, path: str, text: str | None, *, in_both: bool = False) -> PageQuestion:
        """The same with a field set by the change, or *in_both* sides; None is as in the system, or the scenario."""
        if in_both:
            return replace(self, system=_with(self.system, path, text), change=_with(self.change, path, None))
        same = text == self.system.get(path)
        return replace(self, change=_with(self.change, path, None if same else text))

    def moved(self, path: str, value: Any) -> PageQuestion:
        """The same after the control of a field was moved to *value*, on the sides that controls move.

        An empty control, and a value that the field has anyway, set nothing. A value that needs another field brings
        it along.
        """
        in_both = self.moves == BOTH and path not in self.about and path not in self.change
        _, other, _ = self.sides()
        facts = control_fields.facts(path, other.workload.kind)
        if facts is None:
            return self
        unset = self.with_text(path, None, in_both=in_both)
        home, _ = settings.settle(self.name, unset.system)
        if control_fields.says_nothing(value) or value == control_fields.control_value(
            facts, control_fields.value_at(home, path)
        ):
            return unset
        text = control_fields.text_of(facts, value)
        moved = self.with_text(path, text, in_both=in_both)
        _, after, refused = moved.sides()
        needed, fits = forms.companion(path, text, other)
        if needed and (refused or not control_fields.value_at(after, needed)):
            return moved.with_text(needed, fits, in_both=in_both and needed not in self.change)
        same = not refused and control_fields.value_at(after, path) == control_fields.value_at(home, path)
        return unset if same else moved


def opened(name: str, changed: Fields, system: Fields | None = None, preset: str = "") -> PageQuestion:
    """The question of the scenario *name* with *system* set on one side and *changed* on the other, as it opens."""
    system = dict(system or {})
    change = {path: text for path, text in changed.items() if system.get(path) != text}
    scenario, _ = settings.settle(name, {})
    for path in [path for path in system if path not in changed]:  # a link of version 0.1.0: as in the scenario
        value = control_fields.value_at(scenario, path)
        if isinstance(value, str | int | float) and value != control_fields.AS_STATED:
            change[path] = control_fields.as_text(value)
        else:  # no text says it
            del system[path]
    question = PageQuestion(name, system, change, preset or presets.key_of(name, change), about=tuple(change))
    return replace(question, moves=question.usual_moves)


def _with(fields: Fields, path: str, text: str | None) -> Fields:
    return {**fields, path: text} if text is not None else {key: fields[key] for key in fields if key != path}
