"""The best point, or where a goal is reached, as plain text: against the base, what holds it back, how sure it is."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from blocktime.app.base.lines import head, parted, table, wrapped
from blocktime.app.controls.control_fields import as_text, size_text
from blocktime.app.text.sweep_text import change, show_value
from blocktime.model.errors import cut
from blocktime.model.measures import MEASURES
from blocktime.model.units import show_number, show_share, unit_of
from blocktime.scenarios.search.goal_seek import Crossing, MeasureAt
from blocktime.scenarios.search.optimise import Binding, Candidate, Optimum
from blocktime.scenarios.search.promises import Promise

MORE_MEASURES: Final = (
    "elapsed_s", "response_s", "response_p95_s", "transactions_per_s", "cpu_s", "read_wait_s", "hit_fraction",
    "device_utilisation_fraction", "cost_total", "cost_machine_per_hour",
)  # fmt: skip
"""Measures that are shown beside the one that was asked for."""
TEST_SAID: Final = {"=": "is", "<=": "is at most", ">=": "is at least"}


def optimum_lines(optimum: Optimum, command: str, width: int) -> Iterator[str]:
    """The whole answer."""
    such = f", such that {' and '.join(optimum.limits)}" if optimum.limits else ""
    goal = "largest" if optimum.largest else "smallest"
    spot = optimum.best or optimum.nearest
    body = _table(optimum, spot) if spot is not None else ()
    title = f"{optimum.name}: the {goal} {optimum.measure}{such}"
    return _document(title, body, sentences_of(optimum), command if optimum.best else "", width)


def _document(title: str, body: Iterable[str], sentences: Sequence[str], command: str, width: int) -> Iterator[str]:
    """A title, a table, what it says in sentences, and the command that runs the point."""
    findings = [line for sentence in sentences for line in wrapped(sentence, width, first="- ")]
    run = [head("Command"), f"  {command}"] if command else []
    return parted(filter(None, ([*wrapped(title, width, bold=True)], [*body], findings, run)))


def _table(optimum: Optimum, spot: Candidate) -> Iterator[str]:
    lines = [("", "base", "best" if optimum.best else "nearest", "")]
    for name in _measures(optimum, spot):
        before, after = optimum.reference.get(name, math.nan), spot.measures[name]
        lines.append((name, show_value(name, before), show_value(name, after), change(before, after)))
    for key, value in spot.values.items():
        was, now = show_field(key, optimum.base_values[key]), show_field(key, value)
        lines.append((cut(key), was, now, _remark(optimum, key)))
    for row, (*_, remark) in zip(table([line[:3] for line in lines]), lines, strict=True):
        yield f"{row}  {remark}".rstrip()


def _measures(optimum: Optimum, spot: Candidate) -> list[str]:
    """The measure that was asked for, those of the limits, and others whose numbers are not already there."""
    limited = [name for name in MEASURES if any(name in limit for limit in optimum.limits)]
    names = [name for name in dict.fromkeys([optimum.measure, *limited]) if name in spot.measures]
    seen = {spot.measures[name] for name in names}
    for name in MORE_MEASURES:
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
        *(_binding_text(optimum, binding) for binding in optimum.binding),
        _how_sure(optimum),
        *_failures(optimum),
    ]


def _nothing(optimum: Optimum) -> Iterator[str]:
    nearest = optimum.nearest
    if nearest is None or nearest.error:
        yield "Nothing was found: no point has an answer."
        return
    yield f"No point satisfies {' and '.join(optimum.limits)} among those that were calculated."
    at = ", ".join(f"{key} {show_field(key, value)}" for key, value in nearest.values.items())
    broken = [
        f"{limit} by {show_share(-slack, 1)} of the larger side"
        for limit, slack in zip(optimum.limits, nearest.slacks, strict=True)
        if slack < 0
    ]
    has = ", ".join(f"{name} {show_value(name, nearest.measures[name])}" for name in _measures(optimum, nearest)[:3])
    yield f"The nearest point is {at}: it has {has or 'no answer yet'} and violates {' and '.join(broken)}."


def _against_the_base(optimum: Optimum, best: Candidate) -> str:
    before, after = optimum.reference.get(optimum.measure, math.nan), best.measures[optimum.measure]
    now = show_value(optimum.measure, after)
    if math.isnan(before):
        return f"{optimum.measure} is {now}; the base scenario has none."
    moves = f"is {now} instead of {show_value(optimum.measure, before)}" if after != before else f"stays {now}"
    broken = [limit for limit, is_met in zip(optimum.limits, optimum.base_keeps, strict=True) if not is_met]
    more = f"; the base scenario violates {' and '.join(broken)}" if broken else ""
    return f"{optimum.measure} {moves}{more}."


def _binding_text(optimum: Optimum, binding: Binding) -> str:
    if binding.why == "equal":
        return f"{binding.what} is the binding limit: the best point is exactly there."
    if binding.why == "forbids a neighbour":
        outcome = show_value(optimum.measure, binding.outcome)
        ruled_out = f"{binding.key} {show_field(binding.key, binding.at)}, where {optimum.measure} would be {outcome}"
        return f"{binding.what} is the binding limit: it rules out {ruled_out}."
    at = show_field(binding.key, binding.at)
    return f"{binding.what} is at the {binding.why} of its range, {at}: values beyond may be better."


def _how_sure(optimum: Optimum) -> str:
    if optimum.exact:
        left = optimum.combinations - optimum.points
        more = f"; {left:,.0f} more violate a limit by their fields alone" if left else ""
        return f"All {optimum.points:,} combinations were answered{more}; none is better."
    finite = math.isfinite(optimum.combinations)
    space = f"{optimum.combinations:,.0f} combinations" if finite else "ranges of numbers"
    stopped = ". It stopped before it converged; use a larger --limit or narrower ranges"
    ended = "" if optimum.settled else stopped
    return (
        f"Differential evolution with a local search asked for {optimum.points:,} points of {space}. A better point is "
        f"possible{ended}."
    )


def _failures(optimum: Optimum) -> Iterator[str]:
    if optimum.failed:
        yield f"{optimum.failed:,} point{'s have' if optimum.failed > 1 else ' has'} no answer: {optimum.error}"


def crossing_lines(crossing: Crossing, command: str, width: int) -> Iterator[str]:
    """Where a goal is reached."""
    goal = f"{crossing.measure} {TEST_SAID[crossing.test]} {show_value(crossing.measure, crossing.goal)}"
    sides = (crossing.below, crossing.above) if crossing.is_whole else (crossing.best or crossing.below,)
    rows = {reached.value: reached for reached in (*crossing.scan, *sides) if reached is not None}
    body = [head("Along the axis")]
    for reached in sorted(rows.values(), key=lambda reached: float(reached.value)):
        mark = "  <" if reached in sides else ""
        body.append(f"  {show_field(crossing.key, reached.value):>12}  {_outcome(crossing, reached):>12}{mark}")
    title = f"{crossing.name}: where {goal}, along {crossing.key}"
    return _document(title, body, sentences_of_crossing(crossing), command if crossing.best else "", width)


def _outcome(crossing: Crossing, reached: MeasureAt) -> str:
    """The measure at a value, with more digits where it would look like the goal and is not."""
    if not reached.is_answered:
        return "no answer"
    text = show_value(crossing.measure, reached.outcome)
    looks_like_it = text == show_value(crossing.measure, crossing.goal) and reached.outcome != crossing.goal
    if not (looks_like_it and crossing.is_whole):
        return text
    if MEASURES[crossing.measure].unit != "s":
        return f"{reached.outcome:.8g}"
    return f"{show_number(reached.outcome)} s" if reached.outcome >= 1 else f"{show_number(1000 * reached.outcome)} ms"


def sentences_of_crossing(crossing: Crossing) -> list[str]:
    """Where the goal is reached, or what the range reaches; and whether that is all there is to say."""
    known = not math.isnan(crossing.base)
    base = f"; the base scenario has {show_value(crossing.measure, crossing.base)}" if known else ""
    texts = [_where(crossing, base)]
    if not crossing.is_monotone:
        first = "this is the first crossing from the low end. There may be others."
        maybe = first if crossing.below else "it may reach the goal between the values above."
        texts.append(f"{crossing.measure} rises and falls along {crossing.key}: {maybe}")
    if crossing.beyond:
        end = crossing.scan[-1 if crossing.beyond == "above" else 0]
        values = f"{crossing.beyond} {show_field(crossing.key, end.value)}"
        advice = f"The limit may fail {values}" if _holds_all_along(crossing) else f"Try values {values}"
        texts.append(f"{advice}: {crossing.measure} moves towards {show_value(crossing.measure, crossing.goal)} there.")
    failed = [reached for reached in crossing.scan if not reached.is_answered]
    if failed:
        texts.append(f"{len(failed)} of {len(crossing.scan)} scanned values have no answer: {failed[0].error}")
    return [*texts, f"{crossing.points:,} points were answered."]


def _where(crossing: Crossing, base: str) -> str:
    goal = show_value(crossing.measure, crossing.goal)
    if crossing.below is None or crossing.above is None:
        answered = [reached for reached in crossing.scan if reached.is_answered]
        ends = " and ".join(dict.fromkeys(_at(crossing, reached) for reached in (answered[0], answered[-1])))
        return f"{_verdict(crossing)}: {ends}{base}."
    if not crossing.above.is_answered:
        everywhere = "The limit holds wherever the model has an answer"
        verdict = everywhere if crossing.best else f"{goal} is not reached where the model has an answer"
        return f"{verdict}: up to {_at(crossing, crossing.below)}{base}."
    best = crossing.best or crossing.below
    if crossing.test == "=":
        both = f"between {_at(crossing, crossing.below)} and {_at(crossing, crossing.above)}"
        return f"{crossing.measure} reaches {goal} {both if crossing.is_whole else f'at {_at(crossing, best)}'}{base}."
    other, holds = (crossing.above, "up to") if best is crossing.below else (crossing.below, "from")
    ends = f", but not at {_at(crossing, other)}" if crossing.is_whole else ""
    return f"The limit holds {holds} {_at(crossing, best)}{ends}{base}."


def _verdict(crossing: Crossing) -> str:
    """What is true of a range that does not cross the goal."""
    if crossing.test == "=":
        return f"No value in the range gives {show_value(crossing.measure, crossing.goal)}"
    return f"The limit holds {'over the whole' if _holds_all_along(crossing) else 'nowhere in the'} range"


def _holds_all_along(crossing: Crossing) -> bool:
    """Whether a range that does not cross the goal keeps it."""
    reached = next(row_of_scan for row_of_scan in crossing.scan if row_of_scan.is_answered)
    if crossing.test == "=" or crossing.below is not None:
        return False
    return reached.outcome >= crossing.goal if crossing.test == ">=" else reached.outcome <= crossing.goal


def _at(crossing: Crossing, reached: MeasureAt) -> str:
    """A value of the axis with its outcome, as in "105 users (17.5 ms)"."""
    value = show_field(crossing.key, reached.value)
    last = crossing.key.rpartition(".")[2]
    counted = last.removesuffix("s") if reached.value == 1 else last
    named = f"{value} {counted}" if last in ("users", "cpus") else f"{last} {value}"
    return f"{named} ({_outcome(crossing, reached)})"


def show_field(key: str, value: Any) -> str:
    """A value of a field as a reader writes it; a size exactly, where that is short."""
    return _size(key, value) or show_value(key, value)


def _size(key: str, value: Any) -> str:
    """A size as --set takes it, with its unit; empty for what is none."""
    is_size = isinstance(value, int) and not isinstance(value, bool) and unit_of(key) == "bytes"
    return size_text(value) if is_size else ""


def command_of(name: str, settings: Sequence[str], values: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """The command line that runs a point."""
    changes = [*settings, *(f"{key}={_size(key, value) or as_text(value)}" for key, value in values.items())]
    words = ["blocktime", "run", name, *(word for change in changes for word in ("--set", change))]
    for option in ("seed", "replications"):
        if options.get(option) is not None:
            words += [f"--{option}", str(options[option])]
    return shlex.join(words)


def promise_line(promise: Promise, limit: str) -> str:
    """Whether the answer keeps a promise, with its numbers, and the *limit* that binds where it does not."""
    values = ", ".join(f"{name} is {show_value(name, value)}" for name, value in promise.values.items())
    word, reason = ("kept", "") if promise.holds else ("broken", f"; {limit}")
    return f"{word:<8}{promise.text}{': ' * bool(values)}{values}{reason}"
