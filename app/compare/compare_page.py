"""The page that lays pinned scenarios side by side: bars and reasons above; numbers, settings and crossings below."""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from textwrap import shorten
from typing import Any, Final, Literal

import streamlit as st

from blocktime.app.answer.answer import FORMER, PALE, standing
from blocktime.app.answer.drawn import beside, chart, table, tabs
from blocktime.app.answer.uncertainty_view import uncertainty_of
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.charts import charts, compare_charts, uncertainty_charts
from blocktime.app.controls import own_files, settings
from blocktime.app.controls.fields import facts
from blocktime.app.controls.sweep_form import label_of, pickable, suggested
from blocktime.app.reports.report_html import compare_page
from blocktime.app.session import address, navigation, pins, taken, what_if_state
from blocktime.app.session.answers import KnownAnswers, answered
from blocktime.app.session.downloads import csv_text
from blocktime.app.session.pins import Pin, Pins
from blocktime.app.session.wishes import Wishes
from blocktime.app.text import compare_table
from blocktime.app.text.compare_text import difference_line, letters_for, util_of, warnings_of
from blocktime.app.text.key_numbers import UNCLEAR
from blocktime.app.text.outside import lines_of
from blocktime.app.text.quantities import Quantity
from blocktime.app.text.uncertainty_text import difference_sentence, what_it_holds
from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, library
from blocktime.scenarios.compare import chance, why
from blocktime.scenarios.load import source_in, to_mapping
from blocktime.scenarios.prices import priced_alike
from blocktime.scenarios.search.crossover import Crossover, crossover
from blocktime.scenarios.sweeps.spec import axis_of
from blocktime.scenarios.uncertainty import Difference

NOTES: Final = "compare.notes"
WISHES: Final = Wishes("compare")
"""What a comparison wants simulated."""
ANSWERED: Final = "compare.answered"
"""The comparison whose answers this session has seen last."""
FROM_LIBRARY: Final = "compare.from_library"
UNCERTAINTY: Final = "compare.uncertainty"
SORT, MOST_FIRST, LAYOUT, ONLY = "compare.sort", "compare.most_first", "compare.layout", "compare.only"
AGAINST, ALONG, VALUES, CROSSED = "compare.against", "compare.along", "compare.values", "compare.crossed"
AS_PINNED: Final = "as pinned"
DOWN, ACROSS = "Scenarios side by side", "One row each"
FIRST_ALONG: Final = "table.rows"
LONGEST_HERE: Final = 50
TALL: Final = 12
"""Rows of settings from which on their table scrolls."""
TALL_PX: Final = 420
STYLE: Final = """<style>
.st-key-pinned {padding-bottom: .4rem}
.st-key-pinned [data-testid="stMarkdown"] p {overflow-wrap: anywhere}
.st-key-numbers [data-testid="stTable"] table {table-layout: fixed; width: 100%}
.st-key-numbers [data-testid="stTable"] td p {margin: 0; white-space: normal; overflow-wrap: anywhere}
.st-key-numbers [data-testid="stTable"] th p {white-space: normal; overflow-wrap: anywhere}
@media (max-width: 1100px) {
  .st-key-laid [data-testid="stColumn"], .st-key-choices [data-testid="stColumn"],
  .st-key-crossing [data-testid="stColumn"], .st-key-crossed [data-testid="stColumn"] {min-width: 100%}
}
@media (max-width: 640px) {
  .st-key-numbers [data-testid="stTable"] {overflow-x: auto}
  .st-key-numbers [data-testid="stTable"] table:has(th:nth-child(4)) {width: 46rem}
}
</style>"""


@dataclass(frozen=True)
class ComparedScenarios:
    """What is laid side by side, the baseline first."""

    letters: tuple[str, ...]
    titles: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    answers: KnownAnswers
    asked: tuple[Scenario, ...]
    """Those, and what is pinned but has no answer."""

    @property
    def results(self) -> tuple[RunResult, ...]:
        """Their answers; empty while one of them is missing."""
        return self.answers.results

    @property
    def others(self) -> range:
        """Places of the alternatives."""
        return range(1, len(self.results))

    def heading(self, place: int) -> str:
        """Letter and title of one, as a column's heading."""
        return f"{self.letters[place]} · {plain(shorten(self.titles[place], LONGEST_HERE, placeholder=' …'))}"

    @property
    def lines(self) -> list[Quantity]:
        """Every figure that one of the answers has."""
        return compare_table.lines(self.results)

    def rows(self, lines: Sequence[Quantity]) -> list[dict[str, Any]]:
        """One row for each scenario."""
        return compare_table.by_scenario(self.results, self.letters, self.titles, lines)

    def why(self, place: int) -> list[str]:
        """Why an alternative differs from the baseline."""
        return why(self.results[0], self.results[place], (self.scenarios[0], self.scenarios[place]))


def page() -> None:
    """Draw the page."""
    _start()
    st.html(navigation.STYLE)
    st.html(STYLE)
    held = pins.held()
    with st.sidebar:
        _list(held)
        _adding(held)
    _address(held)
    for note in st.session_state[NOTES]:
        st.error(plain(sentence(note)), icon=":material/error:")
    laid = _laid(held) if held else None
    if laid is None:
        _empty(held)
        return
    if laid.results:
        st.session_state[ANSWERED] = laid
    _head(laid)
    shown: ComparedScenarios | None = st.session_state.get(ANSWERED)
    st.html("<style></style>" if shown is laid else PALE)
    if shown is not None:
        with st.container(key="answer"):
            _draw(shown, held, is_former=shown is not laid)


def _draw(laid: ComparedScenarios, held: Pins, *, is_former: bool) -> None:
    """Bars and reasons, then the tabs; files only where they are of what is pinned."""
    if is_former:
        titles = "; ".join(
            f"{letter}: {title}" for letter, title in zip(laid.letters, laid.titles, strict=True)
        )
        st.caption(f":orange[Below, of the former values:] {plain(titles)}")
    with st.container(key="laid"):
        bars, reasons = st.columns([1.6, 1], gap="medium")
    with bars:
        st.html(charts.key_html(list(laid.results)))
        chart("compare_bars", *compare_charts.bars(laid.results, laid.letters, laid.titles))
        if any(result.time.last_session_s is not None for result in laid.results):
            st.caption("◇ end of the last session; a bar is the time of one session")
    with reasons:
        _reasons(laid)
    if not is_former:
        _tabs(laid, held, _uncertainty(laid))


# What is pinned


def _start() -> None:
    """On the session's first run, and where the browser goes back, take the pins from the address."""
    st.session_state.setdefault(NOTES, [])
    query = st.query_params.to_dict()
    if query and (pins.HELD not in st.session_state or address.went_back()):
        read_pins, notes = pins.read(query)
        _put(read_pins)
        st.session_state[NOTES] = notes


def _put(held: Pins) -> None:
    """Show *held*; what the last link had wrong is no matter any more."""
    pins.put(held)
    st.session_state[NOTES] = []


def _address(held: Pins) -> None:
    """Keep the address such that it opens this comparison."""
    try:
        wanted = pins.written(held)
    except SpecError as error:
        wanted = {}
        st.caption(f":orange[:material/warning:] {plain(sentence(f'this is too long for a link: {error}'))}")
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _list(held: Pins) -> None:
    """The pins in their order, each with what can be done with it."""
    st.markdown(f"**Pinned** · {len(held)} of {pins.MOST}")
    with st.container(key="pinned", gap="small"):
        for place, (letter, pin) in enumerate(zip(letters_for(len(held)), held, strict=True)):
            name, menu = st.columns([4, 1.5], vertical_alignment="center")
            mark = " :gray-badge[baseline]" if place == 0 else ""
            title = shorten(pins.title_of(pin, held[0]), LONGEST_HERE, placeholder=" …")
            name.markdown(f"**{letter}** {plain(title)}{mark}")
            with menu.popover("Edit", width="stretch", help=f"Rename, move, open or remove {letter}"):
                _edit(held, place, letter)


def _edit(held: Pins, place: int, letter: str) -> None:
    """Everything that can be done with one pin."""
    pin, last = held[place], len(held) - 1
    key = f"compare.called.{pin.key}"
    st.session_state.setdefault(key, pin.called)
    st.text_input(
        f"Name of {letter}", key=key, max_chars=pins.LONGEST_NAME, placeholder=pins.automatic(pin, held[0]),
        on_change=_rename, args=(pin.key,), help="If empty: its changes, or the scenario's title",
    )  # fmt: skip
    moves: tuple[tuple[str, str, int, bool], ...] = (
        ("Make it the baseline", "flag", 0, place == 0),
        ("Move up", "arrow_upward", place - 1, place == 0),
        ("Move down", "arrow_downward", place + 1, place == last),
    )
    for label, icon, to, useless in moves:
        st.button(
            label, key=f"compare.{icon}.{pin.key}", icon=f":material/{icon}:", width="stretch", disabled=useless,
            on_click=_put, args=(held if useless else pins.moved(held, place, to),), help=f"{label}: {letter}",
        )  # fmt: skip
    if st.button(
        "Open in What if", key=f"compare.open.{pin.key}", icon=":material/tune:", width="stretch",
        help=f"Shows {letter} on the first page, to change it there",
    ):  # fmt: skip
        what_if_state.show(pin.name, dict(pin.changes))
        navigation.go_to(navigation.WHAT_IF)
    st.button(
        "Remove", key=f"compare.remove.{pin.key}", icon=":material/close:", width="stretch", on_click=_put,
        args=(pins.removed(held, place),), help=f"Takes {letter} out of the comparison",
    )  # fmt: skip


def _rename(key: str) -> None:
    held = pins.held()
    place = next((place for place, pin in enumerate(held) if pin.key == key), None)
    control = f"compare.called.{key}"
    if place is not None and not address.is_gone(control):
        _put(pins.renamed(held, place, st.session_state[control]))


def _adding(held: Pins) -> None:
    """Ways to one more."""
    full = len(held) >= pins.MOST
    titles = {name: f"{entry.title} · {name}" for name, entry in library().items()}
    st.selectbox(
        "Add from the library", list(titles), None, key=FROM_LIBRARY, format_func=lambda name: titles[name],
        placeholder="choose a scenario", on_change=_add_from_library, disabled=full,
        help=f"{pins.MOST} are pinned; remove one first" if full else "Becomes the next alternative",
    )  # fmt: skip
    name = st.session_state.get(what_if_state.NAME)
    if name is not None:
        changes = st.session_state[what_if_state.CHANGES]
        refused = pins.why_not(held, Pin(name, tuple(changes.items())))
        st.button(
            "Add the What-if screen", key="compare.add_screen", icon=":material/keep:", width="stretch",
            disabled=bool(refused), help=refused or "The scenario that the What-if page shows",
            on_click=_put, args=(held if refused else pins.pinned(held, name, changes),),
        )  # fmt: skip
    if held:
        st.button(
            "Remove all", key="compare.clear", icon=":material/delete_sweep:", width="stretch", on_click=_put,
            args=((),), help="Begins a new comparison",
        )  # fmt: skip


def _add_from_library() -> None:
    name = st.session_state.get(FROM_LIBRARY)
    if name is not None:
        _put(pins.added(pins.held(), Pin(name)))
    st.session_state[FROM_LIBRARY] = None


def _empty(held: Pins) -> None:
    """What this page is for, where there is nothing to show."""
    st.markdown("### Compare")
    if not held:
        st.info(
            "Nothing is pinned yet. To pin a scenario, click **Add to comparison** below the controls of the What-if "
            "page, or add a library scenario in the sidebar (» opens it). The first one is the baseline; up to four "
            "more are compared with it.",
            icon=":material/compare_arrows:",
        )


# Answers


def _laid(held: Pins) -> ComparedScenarios | None:
    """The pins that have an answer, answered alike; a sentence for each that has none."""
    asked = priced_alike([settings.settle(pin.name, dict(pin.changes))[0] for pin in held])
    answers = answered(WISHES, asked)
    kept = [place for place, answer in enumerate(answers.all) if not answer.refused]
    letters = letters_for(len(held))
    for place, answer in enumerate(answers.all):
        if answer.refused:
            st.error(
                plain(sentence(f"{letters[place]} has no answer: {answer.refused}")), icon=":material/error:"
            )
    if answers.all[0].refused:
        st.caption("It is the baseline: remove it, or make another scenario the baseline.")
        return None
    return ComparedScenarios(
        tuple(letters[place] for place in kept),
        tuple(pins.title_of(held[place], held[0]) for place in kept),
        tuple(asked[place] for place in kept),
        replace(answers, all=tuple(answers.all[place] for place in kept)),
        tuple(asked),
    )


def _head(laid: ComparedScenarios) -> None:
    """The title, how the answers were made, and how far they are."""
    with st.container(key="head"):
        title, action = st.columns([5, 1.6], vertical_alignment="center")
    count = len(laid.scenarios)
    made = method_badge(laid.results) if laid.results else FORMER
    title.markdown(f"### Compare {count} scenario{'s' if count > 1 else ''} {made}")
    with action:
        standing(WISHES, laid.asked, laid.answers, "compare.cancel")


def method_badge(results: Sequence[RunResult]) -> str:
    """How answers were made, as a badge: each way once, with how many."""
    ways = Counter(result.method.partition(",")[0] for result in results)
    words = (way if len(ways) == 1 else f"{way} ({count})" for way, count in ways.items())
    return f":gray-badge[{', '.join(words)}]"


def _reasons(laid: ComparedScenarios) -> None:
    """How much each alternative differs from the baseline, and why."""
    if not laid.others:
        st.markdown("**Add an alternative**")
        st.markdown(plain(sentence(charts.finding(laid.results[0]))))
        return
    names = [f"{laid.letters[place]} against {laid.letters[0]}" for place in laid.others]
    for place, tab in zip(laid.others, st.tabs(names, key="compare.why", on_change="rerun"), strict=True):
        if not tab.open:
            continue
        with tab:
            head = difference_line(laid.results[0], laid.results[place], laid.letters[place])
            st.markdown(f"**{plain(head)}**")
            st.markdown("\n".join(f"- {plain(sentence(text))}" for text in laid.why(place)))
    notes = [*warnings_of(laid.results, laid.letters), *util_of(laid.results, laid.letters)]
    beyond = len(lines_of([result.extrapolated for result in laid.results]))
    if beyond:
        uses = "one use of a constant" if beyond == 1 else f"{beyond} uses of constants"
        notes.append(f"extrapolated: {uses} outside the measured range")
    if notes:
        with st.expander(f"{len(notes)} thing{'s' if len(notes) > 1 else ''} to keep in mind"):
            for note in notes:
                st.caption(f":orange[:material/warning:] {plain(sentence(note))}")


# How sure


def _uncertainty(laid: ComparedScenarios) -> tuple[Difference, ...]:
    """A switch; where it is on, how sure each difference is, and the interval of each answer."""
    if not st.toggle(
        "Uncertainty", key=UNCERTAINTY, persist_state="session",
        help="Intervals of the times, and whether the differences are sure",
    ):  # fmt: skip
        return ()
    propagated = uncertainty_of(laid.scenarios, laid.results, "There are no intervals for these")
    if propagated is None:
        return ()
    results, sure = propagated
    st.markdown("\n".join(
        f"- {plain(difference_sentence(difference, laid.letters[place], laid.letters[0]))}"
        for place, difference in zip(laid.others, sure, strict=True)
    ))  # fmt: skip
    named = {
        f"{letter}  {charts.in_lines(title)}": result
        for letter, title, result in zip(laid.letters, laid.titles, results, strict=True)
    }
    chart("compare_intervals", *uncertainty_charts.intervals(named))
    st.caption(plain(" ".join(what_it_holds(results))))
    return sure


# Below: numbers, settings, crossings, files


def _tabs(laid: ComparedScenarios, held: Pins, sure: Sequence[Difference]) -> None:
    tabs("compare.tabs", {
        "Numbers": lambda: _numbers(laid),
        "What differs": lambda: _settings(laid),
        "Where they are equal": lambda: _crossings(laid),
        "Export": lambda: _files(laid, held, sure),
    })  # fmt: skip


def _numbers(laid: ComparedScenarios) -> None:
    """All numbers, as one column or as one row for each scenario, sorted by any of them."""
    lines = laid.lines
    by_title = {line.title: line for line in lines}
    st.session_state[LAYOUT] = st.session_state.get(LAYOUT, DOWN)  # see sweep_page._held
    if st.session_state.get(SORT) not in by_title:
        st.session_state[SORT] = AS_PINNED
    with st.container(key="choices"):
        layout, sort, most, only = st.columns([1.5, 1.3, 0.9, 0.9], vertical_alignment="bottom")
    chosen = layout.segmented_control(
        "Table", (DOWN, ACROSS), key=LAYOUT, required=True, persist_state="session",
        help="One row for each number, or one row for each scenario: click a heading to sort",
    )  # fmt: skip
    sort.selectbox(
        "Sort scenarios by", [AS_PINNED, *by_title], key=SORT, persist_state="session",
        help="Changes the order in the table alone; the letters and the baseline stay",
    )  # fmt: skip
    most_first = most.toggle(
        "Largest first", key=MOST_FIRST, persist_state="session", help="If off, the smallest first"
    )
    differing = only.toggle("Only what differs", key=ONLY, persist_state="session",
                            help="Leaves out numbers that are the same in all")  # fmt: skip
    if differing:
        lines = [line for line in lines if _differs(line, laid.results)]
    order = compare_table.order(laid.results, by_title.get(st.session_state[SORT]), most_first)
    best = compare_charts.finding(laid.results, laid.letters, laid.titles)
    with st.container(key="numbers"):
        if chosen == DOWN:
            table(side_by_side(laid, lines, order), f"{len(lines)} numbers of {len(order)} scenarios. {best}")
        else:
            _one_row_each(laid, lines, order, f"{len(order)} scenarios, a row each. {best}")
    st.caption(
        f"Differences are from {laid.letters[0]}. Green is better, red is worse; the words say less or "
        "more. Times are of one session, or of one transaction."
    )


def _differs(line: Quantity, results: Sequence[RunResult]) -> bool:
    differences = [compare_table.difference(line.of(results[0]), line.of(result)) for result in results[1:]]
    return any(difference is None or difference.word != "same" for difference in differences)


def side_by_side(
    laid: ComparedScenarios, lines: Sequence[Quantity], order: Sequence[int]
) -> list[dict[str, str]]:
    """One row for each number, one column for each scenario, as Markdown."""
    rows = []
    for line in lines:
        largest = _largest(line, laid.results)
        cells = {at: _cell(line, laid.results[0], laid.results[at], largest, at == 0) for at in order}
        rows.append({"Number": plain(line.heading)} | {laid.heading(at): cells[at] for at in order})
    return rows


def _largest(line: Quantity, results: Sequence[RunResult]) -> float:
    """The largest of a number in all answers, which sets the form of the others."""
    return max((abs(line.of(result) or 0.0) for result in results), default=0.0)


def _cell(line: Quantity, base: RunResult, other: RunResult, largest: float, is_base: bool) -> str:
    """A number with its difference, coloured by whether that is better."""
    value = line.of(other)
    if value is None:
        return ":gray[–]"
    cell = f"**{plain(line.cell(value, largest))}**"
    difference = compare_table.difference(line.of(base), value)
    if is_base or difference is None:
        return cell
    if difference.word == "same":
        return f"{cell}  \n:gray[= same]"
    arrow = "▼" if difference.word == "less" else "▲"
    text = plain(f"{arrow} {difference.said(line.is_share, partial(line.change, largest=largest))}")
    if line.is_whole and chance(base, other):
        return f"{cell}  \n:gray[{UNCLEAR}]"
    colour = "" if line.better == "neither" else "green" if line.better == difference.word else "red"
    return f"{cell}  \n" + (f":{colour}[{text}]" if colour else text)


def _one_row_each(laid: ComparedScenarios, lines: Sequence[Quantity], order: Sequence[int], alt: str) -> None:
    """A table whose headings sort it."""
    pd = import_module("pandas")  # whole: another session may be importing it just now

    every = laid.rows(lines)
    frame = pd.DataFrame([every[place] for place in order])
    percents = {compare_table.percent_of(line, laid.letters[0]): line for line in lines}
    changes = {compare_table.change_of(line, laid.letters[0]): line for line in lines}
    coloured = percents | changes
    largest = {line: _largest(line, laid.results) for line in lines}

    def colours(column: Any) -> list[str]:
        return [_colour(coloured[column.name].better, value) for value in column]

    style = (
        frame.style.apply(colours, subset=list(coloured))
        .format({line.title: partial(line.cell, largest=largest[line]) for line in lines}, na_rep="–")
        .format(
            {
                name: partial(_signed, show=partial(line.change, largest=largest[line]))
                for name, line in changes.items()
            },
            na_rep="–",
        )
        .format(_percent, subset=list(percents), na_rep="–")
    )
    pinned = st.column_config.TextColumn(pinned=True)
    st.dataframe(
        style, hide_index=True, key="compare_rows", alt=alt, width="stretch",
        column_config={"": pinned, "Scenario": st.column_config.TextColumn(pinned=True, width="medium")},
    )  # fmt: skip


def _signed(change: float, show: Callable[[float], str]) -> str:
    return f"{'-' if change < 0 else '+' if change > 0 else ''}{show(abs(change))}"


def _percent(percent: float) -> str:
    return f"{percent:+.2f} % {'less' if percent < 0 else 'more'}" if percent else "same"


def _colour(better: str, change: float | None) -> str:
    if change is None or better == "neither" or math.isnan(change) or change == 0:
        return ""
    return "color: #2f9e58" if (change < 0) == (better == "less") else "color: #d2493f"


def _settings(laid: ComparedScenarios) -> None:
    """The fields that are not alike in all."""
    differing = compare_table.settings(laid.scenarios)
    if not differing:
        st.caption("All fields are equal." if laid.others else "Add an alternative to see differences.")
        return
    rows = [
        {
            "Field": plain(label_of(path)) if label_of(path) != path else "",
            "Parameter": f"`{path}`",
            **{
                f"{letter} · {plain(title)}": f"**{plain(value)}**" if value != values[0] else plain(value)
                for letter, title, value in zip(laid.letters, laid.titles, values, strict=True)
            },
        }
        for path, values in differing.items()
    ]
    height: Literal["content"] | int = TALL_PX if len(rows) > TALL else "content"
    table(rows, f"{len(rows)} fields that differ", height=height)
    st.caption(f"Bold: values that differ from {laid.letters[0]}.")


def _crossings(laid: ComparedScenarios) -> None:
    """Along which values of a field the baseline and an alternative take equally long."""
    if not laid.others:
        st.caption("Add an alternative to see where the two are equal.")
        return
    with st.container(key="crossing"):
        against, field, values = st.columns([1, 1.2, 1.2], vertical_alignment="bottom")
    names = {laid.letters[place]: place for place in laid.others}
    if st.session_state.get(AGAINST) not in names:
        st.session_state[AGAINST] = next(iter(names))
    place = names[
        against.selectbox(
            f"{laid.letters[0]} and", list(names), key=AGAINST, persist_state="session",
            format_func=lambda letter: f"{letter} · {laid.titles[names[letter]]}",
            help="The alternative that the baseline is compared with",
        )
    ]  # fmt: skip
    first, second = laid.scenarios[0], laid.scenarios[place]
    fields = numeric_fields(first, second)
    if not fields:
        st.caption("The two have no field in common that takes numbers.")
        return
    along = st.session_state.get(ALONG, FIRST_ALONG)
    st.session_state[ALONG] = along if along in fields else next(iter(fields))
    key = field.selectbox(
        "Along", list(fields), key=ALONG, persist_state="session", format_func=lambda path: fields[path],
        help="The field that takes the same values in both",
    )  # fmt: skip
    source = source_in(to_mapping(first), first.name, first.origin)
    written = f"{VALUES}.{key}"
    held = st.session_state[written] if written in st.session_state else suggested(key, source)
    text = values.text_input(
        "Values", held, key=written, persist_state="session", placeholder="low:high:n, or a, b, c",
        help="A range `low:high`, as `1K:1M` or `100:1000000`; or a list such as `2K, 4K, 8K`",
    )  # fmt: skip
    try:
        crossover = _crossed(first, second, key, text or "")
    except BlocktimeError as error:
        st.error(plain(sentence(str(error))), icon=":material/error:")
        return
    if crossover is None:
        return
    both = laid.letters[0], laid.letters[place]
    figure, finding = compare_charts.crossing(
        crossover, both, (laid.titles[0], laid.titles[place]), label_of(key),
        is_of_one=laid.results[0].transactions is not None,
    )  # fmt: skip
    st.markdown(f"**{plain(finding)}**")
    with st.container(key="crossed"):
        apart = compare_charts.apart(crossover, both, label_of(key))
        beside(("compare_crossing", figure, finding), ("compare_apart", *apart), gap="medium")
    st.caption(
        "Both are answered at each value of the field, and nothing else changes. Equal means within 0.1 %."
    )


def numeric_fields(first: Scenario, second: Scenario) -> dict[str, str]:
    """Fields of both that take numbers, each with its group and label."""
    both = pickable(second)
    known = {path: facts(path, first.workload.kind) for path in both}
    return {
        path: label
        for path, label in pickable(first).items()
        if (field := known.get(path)) and field.kind not in ("choice", "flag") and not field.of_text
    }


def _crossed(first: Scenario, second: Scenario, key: str, text: str) -> Crossover | None:
    """Both along the field, worked out once; None where the reader is asked first."""
    axis = axis_of(f"{key}={text}")
    known = hash((first.model_dump_json(), second.model_dump_json(), key, text))
    kept: tuple[int, Crossover] | None = st.session_state.get(CROSSED)
    if kept is not None and kept[0] == known:
        return kept[1]
    is_slow = first.workload.plays_rows or second.workload.plays_rows
    if is_slow and not st.button(
        "Find it", key="compare.find", icon=":material/search:", help="Takes some seconds: row by row"
    ):
        st.caption("Statements that change rows are calculated row by row, which takes some seconds.")
        return None
    bar = st.progress(0.0, text="Calculating both …")

    def tell(done: int, wanted: int) -> None:
        bar.progress(min(1.0, done / wanted), text="Calculating both …")

    try:
        crossing = crossover(first, second, axis, tell)
    finally:
        bar.empty()
    st.session_state[CROSSED] = known, crossing
    return crossing


def _files(laid: ComparedScenarios, held: Pins, sure: Sequence[Difference]) -> None:
    """Files that are made when they are asked for, and the command that compares the same."""
    offers: Sequence[tuple[str, str, str, str, Callable[[], str]]] = (
        ("CSV", "csv", "text/csv", "A row for each scenario, full precision", lambda: csv_of(laid)),
        ("JSON", "json", "application/json", "The same with what differs and why", lambda: json_of(laid, held)),
        ("HTML report", "html", "text/html",
         "One page with its plots, no network; with the uncertainty where that is shown",
         lambda: compare_page(laid.scenarios, laid.results, laid.titles, sure)),
    )  # fmt: skip
    taken.buttons([
        taken.Download(f"compare.{label}", label, f"comparison.{ending}", kind, says, content)
        for label, ending, kind, says, content in offers
    ])  # fmt: skip
    line = command_line(held)
    if line:
        st.caption("The same on the command line")
        st.code(line, language="bash", wrap_lines=True)


def csv_of(laid: ComparedScenarios) -> str:
    """A row for each scenario, a column for each number and each difference."""
    rows = [{name or "Letter": value for name, value in row.items()} for row in laid.rows(laid.lines)]
    return csv_text(rows, "\n")


def json_of(laid: ComparedScenarios, held: Pins) -> str:
    """The table with what each scenario is, what differs between them, and why."""
    pinned = dict(zip(letters_for(len(held)), held, strict=True))
    scenarios = []
    for letter, title, result, row in zip(
        laid.letters, laid.titles, laid.results, laid.rows(laid.lines), strict=True
    ):
        pin = pinned[letter]
        scenarios.append({
            "letter": letter, "title": title, "scenario": own_files.label(pin.name), "changes": dict(pin.changes),
            "method": result.method, "seed": result.seed, "version": result.version,
            "numbers": {name: value for name, value in row.items() if name not in ("", "Scenario")},
        })  # fmt: skip
    differing = compare_table.settings(laid.scenarios)
    document = {
        "baseline": laid.letters[0], "scenarios": scenarios,
        "what_differs": {path: dict(zip(laid.letters, values, strict=True)) for path, values in differing.items()},
        "why": {laid.letters[place]: laid.why(place) for place in laid.others},
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def command_line(held: Pins) -> str:
    """The command that compares the same; empty for one scenario, an own file, or values that hold a comma."""
    if len(held) < 2 or any(own_files.is_own(pin.name) for pin in held):
        return ""
    if any("," in text for pin in held for _, text in pin.changes):
        return ""
    words = (
        ",".join([pin.name, *(settings.setting(path, text) for path, text in pin.changes)]) for pin in held
    )
    return shlex.join(["blocktime", "compare", *words])
