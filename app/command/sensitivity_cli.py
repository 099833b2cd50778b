"""``blocktime sensitivity``: what matters."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

import click

from blocktime.app.base.output import print_answer, progress_to_terminal, width_of_terminal
from blocktime.app.command.completion_words import scenario_words
from blocktime.app.command.options import AS_JSON, NAMED, quietly, with_chance, with_settings
from blocktime.app.command.sweep_cli import with_axes
from blocktime.app.command.sweep_progress import telling
from blocktime.app.text.sensitivity_text import sensitivity_lines, sentences_of
from blocktime.scenarios.search.sensitivity import sensitivity as found_by
from blocktime.scenarios.sweeps.sweep import SweepBackend, executor_at
from blocktime.scenarios.sweeps.sweep_source import source_of_sweep
from blocktime.scenarios.uncertainty.tornado import MEASURE, tornado_of_constants


@click.command()
@click.argument("name", metavar=NAMED, shell_complete=scenario_words)
@click.option("--measure", default="elapsed_s", show_default=True, help="Measure to analyse.")
@quietly("Print only the findings: no tables, no progress.")
@AS_JSON
@with_axes
@with_settings
@with_chance
def sensitivity(name: str, at: SweepBackend, as_json: bool, quiet: bool, **options: Any) -> None:
    """Rank the fields that move a measure, each changed alone: a tornado chart.

    An axis is a range, KEY=low:high or KEY=low:high:log, or a list, KEY=a,b,c. Without an axis, the uncertain constants
    are ranked by how far each moves the elapsed time within its interval.
    """
    options["settings"] += options.pop("precision")
    source = source_of_sweep(name, options["settings"])
    if options["vary"] or "sweep" in source.data or options["measure"] != MEASURE:
        with telling(quiet, aloud=not as_json, keep=at.keep) as listener:
            analysis = found_by(name, at=at, listener=listener, **options)
    else:
        with progress_to_terminal(quiet, "sensitivity", "simulations") as progress:
            analysis = tornado_of_constants(
                source.scenario(), options["seed"], progress, options["budget"], partial(executor_at, at)
            )
    print_answer(
        as_json,
        quiet,
        lambda: asdict(analysis) | {"sentences": sentences_of(analysis)},
        lambda: sentences_of(analysis),
        lambda: ["", *sensitivity_lines(analysis, width_of_terminal())],
    )
