"""The page that lays pinned scenarios side by side: bars and reasons above; numbers and settings below."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import Any, Final, Literal

import streamlit as st

from blocktime.app.answer.answer import COMING, PALE, standing
from blocktime.app.answer.page_elements import chart, table, tabs
from blocktime.app.answer.uncertainty_view import uncertainty_of
from blocktime.app.base import insides
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.charts import charts, compare_charts, uncertainty_charts
from blocktime.app.controls import settings, user_files
from blocktime.app.controls.forms import in_words
from blocktime.app.controls.page_question import opened
from blocktime.app.controls.sweep_form import label_of
from blocktime.app.reports.report_html import compare_page
from blocktime.app.session import address, download_buttons, pins, what_if_state
from blocktime.app.session.downloads import csv_text
from blocktime.app.session.page_answers import KnownAnswers, answered
from blocktime.app.session.pins import Pin, Pins
from blocktime.app.session.simulation_requests import Wishes
from blocktime.app.text import compare_table
from blocktime.app.text.compare_text import letters_for, util_of, warnings_of
from blocktime.app.text.key_numbers import UNCLEAR
from blocktime.app.text.outside import lines_of
from blocktime.app.text.quantities import Quantity
from blocktime.app.text.uncertainty_text import difference_sentence, what_it_holds
from blocktime.model.errors import SpecError
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, library, verdict
from blocktime.scenarios.pricing import priced_alike
from blocktime.scenarios.uncertainty import Difference
from blocktime.scenarios.why import chance, why

NOTES: Final = "compare.notes"
WISHES: Final = Wishes("compare")
"""What a comparison wants simulated."""
ANSWERED: Final = "compare.answered"
"""The comparison whose answers this session has seen last."""
FROM_LIBRARY: Final = "compare.from_library"
UNCERTAINTY: Final = "compare.uncertainty"
ONLY: Final = "compare.only"
LONGEST_HERE: Final = 50
TALL: Final = 12
"""Rows of settings from which on their table scrolls."""
TALL_PX: Final = 420


@dataclass(frozen=True)
class ComparedScenarios:
    """What is laid side by side, the baseline first."""

    letters: tuple[str, ...]
    titles: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    answers: KnownAnswers
    all_scenarios: tuple[Scenario, ...]
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

    def sentence(self, place: int) -> str:
        """What an alternative differs in from the baseline."""
        both = self.scenarios[0], self.scenarios[place]
        return verdict.sentence(self.results[0], self.results[place], both)

    def why(self, place: int) -> list[str]:
        """Why an alternative differs from the baseline."""
        return why(self.results[0], self.results[place], (self.scenarios[0], self.scenarios[place]))


def page() -> None:
    """Draw the page."""
    _start()
    pin_list = pins.session_pins()
    with st.sidebar:
        _list(pin_list)
        _adding(pin_list)
    _address(pin_list)
    for note in st.session_state[NOTES]:
        st.error(plain(sentence(note)), icon=":material/error:")
    sides = _comparison_of(pin_list) if pin_list else None
    if sides is None:
        _empty(pin_list)
        return
    if sides.results:
        st.session_state[ANSWERED] = sides
    _head(sides)
    former: ComparedScenarios | None = st.session_state.get(ANSWERED)
    st.html("<style></style>" if former is sides else PALE)
    if former is not None:
        with st.container(key="answer"):
            _draw(former, pin_list, is_former=former is not sides)


def _draw(sides: ComparedScenarios, pin_list: Pins, *, is_former: bool) -> None:
    """Bars and reasons, then the tabs; files only where they are of what is pinned."""
    if is_former:
        titles = "; ".join(f"{letter}: {title}" for letter, title in zip(sides.letters, sides.titles, strict=True))
        st.caption(f":orange[Below, of the former values:] {plain(titles)}")
    with st.container(key="laid"):
        bars, reasons = st.columns([1.6, 1], gap="medium")
    with bars:
        st.html(charts.key_html(list(sides.results)))
        chart("compare_bars", *compare_charts.bars(sides.results, sides.letters, sides.titles))
        if any(result.time.last_session_s is not None for result in sides.results):
            st.caption("◇ end of the last session; a bar is the time of one session")
    with reasons:
        _reasons(sides)
    if not is_former:
        _tabs(sides, pin_list, _uncertainty(sides))


# What is pinned


def _start() -> None:
    """On the session's first run, and where the browser goes back, take the pins from the address."""
    st.session_state.setdefault(NOTES, [])
    query = {key: texts[-1] for key, texts in insides.address_of_run().items()}
    if query and (pins.SESSION_KEY not in st.session_state or insides.went_back()):
        read_pins, notes = pins.read(query)
        _put(read_pins)
        st.session_state[NOTES] = notes
    elif pins.SESSION_KEY not in st.session_state:
        _put(pins.EXAMPLE)


def _put(pin_list: Pins) -> None:
    """Show *pin_list*; what the last link had wrong is no matter any more."""
    pins.put(pin_list)
    st.session_state[NOTES] = []


def _address(pin_list: Pins) -> None:
    try:
        wanted = pins.written(pin_list)
    except SpecError as error:
        wanted = {}
        st.caption(f":orange[:material/warning:] {plain(sentence(f'this is too long for a link: {error}'))}")
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _list(pin_list: Pins) -> None:
    """The pins in their order, each with what can be done with it."""
    if pin_list == pins.EXAMPLE:
        st.info("An example. **Add to comparison** on the What-if page, or *Remove all* here, begins your own.")
    st.markdown(f"**Pinned** · {len(pin_list)} of {pins.MOST}")
    with st.container(key="pinned", gap="small"):
        for place, (letter, pin) in enumerate(zip(letters_for(len(pin_list)), pin_list, strict=True)):
            name, menu = st.columns([4, 1.5], vertical_alignment="center")
            mark = " :gray-badge[baseline]" if place == 0 else ""
            title = shorten(pins.title_of(pin, pin_list[0]), LONGEST_HERE, placeholder=" …")
            name.markdown(f"**{letter}** {plain(title)}{mark}")
            with menu.popover("Edit", width="stretch", help=f"Rename, move, open or remove {letter}"):
                _edit(pin_list, place, letter)


def _edit(pin_list: Pins, place: int, letter: str) -> None:
    pin, last = pin_list[place], len(pin_list) - 1
    key = f"compare.called.{pin.key}"
    st.session_state.setdefault(key, pin.called)
    st.text_input(
        f"Name of {letter}", key=key, max_chars=pins.LONGEST_NAME, placeholder=pins.automatic(pin, pin_list[0]),
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
            on_click=_put, args=(pin_list if useless else pins.moved(pin_list, place, to),), help=f"{label}: {letter}",
        )  # fmt: skip
    base = dict(pin_list[0].changes) if place and pin_list[0].name == pin.name else {}
    st.button(
        "Open in What if", key=f"compare.open.{pin.key}", icon=":material/tune:", width="stretch",
        help=f"Shows {letter} on the first page, to change it there", on_click=what_if_state.open_there,
        args=(opened(pin.name, dict(pin.changes), base),),
    )  # fmt: skip
    st.button(
        "Remove", key=f"compare.remove.{pin.key}", icon=":material/close:", width="stretch", on_click=_put,
        args=(pins.removed(pin_list, place),), help=f"Takes {letter} out of the comparison",
    )  # fmt: skip


def _rename(key: str) -> None:
    pin_list = pins.session_pins()
    place = next((place for place, pin in enumerate(pin_list) if pin.key == key), None)
    control = f"compare.called.{key}"
    if place is not None and not address.is_gone(control):
        _put(pins.renamed(pin_list, place, st.session_state[control]))


def _adding(pin_list: Pins) -> None:
    full = len(pin_list) >= pins.MOST
    titles = {name: f"{entry.title} · {name}" for name, entry in library().items()}
    st.selectbox(
        "Add from the library", list(titles), None, key=FROM_LIBRARY, format_func=lambda name: titles[name],
        placeholder="choose a scenario", on_change=_add_from_library, disabled=full,
        help=f"{pins.MOST} are pinned; remove one first" if full else "Becomes the next alternative",
    )  # fmt: skip
    if pin_list:
        st.button(
            "Remove all", key="compare.clear", icon=":material/delete_sweep:", width="stretch", on_click=_put,
            args=((),), help="Begins a new comparison",
        )  # fmt: skip


def _add_from_library() -> None:
    name = st.session_state.get(FROM_LIBRARY)
    if name is not None:
        _put(pins.added(pins.pins_of_reader(), Pin(name)))
    st.session_state[FROM_LIBRARY] = None


def _empty(pin_list: Pins) -> None:
    """What this page is for, where there is nothing to show."""
    st.markdown("### Compare")
    if not pin_list:
        st.info(
            "Nothing is pinned. Click **Add to comparison** below the controls of the What-if page, or add a library "
            "scenario in the sidebar (» opens it). The first is the baseline of up to four more.",
            icon=":material/compare_arrows:",
        )


# Answers


def _comparison_of(pin_list: Pins) -> ComparedScenarios | None:
    """The pins that have an answer, answered alike; a sentence for each that has none."""
    scenarios = priced_alike([settings.settle(pin.name, dict(pin.changes))[0] for pin in pin_list])
    answers = answered(WISHES, scenarios)
    answered_places = [place for place, answer in enumerate(answers.all) if not answer.refused]
    letters = letters_for(len(pin_list))
    for place, answer in enumerate(answers.all):
        if answer.refused:
            st.error(plain(sentence(f"{letters[place]} has no answer: {answer.refused}")), icon=":material/error:")
    if answers.all[0].refused:
        st.caption("It is the baseline: remove it, or make another scenario the baseline.")
        return None
    return ComparedScenarios(
        tuple(letters[place] for place in answered_places),
        tuple(pins.title_of(pin_list[place], pin_list[0]) for place in answered_places),
        tuple(scenarios[place] for place in answered_places),
        replace(answers, all=tuple(answers.all[place] for place in answered_places)),
        tuple(scenarios),
    )


def _head(sides: ComparedScenarios) -> None:
    """The title, how the answers were made, and how far they are."""
    with st.container(key="head"):
        title, action = st.columns([5, 1.6], vertical_alignment="center")
    count = len(sides.scenarios)
    made = method_badge(sides.results) if sides.results else COMING
    title.markdown(f"### Compare {count} scenario{'s' if count > 1 else ''} {made}")
    with action:
        standing(WISHES, sides.all_scenarios, sides.answers, "compare.cancel")


def method_badge(results: Sequence[RunResult]) -> str:
    """How answers were made, as a badge: each way once, with how many."""
    ways = Counter(result.method.partition(",")[0] for result in results)
    words = (way if len(ways) == 1 else f"{way} ({count})" for way, count in ways.items())
    return f":gray-badge[{', '.join(words)}]"


def _reasons(sides: ComparedScenarios) -> None:
    """How much each alternative differs from the baseline, and why."""
    if not sides.others:
        st.markdown("**Add an alternative**")
        st.markdown(plain(sentence(charts.finding(sides.results[0]))))
        return
    names = [f"{sides.letters[place]} against {sides.letters[0]}" for place in sides.others]
    for place, tab in zip(sides.others, st.tabs(names, key="compare.why", on_change="rerun"), strict=True):
        if not tab.open:
            continue
        with tab:
            st.markdown(f"**{plain(sides.sentence(place))}**")
            st.markdown("\n".join(f"- {plain(sentence(in_words(text)))}" for text in sides.why(place)))
    notes = [*warnings_of(sides.results, sides.letters), *util_of(sides.results, sides.letters)]
    beyond = len(lines_of([result.extrapolated for result in sides.results]))
    if beyond:
        uses = "one use of a constant" if beyond == 1 else f"{beyond} uses of constants"
        notes.append(f"extrapolated: {uses} outside the measured range")
    if notes:
        with st.expander(f"{len(notes)} thing{'s' if len(notes) > 1 else ''} to keep in mind"):
            for note in notes:
                st.caption(f":orange[:material/warning:] {plain(sentence(note))}")


# How sure


def _uncertainty(sides: ComparedScenarios) -> tuple[Difference, ...]:
    """A switch; where it is on, how sure each difference is, and the interval of each answer."""
    if not st.toggle(
        "Uncertainty", key=UNCERTAINTY, persist_state="session",
        help="Intervals of the times, and whether the differences are sure",
    ):  # fmt: skip
        return ()
    propagated = uncertainty_of(sides.scenarios, sides.results, "There are no intervals for these")
    if propagated is None:
        return ()
    results, sure = propagated
    st.markdown("\n".join(
        f"- {plain(difference_sentence(difference, sides.letters[place], sides.letters[0]))}"
        for place, difference in zip(sides.others, sure, strict=True)
    ))  # fmt: skip
    named = {
        f"{letter}  {charts.in_lines(title)}": result
        for letter, title, result in zip(sides.letters, sides.titles, results, strict=True)
    }
    chart("compare_intervals", *uncertainty_charts.intervals(named))
    st.caption(plain(" ".join(what_it_holds(results))))
    return sure


# Below: numbers, settings, files


def _tabs(sides: ComparedScenarios, pin_list: Pins, sure: Sequence[Difference]) -> None:
    tabs("compare.tabs", {
        "Numbers": lambda: _numbers(sides),
        "What differs": lambda: _settings(sides),
        "Export": lambda: _files(sides, pin_list, sure),
    })  # fmt: skip


def _numbers(sides: ComparedScenarios) -> None:
    lines = sides.lines
    differing = st.toggle(
        "Only what differs", key=ONLY, persist_state="session", help="Leaves out numbers that are the same in all"
    )
    if differing:
        lines = [line for line in lines if _differs(line, sides.results)]
    best = compare_charts.finding(sides.results, sides.letters, sides.titles)
    with st.container(key="sides"):
        table(side_by_side(sides, lines), f"{len(lines)} numbers of {len(sides.results)} scenarios. {best}")
    st.caption(
        f"Differences are from {sides.letters[0]}. Green is better, red is worse; the words say less or "
        "more. Times are of one session, or of one transaction."
    )


def _differs(line: Quantity, results: Sequence[RunResult]) -> bool:
    differences = [compare_table.difference(line.of(results[0]), line.of(result)) for result in results[1:]]
    return any(difference is None or difference.word != "same" for difference in differences)


def side_by_side(sides: ComparedScenarios, lines: Sequence[Quantity]) -> list[dict[str, str]]:
    """One row for each number, one column for each scenario, as Markdown."""
    rows = []
    for line in lines:
        largest = max(abs(line.of(result) or 0.0) for result in sides.results)
        cells = {
            at: _cell(line, sides.results[0], sides.results[at], largest, at == 0) for at in range(len(sides.results))
        }
        rows.append({"Number": plain(line.heading)} | {sides.heading(at): cell for at, cell in cells.items()})
    return rows


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


def _settings(sides: ComparedScenarios) -> None:
    differing = compare_table.settings(sides.scenarios)
    if not differing:
        st.caption("All fields are equal." if sides.others else "Add an alternative to see differences.")
        return
    rows = [
        {
            "Field": plain(label_of(path)) if label_of(path) != path else "",
            "Parameter": f"`{path}`",
            **{
                f"{letter} · {plain(title)}": f"**{plain(value)}**" if value != values[0] else plain(value)
                for letter, title, value in zip(sides.letters, sides.titles, values, strict=True)
            },
        }
        for path, values in differing.items()
    ]
    height: Literal["content"] | int = TALL_PX if len(rows) > TALL else "content"
    table(rows, f"{len(rows)} fields that differ", height=height)
    st.caption(f"Bold: values that differ from {sides.letters[0]}.")


def _files(sides: ComparedScenarios, pin_list: Pins, sure: Sequence[Difference]) -> None:
    """Files that are made when they are asked for, and the command that compares the same."""
    offers: Sequence[tuple[str, str, str, str, Callable[[], str]]] = (
        ("CSV", "csv", "text/csv", "A row for each scenario, full precision", lambda: csv_of(sides)),
        ("HTML report", "html", "text/html",
         "One page with its plots, no network; with the uncertainty where that is shown",
         lambda: compare_page(sides.scenarios, sides.results, sides.titles, sure)),
    )  # fmt: skip
    download_buttons.buttons([
        download_buttons.Download(f"compare.{label}", label, f"comparison.{ending}", kind, says, content)
        for label, ending, kind, says, content in offers
    ])  # fmt: skip
    line = command_line(pin_list)
    if line:
        st.caption("The same on the command line; with `--json` as an object")
        st.code(line, language="bash", wrap_lines=True)


def csv_of(sides: ComparedScenarios) -> str:
    """A row for each scenario, a column for each number and each difference."""
    rows = [{name or "Letter": value for name, value in row.items()} for row in sides.rows(sides.lines)]
    return csv_text(rows, "\n")


def command_line(pin_list: Pins) -> str:
    """The command that compares the same; empty for one scenario, a user's file, or values that hold a comma."""
    if len(pin_list) < 2 or any(user_files.is_user_file(pin.name) for pin in pin_list):
        return ""
    if any("," in text for pin in pin_list for _, text in pin.changes):
        return ""
    words = (",".join([pin.name, *(settings.setting(path, text) for path, text in pin.changes)]) for pin in pin_list)
    return shlex.join(["blocktime", "compare", *words])
