"""``blocktime validate``: every printed number against the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.base.output import (
    print_json,
    print_lines,
    progress_to_terminal,
    say,
    width_of_terminal,
)
from app.command.files import write_beside
from app.command.measure_cli import print_against
from app.command.options import with_one_engine, with_output
from app.reports.validation_report import validation_page
from validation import validate as validated
from validation.report import render
from validation.words import miss_text

DONE, CHECK_FAILED = 0, 1


@click.command()
@click.argument("cases", metavar="[CASE|FILE...]", nargs=-1)
@click.option(
    "--check",
    is_flag=True,
    help="Exit with 1 when a number is outside its declared tolerance or a known gap has closed, and say which.",
)
@click.option(
    "--against", "reports", multiple=True, metavar="REPORT",
    help="A report of another interval: what the file of a system, by measure --out, predicts for its load.",
)  # fmt: skip
@with_one_engine(None, "What predicts the numbers: calculate if not said, and auto with --against.")
@with_output
def validate(
    cases: tuple[str, ...], check: bool, html: Path | None, as_json: bool, quiet: bool, **how: Any
) -> int:
    """Every printed number against the model: errors in sample, and out of sample, by case and mechanism.

    With --against, the file of one system, or FILE,KEY=VALUE,..., against an interval that was not used: each figure
    predicted and measured.
    """

    engine: str | None = how["engine"]
    if reports := how["reports"]:
        return print_against(cases, reports, engine or "auto", html, as_json=as_json, quiet=quiet)
    with progress_to_terminal(quiet, "validating", "numbers") as progress:
        validation = validated(cases or None, engine or "calculate", progress)
    if html is not None:
        write_beside(html, validation_page(validation))
    if as_json:
        print_json(validation.to_json())
    elif quiet:
        summary = validation.summary()
        print_lines(
            [
                f"{summary['compared']} of {summary['printed_numbers']} printed numbers compared: "
                f"{summary['failed']} failed, {summary['known_gaps']} known gaps."
            ]
        )
    else:
        from rich.console import Console

        console = Console(width=width_of_terminal(), highlight=False)
        with console.capture() as captured:
            render(validation, console)
        print_lines([captured.get().rstrip("\n")])
    if not (check and validation.failed):
        return DONE

    for failure in validation.failures:
        say(miss_text(failure))
    return CHECK_FAILED
