"""The best point, or where a goal is reached, as plain text: against the base, what holds it back, how sure it is."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.base.lines import head, wrapped
from app.controls.fields import as_text, size_text
from app.text.accuracy_text import accuracy_words
from app.text.sweep_text import shown
from model.errors import cut
from model.measures import MEASURES
from model.units import unit_of
from scenarios.sweeps.goal_seek import Crossing, Reached
from scenarios.sweeps.optimise import Binding, Optimum, Spot

ALSO_SHOWN: Final = (
    "elapsed_s", "response_s", "response_p95_s", "transactions_per_s", "cpu_s", "read_wait_s", "hit_fraction",
    "device_utilisation_fraction", "cost_total", "cost_machine_per_hour",
)  # fmt: skip
"""Measures that are shown beside the one that was asked for."""
RATIO: Final = 10
"""A change beyond that is told as a multiple."""
TEST_SAID: Final = {"=": "is", "<=": "is at most", ">=": "is at least"}


def optimum_lines(found: Optimum, command: str, width: int) -> Iterator[str]:
    """The whole answer."""
    such = f", such that {' and '.join(found.limits)}" if found.limits else ""
    goal = "largest" if found.largest else "smallest"
    yield from wrapped(f"{found.name}: the {goal} {found.measure}{such}", width, bold=True)
    yield ""
    spot = found.best or found.nearest
    if spot is not None:
        yield from _table(found, spot)
        yield ""
    for sentence in sentences_of(found):
        yield from wrapped(sentence, width, first="- ")
    if found.best is not None:
        yield ""
        yield head("Command")
        yield f"  {command}"


def _table(found: Optimum, spot: Spot) -> Iterator[str]:
    lines = [("", "base", "best" if found.best else "nearest", "")]
    for name in _measures(found, spot):
        was, now = found.reference.get(name, math.nan), spot.measures[name]
        lines.append((name, shown(name, was), shown(name, now), change(was, now)))
    for key, value in spot.values.items():
        lines.append(
            (cut(key), field_shown(key, found.base_values[key]), field_shown(key, value), _remark(found, key))
        )
    widths = [max(len(line[place]) for line in lines) for place in range(3)]
    for name, before, after, remark in lines:
        yield f"  {name:<{widths[0]}}  {before:>{widths[1]}}  {after:>{widths[2]}}  {remark}".rstrip()


def _measures(found: Optimum, spot: Spot) -> list[str]:
    """The measure that was asked for, those of the limits, and others whose numbers are not already there."""
    told = [name for name in MEASURES if any(name in limit for limit in found.limits)]
    names = [name for name in dict.fromkeys([found.measure, *told]) if name in spot.measures]
    seen = {spot.measures[name] for name in names}
    for name in ALSO_SHOWN:
        if name in spot.measures and spot.measures[name] not in seen:
            names.append(name)
            seen.add(spot.measures[name])
    return names


def _remark(found: Optimum, key: str) -> str:
    if key in found.idle:
        return "no effect here"
    return next((f"the {one.why} of its range" for one in found.binding if one.what == key), "")


def change(before: float, after: float) -> str:
    """How a number differs from the base scenario's."""
    if not before or math.isnan(before) or math.isnan(after):
        return ""
    ratio = after / before
    return f"{100 * (ratio - 1):+.1f} %" if ratio < RATIO else f"{ratio:,.3g} ×"


def sentences_of(found: Optimum) -> list[str]:
    """What was found, what holds it back, and how sure it is."""
    if found.best is None:
        return [*_nothing(found), _how_sure(found), *_failures(found)]
    return [
        _against_the_base(found, found.best),
        *(_held_back(found, one) for one in found.binding),
        _how_sure(found),
        *_estimate(found),
        *_failures(found),
    ]


def _nothing(found: Optimum) -> Iterator[str]:
    nearest = found.nearest
    if nearest is None or nearest.error:
        yield "Nothing was found: no point has an answer."
        return
    yield f"No point satisfies {' and '.join(found.limits)} among those that were calculated."
    at = ", ".join(f"{key} {field_shown(key, value)}" for key, value in nearest.values.items())
    broken = [
        f"{limit} by {-slack:.1%} of the larger side"
        for limit, slack in zip(found.limits, nearest.slacks, strict=True)
        if slack < 0
    ]
    has = ", ".join(f"{name} {shown(name, nearest.measures[name])}" for name in _measures(found, nearest)[:3])
    yield f"The nearest point is {at}: it has {has or 'no answer yet'} and violates {' and '.join(broken)}."


def _against_the_base(found: Optimum, best: Spot) -> str:
    before, after = found.reference.get(found.measure, math.nan), best.measures[found.measure]
    now = shown(found.measure, after)
    if math.isnan(before):
        return f"{found.measure} is {now}; the base scenario has none."
    differs = (
        f"{found.measure} is {now} instead of {shown(found.measure, before)}"
        if after != before
        else f"{found.measure} stays {now}"
    )
    broken = [limit for limit, kept in zip(found.limits, found.base_keeps, strict=True) if not kept]
    more = f"; the base scenario violates {' and '.join(broken)}" if broken else ""
    return f"{differs}{more}."


def _held_back(found: Optimum, one: Binding) -> str:
    if one.why == "equal":
        return f"{one.what} is the binding limit: the best point is exactly there."
    if one.why == "forbids a neighbour":
        outcome = shown(found.measure, one.outcome)
        ruled_out = f"{one.key} {field_shown(one.key, one.at)}, which gives {outcome}"
        return f"{one.what} is the binding limit: it rules out {ruled_out}."
    return f"{one.what} is at the {one.why} of its range, {field_shown(one.key, one.at)}: values beyond may be better."


def _how_sure(found: Optimum) -> str:
    if found.exact:
        left = found.combinations - found.points
        more = f"; {left:,.0f} more violate a limit by their fields alone" if left else ""
        return f"All {found.points:,} combinations were answered{more}; none is better."
    space = (
        f"{found.combinations:,.0f} combinations"
        if math.isfinite(found.combinations)
        else "ranges of numbers"
    )
    ended = (
        "" if found.settled else ". It stopped before it converged; use a larger --limit or narrower ranges"
    )
    return (
        f"Differential evolution with a local search asked for {found.points:,} points of {space}. A better point is "
        f"possible{ended}."
    )


def _estimate(found: Optimum | Crossing) -> Iterator[str]:
    if found.estimate is not None and found.estimate.accuracy is not None:
        took = shown("elapsed_s", found.estimate.time.elapsed_s)
        yield f"This point is an instant estimate, elapsed_s {took}: {accuracy_words(found.estimate)}."


def _failures(found: Optimum) -> Iterator[str]:
    if found.failed:
        yield f"{found.failed:,} point{'s have' if found.failed > 1 else ' has'} no answer: {found.error}"


def crossing_lines(found: Crossing, command: str, width: int) -> Iterator[str]:
    """Where a goal is reached."""
    goal = f"{found.measure} {TEST_SAID[found.test]} {shown(found.measure, found.goal)}"
    yield from wrapped(f"{found.name}: where {goal}, along {found.key}", width, bold=True)
    yield ""
    yield head("Along the axis")
    sides = (found.below, found.above) if found.is_whole else (found.best or found.below,)
    rows = [one for one in (*found.scan, *sides) if one is not None]
    for one in sorted({one.value: one for one in rows}.values(), key=lambda one: float(one.value)):
        mark = "  <" if one in sides else ""
        yield f"  {field_shown(found.key, one.value):>12}  {_outcome(found, one):>12}{mark}"
    yield ""
    for sentence in sentences_of_crossing(found):
        yield from wrapped(sentence, width, first="- ")
    if found.best is not None:
        yield ""
        yield head("Command")
        yield f"  {command}"


def _outcome(found: Crossing, one: Reached) -> str:
    """The measure at a value, with more digits where it would look like the goal and is not."""
    if not one.is_answered:
        return "no answer"
    said = shown(found.measure, one.outcome)
    if said != shown(found.measure, found.goal) or one.outcome == found.goal or not found.is_whole:
        return said
    if MEASURES[found.measure].unit != "s":
        return f"{one.outcome:.8g}"
    return f"{one.outcome:.6g} s" if one.outcome >= 1 else f"{1000 * one.outcome:.6g} ms"


def sentences_of_crossing(found: Crossing) -> list[str]:
    """Where the goal is reached, or what the range reaches; and whether that is all there is to say."""
    base = f"; the base scenario has {shown(found.measure, found.base)}" if not math.isnan(found.base) else ""
    said = [_where(found, base)]
    if not found.is_monotone:
        said.append(
            f"{found.measure} rises and falls along {found.key}: this is the first crossing from the low end. There "
            "may be others."
            if found.below
            else f"{found.measure} rises and falls along {found.key}: it may reach the goal between the values above."
        )
    if found.beyond:
        end = found.scan[-1 if found.beyond == "above" else 0]
        values = f"{found.beyond} {field_shown(found.key, end.value)}"
        advice = f"It may no longer hold {values}" if _holds_all_along(found) else f"Try values {values}"
        said.append(f"{advice}: {found.measure} moves towards {shown(found.measure, found.goal)} there.")
    failed = [one for one in found.scan if not one.is_answered]
    if failed:
        said.append(f"{len(failed)} of {len(found.scan)} scanned values have no answer: {failed[0].error}")
    said.append(f"{found.points:,} points were answered.")
    said += _estimate(found)
    return said


def _where(found: Crossing, base: str) -> str:
    goal = shown(found.measure, found.goal)
    if found.below is None or found.above is None:
        answered = [one for one in found.scan if one.is_answered]
        ends = " and ".join(dict.fromkeys(_at(found, one) for one in (answered[0], answered[-1])))
        return f"{_held(found)}: {ends}{base}."
    if not found.above.is_answered:
        told = (
            "It holds as far as the model has an answer"
            if found.best
            else f"{goal} is not reached where the model has an answer"
        )
        return f"{told}: up to {_at(found, found.below)}{base}."
    best = found.best or found.below
    if found.test == "=":
        both = f"between {_at(found, found.below)} and {_at(found, found.above)}"
        return f"{found.measure} reaches {goal} {both if found.is_whole else f'at {_at(found, best)}'}{base}."
    other, holds = (found.above, "up to") if best is found.below else (found.below, "from")
    ends = f", but not at {_at(found, other)}" if found.is_whole else ""
    return f"It holds {holds} {_at(found, best)}{ends}{base}."


def _held(found: Crossing) -> str:
    """What is true of a range that does not cross the goal."""
    if found.test == "=":
        return f"No value in the range gives {shown(found.measure, found.goal)}"
    return "It holds along the whole range" if _holds_all_along(found) else "It holds nowhere in the range"


def _holds_all_along(found: Crossing) -> bool:
    """Whether a range that does not cross the goal keeps it."""
    one = next(one for one in found.scan if one.is_answered)
    if found.test == "=" or found.below is not None:
        return False
    return one.outcome >= found.goal if found.test == ">=" else one.outcome <= found.goal


def _at(found: Crossing, one: Reached) -> str:
    """A value of the axis with its outcome, as in "105 users (17.5 ms)"."""
    value = field_shown(found.key, one.value)
    last = found.key.rpartition(".")[2]
    counted = last.removesuffix("s") if one.value == 1 else last
    named = f"{value} {counted}" if last in ("users", "cpus") else f"{last} {value}"
    return f"{named} ({_outcome(found, one)})"


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
    words = ["blocktime", "run", name, *(word for one in changes for word in ("--set", one))]
    if asked.get("engine") not in {None, "", "auto"}:
        words += ["--engine", asked["engine"]]
    for option in ("seed", "replications"):
        if asked.get(option) is not None:
            words += [f"--{option}", str(asked[option])]
    return shlex.join(words)
