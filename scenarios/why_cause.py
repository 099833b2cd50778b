"""Which of several changed fields moved a part of the time: the model is asked with few of them changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from blocktime.model.budget import USUAL, Budget
from blocktime.model.catalog import KINDS
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.model.spec import System
from blocktime.scenarios.forecast import check, expected_of
from blocktime.scenarios.nested import leaves, value_within
from blocktime.scenarios.run import run
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.why_device import ScenarioPair, described, entry_of, value_in_words
from blocktime.scenarios.why_words import listed

ENOUGH: Final = 0.8
"""Share of a part's change from which on fields are its cause."""
MOST_FIELDS: Final = 6
"""Changed fields up to which causes are looked for; with more, the two are different systems."""
MOST_ANSWERS: Final = 41
"""Singles, pairs and triples of that many fields."""
MOST_S: Final = 3.0
"""Of one processor by forecast, for all answers of one comparison."""
OF_AN_ENTRY: Final = 3
"""Fields of a section that change at once and are still named one by one."""
REMEMBERED: Final = 256
GO_TOGETHER: Final = {
    "table.columns": ("table.row_bytes", "table.column_count", "table.row_bytes_sd"),
    "workload.sets": ("workload.growth_bytes",),
    "workload.rate_per_s": ("workload.think_s", "workload.users"),
}
"""Field -> those that describe the same in its place, so that all of them change at once."""

PartsOf = Callable[[RunResult, RunResult], Mapping[str, float]]
"""Seconds by which each part of the time differs between two answers."""


class Cause(NamedTuple):
    """The smallest set of changed fields that alone moves a part of the time by most of what it moved."""

    fields: tuple[str, ...]
    words: str
    result: RunResult
    """The answer with these fields changed alone."""


def changed_fields(pair: ScenarioPair) -> dict[str, str]:
    """Path of each field that differs -> how a sentence calls the change; a section that is replaced is one of them."""
    base, other = (_sections(scenario, unset=True) for scenario in pair[:2])
    changed: dict[str, str] = {}
    for kind, path in KINDS.items():
        if path in UNTIMED:
            continue
        before, after = (dict(leaves(value_within(base, path, {}))), dict(leaves(value_within(other, path, {}))))
        differing = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        names = [entry_of(scenario, kind) for scenario in pair[:2]]
        if differing and (len(differing) > OF_AN_ENTRY or (names[0] != names[1] and all(names))):
            changed[path] = f"{path}.use {described(pair.other, kind)} instead of {described(pair.base, kind)}"
    if pair[0].workload.kind != pair[1].workload.kind:
        changed["workload"] = f"workload.kind {pair[1].workload.kind} instead of {pair[0].workload.kind}"
    for path in [f"workload.{name}" for name in sorted(NUMBERED)]:
        entries = [[*value_within(sections, path, {})] for sections in (base, other)]
        if entries[0] != entries[1]:
            changed[path] = f"{path}: {len(entries[1])} instead of {len(entries[0])}"
    before, after = dict(leaves(base)), dict(leaves(other))
    given = dict(leaves(_sections(pair.other)))
    for path, others in GO_TOGETHER.items():
        if before.get(path) != after.get(path):
            synonym = next((name for name in (path, *others) if name in given), path)
            changed[path] = f"{synonym} {value_in_words(synonym, given.get(synonym))}"
    left_out = {name for path in changed for name in GO_TOGETHER.get(path, ())}
    for path in {**before, **after}:
        is_within = path in left_out or any(f"{path}.".startswith(f"{group}.") for group in changed)
        if before.get(path) != after.get(path) and not is_within:
            values = (value_in_words(path, sections.get(path)) for sections in (after, before))
            changed[path] = f"{path} {' instead of '.join(values)}"
    return changed


def with_fields(pair: ScenarioPair, paths: Sequence[str]) -> Scenario:
    """The first scenario with the fields at *paths* as in the second; raises SpecError or ValidationError."""
    base, other = (_sections(scenario) for scenario in pair[:2])
    for field in (name for path in paths for name in (path, *GO_TOGETHER.get(path, ()))):
        *parents, name = field.split(".")
        node: dict[str, Any] = base
        for parent in parents:
            node = node.setdefault(parent, {})
        value = value_within(other, field)
        node.pop(name, None)
        if value is not None:
            node[name] = value
    for name in NUMBERED & {*base["workload"]}:
        base["workload"][name] = [*base["workload"][name].values()]
    work = (pair.other if "workload" in paths else pair.base).workload
    return pair[0].model_copy(
        update={
            "workload": type(work).model_validate(base.pop("workload")),
            "system": System.model_validate({**base, "constants": pair[0].system.constants}),
        }
    )


def causes(
    base: RunResult, other: RunResult, pair: ScenarioPair, parts_of: PartsOf, wanted: Mapping[str, float]
) -> dict[str, Cause]:
    """The cause of each *wanted* part, by the seconds that it moved.

    Empty where a single field changed, too many did, or it would take too long.
    """
    changed = changed_fields(pair)
    if not 1 < len(changed) <= MOST_FIELDS:
        return {}
    answers: dict[tuple[str, ...], RunResult] = {}
    wanted, left_s = dict(wanted), MOST_S
    causes_by_part: dict[str, Cause] = {}
    for size in range(1, len(changed) + 1):
        tried: dict[tuple[str, ...], Mapping[str, float]] = {}
        for fields in combinations(changed, size):
            if size == len(changed):
                answers[fields] = other
            else:
                try:
                    scenario = with_fields(pair, fields)
                    left_s -= _forecast_s(scenario)
                    if left_s < 0 or len(answers) >= MOST_ANSWERS:
                        return causes_by_part
                    answers[fields] = _remembered(scenario)
                except (BlocktimeError, ValidationError):  # these fields cannot change without others
                    continue
            tried[fields] = parts_of(base, answers[fields])
        for part, change_s in list(wanted.items()):
            enough = [
                fields for fields, moved in tried.items() if moved.get(part, 0.0) * change_s >= ENOUGH * change_s**2
            ]
            if enough:
                nearest = min(enough, key=lambda fields: abs(tried[fields][part] - change_s))
                causes_by_part[part] = Cause(nearest, listed([changed[path] for path in nearest]), answers[nearest])
                del wanted[part]
    return causes_by_part


def answer_within(scenario: Scenario) -> RunResult | None:
    """The answer to *scenario*; None where it would take too long, or there is none."""
    try:
        _forecast_s(scenario)
        return _remembered(scenario)
    except (BlocktimeError, ValidationError):
        return None


def _forecast_s(scenario: Scenario) -> float:
    expected = expected_of(USUAL, scenario.system, scenario.workload)
    if expected is None:
        return 0.0
    check(Budget(MOST_S), expected)
    return expected.seconds


_answers: OrderedDict[str, RunResult] = OrderedDict()


def _remembered(scenario: Scenario) -> RunResult:
    """The answer to *scenario*, which the same comparison needs again when it is shown again."""
    key = repr((scenario.seed, scenario.system, scenario.workload))
    if key not in _answers:
        _answers[key] = run(scenario, replications=1)
        while len(_answers) > REMEMBERED:
            _answers.popitem(last=False)
    _answers.move_to_end(key)
    return _answers[key]


NUMBERED: Final = {"mix", "beside"}
"""Lists of a workload whose entries are changed field by field."""
UNTIMED: Final = {"constants", "prices", "iostat"}
"""Sections of a system that move no time."""


def _sections(scenario: Scenario, unset: bool = False) -> dict[str, Any]:
    """The fields that a scenario sets, as nested sections; with those *unset*, all that a time may depend on.

    Kinds of transactions and programs are sections by their number.
    """
    left_out = UNTIMED if unset else {"constants"}
    system = scenario.system.model_dump(exclude=left_out, exclude_unset=not unset)
    work = scenario.workload.model_dump(exclude_unset=not unset)
    for name in NUMBERED & {*work}:
        work[name] = {str(place): entry for place, entry in enumerate(work[name])}
    return {**system, "workload": work}
