"""``blocktime run`` and ``blocktime compare``: one answer, or several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from blocktime.app.base.lines import parted, wrapped
from blocktime.app.base.output import (
    SEEN_AFTER_S,
    bar_letter,
    print_answer,
    print_lines,
    progress_to_terminal,
    shows_progress,
    width_of_terminal,
)
from blocktime.app.command.files import write_beside
from blocktime.app.command.options import NAMED, with_chance, with_output, with_settings, with_uncertainty
from blocktime.app.text.compare_text import compare_lines, difference_line, letters_for
from blocktime.app.text.document import run_lines
from blocktime.app.text.measured_text import COLOURS, as_modelled_lines, sentence
from blocktime.app.text.text import answer
from blocktime.app.text.uncertainty_text import (
    difference_lines,
    difference_sentence,
    interval_sentence,
    uncertainty_lines,
)
from blocktime.model.budget import Budget
from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run
from blocktime.scenarios.compare import changes, why
from blocktime.scenarios.forecast import expected_of
from blocktime.scenarios.load import split_name
from blocktime.scenarios.measured import as_modelled, light_of
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty import Difference, Propagated, propagate
from blocktime.scenarios.uncertainty.answers import Executors

WRITTEN = ("tkprof", "trace", "iostat", "awr", "awr-html", "fio")
"""What `run --as` can write an answer as."""


@click.command("run")
@click.argument("scenario", metavar=NAMED)
@with_settings
@with_chance
@with_uncertainty
@click.option(
    "--as", "form", type=click.Choice(WRITTEN), metavar="|".join(WRITTEN),
    help="Print the report that a real system would write. blocktime measure reads it.",
)  # fmt: skip
@with_output
def run_one(
    scenario: str, settings: tuple[str, ...], uncertainty: bool, as_json: bool, html: Path | None, quiet: bool,
    **how: Any,
) -> None:  # fmt: skip
    """Run one scenario: response-time profile, wait events, I/O, segment, device and cost."""
    form: str | None = how.pop("form")
    del how["force"]  # of the page alone
    if form is not None and as_json:
        raise SpecError(f"--as {form}: --json is another form of the answer; allowed is one of them")
    asked = load(scenario, [*settings, *how.pop("precision")])
    result = _answer(asked, quiet, **how)
    if uncertainty:
        from blocktime.scenarios.sweeps.sweep import on_this_machine  # numpy and processes wait until then

        (result,) = _propagated([asked], [result], quiet, on_this_machine, **how).results
    if html is not None:
        from blocktime.app.reports.report_html import run_page  # charts wait until a page is asked for

        write_beside(html, run_page(asked, result))
    if form is not None:
        from blocktime.app.reports.written import written  # as do a real system's reports

        print_lines([written(result, form, asked).rstrip("\n")])
        return
    print_answer(
        as_json,
        quiet,
        lambda: _as_json(asked, result),
        lambda: [f"{answer(result)} {interval_sentence(result)}".rstrip()],
        lambda: _lines(asked, result, width_of_terminal()),
    )


def _lines(asked: Scenario, result: RunResult, width: int) -> Iterator[str]:
    """Everything about one answer, as measured first and how sure it is last, where that is known."""
    measured = as_modelled_lines(asked.as_measured, result, width)
    whole = run_lines(result, asked.title, width=width, bar=bar_letter())
    return parted(filter(None, ([*lines] for lines in (measured, whole, uncertainty_lines(result, width)))))


@click.command()
@click.argument("names", metavar="A B [C...]", nargs=-1, required=True)
@with_settings
@with_chance
@with_uncertainty
@with_output
def compare(
    names: tuple[str, ...], settings: tuple[str, ...], uncertainty: bool, as_json: bool, html: Path | None, quiet: bool,
    **how: Any,
) -> None:  # fmt: skip
    """Compare scenarios side by side: differences in time and percent, and the reasons.

    With one name, --set makes the second scenario of the comparison. With several names, --set changes all of them;
    NAME,KEY=VALUE,... changes one. - reads a scenario from standard input.
    """
    own = [split_name(name)[1] for name in names]
    precision: tuple[str, ...] = how.pop("precision")
    del how["force"]  # of the page alone
    if len(names) > 1:
        asked = [load(name, [*settings, *precision]) for name in names]
        titles = [scenario.title for scenario in asked]
    elif settings:
        changed = [*own[0], *settings, *precision]
        asked = [load(names[0], precision), load(split_name(names[0])[0], changed)]
        titles = [asked[0].title, f"with {', '.join(settings)}"]
    else:
        raise SpecError(
            f"compare {names[0]}: got one scenario; name two or more, or change this one with --set"
        )
    results: Sequence[RunResult] = [_answer(scenario, quiet, **how) for scenario in asked]
    sure: list[Difference] = []
    if uncertainty or of_measured(asked):
        from blocktime.scenarios.sweeps.sweep import on_this_machine  # as above

        try:
            propagated = _propagated(asked, results, quiet, on_this_machine, **how)
        except BlocktimeError as refusal:
            if uncertainty:
                raise
            print_lines([f"no interval of the difference: {refusal}"], err=True)
        else:
            results = propagated.results if uncertainty else results
            sure = [propagated.difference(index) for index in range(1, len(results))]
    if html is not None:
        from blocktime.app.reports.report_html import compare_page  # as above

        write_beside(html, compare_page(asked, results, titles, sure))
    letters = letters_for(len(results))
    print_answer(
        as_json,
        quiet,
        lambda: {
            "results": list(map(_as_json, asked, results)),
            "differences": [
                _difference(results, asked, index)
                | ({"uncertainty": sure[index - 1].to_json()} if sure else {})
                for index in range(1, len(results))
            ],
        },
        lambda: _short(results, letters, sure),
        lambda: [
            *_lights(asked, results, width_of_terminal()),
            *compare_lines(
                results, titles, width=width_of_terminal(), scenarios=asked, sure=() if uncertainty else sure
            ),
            *(["", *difference_lines(results, sure, letters, width_of_terminal())] if uncertainty else []),
        ],
    )


def _short(results: Sequence[RunResult], letters: Sequence[str], sure: Sequence[Difference]) -> Iterator[str]:
    """A line for each difference, with a second one on how sure it is where that is known."""
    for place, letter in enumerate(letters[1:]):
        yield difference_line(results[0], results[place + 1], letter)
        if sure:
            yield difference_sentence(sure[place], letter)


def _difference(results: Sequence[RunResult], asked: Sequence[Scenario], index: int) -> dict[str, object]:
    """What moved between the first result and the one at *index*, as data."""
    base, other = results[0], results[index]
    change_s = other.time.elapsed_s - base.time.elapsed_s
    return {
        "base": base.scenario,
        "other": other.scenario,
        "other_index": index,
        "elapsed_change_s": change_s,
        "elapsed_change_fraction": change_s / base.time.elapsed_s if base.time.elapsed_s else 0.0,
        "components": [change._asdict() for change in changes(base, other)],
        "why": why(base, other, (asked[0], asked[index])),
    }


def of_measured(asked: Sequence[Scenario]) -> bool:
    """Whether the first is a system as it was measured, and the others are changes to it."""
    first, *others = asked
    return bool(first.as_measured) and all(other.changed and other.origin == first.origin for other in others)


def _lights(asked: Sequence[Scenario], results: Sequence[RunResult], width: int) -> Iterator[str]:
    """How well the model reproduces what was measured of each system that is compared as it was."""
    for scenario, result in zip(asked, results, strict=True):
        if rows := as_modelled(scenario.as_measured, result):
            yield from wrapped(sentence(rows), width, bold=True, colour=COLOURS[light_of(rows)])
            yield ""


def _as_json(asked: Scenario, result: RunResult) -> dict[str, Any]:
    """The result, with what was measured of the system beside what the answer says, and the light."""
    data: dict[str, Any] = result.model_dump(mode="json", exclude_none=True)
    if rows := as_modelled(asked.as_measured, result):
        figures = [
            {**row.measured.model_dump(), "modelled": row.modelled, "off_fraction": row.off_fraction} for row in rows
        ]  # fmt: skip
        data["as_measured"] = {"light": light_of(rows), "figures": figures}
    return data


def _answer(
    scenario: Scenario, quiet: bool, *, seed: int | None, replications: int | None, budget: Budget
) -> RunResult:  # fmt: skip

    system, work, name = scenario.system, scenario.workload, scenario.name
    repeated = scenario.replications if replications is None else replications
    try:
        expected = expected_of(budget, system, work, repeated)
        expected_s = expected.seconds if expected else 0.0
        if expected and expected_s > SEEN_AFTER_S and shows_progress(quiet):
            print_lines([f"{name}: {expected}"], err=True)
        with progress_to_terminal(quiet, f"answering {name}", "replications", expected_s) as progress:
            return run(scenario, seed, replications, progress, budget)
    except BlocktimeError as refusal:
        refusal.args = (f"{scenario.origin or name}: {refusal}",)
        raise


def _propagated(
    asked: Sequence[Scenario], results: Sequence[RunResult], quiet: bool, executors: Executors,
    *, seed: int | None, budget: Budget, **_: Any,
) -> Propagated:  # fmt: skip
    """The results with their uncertainty."""
    with progress_to_terminal(quiet, "uncertainty", "simulations") as progress:
        return propagate(asked, results, seed, progress, budget, executors)
