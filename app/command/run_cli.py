"""``blocktime run`` and ``blocktime compare``: one answer, or several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from blocktime.app.command.completion_words import scenario_words
from blocktime.app.command.exit_codes import CHECK_FAILED
from blocktime.app.command.files import write_beside
from blocktime.app.command.options import NAMED, with_chance, with_output, with_settings, with_side, with_uncertainty
from blocktime.app.text.compare_text import ScenarioComparison, compare_lines, different_work
from blocktime.app.text.document import run_lines
from blocktime.app.text.measured_text import COLOURS, as_modelled_lines, sentence
from blocktime.app.text.text import answer, data_of
from blocktime.app.text.uncertainty_text import (
    difference_sections,
    difference_sentence,
    interval_sentence,
    uncertainty_section,
)
from blocktime.model.budget import Budget
from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import load, run, verdict
from blocktime.scenarios.forecast import expected_of
from blocktime.scenarios.load import change_in, source_of, split_name
from blocktime.scenarios.measured import as_modelled, light_of
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty import Difference, Propagated, propagate
from blocktime.scenarios.uncertainty.constant_runs import Executors
from blocktime.scenarios.why import changes

if TYPE_CHECKING:
    from blocktime.scenarios.search.promises import Promise

WRITTEN = ("tkprof", "trace", "iostat", "awr", "awr-html", "fio")
"""What `run --as` can write an answer as."""


@click.command("run")
@click.argument("scenario", metavar=NAMED, shell_complete=scenario_words)
@with_side("change", "system")
@with_settings
@with_chance
@with_uncertainty
@click.option(
    "--as", "form", type=click.Choice(WRITTEN), metavar="|".join(WRITTEN),
    help="Print the report that a real system would write. blocktime measure reads it.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Exit with 1 unless the answer keeps each [[promise]] of the file.")
@with_output
def run_one(
    scenario: str, settings: tuple[str, ...], uncertainty: bool, as_json: bool, html: Path | None, quiet: bool,
    **how: Any,
) -> int:  # fmt: skip
    """Run one scenario: response-time profile, wait events, I/O, segment, device and cost."""
    form, side, check = how.pop("form"), how.pop("side"), how.pop("check")
    del how["force"]  # of the page alone
    if form is not None and (as_json or check):
        other = "--json is another form of the answer" if as_json else "--check prints the answer itself"
        raise SpecError(f"--as {form}: {other}; allowed is one of them")
    loaded = load(scenario, [*settings, *how.pop("precision")], side)
    if check and not loaded.promises:
        raise SpecError(f"{loaded.origin or scenario}: --check: the file has no [[promise]]")
    result = _answer(loaded, quiet, **how)
    promises: list[Promise] = []
    promise_lines: list[str] = []
    if check:
        from blocktime.app.text.optimise_text import promise_line
        from blocktime.scenarios.search.promises import promises_of

        promises = list(promises_of(loaded, result))
        promise_lines = [promise_line(promise, verdict.binding(result, loaded)) for promise in promises]
    if uncertainty:
        from blocktime.scenarios.sweeps.sweep import on_this_machine  # numpy and processes wait until then

        (result,) = _propagated([loaded], [result], quiet, on_this_machine, **how).results
    if html is not None:
        from blocktime.app.reports.report_html import run_page  # charts wait until a page is asked for

        write_beside(html, run_page(loaded, result))
    if form is not None:
        from blocktime.app.reports.written import written  # as do a real system's reports

        print_lines([written(result, form, loaded).rstrip("\n")])
        return 0
    print_answer(
        as_json,
        quiet,
        lambda: _as_json(loaded, result) | ({"promises": list(map(asdict, promises))} if check else {}),
        lambda: [f"{answer(result, loaded)} {interval_sentence(result)}".rstrip(), *promise_lines],
        lambda: parted([_lines(loaded, result, width_of_terminal()), *filter(None, [promise_lines])]),
    )
    return 0 if all(promise.holds for promise in promises) else CHECK_FAILED


def _lines(scenario: Scenario, result: RunResult, width: int) -> Iterator[str]:
    """Everything about one answer, as measured first and how sure it is last, where that is known."""
    measured = as_modelled_lines(scenario, result, width)
    whole = run_lines(result, scenario.title, scenario=scenario, width=width, bar=bar_letter())
    return parted(filter(None, ([*lines] for lines in (measured, whole, uncertainty_section(result).lines(width)))))


@click.command()
@click.argument("names", metavar="A B [C...]", nargs=-1, required=True, shell_complete=scenario_words)
@with_settings
@with_chance
@with_uncertainty
@with_output
def compare(
    names: tuple[str, ...], settings: tuple[str, ...], uncertainty: bool, as_json: bool, html: Path | None, quiet: bool,
    **how: Any,
) -> None:  # fmt: skip
    """Compare scenarios side by side: differences in time and percent, and the reasons.

    A file with a [change] is compared with itself without the change; --set is then true of both. With another single
    name, --set makes the second scenario of the comparison. With several names, --set changes all of them;
    NAME,KEY=VALUE,... changes one. - reads a scenario from standard input.
    """
    del how["force"]  # of the page alone
    scenarios, titles = _sides(names, settings, how.pop("precision"))
    results: Sequence[RunResult] = [_answer(scenario, quiet, **how) for scenario in scenarios]
    sure: list[Difference] = []
    if uncertainty or of_measured(scenarios):
        from blocktime.scenarios.sweeps.sweep import on_this_machine  # as above

        try:
            propagated = _propagated(scenarios, results, quiet, on_this_machine, **how)
        except BlocktimeError as refusal:
            if uncertainty:
                raise
            print_lines([f"no interval of the difference: {refusal}"], err=True)
        else:
            results = propagated.results if uncertainty else results
            sure = [propagated.difference(index) for index in range(1, len(results))]
    if html is not None:
        from blocktime.app.reports.report_html import compare_page  # as above

        write_beside(html, compare_page(scenarios, results, titles, sure))
    comparison = ScenarioComparison(results, titles, scenarios, sure)
    print_answer(
        as_json,
        quiet,
        lambda: {
            "results": list(map(_as_json, scenarios, results)),
            "differences": [_difference(comparison, index) for index in range(1, len(results))],
        },
        lambda: _short(comparison),
        lambda: [
            *_lights(scenarios, results, width_of_terminal()),
            *compare_lines(results, titles, width=width_of_terminal(), scenarios=scenarios, sure=sure),
            *(
                line
                for section in (difference_sections(results, sure, comparison.letters) if uncertainty else ())
                for line in ("", *section.lines(width_of_terminal()))
            ),
        ],
    )


def _sides(names: Sequence[str], settings: Sequence[str], precision: Sequence[str]) -> tuple[list[Scenario], list[str]]:
    """The scenarios to compare and their titles; one name makes two by its *settings*."""
    if len(names) > 1:
        scenarios = [load(name, [*settings, *precision]) for name in names]
        return scenarios, [scenario.title for scenario in scenarios]
    source = source_of(names[0], [*settings, *precision])
    if change := change_in(source.data, source.where):
        sides = [load(names[0], [*settings, *precision], "system"), source.scenario()]
        return sides, [sides[0].title, f"with {', '.join(f'{path}={value}' for path, value in change.items())}"]
    if not settings:
        raise SpecError(f"compare {names[0]}: got one scenario; name two or more, or change this one with --set")
    name, its_settings = split_name(names[0])
    base, changed = load(names[0], precision), load(name, [*its_settings, *settings, *precision])
    return [base, changed], [base.title, f"with {', '.join(settings)}"]


def _short(comparison: ScenarioComparison) -> Iterator[str]:
    """The sentence of each difference, with one where the work differs, and one on how sure it is if that is known."""
    for place, letter in enumerate(comparison.letters[1:]):
        yield comparison.sentence(place + 1)
        if text := different_work(comparison.results[0], comparison.results[place + 1], letter):
            yield text
        if comparison.sure:
            yield difference_sentence(comparison.sure[place], letter)


def _difference(comparison: ScenarioComparison, index: int) -> dict[str, object]:
    """What moved between the first result and the one at *index*, as data."""
    base, other = comparison.results[0], comparison.results[index]
    change_s = other.time.elapsed_s - base.time.elapsed_s
    return {
        "base": base.scenario,
        "other": other.scenario,
        "other_index": index,
        "elapsed_change_s": change_s,
        "elapsed_change_fraction": change_s / base.time.elapsed_s if base.time.elapsed_s else 0.0,
        "components": [change._asdict() for change in changes(base, other)],
        "sentence": comparison.verdict(index),
        "why": comparison.reasons(index),
    } | ({"uncertainty": comparison.sure[index - 1].to_json()} if comparison.sure else {})


def of_measured(scenarios: Sequence[Scenario]) -> bool:
    """Whether the first is a system as it was measured, and the others are changes to it."""
    first, *others = scenarios
    return bool(first.as_measured) and all(other.changed and other.origin == first.origin for other in others)


def _lights(scenarios: Sequence[Scenario], results: Sequence[RunResult], width: int) -> Iterator[str]:
    """How well the model reproduces what was measured of each system that is compared as it was."""
    for scenario, result in zip(scenarios, results, strict=True):
        if rows := as_modelled(scenario.as_measured, result):
            yield from wrapped(sentence(rows), width, bold=True, colour=COLOURS[light_of(rows)])
            yield ""


def _as_json(scenario: Scenario, result: RunResult) -> dict[str, Any]:
    """The result, with what was measured of the system beside what the answer says, and the light."""
    data = data_of(result, scenario)
    if rows := as_modelled(scenario.as_measured, result):
        figures = [
            {**row.measured.model_dump(), "modelled": row.modelled, "off_fraction": row.off_fraction} for row in rows
        ]
        data["as_measured"] = {"light": light_of(rows), "figures": figures}
    return data


def _answer(
    scenario: Scenario, quiet: bool, *, seed: int | None, replications: int | None, budget: Budget
) -> RunResult:

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
    scenarios: Sequence[Scenario], results: Sequence[RunResult], quiet: bool, executors: Executors,
    *, seed: int | None, budget: Budget, **_: Any,
) -> Propagated:  # fmt: skip
    with progress_to_terminal(quiet, "uncertainty", "simulations") as progress:
        return propagate(scenarios, results, seed, progress, budget, executors)
