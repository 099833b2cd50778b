"""Several answers side by side as plain text: times and counts in columns, and why they differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from click import style

from app.base.lines import NAME_WIDTH, head, mean, wrapped
from app.text.outside import MARK, by_component, lines_of, marked, what_the_mark_says
from app.text.profile import Scale, scale_of
from app.text.transaction_text import figures_of, tps
from model.results import RunResult
from model.units import MIB, show_amount, show_bytes, show_seconds
from scenarios import Scenario
from scenarios.compare import chance, changes, components, path, why
from scenarios.why_device import flushes, mean_request_bytes, requests
from scenarios.why_money import many_of
from scenarios.why_streams import overlapped


def compare_lines(
    results: Sequence[RunResult],
    titles: Sequence[str],
    *,
    width: int = 80,
    scenarios: Sequence[Scenario] = (),
) -> Iterator[str]:
    """Several answers side by side against the first, and why they differ, with what *scenarios* set otherwise."""
    letters = letters_for(len(results))
    for letter, result, title in zip(letters, results, titles, strict=True):
        name = f"{result.scenario} – {title}" if title else result.scenario
        how = result.engine if result.transactions else f"{result.engine}; {path(result)}"
        yield from wrapped(f"{name} ({how})", width, first=f"{letter}  ")
    yield ""
    for letter, result in zip(letters[1:], results[1:], strict=True):
        yield from wrapped(difference_line(results[0], result, letter), width, bold=True)
    yield ""
    yield from side_by_side_lines(results, letters, width)
    for place, (letter, result) in enumerate(zip(letters[1:], results[1:], strict=True), 1):
        yield ""
        yield head(f"Why {letter} differs from {letters[0]}" if len(results) > 2 else "Why")
        asked = (scenarios[0], scenarios[place]) if scenarios else None
        for sentence in why(results[0], result, asked):
            yield from wrapped(sentence, width, first="- ")
    beyond = lines_of(results, letters)
    warnings = dict.fromkeys(warning for result in results for warning in result.warnings)
    if warnings or beyond:
        yield ""
    for note in warnings:
        yield from wrapped(note, width, first="warning   ", colour="yellow")
    for note in beyond:
        yield from wrapped(note, width, first="beyond    ", colour="yellow")


LEAST_SHOWN: Final = 0.0005
"""What rounds to nothing in the table's digits."""
MOST_ROWS_APART: Final = 0.01
"""Rows returned that differ by no more are the same question."""


def letters_for(many: int) -> list[str]:
    """Short names of the answers compared: A, B, C…"""
    return [chr(ord("A") + index) if index < 26 else f"#{index + 1}" for index in range(many)]


def difference_line(base: RunResult, other: RunResult, letter: str = "B") -> str:
    """How the elapsed times differ, in one sentence."""
    before, after = base.time.elapsed_s, other.time.elapsed_s
    call = _of_a_call(base, other, letter)
    of = ""
    if base.transactions is not None and other.transactions is not None:
        of = "a transaction of "
        call = f" {letter} does {tps(other.transactions.per_s)} TPS, A {tps(base.transactions.per_s)}."
    if (base.transactions is None) != (other.transactions is None):
        first, second = (
            "one transaction" if result.transactions else "a whole run" for result in (base, other)
        )
        call = f" They are not the same work: A is {first}, {letter} is {second}."
    elif "fetch" in base.calls and "fetch" in other.calls:
        rows = [result.calls["fetch"].rows for result in (base, other)]
        if abs(rows[1] - rows[0]) > MOST_ROWS_APART * max(rows):
            call += f" They do not return the same rows: A {rows[0]:,.0f}, {letter} {rows[1]:,.0f}."
    times = f"{of.capitalize()}{letter} takes {show_seconds(after)}, {'one of ' if of else ''}A {show_seconds(before)}"
    if abs(after - before) <= 1e-9 * max(before, after):
        return f"{of.capitalize()}{letter} takes as long as {'one of ' if of else ''}A: {show_seconds(after)}.{call}"
    percent = f", {_percent_more(before, after)} %" if before > 0 and after < 10 * before else ""
    ratio = f", {_times(after / before)} times as long" if before > 0 and after >= 10 * before else ""
    less = "less" if after < before else "more"
    return f"{times}: {show_seconds(abs(after - before))} {less}{percent}{ratio}.{call}"


def _times(ratio: float) -> str:
    """A ratio to three digits; whole from a thousand on."""
    return f"{ratio:,.0f}" if ratio >= 1000 else f"{ratio:.3g}"


def _of_a_call(base: RunResult, other: RunResult, letter: str) -> str:
    """What a call takes, where calls are under way at once and the elapsed time says little."""
    if not base.streams or not other.streams or not overlapped(base, other):
        return ""
    before, after = (show_seconds(result.streams[0].response_s) for result in (base, other) if result.streams)
    return f" A call of {letter} takes {after}, one of A {before}."


def _percent_more(before: float, after: float) -> str:
    percent = 100 * (after - before) / before
    return f"{percent:+.0f}" if abs(percent) >= 10 else f"{percent:+.2g}"


def side_by_side_lines(
    results: Sequence[RunResult], letters: Sequence[str], width: int = 80
) -> Iterator[str]:
    """Times and counts in columns, as many answers beside the first as fit in *width*."""
    fit = max(1, (width - NAME_WIDTH - 12) // 33)
    others = list(range(1, len(results)))
    for start in range(0, len(others), fit):
        if start:
            yield ""
        yield from _side_by_side(results, letters, others[start : start + fit])
    text = what_the_mark_says(results)
    if text:
        yield ""
        yield from wrapped(text, width, colour="yellow")


def _side_by_side(
    results: Sequence[RunResult], letters: Sequence[str], shown: Sequence[int]
) -> Iterator[str]:
    scale = scale_of(results)
    base, others = letters[0], [letters[i] for i in shown]
    yield head(
        f"{'seconds' if scale.per_s == 1 else f'{scale.word} of {scale.of}':<{NAME_WIDTH}}{base:>12}"
        + "".join(f"{other:>12}{other + '-' + base:>12}{'%':>9}" for other in others)
    )
    yield from _times_apart([results[0], *(results[i] for i in shown)], scale)
    yield ""
    counts = f"{'counts':<{NAME_WIDTH}}{base:>12}" + "".join(f"{other:>12}{'':>21}" for other in others)
    yield head(counts.rstrip())
    figures = [_figures(results[0]), *(_figures(results[i]) for i in shown)]
    for name in dict.fromkeys(name for figure in figures for name in figure):
        values = [figure.get(name, "") for figure in figures]
        if any(value not in ("", "0", "0.0") for value in values):
            cells = f" {values[0]:>11}" + "".join(f" {value:>11}{'':>21}" for value in values[1:])
            yield f"{name:<{NAME_WIDTH}}{cells}".rstrip()


def _times_apart(results: Sequence[RunResult], scale: Scale) -> Iterator[str]:
    """The components of the times of *results*, the largest first, and the whole, against the first."""
    base, others = results[0], results[1:]
    parts = [components(result) for result in results]
    outside = {
        name: extrapolations for result in results for name, extrapolations in by_component(result).items()
    }
    largest = {
        change.name: max(part.get(change.name, 0.0) for part in parts)
        for other in others
        for change in changes(base, other)
    }
    for name in sorted(largest, key=lambda name: -largest[name]):
        before, *after = (scale.per_s * part.get(name, 0.0) for part in parts)
        if any(abs(time) >= LEAST_SHOWN for time in (before, *after)):
            yield from _difference(marked(name, outside), before, after)
    last = ("elapsed" if scale.per_s == 1 else "response") + (f" {MARK}" if outside else "")
    before, *after = (scale.per_s * result.time.elapsed_s for result in results)
    yield from _difference(last, before, after, [bool(chance(base, other)) for other in others])


def _difference(
    name: str, before: float, after: Sequence[float], unsure: Sequence[bool] | None = None
) -> Iterator[str]:
    """A line of the table; the last one, which says where the difference is *unsure*, is bold and coloured."""
    first, *more = textwrap.wrap(name, NAME_WIDTH - 1, subsequent_indent="  ")
    line = f"{first:<{NAME_WIDTH}}{_seconds(before):>12}"
    for place, value in enumerate(after):
        change = value - before
        percent = f"{100 * change / before:+.1f}" if before else ""
        difference = f"{change:+,.3f}"
        if abs(change) < 0.0005:
            difference, percent = "=", ""
        elif value >= 10 * before > 0:
            percent = f"×{value / before:,.0f}"
        cell = f"{_seconds(value):>12}{difference:>12}{percent:>9}"
        certain = unsure is not None and not unsure[place] and difference != "="
        line += style(cell, fg="green" if change < 0 else "red") if certain else cell
    yield line.rstrip() if unsure is None else style(line.rstrip(), bold=True)
    yield from more


def _seconds(value: float) -> str:
    if 0 < value < 0.0005:
        return "< 0.001"
    return f"{round(value, 3) + 0.0:,.3f}" if value else "-"


def _figures(result: RunResult) -> dict[str, str]:
    """The counts that explain the seconds, and what they cost."""
    found = _of_streams(result) if result.streams else _of_a_statement(result)
    if result.transactions is not None:
        found = figures_of(result)
    found |= _of_programs(result)
    if result.money is not None:
        words, many = many_of(result.money)
        found |= {f"{result.money.currency}, {words}": show_amount(many * result.money.total)}
        found |= {f"{result.money.currency}, an hour": show_amount(result.money.used_per_hour)}
    for name, device in result.device.items():
        if device.request_bytes:
            found[f"{name} requests"] = f"{requests(device):,.0f}"
            found[f"{name} cache flushes"] = f"{flushes(device):,.0f}"
            found[f"{name} merged"] = f"{device.merged_reads + device.merged_writes:,.0f}"
            found[f"{name} mean request"] = show_bytes(round(mean_request_bytes(device)))
            if device.average_queue is not None:
                found[f"{name} mean queue"] = mean(device.average_queue)
        if device.await_s is not None:
            found[f"{name} await"] = show_seconds(device.await_s)
        if result.transactions is None:  # of their resources that stands above
            found[f"{name} %util"] = f"{100 * device.utilisation_fraction:.1f}"
    return found


def _of_programs(result: RunResult) -> dict[str, str]:
    """What each program takes together with the others, and alone."""
    found: dict[str, str] = {}
    for program in result.programs or ():
        for where, figures in (("together", program), ("alone", program.alone)):
            took_s = figures.took_s
            found[f"{program.name} {where}"] = "too few" if took_s is None else show_seconds(took_s)
    return found


def _of_streams(result: RunResult) -> dict[str, str]:
    """Calls, bytes and response times of all streams."""
    found: dict[str, str] = {}
    for index, stream in enumerate(result.streams or ()):
        of = f", stream {index + 1}" if index else ""
        found |= {
            f"calls{of}": f"{stream.calls:,.0f}",
            f"calls/s{of}": mean(stream.calls_per_s),
            f"MB/s{of}": mean(stream.bytes_per_s / MIB),
            f"mean response{of}": show_seconds(stream.response_s),
        }
        for share in ("p95", "p99"):
            if share in stream.response_percentiles:
                found[f"{share} response{of}"] = show_seconds(stream.response_percentiles[share])
    return found


def _of_a_statement(result: RunResult) -> dict[str, str]:
    """Gets, reads, blocks and cost of a scan or a statement that changes rows."""
    io, gets, cost = result.physical_io, result.logical_io, result.optimizer
    block = io.read_bytes / io.read_blocks if io.read_blocks else 0.0
    return {
        "consistent gets": f"{gets.consistent_gets:,.0f}" if gets else "",
        "fetch calls": f"{result.calls['fetch'].count:,.0f}" if "fetch" in result.calls else "",
        "reads": f"{io.read_requests:,.0f}",
        "MB read": f"{io.read_bytes / MIB:,.1f}",
        "largest read": show_bytes(max(io.request_blocks, default=0) * block),
        **_of_the_segment(result),
        "optimizer cost": f"{cost.cost:,.0f}" if cost else "",
    }


def _of_the_segment(result: RunResult) -> dict[str, str]:
    """Blocks and, where rows change, what became of them."""
    segment, changed = result.segment, result.changes
    if segment is None:
        return {}
    if changed is None:
        return {"segment blocks": f"{segment.blocks_after:,.0f}"}
    found = {
        "rows changed": f"{changed.rows:,.0f}",
        "migrated rows": f"{segment.migrated_rows:,.0f}",
        "blocks before": f"{segment.blocks_before:,.0f}",
        "blocks after": f"{segment.blocks_after:,.0f}",
        "commits": f"{changed.commits:,.0f}",
        "MB of undo and redo": f"{(changed.undo_bytes + changed.redo_bytes) / 2**20:,.1f}",
    }
    if segment.rejected_probes is not None:
        found["rejected probes"] = f"{segment.rejected_probes:,.0f}"
    if segment.itl_full_blocks is not None:
        found["ITL-full blocks"] = f"{segment.itl_full_blocks:,.0f}"
    return found
