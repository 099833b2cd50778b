"""What went wrong, as an exit code and a sentence."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from blocktime.model.errors import BlocktimeError, BooksDoNotBalance, StoreUnusable, UnknownName, cut
from blocktime.validation.instruments import NotReadable, OpenedFile, format_of

CHECK_FAILED, WRONG_INPUT = 1, 2


def judged(error: Exception, commands: click.Group) -> tuple[int, str]:
    """Exit code and sentence: the input is wrong, or else blocktime is."""
    if isinstance(error, click.ClickException):
        return WRONG_INPUT, _sentence(error, commands)
    if isinstance(error, OSError):
        where = "standard output" if error.filename is None else str(error.filename)
        return WRONG_INPUT, f"{where}: {error.strerror or error}"
    if (allowed := getattr(error, "of", "limit")) != "limit":  # more than the budget
        option = "--max-est-exec-time 0" if allowed != "memory" else "--max-est-memory 0"
        return WRONG_INPUT, f"{error}, or allow it by {option}"
    if isinstance(error, StoreUnusable):
        return WRONG_INPUT, f"{error}; --store FOLDER keeps answers elsewhere, --no-store keeps none"
    if report := _report_in(getattr(error, "file", None)):
        return WRONG_INPUT, report
    if isinstance(error, BlocktimeError) and not isinstance(error, BooksDoNotBalance):
        return WRONG_INPUT, str(error)
    fault = f"an error in blocktime, not in your input: {type(error).__name__}: {error}"
    return CHECK_FAILED, f"{fault} (BLOCKTIME_TRACEBACK=1 shows where)"


def _report_in(file: str | None) -> str:
    """What to do with a *file* that was taken for a scenario and is a report; empty where it is none."""
    if file is None:
        return ""
    try:
        kind = format_of(OpenedFile(Path(file))).title
    except (OSError, ValueError, NotReadable):
        return ""
    command = shlex.join(["blocktime", "measure", file, "--out", "my.toml"])
    return f"{cut(file)}: this is a report, not a scenario ({kind}); {command} makes a scenario of it"


def _sentence(error: click.ClickException, commands: click.Group) -> str:
    """What click has to say, in the form of the other errors."""
    if isinstance(error, click.NoSuchOption):
        command = error.ctx.command if error.ctx else commands
        options = [name for option in command.params for name in option.opts if name.startswith("--")]
        return str(UnknownName("option", error.option_name, [*options, "--help"]))
    if isinstance(error, click.BadParameter) and error.param and isinstance(error.param.type, click.IntRange):
        got, limits = error.message.partition(" is not ")[0], error.param.type
        allowed = f"of at least {limits.min}" if limits.max is None else f"from {limits.min} to {limits.max}"
        return f"{error.param.opts[0]}: got {got}; allowed is a whole number {allowed}"
    if isinstance(error, click.UsageError):
        message = error.format_message().rstrip(".")
        of = error.ctx.command_path if error.ctx and error.ctx.parent else "blocktime"
        if "extra argument" in message and "=" in message:  # a second setting behind one --set
            message = f"{message}: each KEY=VALUE needs a --set of its own"
        return f"{message}; see {of} --help"
    return error.format_message()
