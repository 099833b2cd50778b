"""Programs that share one machine as plain text: what each gets, what it would get alone, and why."""

from __future__ import annotations

from collections.abc import Iterator

from blocktime.app.base.lines import NAME_WIDTH, aligned, head, mean, wrapped
from blocktime.model.results import ProgramStats, RunResult
from blocktime.model.units import show_alike, show_number, show_seconds
from blocktime.model.workloads.families import KINDS

WIDTHS = (NAME_WIDTH, 12, 12, 12, 12)


def programs_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """A line for each program: together, alone, how many times as long, its share of the disk; then reasons, notes."""
    programs = result.programs
    if not programs:
        return
    yield head("Programs on one machine")
    yield from aligned(("program", "together", "alone", "times", "disk busy"), WIDTHS)
    for program in programs:
        yield from aligned((_named(program), *_cells(program)), WIDTHS)
    for program in programs:
        rate = _rate(program)
        for text in (*([rate] if rate else []), *program.because):
            yield from wrapped(text, width, first=f"{program.name:<{NAME_WIDTH}}")
    for note in result.notes or ():
        yield from wrapped(note, width)


def beside_words(result: RunResult) -> str:
    """The answer in a sentence: what the others cost the first program, and it them; empty without others."""
    programs = result.programs or []
    texts = []
    for program in programs:
        together, alone = program.took_s, program.alone.took_s
        if together and alone:
            texts.append(f"{program.name} {' ('.join(show_alike(together, alone))} alone)")
    return f"On one machine: {', '.join(texts)}." if texts else ""


def _named(program: ProgramStats) -> str:
    users = f" × {program.users:,}" if program.users > 1 else ""
    begins = f" from {show_seconds(program.begin_s)} on" if program.begin_s else ""
    return f"{program.name}{users}{begins}"


def _cells(program: ProgramStats) -> Iterator[str]:
    together, alone = program.took_s, program.alone.took_s
    for took in (together, alone):
        yield "too few" if took is None else show_seconds(took)
    yield show_number(together / alone, 3) if together and alone else ""
    yield f"{100 * program.disk_fraction:.0f} %"


def _rate(program: ProgramStats) -> str:
    """What comes a second, together and alone."""
    if program.per_s is None or program.alone.per_s is None:
        return ""
    return f"{mean(program.per_s)} {KINDS[program.kind].counted} a second, alone {mean(program.alone.per_s)}"
