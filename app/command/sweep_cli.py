"""``blocktime sweep``: many scenarios, into a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import isnan
from pathlib import Path
from typing import Any

import click

from blocktime.app.base.lines import parted
from blocktime.app.base.output import json_text, print_lines, width_of_terminal
from blocktime.app.command.completion_words import scenario_words, setting_words
from blocktime.app.command.files import write_beside
from blocktime.app.command.options import NAMED, with_chance, with_output, with_settings, with_side, with_table
from blocktime.app.command.sweep_progress import telling
from blocktime.app.text.sweep_text import Summary, short_line, summary_of, sweep_lines
from blocktime.model.errors import SpecError
from blocktime.scenarios.search.question import check_measure
from blocktime.scenarios.sweeps.rows import Rows
from blocktime.scenarios.sweeps.sweep import SweepBackend, plan_of, sweeping, whole_table, write
from blocktime.scenarios.sweeps.table import check_place

DONE, SOME_FAILED = 0, 1


def with_axes(command: Callable[..., Any]) -> Callable[..., Any]:
    """What varies, and where it is worked out; the command gets the latter as *at*."""

    @wraps(command)
    def swept(
        *places: Any, workers: int | None, cluster: str | None, store: Path | None, no_store: bool, **named: Any
    ) -> Any:
        return command(*places, at=SweepBackend(workers, cluster, store, not no_store), **named)

    for option in (
        click.option("--no-store", is_flag=True, help="Do not store answers."),
        click.option("--store", type=click.Path(path_type=Path), metavar="FOLDER", help="Folder for stored answers."),
        click.option("--cluster", metavar="ADDRESS", help="Run on a Dask cluster: the address of its scheduler."),
        click.option("--workers", type=click.IntRange(1, 256), help="Number of processes. Default: one for each CPU."),
        click.option(
            "--limit", type=click.IntRange(1), default=100_000, show_default=True, help="Largest number of points."
        ),
        click.option(
            "--vary",
            "vary",
            metavar="KEY=…",
            shell_complete=setting_words,
            multiple=True,
            help="Vary a field: KEY=a,b,c or KEY=low:high:n[:log]. Repeatable; all combinations run.",
        ),
    ):
        swept = option(swept)
    return swept


@click.command()
@click.argument("name", metavar=NAMED, shell_complete=scenario_words)
@click.option("--where", metavar="CONDITION", multiple=True,
              help="Run only points such as 'workload.users <= 50 * host.cpus'. Repeatable.")  # fmt: skip
@click.option("--zip", "zipped", is_flag=True, help="Vary all axes together, in step.")
@click.option(
    "--design", metavar="crossed|latin_hypercube", help="crossed: all combinations. The other one draws samples."
)
@click.option("--samples", type=click.IntRange(1), help="Number of samples.")
@with_table("the table", forced=True)
@click.option("--measure", "measures", metavar="NAME", multiple=True,
              help="Measure to summarise. Default: that of the sweep, else elapsed_s. Repeatable.")  # fmt: skip
@with_axes
@with_side("change", "system", "both")
@with_settings
@with_chance
@with_output
def sweep(
    name: str, measures: tuple[str, ...], at: SweepBackend, as_json: bool, html: Path | None, quiet: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Run many scenarios, as a [sweep] file or --vary declares them, and print a table.

    Answers are stored: a sweep that was stopped continues, and a larger one reuses them.
    """
    out, force = options.pop("out"), options.pop("force")
    options["settings"] += options.pop("precision")
    _check_places(out, html, force)
    with telling(quiet, aloud=not as_json, keep=at.keep) as listener:
        plan = plan_of(name, listener=listener, **options)
        wanted = measures or plan.sweep.measures
        for measure in wanted:
            check_measure(measure)
        with sweeping(plan, at, listener) as rows:
            listener.end()
            if out is not None:
                write(rows, out, force)
            summaries = [summary_of(rows, measure) for measure in wanted]
            if html is not None:
                from blocktime.app.reports.sweep_report import sweep_page  # charts wait until a page is asked for

                write_beside(html, sweep_page(rows, summaries))
            lines = _lines(rows, summaries, as_json, quiet)
            written = f"wrote {out}: {len(plan):,} rows, {len(rows.columns)} columns"
            print_lines([*lines, written] if out is not None and not (quiet or as_json) else lines)
        return SOME_FAILED if rows.outcome.failed else DONE


def _check_places(out: Path | None, html: Path | None, force: bool) -> None:
    """Raises SpecError where the table may not be written, or the page would replace it."""
    if out is None:
        return
    check_place(out, force)
    table = out.resolve()
    if html is not None and html.resolve() in (table, table.with_name(f"{out.name}.json")):
        raise SpecError(f"--html: {html} is where the table goes; give it a name of its own")


def _lines(rows: Rows, summaries: Sequence[Summary], json: bool, quiet: bool) -> list[str]:
    if json:
        return [json_text({"about": rows.about(), "rows": _records(whole_table(rows))})]
    if quiet:
        return [short_line(summary) for summary in summaries]
    return [*parted(sweep_lines(summary, width_of_terminal()) for summary in summaries)]


def _records(table: dict[str, Any]) -> list[dict[str, Any]]:
    columns = {name: values.tolist() if hasattr(values, "tolist") else values for name, values in table.items()}
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return [{name: value for name, value in row.items() if not _is_missing(value)} for row in rows]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))
