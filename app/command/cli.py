"""The door of the ``blocktime`` command: it imports a command's module when somebody asks for that command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

from blocktime.app.base.interrupts import INTERRUPTED, interrupts
from blocktime.app.base.output import forget_output, one_line, prepare_output, print_lines, say
from blocktime.model.version import blocktime_version

DONE, CHECK_FAILED = 0, 1
COMMANDS: Final = {
    "app": ("page_cli", "what_if", "Open the what-if page in the browser."),
    "calibrate": ("calibrate_cli", "calibrate", "Fit constants to measured cases, or to your system."),
    "compare": ("run_cli", "compare", "Compare scenarios side by side: what differs, and why."),
    "completion": ("completion_cli", "completion", "Print the script by which a shell completes words."),
    "list": ("list_cli", "list_names", "List scenarios, sweeps and catalog entries with sources."),
    "measure": ("measure_cli", "measure", "Read AWR, TKPROF, SQL trace, iostat, sar and fio reports."),
    "mcp": ("mcp_cli", "mcp", "Serve an assistant over standard input and output (MCP)."),
    "optimise": ("optimise_cli", "optimise", "Find the best settings, or where a goal is reached."),
    "run": ("run_cli", "run_one", "Run one scenario: profile, wait events, I/O, device, cost."),
    "schema": ("schema_cli", "schema", "Print the JSON Schema of a file or a result."),
    "sensitivity": ("sensitivity_cli", "sensitivity", "Rank the fields that move a measure."),
    "sweep": ("sweep_cli", "sweep", "Run many scenarios and print a table."),
    "validate": ("validate_cli", "validate", "Compare every published number with the model."),
}
"""Command -> its module, its function there, and what the first screen says of it."""
FOR_PROGRAMS: Final = ("completion", "mcp", "schema")
"""Commands in a line of their own on the first screen, which has no room for more."""

WORTH_TRYING = """\
Where the time goes when Oracle reads and writes blocks on Linux.
Three commands worth trying:
  blocktime run rahn-full-scan
  blocktime compare rahn-full-scan --set tablespace.block_size_bytes=16K
  blocktime app
"""


class Commands(click.Group):
    """The commands, with the nearest name offered for one that does not exist."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command, whose module is imported here and now."""
        if name not in COMMANDS:
            return None
        module, function, _says = COMMANDS[name]
        command: click.Command = getattr(import_module(f"blocktime.app.command.{module}"), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that *args* begin with."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from blocktime.model.errors import UnknownName  # the first screen does without the model

            raise UnknownName("command", one_line(args[0]), COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each command, of which no module is needed."""
        with formatter.section("Commands"):
            rows = [(name, says) for name, (_, _, says) in COMMANDS.items() if name not in FOR_PROGRAMS]
            formatter.write_dl(rows)
            formatter.write_text(f"{', '.join(FOR_PROGRAMS)} are for shells, assistants and editors.")

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The screen that ``blocktime`` alone shows: it starts with what is worth trying."""
        formatter.write(WORTH_TRYING)
        formatter.write_paragraph()
        self.format_usage(ctx, formatter)
        self.format_options(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interrupt, or a reader that has gone away, ends it quietly."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            forget_output()
            return DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; what is wrong is said in one sentence on standard error."""
    prepare_output()
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        named = [f"/dev/stdin{word[1:]}" if word.startswith("-,") else word for word in words]  # no option
        code = commands.main(named, "blocktime", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if (loops := sys.modules.get("blocktime.model.loops")) and (slow := loops.why_slow()):
            say(slow)
        return code if isinstance(code, int) else DONE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return DONE
    except Exception as error:
        if interrupts:
            return INTERRUPTED
        if isinstance(error, OSError):
            forget_output()
        from blocktime.app.command.exit_codes import judged  # the first screen does without the model

        code, sentence = judged(error, commands)
        if code == CHECK_FAILED and os.environ.get("BLOCKTIME_TRACEBACK"):
            raise
        for line in getattr(error, "lines", [sentence]):  # several faults have a line each
            say(line)
        return code


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(blocktime_version(), message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Where the time goes when Oracle reads and writes blocks on Linux."""
    if ctx.invoked_subcommand is None:
        print_lines([ctx.get_help()])
