"""An answer, or several side by side, as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from blocktime.app.charts import compare_charts, device_charts, drawing, transaction_charts
from blocktime.app.charts.charts import LOOKS, in_lines, key_html
from blocktime.app.charts.drawing import Figure, axis
from blocktime.app.reports.html import page
from blocktime.app.text.compare_table import settings
from blocktime.app.text.compare_text import ScenarioComparison, compared
from blocktime.app.text.document import SECTIONS, Form, sections
from blocktime.app.text.iostat_text import MOST_ON_A_PAGE, columns_of, device_section
from blocktime.app.text.profile import profile, scale_of, wait_class
from blocktime.app.text.profile_table import profile_section
from blocktime.app.text.section import NOTHING, Fact
from blocktime.app.text.text import answer, note_section
from blocktime.app.text.uncertainty_text import difference_sections, uncertainty_section
from blocktime.model.results import RunResult
from blocktime.model.spec import Transactions
from blocktime.model.units import show_seconds
from blocktime.model.workloads.transactions.curves import cache_curve, load_bounds
from blocktime.scenarios import to_toml
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty import Difference

WIDTH: Final = 120
LEAST_FRACTION: Final = 0.0005
"""Of the elapsed time, that a bar of the profile stands for."""
TitledChart = tuple[str, Figure, str]
"""Title, figure, and what the figure shows."""


def run_page(scenario: Scenario, result: RunResult) -> str:
    """One answer: the sentence, the profile as a chart and a table, what the instruments would show, the scenario."""
    form = Form(WIDTH, most_lines=MOST_ON_A_PAGE)
    instruments = [*sections(result, form, [name for name in SECTIONS if name not in ("profile", "notes")])]
    instruments.append(replace(note_section(result), heading="Warnings, extrapolation and sources"))
    return page(
        "answer", title=result.scenario, heading=scenario.title or result.scenario, made=_made([result]),
        answer=answer(result, scenario), uncertainty=uncertainty_section(result),
        profile=profile_section(result), profile_figure=profile_figure(result), sections=instruments,
        charts=[*_transaction_charts(scenario, result), *_device_charts(result)], name=result.scenario,
        **_inputs(scenario, result),
    )  # fmt: skip


def compare_page(
    scenarios: Sequence[Scenario], results: Sequence[RunResult], titles: Sequence[str], sure: Sequence[Difference] = ()
) -> str:
    """Several answers: what moved and why, how sure that is, the bars, the differences, and each scenario."""
    comparison = ScenarioComparison(results, titles, scenarios)
    letters = comparison.letters
    labels = [f"{letter}: {name}" for letter, name in zip(letters, comparison.names, strict=True)]
    parts = compared(comparison)
    differing = settings(scenarios)
    title = _against(results, titles)
    named = [title or result.scenario for title, result in zip(titles, results, strict=True)]
    return page(
        "comparison", title=title, heading=title, made=_made(results), labels=labels, first=letters[0],
        differences=[row.text for row in parts["differences"][0].rows if isinstance(row, Fact)],
        fields=[("field", *letters), *((path, *values) for path, values in differing.items())] if differing else [],
        reasons=[(letters[place], comparison.reasons(place)) for place in range(1, len(letters))],
        sure=[*difference_sections(results, sure, letters)] if sure else [], key=key_html([*results]),
        bars=compare_charts.bars(results, letters, named), tables=parts["side by side"],
        notes=replace(parts["notes"][0], heading="Warnings and extrapolation"),
        parts=[
            {
                "label": label, "charts": [*_device_charts(result)],
                "device": device_section(result, WIDTH, MOST_ON_A_PAGE)
                if any(device.lines for device in result.device.values()) else NOTHING,
            } | _inputs(scenario, result)
            for label, scenario, result in zip(labels, scenarios, results, strict=True)
        ],
    )  # fmt: skip


def _against(results: Sequence[RunResult], titles: Sequence[str]) -> str:
    """What is compared with what: scenarios by name, those of one name by their titles."""
    names = list(dict.fromkeys(result.scenario for result in results))
    if len(names) > 1:
        return " against ".join(names[:2]) + (" and others" if len(results) > 2 else "")
    different = [title for title in dict.fromkeys(titles) if title]
    if len(different) > 1:
        second = different[1] if len(titles) == 2 else "others"
        joined = ", and " if second.startswith("with ") else " against "
        return f"{names[0]}: {different[0]}{joined}{second}"
    return f"{names[0]}, {len(results)} times"


def profile_figure(result: RunResult) -> Figure:
    """The response-time profile as horizontal bars, the largest on top."""
    rows = [row for row in profile(result) if abs(row.fraction) >= LEAST_FRACTION]
    scale = scale_of([result])
    bars = [
        drawing.bars(
            "", [row.name], [scale.per_s * row.seconds], LOOKS[wait_class(row.name)], width=0.62,
            text=[f"{show_seconds(row.seconds)} ({100 * row.fraction:.1f} %)"], textposition="outside",
            hovertext=[f"{row.name}: {show_seconds(row.seconds)}"], hoverinfo="text",
        )
        for row in rows
    ]  # fmt: skip
    layout = drawing.layout(
        60 + 30 * len(rows), axis(scale.word, zeroline=True), drawing.rows([row.name for row in rows], in_lines),
        (8, 8, 0, 40), barmode="overlay", showlegend=False,
    )  # fmt: skip
    return drawing.figure(bars, layout)


def _device_charts(result: RunResult) -> Iterator[TitledChart]:
    """Requests by size, iostat's columns over time, and one request through the stack, each with its finding."""
    for device, stats in result.device.items():
        if stats.request_bytes:
            yield f"Requests of {device} by size", *device_charts.sizes(stats)
        for which in device_charts.OVER_TIME if stats.lines else ():
            figure, finding = device_charts.over_time(stats.lines, which, columns_of(result))
            yield f"{figure['layout']['yaxis']['title']['text']} of {device} over time", figure, finding
    if result.timeline:
        yield "One request through the stack", *device_charts.timeline(result.timeline)


def _transaction_charts(scenario: Scenario, result: RunResult) -> Iterator[TitledChart]:
    """Throughput and response over load, and hits over the size of the cache, each with its finding."""
    stats, cache, work = result.transactions, result.cache, cast("Transactions", scenario.workload)
    if stats is None or cache is None:
        return
    bounds = load_bounds(scenario.system, work)
    size = float(scenario.system.instance.buffer_cache_bytes)
    yield "Throughput over load", *transaction_charts.throughput(bounds, [], stats)
    yield "Response over load", *transaction_charts.response(bounds, [], stats)
    hits = transaction_charts.hits(cache_curve(scenario.system, work), size, cache.hit_fraction)
    yield "Hits over the size of the buffer cache", *hits


def _made(results: Sequence[RunResult]) -> str:
    methods = "; ".join(dict.fromkeys(result.method for result in results))
    seeds = ", ".join(dict.fromkeys(str(result.seed) for result in results))
    return f"{methods}, seed {seeds}, blocktime {results[0].version}"


def _inputs(scenario: Scenario, result: RunResult) -> dict[str, Any]:
    """The scenario as its file and with every constant explicit, and the result as data."""
    return {
        "document": to_toml(scenario),
        "explicit": scenario.model_dump(mode="json", include={"system", "workload", "seed", "replications"}),
        "data": result.model_dump(mode="json", exclude_none=True),
    }
