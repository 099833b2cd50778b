"""``blocktime optimise``: the best point under limits, or where a goal is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import partial
from math import isfinite
from typing import Any

import click

from blocktime.app.base.output import print_answer, width_of_terminal
from blocktime.app.command.completion_words import scenario_words
from blocktime.app.command.options import AS_JSON, NAMED, quietly, with_chance, with_settings, with_table
from blocktime.app.command.sweep_cli import with_axes
from blocktime.app.command.sweep_progress import telling
from blocktime.app.text.optimise_text import (
    command_of,
    crossing_lines,
    optimum_lines,
    sentences_of,
    sentences_of_crossing,
)
from blocktime.model.errors import SpecError
from blocktime.scenarios.search.goal_seek import Crossing, seek
from blocktime.scenarios.search.optimise import Optimum
from blocktime.scenarios.search.optimise import optimise as found_by
from blocktime.scenarios.sweeps.sweep import SweepBackend

DONE, NOTHING_FOUND = 0, 1


@click.command()
@click.argument("name", metavar=NAMED, shell_complete=scenario_words)
@click.option("--minimise", metavar="MEASURE", help="Measure to minimise.")
@click.option("--maximise", metavar="MEASURE", help="Measure to maximise.")
@click.option(
    "--seek", metavar="GOAL", help="Find where an axis reaches 'response_s = 0.1', '… <= 50ms' or '… = 2 * base'."
)
@click.option("--such-that", metavar="CONDITION", multiple=True,
              help="Keep within a limit such as \"response_p95_s <= '50ms'\". Repeatable.")  # fmt: skip
@with_table("all points")
@quietly("Print only the command that runs the best point.")
@AS_JSON
@with_axes
@with_settings
@with_chance
def optimise(name: str, at: SweepBackend, as_json: bool, quiet: bool, **options: Any) -> int:
    """Find the best point under limits, or where a goal is reached, and the command that runs it.

    An axis is a range, KEY=low:high or KEY=low:high:log, or a list, KEY=a,b,c. Small spaces are answered as a whole.
    """
    options["settings"] += options.pop("precision")
    goals = [options.pop("minimise"), options.pop("maximise"), options.pop("seek")]
    limits = options.pop("such_that")
    if sum(goal is not None for goal in goals) != 1:
        raise SpecError("optimise: give one of --minimise MEASURE, --maximise MEASURE and --seek GOAL")
    minimised, maximised, sought = goals
    if sought and limits:
        raise SpecError("--such-that: goes with --minimise and --maximise; --seek has its own goal")
    with telling(quiet, aloud=False, keep=at.keep) as listener:
        if sought:
            crossing = seek(name, sought, at=at, listener=listener, **options)
        else:
            optimum = found_by(
                name, minimise=minimised, maximise=maximised, such_that=limits, at=at, listener=listener, **options
            )
    lines: Callable[[str, int], Iterable[str]]
    if sought:
        outcome, best = _data(crossing), crossing.best
        values: Mapping[str, Any] = {crossing.key: best.value} if best else {}
        sentences, lines, points = (sentences_of_crossing(crossing), partial(crossing_lines, crossing), crossing.points)
        outcome["best"] = asdict(best) if best else None
    else:
        outcome, values = _data(optimum), optimum.best.values if optimum.best else {}
        sentences, lines, points = sentences_of(optimum), partial(optimum_lines, optimum), optimum.points
    command = command_of(name, options["settings"], values, options) if values else ""
    wrote = [f"wrote {options['out']}: {points:,} rows"] if options["out"] is not None else []
    print_answer(
        as_json,
        quiet,
        lambda: outcome | {"sentences": sentences, "command": command},
        lambda: [command] if command else sentences[:1],
        lambda: [*lines(command, width_of_terminal()), *wrote],
    )
    return DONE if values else NOTHING_FOUND


def _data(outcome: Optimum | Crossing) -> dict[str, Any]:
    return {name: _plain(value) for name, value in asdict(outcome).items()}


def _plain(value: Any) -> Any:
    """*value* for JSON, where what is no number or has no end is null."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
