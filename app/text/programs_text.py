"""Programs that share one machine as plain text: what each gets, what it would get alone, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blocktime.app.base.lines import NAME_WIDTH, mean
from blocktime.app.text.section import NOTHING, CellTable, Fact, Section
from blocktime.model.results import ProgramStats, ResponseLine, RunResult
from blocktime.model.units import show_alike, show_number, show_seconds
from blocktime.model.workloads.families import KINDS
from blocktime.scenarios.why_words import listed


def programs_section(result: RunResult) -> Section:
    """A row for each program: together, alone, how many times as long, its share of the disk; then reasons, notes."""
    programs = result.programs or ()
    heads = ("program", "together", "alone", "times", "disk busy")
    cells = [(named(program), *_cells(program)) for program in programs]
    reasons = [
        Fact(program.name, text) for program in programs for text in (*filter(None, [_rate(program)]), *program.because)
    ]
    if not programs:
        return NOTHING
    table = CellTable([heads, *cells], (NAME_WIDTH, 12, 12, 12, 12))
    return Section("Programs on one machine", [table, *reasons], result.notes or (), label=NAME_WIDTH)


def beside_words(result: RunResult) -> str:
    """The answer in a sentence: what the programs cost each other, the one that is hurt most first; empty for one."""
    texts = []
    for program in sorted(result.programs or [], key=lambda program: -(program.times_as_long or 0.0)):
        times = program.times_as_long
        if times and program.took_s and program.alone.took_s:
            together, alone = show_alike(program.took_s, program.alone.took_s)
            texts.append(f"{program.name} {show_number(times, 3)} ({together}, {alone} alone)")
    return f"On one machine, times as long as alone: {', '.join(texts)}." if texts else ""


def hero_rows(before: RunResult, after: RunResult) -> list[dict[str, str]]:
    """A row for each program: alone, together, how many times as long, and through what; in both answers."""
    rows, differs = [], before != after
    former = {program.name: program for program in before.programs or ()}
    for program in after.programs or ():
        together, alone, times, _ = _cells(program)
        row = {"Program": named(program), "Alone": alone, "Together": together, "Times": times}
        if differs and (was := former.get(program.name)):
            row["Together before"] = next(_cells(was))
        because = program.because[0] if program.because else ""
        worst = at_worst(program, after.programs or ())
        through = because.partition(": ")[2] or because
        rows.append({**row, "Through": "; ".join(filter(None, [through, worst and f"at most {worst}"]))})
    return rows


def at_worst(program: ProgramStats, programs: Sequence[ProgramStats]) -> str:
    """The interval of a program's longest response, with those that run in it and not in every one; empty without one.

    Over the whole run another program may be the largest other user of the disk.
    """
    if not program.lines:
        return ""
    worst = max(program.lines, key=lambda line: line.response_s)
    running = [other.name for other in programs if _runs_in(other, worst)]
    often = [other.name for other in programs if all(_runs_in(other, line) for line in program.lines)]
    beside = [name for name in running if name not in often]
    return f"{show_seconds(worst.response_s)} in {span_of(worst)}{f', beside {listed(beside)}' if beside else ''}"


def span_of(line: ResponseLine) -> str:
    """From when to when an interval lasts."""
    return f"{show_number(line.begin_s, 3)}-{show_number(line.begin_s + line.interval_s, 3)} s"


def _runs_in(program: ProgramStats, line: ResponseLine) -> bool:
    return any(begin < line.begin_s + line.interval_s and end > line.begin_s for begin, end in program.runs)


def named(program: ProgramStats) -> str:
    users = f" × {program.users:,}" if program.users > 1 else ""
    begins = f" from {show_seconds(program.begin_s)} on" if program.begin_s else ""
    return f"{program.name}{users}{begins}"


def _cells(program: ProgramStats) -> Iterator[str]:
    together, alone = program.took_s, program.alone.took_s
    for took in (together, alone):
        yield "too few" if took is None else show_seconds(took)
    times = program.times_as_long
    yield show_number(times, 3) if times else ""
    yield f"{100 * program.disk_fraction:.0f} %"


def _rate(program: ProgramStats) -> str:
    if program.per_s is None or program.alone.per_s is None:
        return ""
    return f"{mean(program.per_s)} {KINDS[program.kind].counted} a second, alone {mean(program.alone.per_s)}"
