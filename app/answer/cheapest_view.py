"""The tab of money: a button that searches the cheapest machine that keeps the baseline's response, or one typed."""

from __future__ import annotations

from typing import Final

import streamlit as st

from blocktime.app.answer.page_elements import table
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.polling import look_again
from blocktime.app.controls import control_fields, forms
from blocktime.app.session.cheapest_job import LONGEST_S, RAID, WANTED, CheapestJob, binding_words, changes_of
from blocktime.model.errors import BlocktimeError
from blocktime.model.results import RunResult
from blocktime.model.units import show_amount, show_seconds
from blocktime.scenarios import Scenario
from blocktime.scenarios.why import SAME_ELAPSED

JOB: Final = "cheapest.job"
PROMISE: Final = "cheapest.promise"
LOOKS_S: Final = 0.5


def draw(before: RunResult, after: RunResult, scenario: Scenario) -> None:
    """The button, how far its search is, then the ranking with what binds the best."""
    if after.money is None:
        return
    measure = "response_s" if after.transactions else "elapsed_s"
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    usual = show_seconds(before.time.elapsed_s)
    typed = left.text_input(
        "Response at most" if after.transactions else "Elapsed time at most",
        usual, key=PROMISE, help="The baseline's, within 1 %, or a time of your own such as 5 ms",
    )  # fmt: skip
    promise = f"{(1 + SAME_ELAPSED) * before.time.elapsed_s:.6g}" if typed == usual else f"'{typed}'"
    right.button(
        "Cheapest that keeps it", icon=":material/savings:", key="cheapest.start", on_click=_start,
        args=(scenario, f"{measure} <= {promise}"),
        help=f"Searches volumes, cache, cores and RAID 0 for the cheapest month, at most {LONGEST_S:.0f} s",
    )  # fmt: skip
    job: CheapestJob | None = st.session_state.get(JOB)
    if job is not None:
        look_again(lambda: _draw_job(job, scenario, measure, after.money.currency if after.money else ""), LOOKS_S,
                   is_under_way=not job.is_ended)  # fmt: skip


def _start(scenario: Scenario, limit: str) -> None:
    try:
        job = CheapestJob(scenario, limit)
    except BlocktimeError as error:
        st.session_state[JOB] = None
        st.toast(plain(str(error)))
        return
    st.session_state[JOB] = job
    job.start()


def _draw_job(job: CheapestJob, scenario: Scenario, measure: str, currency: str) -> None:
    if not job.is_ended:
        job.look()
        st.caption(f":material/progress_activity: Trying {job.points} machines … {job.took_s:.0f} s")
        st.button("Cancel", key="cheapest.cancel", on_click=job.cancel)
        return
    if job.fault:
        st.error(plain(sentence(job.fault)), icon=":material/error:")
    rows = []
    for rank, (disks, candidate) in enumerate(job.ranking(), 1):
        fields = changes_of(scenario, disks, candidate.values)
        rows.append({
            "": str(rank),
            f"A month ({plain(currency)})": show_amount(candidate.measures[WANTED]),
            "Response" if measure == "response_s" else "Elapsed": show_seconds(candidate.measures[measure]),
            "Changes": plain(", ".join(_words(key, value, scenario) for key, value in fields.items()) or "none"),
            "Binds": plain(_binds(job, disks, candidate.measures[measure])),
        })  # fmt: skip
    if rows:
        table(rows, f"{len(rows)} machines, the cheapest first")
    for text in binding_words(job.optima):
        st.caption(plain(_in_words(text, job.limit)))


def _words(key: str, value: object, scenario: Scenario) -> str:
    facts = control_fields.facts(key, scenario.workload.kind)
    return f"{forms.label_of(key) or key} {facts.show(value) if facts and not facts.is_entry else value}"


def _binds(job: CheapestJob, disks: int, takes_s: float) -> str:
    """How near a machine is to the promise, or the end of what was tried."""
    optimum = next(optimum for count, optimum in job.optima if count == disks)
    best = optimum.best
    is_best = best is not None and best.measures.get("elapsed_s") == takes_s
    texts = [binding.what for binding in optimum.binding if is_best]
    return ", ".join(_in_words(text, job.limit) for text in texts if text != RAID)


def _in_words(text: str, limit: str) -> str:
    """A sentence of a search with the page's words for its fields, its measure and its limit."""
    words = {limit: "the promised time", limit.replace("<=", "≤"): "the promised time", WANTED: "a month"}
    for old, new in words.items():
        text = text.replace(old, new)
    return forms.in_words(text)
