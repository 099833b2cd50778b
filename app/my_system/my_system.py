"""My system: where the time of the reader's own system went, how the model agrees, and what would change it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import streamlit as st
from click import unstyle

from blocktime.app.answer import answer, uncertainty_view
from blocktime.app.answer.page_elements import chart, table
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.charts import measured_charts
from blocktime.app.controls import settings, user_files, widgets
from blocktime.app.controls.forms import Control, label_of
from blocktime.app.controls.page_question import PageQuestion, opened
from blocktime.app.reports.measuring import Document, document_of
from blocktime.app.reports.written import written
from blocktime.app.session import address, download_buttons, report_job, what_if_state
from blocktime.app.session.download_buttons import Download
from blocktime.app.session.downloads import PageAnswer, report
from blocktime.app.session.page_answers import KnownAnswers, answered
from blocktime.app.session.report_job import ReportJob
from blocktime.app.session.report_reader import read_apart
from blocktime.app.session.uploads import MOST_TRANSFERRED_MB
from blocktime.app.text.measure_first import printed_cells, tables_of
from blocktime.app.text.measure_text import MOST_FIGURES, reading_lines
from blocktime.app.text.measured_text import against_sentence, cells_of, change_lines, hour_cells, interval_of, place_of
from blocktime.app.text.measured_text import sentence as said_of
from blocktime.app.text.quantities import number
from blocktime.app.text.uncertainty_text import largest_sentence
from blocktime.model.errors import BlocktimeError, cut
from blocktime.model.results import RunResult
from blocktime.model.units import show_change, show_number, show_seconds, show_share
from blocktime.scenarios import Scenario, load, run
from blocktime.scenarios.load import to_mapping
from blocktime.scenarios.measured import COUNTS, AsModelled, Light, as_modelled, figure_in, light_of
from blocktime.scenarios.questions import questions_of
from blocktime.scenarios.uncertainty import Difference
from blocktime.scenarios.why import why
from blocktime.validation.identify.against import IntervalComparison, against
from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.plans import listed_in
from blocktime.validation.identify.report import DbTimePart, Report
from blocktime.validation.identify.two_reports import change_of, changes_of
from blocktime.validation.instruments import NotReadable, Reading

STATE: Final = "my_system.held"
STATEMENT: Final = "my_system.statement"
ANSWERED: Final = "my_system.answered"
"""The question whose answer this session has seen last."""
LINES: Final = "my_system.lines"
FIELDS: Final = "my_system.fields"
FILE: Final = "my.toml"
SAMPLE: Final = "sample-awr.txt"
OF_SAMPLE: Final = (
    "workload.users=32", "workload.think_s=20ms", "disk.iops_limit=40000", "workload.hot_gets_percent=84",
)  # fmt: skip
OF_EXAMPLE: Final = (
    "An example: an AWR report that this program has written of a system that it modelled. Drop a report of your own "
    "system here, and it takes the example's place."
)
LOCAL: Final = "Nothing leaves this machine; files are kept for this session only."
MOST_BYTES: Final = MOST_TRANSFERRED_MB * 1_000_000
"""Of all files together."""
WIDTH: Final = 110
MOST_DOUBTS: Final = 5
"""Doubts of a report that are shown at once."""
HOURS: Final = ("Report", "Users", "TPS", "TPS modelled", "TPS off", "DB time", "DB time modelled", "DB time off")
PREDICTED: Final = ("Figure", "Measured", "Predicted", "Off", "95 % interval")
NAMES: Final = {"disk.use": "Another volume", "disk.overhead_s": "Latency of a read"}
"""Words for fields that have no label, or another one here."""
LIGHTS: Final[dict[Light, str]] = {"reproduces": "green", "roughly": "orange", "does not": "red"}


CONTROLS: Final = tuple(
    Control(path, NAMES.get(path) or label_of(path))
    for path in (
        "disk.use",
        "disk.iops_limit", "disk.overhead_s", "instance.buffer_cache_bytes", "host.cpus", "workload.users",
        "workload.arraysize_rows", "workload.commit_every_rows", "instance.filesystemio_options",
    )
)  # fmt: skip
Rows = list[dict[str, str]]
SECOND: Final = "my_system.second"
AWAITED_S: Final = 0.25
"""How often a page that waits looks whether what it waits for has come."""


@dataclass(frozen=True)
class AnsweredChange:
    """A change to the reader's system, with its answers."""

    question: PageQuestion
    scenarios: tuple[Scenario, Scenario]
    """As it was measured, and changed."""
    answers: KnownAnswers


@dataclass
class UploadedFile:
    """One file that was given: its size, and what it says or why it says nothing."""

    size: int
    readings: list[Reading] = field(default_factory=list)
    refused: str = ""


@dataclass
class PageState:
    """What a session has given, and what was made of it."""

    files: dict[str, UploadedFile] = field(default_factory=dict)
    times: int = 0
    """How many times files were given: each in a fresh control."""
    waiting: dict[str, bytes] = field(default_factory=dict)
    """Files that were given and are to be read."""
    refused: str = ""
    """Why the last files were not taken."""
    statement: str | None = None
    fitting: ReportJob | None = None
    """What makes the scenario, while it is under way."""
    second: list[Reading] = field(default_factory=list)
    """Reports of another interval, which the scenario predicts."""
    refused_second: str = ""
    """Why they were not taken."""
    predicting: ReportJob | None = None
    """What predicts them."""
    document: Document | None = None
    question: PageQuestion | None = None
    """The scenario, and what is changed in it."""
    why_not: str = ""
    """Why there is no scenario."""

    @property
    def readings(self) -> list[Reading]:
        """Every report, in the order in which the files were given."""
        return [reading for file in self.files.values() for reading in file.readings]


def page() -> None:
    """Draw the page."""
    st.markdown("### My system")
    if STATE not in st.session_state:
        st.session_state[STATE] = PageState()
        _take_sample()
    state: PageState = st.session_state[STATE]
    if state.waiting:
        with st.spinner("Reading …"):
            files, state.waiting = state.waiting, {}
            take(state, files)
    if state.fitting is not None:
        _take_fitted(state, awaited(state.fitting, "Fitting the model to the reports"))
    _give(state)
    if not state.files:
        return
    _what_i_read(state)
    if not state.readings:
        return
    _where_the_time_went(state.readings)
    for change in changes_of(state.readings):
        st.code("\n".join(map(unstyle, change_lines(change, WIDTH))), language=None, wrap_lines=True)
    _choose_statement(state)
    if state.question is not None:
        _model(state)
    else:
        by_statement = _statements(state) and state.statement is None
        text = "Choose a statement above to model it." if by_statement else _as_sentence(state, state.why_not)
        st.info(plain(text), icon=":material/info:")
    if state.document is not None and state.question is None:
        download_buttons.button(_measured(state.document))


# Files


def _give(state: PageState) -> None:
    """The control that takes files; in the empty state also a sample."""
    if not state.files:
        st.markdown("Upload a report of your system to see where its time went, and what would change that.")
    elif SAMPLE in state.files:
        st.info(OF_EXAMPLE, icon=":material/science:")
    key = f"my_system.files.{state.times}"
    st.file_uploader(
        "AWR or Statspack (text or HTML), iostat -x, sar, TKPROF, SQL trace (10046), fio; "
        f"at most {MOST_TRANSFERRED_MB} MB together",
        accept_multiple_files=True, key=key, on_change=_given, args=(key,), max_upload_size=MOST_TRANSFERRED_MB,
        help="Files are recognised by their content, not by their names, also within gzip. You can add more later.",
    )  # fmt: skip
    st.caption(LOCAL)
    if state.refused:
        st.error(plain(sentence(state.refused)), icon=":material/error:")
    if state.files:
        st.button("Remove all files", key="my_system.clear", icon=":material/close:", on_click=_clear)
    else:
        st.button(
            "Try it with a sample report", key="my_system.sample", icon=":material/science:",
            on_click=_take_sample, help="An AWR report that this program writes from its model",
        )  # fmt: skip


def _given(key: str) -> None:
    if address.is_gone(key):
        return
    state: PageState = st.session_state[STATE]
    state.waiting |= {upload.name: upload.getvalue() for upload in st.session_state[key] or ()}
    state.times += 1


def _take_sample() -> None:
    st.session_state[STATE].waiting = {SAMPLE: sample().encode()}


def _clear() -> None:
    st.session_state[STATE] = PageState(times=st.session_state[STATE].times + 1)


@lru_cache(maxsize=1)
def sample() -> str:
    """An AWR report of a modelled system."""
    scenario = load("oltp-nvme", OF_SAMPLE)
    return written(run(scenario), "awr", scenario)


def take(state: PageState, files: dict[str, bytes]) -> None:
    """Read *files* beside those that were read; one of the same name replaces the one before."""
    readable = {name: file for name, file in state.files.items() if file.readings and name != SAMPLE}
    sizes = {name: file.size for name, file in readable.items()} | {n: len(c) for n, c in files.items()}
    state.refused = ""
    if (together := sum(sizes.values())) > MOST_BYTES:
        state.refused = (
            f"these files have {together / 1e6:,.1f} MB together; at most {MOST_TRANSFERRED_MB} MB are read: "
            "give the report of one interval"
        )
        return
    state.files = readable | {name: _read(name, content) for name, content in files.items()}
    state.statement = None
    _identify(state)


def _read(name: str, content: bytes) -> UploadedFile:
    try:
        return UploadedFile(len(content), read_apart(name, content))
    except NotReadable as refusal:
        return UploadedFile(len(content), refused=str(refusal))


def _identify(state: PageState) -> None:
    """Make the scenario of what was read, beside the page."""
    for job in filter(None, (state.fitting, state.predicting)):
        job.cancel()
    state.document, state.question, state.why_not, state.predicting = None, None, "", None
    state.fitting = report_job.start(document_of, state.readings, state.statement) if state.readings else None


def _take_fitted(state: PageState, fitted: ReportJob) -> None:
    """Take the scenario that was made."""
    state.fitting, state.document = None, fitted.value
    if state.document is None or state.document.identified is None:
        state.why_not = state.document.reason if state.document is not None else fitted.refused
        return
    try:
        state.question = opened(*user_files.opened(state.document.text.encode(), FILE))
    except BlocktimeError as error:
        state.why_not = str(error)


def awaited(job: ReportJob, what: str) -> ReportJob:
    """*job* once it has ended; anything that the reader does meanwhile ends the waiting, and the job goes on."""
    place = st.empty()
    while not job.wait(AWAITED_S):
        job.look()
        place.info(f"{what} … {job.took_s:.0f} s", icon=":material/hourglass_top:")
    place.empty()
    return job


def _as_sentence(state: PageState, text: str) -> str:
    """*text* as a sentence; one that begins with a file's name begins as that does."""
    name = next((file for file in state.files if text.startswith(file)), "")
    return name + sentence(text.removeprefix(name)) if name else sentence(text)


def _what_i_read(state: PageState) -> None:
    st.markdown("#### What was read")
    for file in state.files.values():
        if file.refused:
            st.error(plain(_as_sentence(state, file.refused)), icon=":material/error:")
    for reading in state.readings:
        if reading.missing:
            st.warning(plain(f"{reading.file} lacks: {'; '.join(reading.missing)}."))
        if reading.doubts:
            more = f"; and {len(reading.doubts) - MOST_DOUBTS:,} more" if len(reading.doubts) > MOST_DOUBTS else ""
            st.warning(plain(f"{reading.file} is doubtful: {'; '.join(reading.doubts[:MOST_DOUBTS])}{more}."))
    if not state.readings:
        return
    rows = [
        {
            "File": plain(reading.file), "What it is": plain(reading.title),
            "Time": plain(" to ".join(filter(None, [reading.begins, reading.ends]))),
            "Sections read": f"{len(reading.sections):,}", "Figures": f"{reading.count():,}",
            "Lines not read": f"{sum(left.lines for left in reading.unread):,}",
        }
        for reading in state.readings
    ]  # fmt: skip
    table(rows, f"{len(rows)} reports")
    for place, reading in enumerate(state.readings):
        label = f"{plain(reading.file)} as `blocktime measure` prints it"
        lines = st.expander(label, key=f"{LINES}.{place}", on_change="rerun")
        if lines.open:
            texts = reading_lines(reading, WIDTH, MOST_FIGURES)
            lines.code("\n".join(unstyle(line) for line in texts), language=None)


# What was measured


def _where_the_time_went(readings: Sequence[Reading]) -> None:
    first = next((reading for reading in readings if reading.format == "awr"), None)
    parts = Report(first).profile() if first else []
    if parts and first is not None:
        st.markdown("#### Where the time went")
        st.caption(plain(f"{first.file}: DB time by CPU and wait event"))
        _profile(parts)
    tables = [] if parts else [(reading.file, table) for reading in readings for table in tables_of(reading)]
    if tables:
        st.markdown("#### Where the time went")
    for file, (title, rows) in tables:
        names, printed = printed_cells(rows)
        st.caption(plain(f"{file}: {title}"))
        lines = [
            {"": plain(of), **dict(zip(map(plain, names), map(plain, cells), strict=True))}
            for (of, _), cells in zip(rows, printed, strict=True)
        ]
        table(lines, title)


def _profile(parts: Sequence[DbTimePart]) -> None:
    largest = measured_charts.largest(parts)
    bars, numbers = st.columns([1.2, 1], gap="medium")
    with bars:
        chart("my_system_profile", *measured_charts.profile(largest))
    rows = [
        {
            "Event": plain(part.name),
            "Time": show_seconds(part.seconds),
            "% of DB time": f"{100 * part.share:.1f}",
            "Waits": "" if part.waits is None else f"{part.waits:,.0f}",
            "Mean": show_seconds(part.seconds / part.waits) if part.waits else "",
            "Line": "" if part.line is None else f"{part.line:,}",
        }
        for part in largest
    ]
    table(rows, "Parts of DB time, in the report's own names", numbers)
    rest = largest[-1]
    if rest.share < -measured_charts.LEAST_SHARE:
        numbers.caption(f"The lines sum to {show_share(1 - rest.share, 1)} of DB time: some seconds are *{rest.name}*.")
    else:
        numbers.caption("*not in the report* is DB time that neither CPU nor a listed event explains.")


def _choose_statement(state: PageState) -> None:
    """Of traces and TKPROF: the statement that a scenario is made of."""
    there = _statements(state)
    place = there.index(state.statement) if state.statement in there else None
    if there:
        st.selectbox(
            "Statement", there, place, key=f"{STATEMENT}.{state.times}",
            placeholder=f"choose one to model it{' instead of the system' * (state.question is not None)}",
            on_change=_chosen, args=(state,),
            help="A SQL trace or a TKPROF report gives a scenario of one statement, by its SQL ID or number",
        )  # fmt: skip


def _statements(state: PageState) -> list[str]:
    return list(dict.fromkeys(listed_in(state.readings)))


def _chosen(state: PageState) -> None:
    if address.is_gone(control := f"{STATEMENT}.{state.times}"):
        return
    state.statement = st.session_state[control]
    _identify(state)


# The model


def _model(state: PageState) -> None:
    """What the model says of the system, and of changes to it."""
    assert state.document is not None
    assert state.document.identified is not None
    assert state.question is not None
    base, other, refused = state.question.sides()
    answers = answered(answer.WHAT_IF, (base, other), intervals=True)
    if answers.refused:
        st.error(plain(f"There is no answer for this setting: {answers.refused}"), icon=":material/error:")
    question = AnsweredChange(state.question, (base, other), answers)
    if answers.results:
        st.session_state[ANSWERED] = question
    current: AnsweredChange | None = st.session_state.get(ANSWERED)
    if answers.refused or (current is not None and current.question.name != state.question.name):
        current = None
    rows = as_modelled(base.as_measured, current.answers.before) if current is not None else []
    light: Light = "does not" if current is None else light_of(rows)
    if current is not None:
        _as_modelled(base, rows)
        _hours(state.document.identified)
    sure = _what_if(question, current, refused, rows)
    if current is not None and base.workload.mixed:
        _second(state, base, other)
    _surer(state.document.identified)
    st.markdown("#### Export")
    with st.container(horizontal=True):
        download_buttons.button(_measured(state.document))
        if current is question:
            times = light != "does not" and bool(state.question.change)
            page_answer = PageAnswer(
                state.question if times else replace(state.question, change={}), base, other if times else base,
                answers.before, answers.after if times else answers.before, sure=sure,
            )  # fmt: skip
            download_buttons.button(
                Download("my_system.html", "Report (HTML)", f"{page_answer.stem}-report.html", "text/html",
                         "One file with charts, tables and the scenario", lambda: report(page_answer))
            )  # fmt: skip
    st.code(_commands(state), language="bash", wrap_lines=True)


def _commands(state: PageState) -> str:
    files = [name for name, file in state.files.items() if file.readings]
    statement = ["--statement", state.statement] if state.statement else []
    lines = [["measure", *files, "--out", FILE, *statement], ["run", FILE]]
    if state.question and state.question.change:
        changed = [settings.setting(path, text.replace(" ", "")) for path, text in state.question.change.items()]
        lines.append(["compare", FILE, ",".join([FILE, *changed])])
    return "\n".join(shlex.join(["blocktime", *words]) for words in lines)


def _measured(document: Document) -> Download:
    return Download(
        "my_system.toml", f"{FILE} (TOML)", FILE, "application/toml",
        "As `blocktime measure --out` writes it: the scenario, and the figures that it is based on",
        lambda: document.text,
    )  # fmt: skip


def _as_modelled(scenario: Scenario, rows: Sequence[AsModelled]) -> None:
    st.markdown("#### As measured / as modelled")
    if not rows:
        st.info("The report prints no figure that the model predicts: nothing shows whether it fits.")
        return
    st.markdown(f":{LIGHTS[light_of(rows)]}[:material/circle:] **{plain(said_of(rows))}**")
    lines = [
        dict(zip(("Figure", "Measured", "Modelled", "Off", "Read in"), map(plain, cells), strict=True))
        for cells in ((row.measured.name, *cells_of(row), place_of(row)) for row in rows)
    ]
    table(lines, said_of(rows))
    st.markdown(plain(questions_of(scenario, rows)))


def _what_if(
    question: AnsweredChange, current: AnsweredChange | None, refused: dict[str, str], rows: Sequence[AsModelled]
) -> tuple[Difference, ...]:
    """Controls, and the difference that they make, with how sure it is where times are told.

    Until the answer to *question* is there, the one of the former values is *current*, or nothing.
    """
    sure: tuple[Difference, ...] = ()
    head, status = st.columns([3, 1.4], vertical_alignment="center")
    made = answer.badge(question.answers.after) if question.answers.results else answer.COMING
    head.markdown(f"#### What if {made if current else ''}")
    with status:
        answer.standing(answer.WHAT_IF, question.scenarios, question.answers, "my_system.cancel")
    left, right = st.columns([1, 2.2], gap="medium")
    with left:
        _controls(st.session_state[STATE], question.scenarios, refused)
    st.html("<style></style>" if current is question else answer.PALE)
    if current is None:
        return ()
    with right, st.container(key="answer"):
        if light_of(rows) == "does not":
            st.warning("The model does not reproduce the times of this system, so only counts are shown.",
                       icon=":material/warning:")  # fmt: skip
            table(_counts(current.answers.before, current.answers.after), "Counts of the what-if")
        else:
            sure = _difference(current, rows)
    answer.keep_in_mind(current.answers.after)
    return sure


def _controls(state: PageState, scenarios: tuple[Scenario, Scenario], refused: dict[str, str]) -> None:
    assert state.question is not None
    kind = scenarios[1].workload.kind
    for control in CONTROLS:
        facts = control.facts(kind)
        if facts is not None:
            path = control.path
            seen = widgets.look(control, facts, *scenarios, path in state.question.change, path in refused)
            widgets.draw(control, seen, _moved, sentence(refused[path]) if path in refused else "")
    st.button("Reset", key="my_system.reset", disabled=not state.question.change, on_click=_reset,
              icon=":material/undo:", help="Back to the measured system")  # fmt: skip
    st.button("Open in What if", key="my_system.open", icon=":material/tune:", on_click=what_if_state.open_there,
              args=(replace(state.question, about=tuple(state.question.change)),),
              help="Every other control, the simulation, and a link to it")  # fmt: skip


def _moved(path: str) -> None:
    """A control moved: note what differs from the system as it was measured."""
    state: PageState = st.session_state[STATE]
    if state.question is not None and not address.is_gone(path):
        state.question = state.question.moved(path, st.session_state[path])


def _reset() -> None:
    state: PageState = st.session_state[STATE]
    if state.question is not None:
        state.question = replace(state.question, change={})


def _difference(current: AnsweredChange, rows: Sequence[AsModelled]) -> tuple[Difference, ...]:
    """What the change makes of the time, how sure that is, and why."""
    before, after, scenarios = current.answers.before, current.answers.after, current.scenarios
    sure: tuple[Difference, ...] = ()
    if current.question.change:
        answer.first_sentence(before, after, scenarios, "change", True)
    with st.container(key="explained"):
        texts, drawn = st.columns([1, 1.3], gap="medium")
    with texts:
        answer.elapsed(before, after)
        if current.question.change:
            if answers := uncertainty_view.difference_of(scenarios, (before, after)):
                sure = answers[2:]
                causes = largest_sentence(sure[0].contributions)
                st.markdown(plain(f"{uncertainty_view.said(*sure)} {causes}"))
            reasons = why(before, after, scenarios) or [answer.NO_DIFFERENCE]
            st.markdown("\n".join(f"- {plain(sentence(text))}" for text in reasons))
            off = max((abs(row.off_fraction) for row in rows), default=0.0)
            if 0 < abs(after.time.elapsed_s / before.time.elapsed_s - 1) < off:
                st.caption(f"This change is smaller than the model's error of {show_share(off, 1)}: do not rely on it.")
        else:
            st.caption("Change a control to see the difference from the measured system.")
    with drawn:
        answer.waterfall(before, after)
    answer.figures(before, after)
    return sure


def _counts(before: RunResult, after: RunResult) -> Rows:
    rows = []
    for name in COUNTS:
        was, now = figure_in(before, name), figure_in(after, name)
        if was is not None and now is not None:
            rows.append(
                {"Number": name, "Baseline": number(was), "What-if": number(now), "Change": show_change(was, now)}
            )
    return rows


def _hours(identified: IdentifiedScenario) -> None:
    """Each interval of the system, where the model was fitted to several."""
    if identified.hours:
        rows = [dict(zip(HOURS, map(plain, (hour.file, *hour_cells(hour))), strict=True)) for hour in identified.hours]
        st.caption("By interval, the fewest requests first")
        table(rows, f"{len(rows)} intervals, as measured and as modelled")


def _second(state: PageState, base: Scenario, other: Scenario) -> None:
    """A report of another interval: each of its figures as the scenario predicts it, beside what was measured."""
    st.markdown("#### A second report")
    key = f"{SECOND}.{state.times}"
    st.file_uploader(
        "A report of another load, or of the system after a change: its figures are predicted from the first",
        key=key, on_change=_given_second, args=(key,), max_upload_size=MOST_TRANSFERRED_MB,
        help="Choose the change above first, such as the volume; load and waits are those of the second report",
    )  # fmt: skip
    if state.refused_second:
        st.error(plain(sentence(state.refused_second)), icon=":material/error:")
    if not state.second:
        return
    content = to_mapping(other)
    if state.predicting is None or state.predicting.call[1][1] != content:
        state.predicting = report_job.start(against, base, content, state.second)
    predicted = awaited(state.predicting, f"Predicting {plain(state.second[0].file)}")
    if predicted.refused:
        st.error(plain(sentence(predicted.refused)), icon=":material/error:")
        return
    comparison: IntervalComparison = predicted.value
    st.markdown(f":{LIGHTS[comparison.light]}[:material/circle:] **{plain(against_sentence(comparison))}**")
    rows = [
        dict(
            zip(
                PREDICTED,
                map(plain, (figure.row.measured.name, *cells_of(figure.row), interval_of(figure))),
                strict=True,
            )
        )
        for figure in comparison.figures
    ]
    table(rows, against_sentence(comparison))
    first = next((reading for reading in state.readings if reading.format == "awr"), None)
    if first is not None:
        lines = change_lines(change_of(Report(first), Report(state.second[0])), WIDTH)
        st.expander("What changed from the first to the second").code("\n".join(map(unstyle, lines)), language=None)


def _given_second(key: str) -> None:
    state: PageState = st.session_state[STATE]
    state.second, state.refused_second, state.predicting = [], "", None
    upload = None if address.is_gone(key) else st.session_state[key]
    if upload is None:
        return
    try:
        readings = read_apart(upload.name, upload.getvalue())
    except NotReadable as refusal:
        state.refused_second = str(refusal)
        return
    state.second = [reading for reading in readings if reading.format == "awr"]
    if not state.second:
        state.refused_second = f"{upload.name}: is no AWR or Statspack report"


def _surer(identified: IdentifiedScenario) -> None:
    assumed = [known for known in identified.known if known.assumed]
    st.markdown("#### Sources and limits of this model")
    st.markdown("\n".join(f"- {plain(sentence(text))}" for text in identified.says))
    count = f"{len(identified.known) - len(assumed)} fields from the figures, {len(assumed)} assumed"
    place = st.expander(count, key=FIELDS, on_change="rerun")
    if place.open:
        rows = [
            {
                "Field": plain(known.path),
                "Value": plain(cut(show_number(known.value) if isinstance(known.value, float) else str(known.value))),
                "From": "assumed" if known.assumed else "measured",
                "Source": plain(known.source),
            }
            for known in sorted(identified.known, key=lambda known: known.assumed)
        ]
        table(rows, "Where each field comes from", place)
