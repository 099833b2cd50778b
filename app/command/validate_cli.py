"""``blocktime validate``: every printed number against the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from blocktime.app.base.output import print_answer, progress_to_terminal, say, width_of_terminal
from blocktime.app.command.files import write_beside
from blocktime.app.command.measure_cli import print_against
from blocktime.app.command.options import with_output, with_precision, with_settings, without_engine
from blocktime.app.reports.validation_report import validation_page
from blocktime.app.text.validation_text import validation_lines
from blocktime.model.errors import SpecError
from blocktime.validation import validate as validated
from blocktime.validation.words import miss_text

DONE, CHECK_FAILED = 0, 1


@click.command()
@click.argument("cases", metavar="[CASE|FILE...]", nargs=-1)
@click.option(
    "--check",
    is_flag=True,
    help="Exit with status 1 when a number is outside its tolerance or a known gap has closed. Print which.",
)
@click.option(
    "--against", "reports", multiple=True, metavar="REPORT",
    help="A report of another interval. The file of your system (measure --out) predicts its figures.",
)  # fmt: skip
@with_settings
@with_precision
@without_engine
@with_output
def validate(
    cases: tuple[str, ...], settings: tuple[str, ...], check: bool, html: Path | None, as_json: bool, quiet: bool,
    **how: Any,
) -> int:  # fmt: skip
    """Compare every published number with the model: errors in and out of sample, by case and mechanism.

    With --against, give the file of one system, or FILE,KEY=VALUE,...: each figure of another interval is predicted
    and compared.
    """
    if reports := how["reports"]:
        if html is not None:
            raise SpecError("validate --against: --html has no page of it; leave it out, or use --json")
        return print_against(cases, [*settings, *how["precision"]], reports, as_json=as_json, quiet=quiet)
    if settings or any("=" in case for case in cases):
        raise SpecError(
            "validate: changes of fields go with --against REPORT, which predicts a system; published numbers are "
            "compared as they are"
        )
    with progress_to_terminal(quiet, "validating", "numbers") as progress:
        validation = validated(cases or None, progress, how["precision"])
    if html is not None:
        write_beside(html, validation_page(validation))
    summary = validation.summary()
    short = (
        f"{summary['compared']} of {summary['printed_numbers']} printed numbers compared: "
        f"{summary['failed']} failed, {summary['known_gaps']} known gaps."
    )
    print_answer(
        as_json, quiet, validation.to_json, lambda: [short], lambda: validation_lines(validation, width_of_terminal())
    )
    if not (check and validation.failed):
        return DONE

    for failure in validation.failures:
        say(miss_text(failure))
    return CHECK_FAILED
