"""The answer on the page: headline, what to keep in mind, elapsed time, where it goes, why, and the other numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from blocktime.app.answer.page_elements import chart, columns_of, table
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.memo import by_object
from blocktime.app.base.polling import look_again
from blocktime.app.charts import charts, segment_charts
from blocktime.app.controls.forms import in_words
from blocktime.app.session.page_answers import KnownAnswers, expected_s
from blocktime.app.session.simulation_requests import Wishes
from blocktime.app.session.simulations import SimulationJob
from blocktime.app.text import key_numbers, programs_text
from blocktime.app.text.key_numbers import UNCHANGED, UNCLEAR, WARNING
from blocktime.app.text.outside import farthest
from blocktime.app.text.stream_text import at_once
from blocktime.app.text.text import answer as alone
from blocktime.model.budget import show_duration
from blocktime.model.results import EXACT_SUM, RunResult
from blocktime.model.units import show_quantity
from blocktime.scenarios import Scenario, verdict
from blocktime.scenarios.verdict import Ask
from blocktime.scenarios.why import chance, why

if TYPE_CHECKING:
    import pyarrow as pa

LOOKS_S: Final = 0.4
WHAT_IF: Final = Wishes("what_if")
"""What the first page wants simulated."""
COMING: Final = ":orange-badge[:material/hourglass_top: numbers are on their way]"
"""Instead of how the answer was made, until it is there."""
PALE: Final = "<style>.st-key-answer {opacity: .55}</style>"
NO_DIFFERENCE: Final = "No difference: in the model, the changed fields do not affect this scenario."
MOST_NOTES: Final = 2
"""Doubts that stand open above the numbers."""
HEIGHT: Final = 300
"""Pixels of the chart, whatever it has to say."""
ScenarioPair = tuple[Scenario, Scenario]
"""Baseline and what-if."""
_waterfall: Final = by_object(64)(charts.waterfall)


def headline(title: str, scenarios: ScenarioPair, changed: int, known: KnownAnswers, share: Callable[[], None]) -> None:
    """What is asked, how its answer was made or how far it is, and how to take the answer along."""
    with st.container(key="head"):
        heading, status, taken = st.columns([3.9, 1.6, 1.6], vertical_alignment="center", gap="small")
    moved = f":primary-badge[{changed} changed]" if changed else ""
    made = badge(known.after) if known.results else COMING
    helps = about_method(known.after) if known.results else None
    heading.markdown(f"**{plain(title)}** {made} {moved}", help=helps and plain(helps))
    with status:
        standing(WHAT_IF, scenarios, known, "simulation.cancel")
    with taken:
        share()


def badge(result: RunResult) -> str:
    """How an answer was made, as a badge."""
    stats = result.transactions
    lasts = stats is None or not stats.unwritten_blocks
    later = "" if lasts else f" :orange-badge[{WARNING} DBWR does not keep up]"
    return f":gray-badge[{result.method}]{later}"


def about_method(result: RunResult) -> str:
    """What made the numbers, in a sentence."""
    if result.method == EXACT_SUM:
        return "No request meets another one here, so these numbers are the sum of their parts."
    if not result.is_simulated:
        return "The simulation would take longer than it may, so these numbers are bounds: no run does better."
    made = f"These numbers come from a simulation of every request, session and queue with seed {result.seed}"
    return f"{made}: {result.events:,} events." if result.events else f"{made}."


def standing(wishes: Wishes, scenarios: Sequence[Scenario], known: KnownAnswers, cancel: str) -> None:
    """How far the simulation is, or a button that starts it where it takes long."""

    def draw() -> None:
        if known.pending:
            under_way(wishes, scenarios, cancel, known)
        elif any(answer.is_missing for answer in known.all):
            simulate_button(wishes, scenarios)

    look_again(draw, LOOKS_S, is_under_way=bool(known.pending))


def simulate_button(wishes: Wishes, scenarios: Sequence[Scenario]) -> None:
    """A button that asks for the simulation of what is *scenarios*, with how long it takes."""
    takes = show_duration(expected_s(scenarios))
    st.button(
        f"Simulate, about {takes}", icon=":material/play_arrow:", width="stretch", key="simulate",
        on_click=wishes.want, args=tuple(scenarios),
        help="Simulates every request and queue in the background; you can go on working",
    )  # fmt: skip


def under_way(wishes: Wishes, scenarios: Sequence[Scenario], cancel: str, drawn: KnownAnswers) -> None:
    """How far a job is, and a way to end it; when more has come than is *drawn*, the page is drawn anew."""
    job = wishes.job()
    if job is None or job.is_ended or job.news > drawn.news:
        st.rerun()
    job.look()
    with st.container(horizontal=True, gap="small", horizontal_alignment="right", vertical_alignment="center"):
        st.caption(f":material/progress_activity: {progress(job, narrows=drawn.narrows and bool(drawn.results))}")
        st.button("Cancel", key=cancel, type="tertiary", on_click=wishes.give_up, args=tuple(scenarios),
                  help="Stop the simulation and keep the answer shown")  # fmt: skip


def progress(job: SimulationJob, *, narrows: bool = False) -> str:
    """What a job is at: which of its simulations, or the interval of what is there; and since when."""
    numbers = [ask for ask in job.asks if ask.replications == ask.scenario.replications]
    if job.done >= len(numbers):
        return f"interval follows … {job.took_s:.0f} s"
    if narrows:
        return f"narrowing the interval … {job.took_s:.0f} s"
    of = f" {job.done + 1} of {len(numbers)}" if len(numbers) > 1 else ""
    return f"simulating{of} … {job.took_s:.0f} s"


def first_sentence(before: RunResult, after: RunResult, scenarios: ScenarioPair, ask: Ask, changed: bool) -> None:
    """The answer in one sentence, in large type."""
    text = programs_text.beside_words(after) or alone(after, scenarios[1])
    if changed:
        text = verdict.sentence(before, after, scenarios, ask)
    with st.container(key="sentence"):
        st.markdown(f"### {plain(text)}")


def keep_in_mind(after: RunResult) -> None:
    """What to know before the numbers are read: a line each, or of more than two one line that opens."""
    texts = notes(after)
    folds = len(texts) > MOST_NOTES
    if texts:
        place = (
            st.expander(f"{WARNING} {len(texts)} doubts", key="notes") if folds else st.container(key="notes", gap=None)
        )
        with place:
            for note in texts:
                st.markdown(f":orange[{WARNING}] {plain(sentence(in_words(note)))}")


def programs(before: RunResult, after: RunResult) -> None:
    """Programs on one machine, a row each: alone, together, how many times as long, and through what."""
    rows = programs_text.hero_rows(before, after)
    if rows:
        cells = [{name: plain(text) for name, text in row.items()} for row in rows]
        with st.container(key="programs"):
            table(cells, f"{len(rows)} programs on one machine")
            st.caption("Times: how many times as long as alone, on average over the run.")


def elapsed(before: RunResult, after: RunResult) -> None:
    """What the answer is about, with its difference to the baseline; several programs have their rows instead."""
    if after.programs:
        return
    number = key_numbers.whole(after)
    was, now = number.read(before), number.read(after)
    change, good = number.change(was, now)
    if number.quantity.is_whole and chance(before, after):
        change, good = UNCLEAR, "off"
    st.metric(
        number.titled("extrapolated"), number.show(now, was), None if before == after else change,
        delta_color=good, delta_arrow="off" if change in (UNCHANGED, UNCLEAR) else "auto", border=True,
        help=number.help(),
    )  # fmt: skip


def figures(before: RunResult, after: RunResult) -> None:
    """The other numbers as a compact table, in two halves that stand side by side where there is room."""
    with st.container(key="numbers"):
        for column, half in zip(st.columns(2, gap="medium"), _halves(before, after), strict=True):
            if half.num_rows:
                says = f"{half.num_rows} numbers of the answer"
                table(half, says, column, hide_header=before == after)


@by_object(64)
def _halves(before: RunResult, after: RunResult) -> tuple[pa.Table, pa.Table]:
    rows = key_numbers.lines(before, after)
    half = (len(rows) + 1) // 2
    return columns_of(rows[:half]), columns_of(rows[half:])


def waterfall(before: RunResult, after: RunResult) -> None:
    """Where the time goes, or where its difference comes from."""
    figure, finding = _waterfall(before, after)
    with st.container(height=HEIGHT, border=False, key="waterfall_place", gap=None):
        st.html(charts.key_html([before, after]))
        chart("waterfall", figure, finding)


def reasons(both: tuple[RunResult, RunResult], changed: bool, scenarios: ScenarioPair) -> None:
    """What moved and why."""
    before, after = both
    with st.container(key="why"):
        st.markdown("**Why**" if changed else "**Where the time goes**")
        if changed:
            texts = why(before, after, scenarios) or [NO_DIFFERENCE]
        else:
            texts = [
                at_once(before) or charts.largest(before),
                *segment_charts.findings(before),
                after.access,
                "Change a control in the sidebar (» opens it): the difference shows here",
            ]
        st.markdown("\n".join(f"- {plain(sentence(in_words(text)))}" for text in texts))


def notes(after: RunResult) -> list[str]:
    """What is extrapolated, and what the answer warns of."""
    return [*_extrapolated(after), *after.warnings]


def _extrapolated(result: RunResult) -> list[str]:
    outside = result.extrapolated
    if not outside:
        return []
    used = dict.fromkeys(show_quantity(beyond.quantity, beyond.used) for beyond in outside)
    count = len({beyond.constant for beyond in outside})
    verb = "constant is" if count == 1 else "constants are"
    far = farthest(outside)
    beyond = f" ({'up to ' if count > 1 else ''}{far} beyond)" if far else ""
    at = " and ".join(used)
    return [f"extrapolated: {count} {verb} used outside the measured range, at {at}{beyond}; see Assumptions"]
