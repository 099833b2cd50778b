"""The ``blocktime`` command: parse, call, print; whatever is heavy is imported inside the command that needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.base.interrupted import INTERRUPTED, interrupts
from app.base.output import (
    SEEN_AFTER_S,
    bar_letter,
    forget_output,
    one_line,
    prepare_output,
    print_json,
    print_lines,
    progress_to_terminal,
    shows_progress,
    width_of_terminal,
    write_beside,
)
from app.command import calibrate_cli, measure_cli, optimise_cli, sensitivity_cli, sweep_cli
from app.command.options import with_engine, with_one_engine, with_output, with_settings, with_uncertainty

if TYPE_CHECKING:
    from model.results import RunResult
    from scenarios.forecast import Budget
    from scenarios.measured import Compared
    from scenarios.spec import Scenario
    from scenarios.uncertainty import Difference, Propagated

DONE, CHECK_FAILED, WRONG_INPUT = 0, 1, 2
LISTS = ("scenarios", "sweeps", "disks", "hosts", "clients", "statistics", "prices", "cases")
LONGEST_WORD = 200

WORTH_TRYING = """\
Where the time goes when Oracle reads and writes blocks on Linux.
Three commands worth trying:
  blocktime run rahn-full-scan
  blocktime compare rahn-full-scan --set tablespace.block_size_bytes=16K
  blocktime app
"""


def _version() -> str:
    """The program's version, where it is installed; reading it costs nothing else."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("blocktime")
    except PackageNotFoundError:
        return "0.1.0"


class Commands(click.Group):
    """The commands, with the nearest name offered for one that does not exist."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that *args* begin with."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from model.errors import UnknownName

            raise UnknownName("command", one_line(args[0]), self.commands)
        return super().resolve_command(ctx, args)

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
        code = commands.main(
            list(sys.argv[1:] if arguments is None else arguments), "blocktime", standalone_mode=False
        )
        if sys.stdout is not None:
            sys.stdout.flush()
        if (loops := sys.modules.get("model.loops")) and (slow := loops.why_slow()):
            _say(slow, DONE)
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
        code, sentence = _judged(error)
        if code == CHECK_FAILED and os.environ.get("BLOCKTIME_TRACEBACK"):
            raise
        for line in getattr(error, "lines", [sentence]):  # several faults have a line each
            _say(line, code)
        return code


def _judged(error: Exception) -> tuple[int, str]:
    """Exit code and sentence: the input is wrong, or else blocktime is."""
    from model.errors import BlocktimeError, BooksDoNotBalance, StoreUnusable

    if isinstance(error, click.ClickException):
        return WRONG_INPUT, _sentence(error)
    if isinstance(error, OSError):
        where = "standard output" if error.filename is None else str(error.filename)
        return WRONG_INPUT, f"{where}: {error.strerror or error}"
    if allowed := getattr(error, "of", ""):  # more than the budget
        option = "--max-est-exec-time 0" if allowed == "time" else "--max-est-memory 0"
        return WRONG_INPUT, f"{error}, or allow it by {option}"
    if isinstance(error, StoreUnusable):
        return WRONG_INPUT, f"{error}; --store FOLDER keeps answers elsewhere, --no-store keeps none"
    if isinstance(error, BlocktimeError) and not isinstance(error, BooksDoNotBalance):
        return WRONG_INPUT, str(error)
    fault = f"an error in blocktime, not in your input: {type(error).__name__}: {error}"
    return CHECK_FAILED, f"{fault} (BLOCKTIME_TRACEBACK=1 shows where)"


def _sentence(error: click.ClickException) -> str:
    """What click has to say, in the form of the other errors."""
    from model.errors import UnknownName

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
        return f"{message}; see {of} --help"
    return error.format_message()


def _say(sentence: str, code: int) -> int:
    words = (word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}..." for word in sentence.split())
    print_lines([f"blocktime: {one_line(' '.join(words))}"], err=True)
    return code


WRITTEN = ("tkprof", "trace", "iostat", "awr", "awr-html", "fio")
"""What `run --as` can write an answer as."""


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(_version(), message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Where the time goes when Oracle reads and writes blocks on Linux."""
    if ctx.invoked_subcommand is None:
        print_lines([ctx.get_help()])


@commands.command("list")
@click.argument("what", required=False, metavar="[" + "|".join(LISTS) + "]")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
@click.option("--quiet", is_flag=True, help="Names alone.")
def list_names(what: str | None, name: str | None, as_json: bool, quiet: bool) -> None:
    """What can be named, one line each, with where it comes from; with a NAME, what it holds.

    A NAME alone is enough: blocktime list nvme.
    """
    from app.command.list_text import names_of

    if what is not None and (name is not None or what not in LISTS):
        _list_one(what, name, as_json, quiet)
        return
    found = {kind: names_of(kind) for kind in LISTS if what in (None, kind)}
    if as_json:
        print_json(
            {
                kind: [{"name": name, "title": title, "source": source} for name, title, source in entries]
                for kind, entries in found.items()
            }
        )
        return
    if quiet:
        print_lines(name for entries in found.values() for name, _, _ in entries)
        return
    longest = max((len(name) for entries in found.values() for name, _, _ in entries), default=0)
    lines: list[str] = []
    for kind, entries in found.items():
        if what is None:
            lines += [*([""] if lines else []), click.style(kind, bold=True)]
        indent = "  " if what is None else ""
        lines += [
            f"{indent}{name:<{longest}}  {title}{f' [{source}]' if source else ''}"
            for name, title, source in entries
        ]
    print_lines(lines)


def _list_one(what: str, name: str | None, as_json: bool, quiet: bool) -> None:
    """One named thing, or those of one name: of the kind *what* where *name* follows it, else *what* is the name."""
    from app.command.list_text import as_data, kinds_with, lines_of
    from model.errors import SpecError

    if name is None:
        kind, name = None, one_line(what)
    elif what in LISTS:
        kind, name = what, one_line(name)
    else:
        raise SpecError(f"list: got {one_line(what)[:60]!r}; allowed before a name are {', '.join(LISTS)}")
    kinds = kinds_with(name, kind)
    if as_json:
        print_json([as_data(one, name) for one in kinds])
    elif quiet:
        print_lines([name])
    else:
        width = width_of_terminal()
        print_lines(
            line
            for place, one in enumerate(kinds)
            for line in (*([""] if place else []), *lines_of(one, name, width))
        )


@commands.command("run", short_help="Answer one scenario: profile, waits, I/O, segment, cost.")
@click.argument("scenario", metavar="NAME|FILE")
@with_settings
@with_engine
@with_uncertainty
@click.option(
    "--as", "form", type=click.Choice(WRITTEN), metavar="|".join(WRITTEN),
    help="Print it as the file that a system would leave; blocktime measure reads it.",
)  # fmt: skip
@with_output
def run_one(
    scenario: str,
    settings: tuple[str, ...],
    uncertainty: bool,
    as_json: bool,
    html: Path | None,
    quiet: bool,
    **how: Any,
) -> None:
    """Answer one scenario: response-time profile, waits, I/O, segment, device, cost."""
    from scenarios import load

    form: str | None = how.pop("form")
    asked = load(scenario, settings)
    if settings:
        asked = asked.model_copy(update={"title": f"{asked.title} with {', '.join(settings)}".lstrip()})
    result = _answer(asked, quiet, **how)
    if uncertainty:
        (result,) = _propagated([asked], [result], quiet, **how).results
    if html is not None:
        from app.reports.report_html import run_page

        write_beside(html, run_page(asked, result))
    if as_json:
        print_json({**_as_json(result), **_measured(asked.compared if not settings else (), result)})
        return
    if form is not None:
        from app.reports.written import written

        print_lines([written(result, form).rstrip("\n")])
        return
    from app.text.text import answer, run_lines
    from app.text.uncertainty_text import interval_sentence, uncertainty_lines

    if quiet:
        print_lines([f"{answer(result)} {interval_sentence(result)}".rstrip()])
        return
    width = width_of_terminal()
    lines = run_lines(result, asked.title, width=width, bar=bar_letter())
    if asked.compared and not settings:
        from app.text.measured_text import as_modelled_lines

        print_lines([*as_modelled_lines(asked.compared, result, width), ""])
    print_lines([*lines, *([""] if uncertainty else []), *uncertainty_lines(result, width)])


@commands.command(short_help="Several scenarios side by side: what differs, and why.")
@click.argument("names", metavar="A B [C...]", nargs=-1, required=True)
@with_settings
@with_engine
@with_uncertainty
@with_output
def compare(
    names: tuple[str, ...],
    settings: tuple[str, ...],
    uncertainty: bool,
    as_json: bool,
    html: Path | None,
    quiet: bool,
    **how: Any,
) -> None:
    """Answer several scenarios side by side: differences in time and percent, and why.

    One name with --set compares the scenario with itself so changed; with several names --set changes them all, and
    NAME,KEY=VALUE,... changes one.
    """
    from model.errors import SpecError
    from scenarios import load

    if len(names) > 1:
        own = [name.split(",") for name in names]
        asked = [load(name, [*settings, *more]) for name, *more in own]
        titles = [
            f"{one.title} with {', '.join(more)}" if more else one.title
            for one, (_, *more) in zip(asked, own, strict=True)
        ]
    elif settings:
        asked = [load(names[0]), load(names[0], settings)]
        titles = [asked[0].title, f"with {', '.join(settings)}"]
    else:
        raise SpecError(
            f"compare {names[0]}: got one scenario; name two or more, or change this one with --set"
        )
    results: Sequence[RunResult] = [_answer(one, quiet, **how) for one in asked]
    sure: list[Difference] = []
    if uncertainty:
        propagated = _propagated(asked, results, quiet, **how)
        results = propagated.results
        sure = [propagated.difference(index) for index in range(1, len(results))]
    if html is not None:
        from app.reports.report_html import compare_page

        write_beside(html, compare_page(asked, results, titles, sure))
    if as_json:
        differences = [_difference(results, asked, index) for index in range(1, len(results))]
        for difference, found in zip(differences, sure, strict=False):
            difference["uncertainty"] = found.to_json()
        print_json(
            {
                "results": [
                    {**_as_json(result), **_measured(_own(asked, place), result)}
                    for place, result in enumerate(results)
                ],
                "differences": differences,
            }
        )
        return
    from app.text.compare_text import compare_lines, difference_line, letters_for
    from app.text.uncertainty_text import difference_lines, difference_sentence

    letters = letters_for(len(results))
    if quiet:
        said = [
            difference_line(results[0], one, letter)
            for one, letter in zip(results[1:], letters[1:], strict=True)
        ]
        for place, found in enumerate(sure):
            said[place] += f" {difference_sentence(found, letters[place + 1])}"
        print_lines(said)
        return
    width = width_of_terminal()
    print_lines(_lights(asked, results, width))
    print_lines(compare_lines(results, titles, width=width, scenarios=asked))
    if sure:
        print_lines(["", *difference_lines(results, sure, letters, width)])


def _difference(results: Sequence[RunResult], asked: Sequence[Scenario], index: int) -> dict[str, object]:
    """What moved between the first result and the one at *index*, as data."""
    from dataclasses import asdict

    from scenarios.compare import changes, why

    base, other = results[0], results[index]
    change_s = other.time.elapsed_s - base.time.elapsed_s
    return {
        "base": base.scenario,
        "other": other.scenario,
        "other_index": index,
        "elapsed_change_s": change_s,
        "elapsed_change_fraction": change_s / base.time.elapsed_s if base.time.elapsed_s else 0.0,
        "components": [asdict(change) for change in changes(base, other)],
        "why": why(base, other, (asked[0], asked[index])),
    }


def _own(asked: Sequence[Scenario], place: int) -> Sequence[Compared]:
    """What was measured of the system that the scenario at *place* describes unchanged."""
    one = asked[place]
    bases = [each for each in asked[:place] if each.origin == one.origin]
    changed = any(each.workload != one.workload or each.system != one.system for each in bases)
    return () if changed else one.compared


def _lights(asked: Sequence[Scenario], results: Sequence[RunResult], width: int) -> Iterator[str]:
    """How well the model reproduces what was measured of each system that is compared as it was."""
    from app.base.lines import wrapped
    from app.text.measured_text import COLOURS, sentence
    from scenarios.measured import as_modelled, light_of

    for place, result in enumerate(results):
        if rows := as_modelled(_own(asked, place), result):
            yield from wrapped(sentence(rows), width, bold=True, colour=COLOURS[light_of(rows)])
            yield ""


def _measured(compared: Sequence[Compared], result: RunResult) -> dict[str, Any]:
    """What was measured of the system beside what the answer says, with the light; nothing where nothing was."""
    from scenarios.measured import as_modelled, light_of

    rows = as_modelled(compared, result)
    if not rows:
        return {}
    figures = [
        {**row.measured.model_dump(), "modelled": row.modelled, "off_fraction": row.off_fraction}
        for row in rows
    ]
    return {"as_measured": {"light": light_of(rows), "figures": figures}}


def _as_json(result: RunResult) -> dict[str, Any]:
    return result.model_dump(mode="json", exclude_none=True)


def _answer(
    scenario: Scenario,
    quiet: bool,
    *,
    engine: str,
    seed: int | None,
    replications: int | None,
    budget: Budget,
) -> RunResult:
    from scenarios import run
    from scenarios.forecast import expected_within

    system, work = scenario.system, scenario.workload
    repeated = scenario.replications if replications is None else replications
    expected = expected_within(budget, system, work, engine, repeated)
    expected_s = expected.seconds if expected else 0.0
    if expected and expected_s > SEEN_AFTER_S and shows_progress(quiet):
        quicker = "" if expected.calculates or work.plays_rows else "; --engine calculate answers at once"
        print_lines([f"{scenario.name}: {expected}{quicker}"], err=True)
    with progress_to_terminal(quiet, f"answering {scenario.name}", "replications", expected_s) as progress:
        return run(scenario, engine, seed, replications, progress, budget)


def _propagated(
    asked: Sequence[Scenario],
    results: Sequence[RunResult],
    quiet: bool,
    *,
    engine: str,
    seed: int | None,
    **_: Any,
) -> Propagated:
    """The results with their uncertainty."""
    from scenarios.uncertainty import propagate

    with progress_to_terminal(quiet, "how sure", "sets of constants") as progress:
        return propagate(asked, results, seed, engine, progress)


@commands.command()
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
    from validation import validate as validated

    engine: str | None = how["engine"]
    if reports := how["reports"]:
        from app.command.measure_cli import print_against

        return print_against(cases, reports, engine or "auto", html, as_json=as_json, quiet=quiet)
    with progress_to_terminal(quiet, "validating", "numbers") as progress:
        validation = validated(cases or None, engine or "calculate", progress)
    if html is not None:
        from app.reports.validation_report import validation_page

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

        from validation.report import render

        console = Console(width=width_of_terminal(), highlight=False)
        with console.capture() as captured:
            render(validation, console)
        print_lines([captured.get().rstrip("\n")])
    if not (check and validation.failed):
        return DONE
    from validation.words import miss_text

    for one in validation.failures:
        _say(miss_text(one), CHECK_FAILED)
    return CHECK_FAILED


@commands.command()
@click.argument("kind", metavar="scenario|sweep|case|result")
def schema(kind: str) -> None:
    """JSON Schema of a file or a result, for editors."""
    if kind == "case":
        from validation import Case

        print_json(Case.model_json_schema())
        return
    from scenarios.schema import schema_of

    print_json(schema_of(kind))


@commands.command("app")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on; by default any free one.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def what_if(port: int | None, browser: bool) -> int:
    """The what-if page in the browser."""
    from app.command.serve import serve

    return serve(port, browser)


commands.add_command(calibrate_cli.calibrate)
commands.add_command(sweep_cli.sweep)
commands.add_command(sensitivity_cli.sensitivity)
commands.add_command(optimise_cli.optimise)
commands.add_command(measure_cli.measure)
