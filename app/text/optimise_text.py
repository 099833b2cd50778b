"""The best point, or where a goal is reached, as plain text: against the base, what holds it back, how sure it is."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.base.lines import head, table, wrapped
from app.controls.fields import as_text, size_text
from app.text.accuracy_text import accuracy_words
from app.text.sweep_text import change, shown
from model.errors import cut
from model.measures import MEASURES
from model.units import unit_of
from scenarios.search.goal_seek import Crossing, MeasureAt
from scenarios.search.optimise import Binding, Candidate, Optimum

ALSO_SHOWN: Final = (
    "elapsed_s", "response_s", "response_p95_s", "transactions_per_s", "cpu_s", "read_wait_s", "hit_fraction",
    "device_utilisation_fraction", "cost_total", "cost_machine_per_hour",
)  # fmt: skip
"""Measures that are shown beside the one that was asked for."""
TEST_SAID: Final = {"=": "is", "<=": "is at most", ">=": "is at least"}


def optimum_lines(optimum: Optimum, command: str, width: int) -> Iterator[str]:
    """The whole answer."""
    such = f", such that {' and '.join(optimum.limits)}" if optimum.limits else ""
    goal = "largest" if optimum.largest else "smallest"
    yield from wrapped(f"{optimum.name}: the {goal} {optimum.measure}{such}", width, bold=True)
    yield ""
    spot = optimum.best or optimum.nearest
    if spot is not None:
        yield from _table(optimum, spot)
        yield ""
    for sentence in sentences_of(optimum):
        yield from wrapped(sentence, width, first="- ")
    if optimum.best is not None:
        yield ""
        yield head("Command")
        yield f"  {command}"


def _table(optimum: Optimum, spot: Candidate) -> Iterator[str]:
    lines = [("", "base", "best" if optimum.best else "nearest", "")]
    for name in _measures(optimum, spot):
        was, now = optimum.reference.get(name, math.nan), spot.measures[name]
        lines.append((name, shown(name, was), shown(name, now), change(was, now)))
    for key, value in spot.values.items():
        lines.append(
            (
                cut(key),
                field_shown(key, optimum.base_values[key]),
                field_shown(key, value),
                _remark(optimum, key),
            )
        )
    for row, (*_, remark) in zip(table([line[:3] for line in lines]), lines, strict=True):
        yield f"{row}  {remark}".rstrip()


def _measures(optimum: Optimum, spot: Candidate) -> list[str]:
    """The measure that was asked for, those of the limits, and others whose numbers are not already there."""
    told = [name for name in MEASURES if any(name in limit for limit in optimum.limits)]
    names = [name for name in dict.fromkeys([optimum.measure, *told]) if name in spot.measures]
    seen = {spot.measures[name] for name in names}
    for name in ALSO_SHOWN:
        if name in spot.measures and spot.measures[name] not in seen:
            names.append(name)
            seen.add(spot.measures[name])
    return names


def _remark(optimum: Optimum, key: str) -> str:
    if key in optimum.idle:
        return "no effect near this point"
    return next((f"the {binding.why} of its range" for binding in optimum.binding if binding.what == key), "")


def sentences_of(optimum: Optimum) -> list[str]:
    """What was found, what holds it back, and how sure it is."""
    if optimum.best is None:
        return [*_nothing(optimum), _how_sure(optimum), *_failures(optimum)]
    return [
        _against_the_base(optimum, optimum.best),
        *(_held_back(optimum, binding) for binding in optimum.binding),
        _how_sure(optimum),
        *_estimate(optimum),
        *_failures(optimum),
    ]


def _nothing(optimum: Optimum) -> Iterator[str]:
    nearest = optimum.nearest
    if nearest is None or nearest.error:
        yield "Nothing was found: no point has an answer."
        return
    yield f"No point satisfies {' and '.join(optimum.limits)} among those that were calculated."
    at = ", ".join(f"{key} {field_shown(key, value)}" for key, value in nearest.values.items())
    broken = [
        f"{limit} by {-slack:.1%} of the larger side"
        for limit, slack in zip(optimum.limits, nearest.slacks, strict=True)
        if slack < 0
    ]
    has = ", ".join(
        f"{name} {shown(name, nearest.measures[name])}" for name in _measures(optimum, nearest)[:3]
    )
    yield f"The nearest point is {at}: it has {has or 'no answer yet'} and violates {' and '.join(broken)}."


def _against_the_base(optimum: Optimum, best: Candidate) -> str:
    before, after = optimum.reference.get(optimum.measure, math.nan), best.measures[optimum.measure]
    now = shown(optimum.measure, after)
    if math.isnan(before):
        return f"{optimum.measure} is {now}; the base scenario has none."
    differs = (
        f"{optimum.measure} is {now} instead of {shown(optimum.measure, before)}"
        if after != before
        else f"{optimum.measure} stays {now}"
    )
    broken = [limit for limit, kept in zip(optimum.limits, optimum.base_keeps, strict=True) if not kept]
    more = f"; the base scenario violates {' and '.join(broken)}" if broken else ""
    return f"{differs}{more}."


def _held_back(optimum: Optimum, binding: Binding) -> str:
    if binding.why == "equal":
        return f"{binding.what} is the binding limit: the best point is exactly there."
    if binding.why == "forbids a neighbour":
        outcome = shown(optimum.measure, binding.outcome)
        ruled_out = f"{binding.key} {field_shown(binding.key, binding.at)}, where {optimum.measure} would be {outcome}"
        return f"{binding.what} is the binding limit: it rules out {ruled_out}."
    at = field_shown(binding.key, binding.at)
    return f"{binding.what} is at the {binding.why} of its range, {at}: values beyond may be better."


def _how_sure(optimum: Optimum) -> str:
    if optimum.exact:
        left = optimum.combinations - optimum.points
        more = f"; {left:,.0f} more violate a limit by their fields alone" if left else ""
        return f"All {optimum.points:,} combinations were answered{more}; none is better."
    space = (
        f"{optimum.combinations:,.0f} combinations"
        if math.isfinite(optimum.combinations)
        else "ranges of numbers"
    )
    ended = (
        "" if optimum.settled else ". It stopped before it converged; use a larger --limit or narrower ranges"
    )
    return (
        f"Differential evolution with a local search asked for {optimum.points:,} points of {space}. A better point is "
        f"possible{ended}."
    )


def _estimate(outcome: Optimum | Crossing) -> Iterator[str]:
    if outcome.estimate is not None and outcome.estimate.accuracy is not None:
        took = shown("elapsed_s", outcome.estimate.time.elapsed_s)
        yield f"This point is an instant estimate, elapsed_s {took}: {accuracy_words(outcome.estimate)}."


def _failures(optimum: Optimum) -> Iterator[str]:
    if optimum.failed:
        yield f"{optimum.failed:,} point{'s have' if optimum.failed > 1 else ' has'} no answer: {optimum.error}"


def crossing_lines(crossing: Crossing, command: str, width: int) -> Iterator[str]:
    """Where a goal is reached."""
    goal = f"{crossing.measure} {TEST_SAID[crossing.test]} {shown(crossing.measure, crossing.goal)}"
    yield from wrapped(f"{crossing.name}: where {goal}, along {crossing.key}", width, bold=True)
    yield ""
    yield head("Along the axis")
    sides = (crossing.below, crossing.above) if crossing.is_whole else (crossing.best or crossing.below,)
    rows = [reached for reached in (*crossing.scan, *sides) if reached is not None]
    for reached in sorted(
        {row.value: row for row in rows}.values(), key=lambda reached: float(reached.value)
    ):
        mark = "  <" if reached in sides else ""
        yield f"  {field_shown(crossing.key, reached.value):>12}  {_outcome(crossing, reached):>12}{mark}"
    yield ""
    for sentence in sentences_of_crossing(crossing):
        yield from wrapped(sentence, width, first="- ")
    if crossing.best is not None:
        yield ""
        yield head("Command")
        yield f"  {command}"


def _outcome(crossing: Crossing, reached: MeasureAt) -> str:
    """The measure at a value, with more digits where it would look like the goal and is not."""
    if not reached.is_answered:
        return "no answer"
    text = shown(crossing.measure, reached.outcome)
    if (
        text != shown(crossing.measure, crossing.goal)
        or reached.outcome == crossing.goal
        or not crossing.is_whole
    ):
        return text
    if MEASURES[crossing.measure].unit != "s":
        return f"{reached.outcome:.8g}"
    return f"{reached.outcome:.6g} s" if reached.outcome >= 1 else f"{1000 * reached.outcome:.6g} ms"


def sentences_of_crossing(crossing: Crossing) -> list[str]:
    """Where the goal is reached, or what the range reaches; and whether that is all there is to say."""
    base = (
        f"; the base scenario has {shown(crossing.measure, crossing.base)}"
        if not math.isnan(crossing.base)
        else ""
    )
    texts = [_where(crossing, base)]
    if not crossing.is_monotone:
        texts.append(
            f"{crossing.measure} rises and falls along {crossing.key}: this is the first crossing from the low end. "
            "There may be others."
            if crossing.below
            else f"{crossing.measure} rises and falls along {crossing.key}: it may reach the goal between the values "
            "above."
        )
    if crossing.beyond:
        end = crossing.scan[-1 if crossing.beyond == "above" else 0]
        values = f"{crossing.beyond} {field_shown(crossing.key, end.value)}"
        advice = f"The limit may be broken {values}" if _holds_all_along(crossing) else f"Try values {values}"
        texts.append(
            f"{advice}: {crossing.measure} moves towards {shown(crossing.measure, crossing.goal)} there."
        )
    failed = [reached for reached in crossing.scan if not reached.is_answered]
    if failed:
        texts.append(
            f"{len(failed)} of {len(crossing.scan)} scanned values have no answer: {failed[0].error}"
        )
    texts.append(f"{crossing.points:,} points were answered.")
    texts += _estimate(crossing)
    return texts


def _where(crossing: Crossing, base: str) -> str:
    goal = shown(crossing.measure, crossing.goal)
    if crossing.below is None or crossing.above is None:
        answered = [reached for reached in crossing.scan if reached.is_answered]
        ends = " and ".join(dict.fromkeys(_at(crossing, reached) for reached in (answered[0], answered[-1])))
        return f"{_held(crossing)}: {ends}{base}."
    if not crossing.above.is_answered:
        told = (
            "The limit is kept wherever the model has an answer"
            if crossing.best
            else f"{goal} is not reached where the model has an answer"
        )
        return f"{told}: up to {_at(crossing, crossing.below)}{base}."
    best = crossing.best or crossing.below
    if crossing.test == "=":
        both = f"between {_at(crossing, crossing.below)} and {_at(crossing, crossing.above)}"
        return f"{crossing.measure} reaches {goal} {both if crossing.is_whole else f'at {_at(crossing, best)}'}{base}."
    other, holds = (crossing.above, "up to") if best is crossing.below else (crossing.below, "from")
    ends = f", but not at {_at(crossing, other)}" if crossing.is_whole else ""
    return f"The limit is kept {holds} {_at(crossing, best)}{ends}{base}."


def _held(crossing: Crossing) -> str:
    """What is true of a range that does not cross the goal."""
    if crossing.test == "=":
        return f"No value in the range gives {shown(crossing.measure, crossing.goal)}"
    return (
        "The limit is kept over the whole range"
        if _holds_all_along(crossing)
        else "The limit is kept nowhere in the range"
    )


def _holds_all_along(crossing: Crossing) -> bool:
    """Whether a range that does not cross the goal keeps it."""
    reached = next(row_of_scan for row_of_scan in crossing.scan if row_of_scan.is_answered)
    if crossing.test == "=" or crossing.below is not None:
        return False
    return reached.outcome >= crossing.goal if crossing.test == ">=" else reached.outcome <= crossing.goal


def _at(crossing: Crossing, reached: MeasureAt) -> str:
    """A value of the axis with its outcome, as in "105 users (17.5 ms)"."""
    value = field_shown(crossing.key, reached.value)
    last = crossing.key.rpartition(".")[2]
    counted = last.removesuffix("s") if reached.value == 1 else last
    named = f"{value} {counted}" if last in ("users", "cpus") else f"{last} {value}"
    return f"{named} ({_outcome(crossing, reached)})"


def field_shown(key: str, value: Any) -> str:
    """A value of a field as a reader writes it; a size exactly, where that is short."""
    return _written(key, value) if _is_size(key, value) else shown(key, value)


def _written(key: str, value: Any) -> str:
    """A value as --set takes it, a size with its unit."""
    return size_text(value) if _is_size(key, value) else as_text(value)


def _is_size(key: str, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and unit_of(key) == "bytes"


def command_of(
    name: str, settings: Sequence[str], values: Mapping[str, Any], asked: Mapping[str, Any]
) -> str:
    """The command line that runs a point."""
    changes = [*settings, *(f"{key}={_written(key, value)}" for key, value in values.items())]
    words = ["blocktime", "run", name, *(word for change in changes for word in ("--set", change))]
    if asked.get("engine") not in {None, "", "auto"}:
        words += ["--engine", asked["engine"]]
    for option in ("seed", "replications"):
        if asked.get(option) is not None:
            words += [f"--{option}", str(asked[option])]
    return shlex.join(words)
