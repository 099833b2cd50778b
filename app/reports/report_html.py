"""An answer, or several side by side, as one self-contained page: plots inlined, no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import Any, Final, cast

from click import unstyle

from blocktime.app.charts import compare_charts, device_charts, transaction_charts
from blocktime.app.charts.charts import LOOKS, key_html
from blocktime.app.charts.drawing import Figure
from blocktime.app.reports.html import bullets, details, heading, page, plot, plotted, pre, section, table
from blocktime.app.text.compare_table import settings
from blocktime.app.text.compare_text import ScenarioComparison, compared
from blocktime.app.text.document import SECTIONS, Form, sections
from blocktime.app.text.iostat_text import MOST_ON_A_PAGE, columns_of, device_lines
from blocktime.app.text.outside import what_the_mark_says
from blocktime.app.text.profile import profile, scale_of, wait_class
from blocktime.app.text.profile_table import profile_table
from blocktime.app.text.text import answer
from blocktime.app.text.uncertainty_text import difference_lines, uncertainty_lines
from blocktime.model.results import RunResult
from blocktime.model.spec import Transactions
from blocktime.model.units import show_seconds
from blocktime.model.workloads.transactions.curves import cache_curve, load_bounds
from blocktime.scenarios import to_toml
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty import Difference

WIDTH: Final = 120


def run_page(scenario: Scenario, result: RunResult) -> str:
    """One answer: the sentence, the profile as a chart and a table, what the instruments would show, the scenario."""
    profiled = profile_table(result)
    body = [
        _heading(scenario.title or result.scenario, [result]),
        f'<p class="answer">{escape(answer(result))}</p>',
        *_beyond([result]),
        *section(uncertainty_lines(result, WIDTH)),
        plot(profile_figure(result), "profile"),
        f"<h2>{escape(profiled.title)}</h2>",
        table(profiled.lines, last=len(profiled.ends)),
        *_instruments(result),
        *_transaction_plots(scenario, result),
        *_device_plots(result, "device"),
        *_scenario(scenario),
        *_data([result], [result.scenario]),
    ]
    return page(result.scenario, body)


def compare_page(
    scenarios: Sequence[Scenario],
    results: Sequence[RunResult],
    titles: Sequence[str],
    sure: Sequence[Difference] = (),
) -> str:
    """Several answers: what moved and why, how sure that is, the bars, the differences, and each scenario."""
    comparison = ScenarioComparison(results, titles, scenarios)
    letters = comparison.letters
    labels = [f"{letter}: {name}" for letter, name in zip(letters, comparison.names, strict=True)]
    title = _against(results, titles)
    parts = compared(comparison, WIDTH)
    answers = "\n".join(unstyle(line) for line in parts["differences"])
    tables, notes = parts["side by side"], parts["notes"]
    differing = settings(scenarios)
    figure, finding = compare_charts.bars(
        results, letters, [title or result.scenario for title, result in zip(titles, results, strict=True)]
    )
    body = [
        _heading(title, results),
        bullets(labels),
        f'<p class="answer">{escape(answers)}</p>',
        "<h2>What differs</h2>",
        table([("field", *letters), *((path, *values) for path, values in differing.items())])
        if differing
        else "<p>No field is set otherwise.</p>",
        *(_reasons(comparison, place) for place in range(1, len(letters))),
        *(section(difference_lines(results, sure, letters, WIDTH)) if sure else ()),
        f"<p>{key_html([*results])}</p><p>{escape(finding)}</p>{plot(figure, 'bars')}",
        *section(["Side by side", *tables]),
        *section(["Warnings and extrapolation", *notes]),
    ]
    for letter, label, scenario, result in zip(letters, labels, scenarios, results, strict=True):
        body.append(f"<h2>{escape(label)}</h2>")
        if any(device.lines for device in result.device.values()):
            body.append(pre(device_lines(result, WIDTH, MOST_ON_A_PAGE)))
        body += _device_plots(result, f"device_{letter}")
        body += _scenario(scenario)
    body += _data(results, labels)
    return page(title, body)


def _reasons(comparison: ScenarioComparison, place: int) -> str:
    """Why one answer differs from the first, as a list."""
    letters = comparison.letters
    return f"<h2>Why {letters[place]} differs from {letters[0]}</h2>{bullets(comparison.reasons(place))}"


def _against(results: Sequence[RunResult], titles: Sequence[str]) -> str:
    """What is compared with what: scenarios by name, those of one name by their titles."""
    names = list(dict.fromkeys(result.scenario for result in results))
    if len(names) > 1:
        return " against ".join(names[:2]) + (" and others" if len(results) > 2 else "")
    different = [title for title in dict.fromkeys(titles) if title]
    if len(different) > 1:
        return f"{names[0]}: {different[0]} against {different[1] if len(titles) == 2 else 'others'}"
    return f"{names[0]}, {len(results)} times"


def profile_figure(result: RunResult) -> dict[str, Any]:
    """The response-time profile as horizontal bars, the largest on top."""
    rows = [row for row in profile(result) if abs(row.fraction) >= 0.0005]
    names = [_two_lines(row.name) for row in rows]
    scale = scale_of([result])
    longest = max((row.seconds for row in rows), default=0.0)
    bars = {
        "type": "bar", "orientation": "h", "y": names, "x": [scale.per_s * row.seconds for row in rows],
        "text": [f"{show_seconds(row.seconds)} ({100 * row.fraction:.1f} %)" for row in rows],
        "textposition": [_text_place(row.seconds, longest) for row in rows], "cliponaxis": False,
        "hoverinfo": "y+text", "marker": {"color": [LOOKS[wait_class(row.name)][0] for row in rows]},
    }  # fmt: skip
    negative = [
        {"x": 0, "y": name, "text": show_seconds(row.seconds), "xanchor": "left", "showarrow": False}
        for name, row in zip(names, rows, strict=True)
        if row.seconds < 0
    ]
    layout = {
        "height": 120 + 30 * len(rows), "margin": {"l": 10, "r": 20, "t": 10, "b": 50}, "showlegend": False,
        "font": {"family": "system-ui, sans-serif", "size": 14}, "paper_bgcolor": "white", "plot_bgcolor": "white",
        "xaxis": {"title": {"text": scale.word}, "gridcolor": "#e3e7ea", "zerolinecolor": "#8d99a6"},
        "yaxis": {"autorange": "reversed", "automargin": True}, "annotations": negative,
    }  # fmt: skip
    return {"data": [bars], "layout": layout}


def _text_place(seconds: float, longest: float) -> str:
    """Beside a short bar, within a long one; a negative one is labelled on the other side of the axis."""
    return "none" if seconds < 0 else "outside" if seconds < longest / 2 else "inside"


def _two_lines(name: str) -> str:
    """A long name broken for an axis; what plotly would read as markup is escaped."""
    return "<br>".join(escape(line, quote=False) for line in wrap(name, 40))


def _device_plots(result: RunResult, name: str) -> Iterable[str]:
    """Requests by size, iostat's columns over time, and one request through the stack, each with its finding."""
    shown: list[tuple[str, tuple[Figure, str]]] = []
    for device, stats in result.device.items():
        if stats.request_bytes:
            shown.append((f"Requests of {device} by size", device_charts.sizes(stats)))
        for which in device_charts.OVER_TIME if stats.lines else ():
            drawn = device_charts.over_time(stats.lines, which, columns_of(result))
            title = drawn[0]["layout"]["yaxis"]["title"]["text"]
            shown.append((f"{title} of {device} over time", drawn))
    if result.timeline:
        shown.append(("One request through the stack", device_charts.timeline(result.timeline)))
    for place, (title, drawn) in enumerate(shown):
        yield from plotted(title, drawn, f"{name}_{place}")


def _transaction_plots(scenario: Scenario, result: RunResult) -> Iterable[str]:
    """Throughput and response over load, and hits over the size of the cache, each with its finding."""
    stats, cache, work = result.transactions, result.cache, cast("Transactions", scenario.workload)
    if stats is None or cache is None:
        return
    bounds = load_bounds(scenario.system, work)
    size = float(scenario.system.instance.buffer_cache_bytes)
    hits = transaction_charts.hits(cache_curve(scenario.system, work), size, cache.hit_fraction)
    yield from plotted("Throughput over load", transaction_charts.throughput(bounds, [], stats), "throughput")
    yield from plotted("Response over load", transaction_charts.response(bounds, [], stats), "response")
    yield from plotted("Hits over the size of the buffer cache", hits, "hits")


def _heading(title: str, results: Sequence[RunResult]) -> str:
    methods = "; ".join(dict.fromkeys(result.method for result in results))
    seeds = ", ".join(dict.fromkeys(str(result.seed) for result in results))
    return heading(title, f"{methods}, seed {seeds}, blocktime {results[0].version}")


def _beyond(results: Sequence[RunResult]) -> Iterable[str]:
    """What the marks behind numbers say, where any stand."""
    text = what_the_mark_says(results)
    return [f'<p class="beyond">{escape(text)}</p>'] if text else []


def _instruments(result: RunResult) -> Iterable[str]:
    form = Form(WIDTH, most_lines=MOST_ON_A_PAGE)
    for lines in sections(result, form, [name for name in SECTIONS if name not in ("profile", "notes")]):
        yield from section(lines)
    for notes in sections(result, form, ["notes"]):
        yield from section(["Warnings, extrapolation and sources", *notes])


def _scenario(scenario: Scenario) -> Iterable[str]:
    """The scenario as its file, and with every constant explicit."""
    explicit = scenario.model_dump(mode="json", include={"system", "workload", "seed", "replications"})
    yield "<h2>Scenario</h2>"
    yield pre(to_toml(scenario).splitlines())
    yield details("Every input, explicit, with the source of its constants", explicit)


def _data(results: Sequence[RunResult], labels: Sequence[str]) -> Iterable[str]:
    for result, label in zip(results, labels, strict=True):
        dumped = result.model_dump(mode="json", exclude_none=True)
        yield details(f"The result of {label} as JSON", dumped)
