"""The answer on the page: headline, what to keep in mind, elapsed time, where it goes, why, and the other numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Final

import streamlit as st

from blocktime.app.answer.drawn import chart, columns_of, table
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.remembered import by_object
from blocktime.app.charts import charts, segment_charts
from blocktime.app.controls.forms import with_labels
from blocktime.app.session import engines
from blocktime.app.session.playing import Job
from blocktime.app.session.wishes import Wishes
from blocktime.app.text import key_numbers
from blocktime.app.text.accuracy_text import (
    ESTIMATE,
    SIMULATED,
    accuracy_words,
    is_estimate,
    other_warnings,
    simulated_range,
)
from blocktime.app.text.key_numbers import UNCHANGED, UNCLEAR, WARNING
from blocktime.app.text.outside import farthest
from blocktime.app.text.stream_text import at_once
from blocktime.model.results import RunResult
from blocktime.model.units import show_change, show_quantity, show_seconds
from blocktime.scenarios import Scenario
from blocktime.scenarios.compare import SAME_ELAPSED, chance, why
from blocktime.scenarios.why_words import differs, from_to

if TYPE_CHECKING:
    import pyarrow as pa

LOOKS_S: Final = 0.4
TOGETHER: Final = "simulating the programs together"
NO_CLOSED_FORM: Final = "These programs together have no instant estimate: the simulation answers."
NO_DIFFERENCE: Final = "No difference: in the model, the changed fields do not affect this scenario."
HEIGHT: Final = 300
"""Pixels of the chart, whatever it has to say."""
Asked = tuple[Scenario, Scenario]
"""Baseline and what-if."""
_waterfall: Final = by_object(64)(charts.waterfall)


def headline(title: str, asked: Asked, changed: int, pair: engines.Pair, share: Callable[[], None]) -> None:
    """What is asked, which engine answers and what it is at, and how to take the answer along."""
    with st.container(key="head"):
        heading, status, taken = st.columns([3.9, 1.3, 1.8], vertical_alignment="center", gap="small")
    moved = f":primary-badge[{changed} changed]" if changed else ""
    heading.markdown(f"### {plain(title)} {badge(pair)} {moved}", help=plain(about_engine(pair.after)))
    with status:
        standing(asked, pair)
    with taken:
        share()


def waiting(title: str, asked: Asked, pending: engines.ComparedAnswers) -> None:
    """What is asked while only the simulation can answer it: how far that is, or a button that starts it."""
    with st.container(key="head"):
        heading, status = st.columns([3.9, 2.2], vertical_alignment="center", gap="small")
    heading.markdown(f"### {plain(title)}")
    job = engines.WISHES.job()
    with status:
        if pending.pending and job is not None:
            _simulating(asked, job, TOGETHER)
        else:
            simulate_button(engines.WISHES, asked)
    st.info(NO_CLOSED_FORM, icon=":material/info:")


def badge(pair: engines.Pair) -> str:
    """How the what-if's numbers were made, and how far they may be off, as a badge."""
    if pair.after.engine == "simulate":
        stats = pair.after.transactions
        lasts = stats is None or not stats.unwritten_blocks
        later = "" if lasts else f" :orange-badge[{WARNING} DBWR does not keep up]"
        return f":blue-badge[:material/play_circle: {SIMULATED}]{later}"
    return estimate_badge(pair.after)


def estimate_badge(result: RunResult, who: str = "") -> str:
    """An instant estimate as a badge, with what *who* may be when it is simulated."""
    colour = "orange" if is_estimate(result) else "green"
    return f":{colour}-badge[:material/function: {', '.join(filter(None, [ESTIMATE, simulated_range(result, who)]))}]"


def about_engine(result: RunResult) -> str:
    """What made the numbers, in a sentence or two."""
    if result.engine == "simulate":
        made = "These numbers come from a simulation of every request, session and queue"
        return f"{made}: seed {result.seed}, {result.events or 0:,} events."
    made = "These numbers are an instant estimate by formulas."
    if result.accuracy is None:
        return made
    return f"{made} {sentence(accuracy_words(result))} {result.accuracy.why}"


def standing(asked: Asked, pair: engines.Pair) -> None:
    """What the other engine says, or is at, or a button that asks it."""
    job = engines.WISHES.job()
    if pair.pending and job is not None:
        _simulating(asked, job, "interval follows" if pair.after.engine == "simulate" else "simulating")
    elif pair.law is None:  # the simulation is the only answer
        return
    elif pair.after.engine == "simulate":
        _other_engine(ESTIMATE, pair.law)
    elif pair.verified is not None:
        law_s, played_s = pair.law.time.elapsed_s, pair.verified.time.elapsed_s
        _other_engine(SIMULATED, pair.verified, f" ({show_change(law_s, played_s)})" if law_s else "")
    elif not pair.refused and (pair.bound or not pair.queues):
        simulate_button(engines.WISHES, asked)


def _other_engine(name: str, result: RunResult, off: str = "") -> None:
    text = f"{name}: {show_seconds(result.time.elapsed_s)}{off}"
    st.caption(text, help=plain(about_engine(result)), text_alignment="right")


def simulate_button(wishes: Wishes, asked: Sequence[Scenario], key: str = "simulate") -> None:
    """A button that asks for the simulation of what is *asked*."""
    st.button(
        "Simulate", icon=":material/play_arrow:", width="stretch", key=key, on_click=wishes.want, args=tuple(asked),
        help="Simulates every request and queue in the background; you can go on working",
    )  # fmt: skip


def _simulating(asked: Asked, job: Job, what: str) -> None:
    done = job.done
    under_way(engines.WISHES, asked, "simulation.cancel", lambda job: f"{what} … {job.took_s:.0f} s", done)


@st.fragment(run_every=LOOKS_S)
def under_way(
    wishes: Wishes, asked: Sequence[Scenario], cancel: str, says: Callable[[Job], str], drawn: float = inf
) -> None:
    """What a job *says* of itself, and a way to end it; when more is done than is *drawn*, the page is drawn anew."""
    job = wishes.job()
    if job is None or job.ended or job.done > drawn:
        st.rerun()
    job.look()
    with st.container(
        horizontal=True, gap="small", horizontal_alignment="right", vertical_alignment="center"
    ):
        st.caption(f":material/progress_activity: {says(job)}")
        st.button("Cancel", key=cancel, type="tertiary", on_click=wishes.give_up, args=tuple(asked),
                  help="Stop the simulation and keep the answer shown")  # fmt: skip


def keep_in_mind(pair: engines.Pair) -> None:
    """What to know before the numbers are read, each on a line of its own and never cut."""
    texts = notes(pair)
    if texts:
        with st.container(key="notes", gap=None):
            for note in texts:
                st.markdown(f":orange[{WARNING}] {plain(sentence(note))}")


def elapsed(before: RunResult, after: RunResult) -> None:
    """What the answer is about, of each program, with its difference to the baseline."""
    with st.container(horizontal=True, gap="small"):
        for number in key_numbers.wholes(after):
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


def reasons(pair: engines.Pair, moved: str, changed: bool, asked: Asked) -> None:
    """What moved and why, the main thing in one sentence; *moved* is the one control."""
    before, after = pair.before, pair.after
    with st.container(key="why"):
        st.markdown("**Why**" if changed else "**Where the time goes**")
        if changed:
            texts = [*map(with_labels, why(before, after, asked))] or [NO_DIFFERENCE]
            st.markdown(plain(leading(before, after, texts[0], moved)))
            texts = texts[1:]
        else:
            texts = [
                at_once(before) or charts.largest(before),
                *segment_charts.findings(before),
                after.access,
                "Change a control in the sidebar (» opens it): the difference shows here",
            ]
        st.markdown("\n".join(f"- {plain(sentence(text))}" for text in texts))


def leading(before: RunResult, after: RunResult, reason: str, moved: str) -> str:
    """One sentence: what was moved, where the time goes from and to, and the main *reason* with its counts."""
    since = f"With {moved}, " if moved else ""
    times = before.time.elapsed_s, after.time.elapsed_s
    if not differs(*times, SAME_ELAPSED) or chance(before, after):
        return sentence(f"{since}{reason}")
    what = "the response" if after.transactions else "elapsed time"
    return sentence(f"{since}{what} {from_to(*times, show_seconds)} ({show_change(*times)}): {reason}")


def notes(pair: engines.Pair) -> list[str]:
    """What is extrapolated, what the engine warns of, and why there is no simulation."""
    texts = _extrapolated(pair.after)
    # The headline says how far an estimate may be off, and its simulation is about to replace it.
    texts += other_warnings(pair.after) if pair.pending else pair.after.warnings
    return [*texts, *([f"no simulation: {pair.refused}"] if pair.refused else [])]


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
