"""What sweep the page asks for: as controls hold it, as an address has it, and as the plan that it means."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from blocktime.app.controls import forms, settings, user_files
from blocktime.app.controls.control_fields import Facts, as_text, facts, size_text, value_at
from blocktime.app.controls.more_fields import LISTS, searchable
from blocktime.model.errors import SpecError, cut
from blocktime.model.units import MIB
from blocktime.scenarios import Scenario
from blocktime.scenarios.declared import declaration, takes_whole_numbers
from blocktime.scenarios.load import Source, with_settings
from blocktime.scenarios.sweeps.design import Design
from blocktime.scenarios.sweeps.points import Points
from blocktime.scenarios.sweeps.sweep_plan import Plan, Progress
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps, make_sweep, source_of_sweep
from blocktime.scenarios.sweeps.sweep_spec import Axis, Sweep, axis_of, sweep_of

MOST_ANSWERS: Final = 20_000
"""Of a sweep on the page, where several readers share a machine."""
MOST_LINES: Final = 8
USUAL_SAMPLES: Final = 64
DESIGNS: Final = {"crossed": "All combinations", "latin_hypercube": "Latin hypercube"}


@dataclass(frozen=True)
class AxisLine:
    """One field that varies, as it is written."""

    key: str
    written: str
    zip: str = ""
    """Lines of one name move together."""

    @property
    def is_blank(self) -> bool:
        """Whether nothing was typed yet."""
        return not self.key and not self.written.strip()


@dataclass(frozen=True)
class SweepForm:
    """Everything that is asked."""

    base: str
    """A scenario or a sweep of the library."""
    changes: tuple[tuple[str, str], ...] = ()
    """Fields of the scenario that are not as in the library, with their values; those of the side with the change."""
    lines: tuple[AxisLine, ...] = ()
    design: str = "crossed"
    samples: int = USUAL_SAMPLES
    where: tuple[str, ...] = ()
    replications: int = 1
    system: tuple[tuple[str, str], ...] = ()
    """The same without the change."""
    side: str = "change"
    """The side that is swept: the system with the change, without it, or both."""

    @property
    def is_library_sweep(self) -> bool:
        """Whether the base is one of the sweeps that come along."""
        return self.base in library_of_sweeps()

    def source(self) -> Source:
        """The scenario that the points differ from, as it is written."""
        fields = self.changes if self.side == "change" else self.system
        changed = [settings.setting(path, text) for path, text in fields]
        if user_files.is_user_file(self.base):
            return with_settings(user_files.source(self.base), changed)
        return source_of_sweep(self.base, changed)

    def sweep(self) -> Sweep:
        """What varies; raises :class:`FormFaults` with every fault."""
        axes, faults = [], []
        for line in self.lines:
            if line.is_blank:
                continue
            try:
                axes.append(self._axis(line))
            except SpecError as error:
                faults.append(str(error))
        try:
            axes += self._axes_of_change() if self.side == "both" else []
        except SpecError as error:
            faults.append(str(error))
        if not axes and not faults:
            faults.append("nothing varies; add a field and give it values")
        if faults:
            raise FormFaults(faults)
        declared: dict[str, Any] = {
            "design": self.design, "where": self.where, "replications": self.replications, "axis": axes
        }  # fmt: skip
        if self.design != "crossed":
            declared["samples"] = self.samples
        return sweep_of(declared, self.base)

    def plan(self, progress: Progress | None = None) -> Plan:
        """The checked plan; raises a :class:`BlocktimeError` with what is wrong."""
        source, sweep = self.source(), self.sweep()
        answers = Design(sweep).count() * self.replications
        if answers > MOST_ANSWERS:
            raise SpecError(
                f"{source.name}: got {answers:,} answers to work out; this page takes {MOST_ANSWERS:,}, and "
                "`blocktime sweep` more"
            )
        return Plan(source, sweep, limit=None, progress=progress)

    def _axes_of_change(self) -> list[Axis]:
        """Axes that make each point twice, with the change and without it; the first of them is the system's."""
        scenario = self.source().scenario()
        change = [(path, text) for path, text in self.changes if dict(self.system).get(path) != text]
        return [
            axis_of(f"{path}={_one(path, value_at(scenario, path))},{text}").model_copy(update={"zip": "change"})
            for path, text in change
        ]

    def _axis(self, line: AxisLine) -> Axis:
        if not line.key:
            raise SpecError(f"axis {cut(line.written)}: has no field; choose what takes these values")
        axis = axis_of(f"{line.key}={line.written}").model_copy(update={"zip": line.zip.strip()})
        if self.design != "crossed" and axis.values is None:
            axis = axis.model_copy(update={"points": None})  # samples say how many there are
        return axis


class FormFaults(SpecError):
    """Several faults at once, each a sentence."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        super().__init__("; ".join(lines))


def form_of_library(name: str) -> SweepForm:
    """A sweep of the library as a form."""
    sweep = make_sweep(source_of_sweep(name))
    lines = tuple(AxisLine(axis.key, written(axis), axis.zip) for axis in sweep.axis)
    samples = sweep.samples or USUAL_SAMPLES
    return SweepForm(name, (), lines, sweep.design, samples, sweep.where, sweep.replications or 1)


def written(axis: Axis) -> str:
    """The values of an axis as ``--vary`` reads them."""
    if axis.values is not None:
        return ", ".join(_one(axis.key, value) for value in axis.values)
    low, high = axis.ends
    points = [as_text(axis.points)] if axis.points is not None else []
    scale = ["log"] if axis.scale == "log" else []
    return ":".join([_one(axis.key, low), _one(axis.key, high), *points, *scale])


_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _one(key: str, value: Any) -> str:
    if key.endswith("_bytes") and isinstance(value, int) and value:
        return size_text(value)
    if isinstance(value, str) and (
        not value.strip() or any(sign in value for sign in ",:\"'") or _NUMBER.fullmatch(value)
    ):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return as_text(value)


SIDES: Final = {"change": "With the change", "system": "The system", "both": "Both sides"}
FROM_QUERY: Final = ("sweep", "side", "vary", "zip", "design", "samples", "where", "replications", "measure")
"""What an address says of the sweep; the rest of it is the scenario's."""


def query_of(form: SweepForm) -> dict[str, str | list[str]]:
    """What the address has of *form* beside the scenario: what is not as it would be without."""
    query: dict[str, str | list[str]] = {"sweep": form.base} if form.is_library_sweep else {}
    usual = form_of_library(form.base) if form.is_library_sweep else SweepForm(form.base)
    if form.lines != usual.lines:
        query["vary"] = [f"{line.key}={line.written}" for line in form.lines]
        query["zip"] = [f"{line.key}:{line.zip}" for line in form.lines if line.zip]
    if form.where != usual.where:
        query["where"] = list(form.where) or [""]
    for name in ("design", "samples", "replications", "side"):
        if getattr(form, name) != getattr(usual, name):
            query[name] = str(getattr(form, name))
    return {name: value for name, value in query.items() if value}


def form_in(query: Mapping[str, Sequence[str]], base: str, changes: Mapping[str, str]) -> tuple[SweepForm, list[str]]:
    """The form that an address asks for, and sentences for what it asks in vain."""
    notes: list[str] = []
    form = SweepForm(base, tuple(changes.items()))
    last = {name: given[-1] for name, given in query.items()}
    if last.get("sweep") in library_of_sweeps():
        form = form_of_library(last["sweep"])
    elif "sweep" in last:
        notes.append(f"The link names no sweep that exists ({cut(last['sweep'])}).")
    if given := query.get("vary"):
        zips = dict(text.rpartition(":")[::2] for text in query.get("zip", ()))
        lines = [(key.strip(), text) for key, _, text in (text.partition("=") for text in given)]
        form = replace(form, lines=tuple(AxisLine(key, text, zips.get(key, "")) for key, text in lines[:MOST_LINES]))
        if len(lines) > MOST_LINES:
            notes.append(f"The link varies {len(lines)} fields; the page takes {MOST_LINES}.")
    changed: dict[str, Any] = {"where": tuple(filter(None, query["where"]))} if "where" in query else {}
    if last.get("side") in SIDES:
        form = replace(form, side=last["side"])
    if last.get("design", "crossed") in DESIGNS:
        changed |= {"design": last["design"]} if "design" in last else {}
    else:
        notes.append(f"The link asks for design {cut(last['design'])!r}; allowed are {', '.join(DESIGNS)}.")
    for name, most in (("samples", MOST_ANSWERS), ("replications", MOST_REPLICATIONS)):
        if name not in last:
            continue
        count = _count(last[name], most)
        if count is not None:
            changed[name] = count
        else:
            notes.append(f"The link asks for {cut(last[name])!r} {name}; allowed are 1 to {most:,}.")
    return replace(form, **changed), notes


def _count(text: str, most: int) -> int | None:
    """The whole number from 1 to *most* that *text* writes; None for anything else."""
    digits = text.lstrip("0")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))):
        return None
    count = int(digits)
    return count if count <= most else None


MOST_REPLICATIONS: Final = 100


def pickable(scenario: Scenario) -> dict[str, str]:
    """The fields that are worth varying in *scenario*, each with its group and label."""
    kind = scenario.workload.kind
    return {
        control.path: f"{group}: {control.label}"
        for group, controls in forms.groups_of(kind).items()
        for control in controls
        if group not in ("Prices", "iostat") and control.offered(scenario) and not control.idle(scenario)
    }


def every_field(scenario: Scenario) -> dict[str, str]:
    """Every field that can be varied in *scenario*, those that are worth it first, each with the words that find it."""
    known = pickable(scenario)
    rest = {path: words for path, words in searchable(scenario.workload.kind).items() if path not in known}
    every = known | rest
    declarations = {key: declaration(key, scenario.workload.kind) for key in every if key not in LISTS}
    words = {key: " ".join((*declared.words, *declared.related)) for key, declared in declarations.items()}
    return {key: " · ".join(filter(None, [every[key], key, words[key]])) for key in declarations}


def label_of(key: str) -> str:
    """What a reader calls a field; its key where it is none."""
    return forms.words_of(key)


def suggested(key: str, source: Source) -> str:
    """Values worth trying for a field, without those that do not go with the rest of the scenario."""
    text = _suggested(key, source.scenario())
    try:
        axis = axis_of(f"{key}={text}")
        whole = [key] if takes_whole_numbers(key, source.scenario().workload.kind) else []
        values = [point[key] for point in Design(Sweep(axis=(axis,)), whole).block(0, MOST_ANSWERS)]
    except (SpecError, ValidationError):
        return text
    points = Points(source, [key])
    good = [value for value in values if _is_a_point(points, {key: value})]
    return text if len(good) == len(values) else ", ".join(_one(key, value) for value in good)


def _is_a_point(points: Points, values: Mapping[str, Any]) -> bool:
    try:
        points.point(values)
    except SpecError:
        return False
    return True


def _suggested(key: str, scenario: Scenario) -> str:
    """All of a choice; of a number a range about what it is now."""
    field = facts(key, scenario.workload.kind)
    if field is None:
        return ""
    if field.kind in ("choice", "ladder"):
        options = [option for option in field.options if option is not None][:12]
        return ", ".join(_one(key, option) for option in options)
    if field.kind == "flag":
        return "false, true"
    offers = [offer for offer in declaration(key, scenario.workload.kind).offers if offer not in ("auto", "0")]
    if offers:
        return ", ".join(_one(key, offer) if field.of_text else offer for offer in offers)
    return _about(field, value_at(scenario, key))


def _about(field: Facts, now: Any) -> str:
    """A range about the present value of a number, within what is allowed."""
    low, high = field.low or 0.0, field.high
    if field.kind == "share" and high is not None:
        return f"{as_text(low)}:{as_text(min(high, 90))}:{10 if high >= 90 else 11}"
    middle = float(now) if isinstance(now, int | float) and now > 0 else max(1.0, 4 * low)
    least, most = max(middle / 4, low), min(middle * 4, high if high is not None else math.inf)
    whole = field.kind in ("whole", "size")
    if whole:
        least, most = max(1.0, round(least)), round(most)
    if field.unit == "bytes" and whole:  # in powers of two, as sizes are
        least, most = (2.0 ** round(math.log2(max(MIB, bound))) for bound in (least, most))
        return f"{size_text(least)}:{size_text(max(most, 16 * least))}:5:log"
    return f"{as_text(float(f'{least:.3g}'))}:{as_text(float(f'{most:.3g}'))}:9:log"
