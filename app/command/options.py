"""Options that several commands share, and what they say when they are given wrongly."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, Final

import click

from blocktime.app.base.output import say
from blocktime.app.command.completion_words import setting_words
from blocktime.app.command.files import a_place_for_a_page
from blocktime.model.budget import Budget
from blocktime.model.errors import SpecError
from blocktime.model.spec.programs import LEAST_PRECISION_PERCENT, MOST_PRECISION_PERCENT
from blocktime.model.units import parse_bytes

HIGHEST_SEED = 2**63 - 1
NAMED = "NAME|FILE[,KEY=VALUE...]"
"""How a command names a scenario; - is standard input."""


AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
FORCE = click.option("--force", is_flag=True, is_eager=True, help="Replace an existing output file.")


def quietly(says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option that leaves out what it *says*."""
    return click.option("--quiet", is_flag=True, help=says)


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--set", "settings", metavar="KEY=VALUE", multiple=True, shell_complete=setting_words,
        help="Set one field by its dotted path, such as disk.use=nvme. Repeatable.",
    )(command)  # fmt: skip


def with_side(*sides: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option that picks a side of a file that holds a change."""
    return click.option(
        "--side", type=click.Choice(sides), default="change", show_default=True,
        help="Of a file with a [change]: the system with the change, or without it.",
    )  # fmt: skip


def without_engine(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option --engine of earlier versions, which is told to be ignored."""

    def ignore(_: click.Context, __: click.Parameter, value: str | None) -> None:
        if value is not None:
            say(f"--engine {value[:60]!r} is ignored: the model sums what is exact and plays the rest; leave it out")

    return click.option("--engine", hidden=True, expose_value=False, callback=ignore)(command)


def with_budget(command: Callable[..., Any]) -> Callable[..., Any]:
    """What an answer may take; the command gets it as its *budget*."""

    @wraps(command)
    def within(*places: Any, max_est_exec_time: int, max_est_memory: str, **named: Any) -> Any:

        return command(*places, budget=Budget(max_est_exec_time or None, _size(max_est_memory)), **named)

    for option in (
        click.option(
            "--max-est-memory", metavar="SIZE", default="4G", show_default=True,
            help="Refuse or end a run that needs more memory. 0 removes the limit.",
        ),
        click.option(
            "--max-est-exec-time", type=click.IntRange(0), metavar="SECONDS", default=120, show_default=True,
            help="Refuse or end a run of more work than takes so long on a usual processor. 0 removes the limit.",
        ),
    ):  # fmt: skip
        within = option(within)
    return within


def _precision_setting(_: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """The setting that asks for a precision; none where it is not given."""
    if text is None:
        return ()
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        percent = 0.0
    low, high = LEAST_PRECISION_PERCENT, MOST_PRECISION_PERCENT
    if not (isfinite(percent) and low <= percent <= high):
        raise SpecError(
            f"{parameter.opts[0]}: got {text[:60]!r}; allowed is a percentage from {low:g} to {high:g}, such as 2"
        )
    return (f"workload.precision_percent={percent:.12g}",)


def _size(text: str) -> float | None:
    """Bytes of ``4G``; None for no limit."""
    try:
        return float(text) or None if text.isdigit() else parse_bytes(text)
    except ValueError:
        raise SpecError(f"--max-est-memory: got {text[:60]!r}; it is a size such as 4G, or 0 for no limit") from None


with_precision: Final = click.option(
    "--precision", metavar="PERCENT", callback=_precision_setting,
    help="Simulate until the 95 % interval of the main number is as narrow: mean response, else elapsed time.",
)  # fmt: skip


def with_chance(command: Callable[..., Any]) -> Callable[..., Any]:
    """Seed, replications, precision and budget of an answer; *precision* is its setting, or nothing."""
    command = without_engine(with_budget(command))
    for option in (
        with_precision,
        click.option(
            "--replications",
            type=click.IntRange(1, 1000),
            help="Simulate N times and print the 95 % confidence interval of the mean.",
        ),
        click.option("--seed", type=click.IntRange(0, HIGHEST_SEED), help="Random seed of the first simulation."),
    ):
        command = option(command)
    return command


def with_uncertainty(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--uncertainty",
        is_flag=True,
        help="Also print the 95 % range of the answer and what causes it, largest cause first.",
    )(command)


def with_output(command: Callable[..., Any]) -> Callable[..., Any]:
    command = quietly("Print the answer in a line or two: no tables, no progress.")(command)
    command = click.option(
        "--html", "html", type=click.Path(path_type=Path), metavar="FILE", callback=a_place_for_a_page,
        help="Also write one self-contained HTML page with charts.",
    )(command)  # fmt: skip
    return FORCE(AS_JSON(command))


def with_table(holds: str, *, forced: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Where the points of a sweep go, and --force unless another option has brought it."""

    def to_file(command: Callable[..., Any]) -> Callable[..., Any]:
        command = command if forced else FORCE(command)
        return click.option(
            "--out",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help=f"Write {holds} to a .parquet, .csv or .xlsx file.",
        )(command)

    return to_file
