"""The page of sweeps: what varies on the left, how it comes along and what it found on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import streamlit as st

from blocktime.app.base import insides
from blocktime.app.base.markdown import plain, sentence
from blocktime.app.base.polling import look_again
from blocktime.app.controls import settings
from blocktime.app.controls.sweep_form import (
    DESIGNS,
    FROM_QUERY,
    MOST_ANSWERS,
    MOST_LINES,
    MOST_REPLICATIONS,
    SIDES,
    AxisLine,
    SweepForm,
    every_field,
    form_in,
    form_of_library,
    label_of,
    pickable,
    query_of,
    suggested,
)
from blocktime.app.reports.sweep_table import LARGEST_FILE_BYTES, SweepTable, table_in
from blocktime.app.session import address, navigation, what_if_state
from blocktime.app.session.sweep_job import Jobs, SweepJob
from blocktime.app.sweep.sweep_view import CHOSEN, MEASURE, results
from blocktime.model.budget import show_duration
from blocktime.model.errors import BlocktimeError, cut
from blocktime.model.measures import MEASURES
from blocktime.model.units import show_number
from blocktime.scenarios import Scenario
from blocktime.scenarios.sweeps.sweep_plan import Plan
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps
from blocktime.scenarios.why_words import listed

FORM: Final = "sweep.asked"
NOTES: Final = "sweep.notes"
TRIED: Final = "sweep.tried"
RUN: Final = "sweep.run"
FROM_FILE: Final = "sweep.from_file"
SOURCE: Final = "sweep.source"
HERE: Final = "the What-if page's scenario"
FILE: Final = "a table of an earlier sweep"
POLL_S: Final = 0.5
LONGEST_TITLE: Final = 120
SHORT_WAIT_S: Final = 0.4
"""Most sweeps are checked in that time, so that the page need not change twice."""


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The sweeps of this server."""
    return Jobs()


def _job(key: str) -> SweepJob | None:
    """This session's job of that name in its state; looking at it keeps it going."""
    job = jobs().get(st.session_state.get(key))
    if job is not None:
        job.look()
    return job


def _start_job(key: str, form: SweepForm, *, tries: bool = False, plan: Plan | None = None) -> SweepJob:
    """Begin a job that goes on while this session's page is open, in whichever tab and on whichever page."""
    job = SweepJob(form, tries=tries, plan=plan, awaited=insides.is_open())
    st.session_state[key] = jobs().start(job).id
    return job


def page() -> None:
    """Draw the page."""
    _start()
    form: SweepForm = st.session_state[FORM]
    if not form.is_library_sweep:  # the What-if page's scenario may have changed since
        form = st.session_state[FORM] = _with_question(form)
    with st.sidebar:
        scenario = _source(form)
        if not st.session_state[FROM_FILE]:
            _lines(form, scenario)
            _design(form)
    _address(form)
    for note in st.session_state[NOTES]:
        st.error(plain(note), icon=":material/error:")
    if st.session_state[FROM_FILE]:
        _earlier()
        return
    tried = _tried(form)
    _go_where_all_is_known(form, tried)
    going = _head(form, scenario, tried)
    _watch_run()
    job = _job(RUN)
    if going and job is not None and not job.active:
        st.rerun()  # it ended while the page was drawn, which still offers to cancel it
    if job is not None and job.table is not None:
        if job.form != form:
            st.caption(":material/history: These results predate your last change. Click **Run** to update them.")
        results(job.table, job.id)
    elif job is None or not job.active:
        st.caption(
            "Each combination of values is one scenario, answered as on the What-if page. Answers are kept: a sweep "
            "that was ended goes on from there, and a larger one reuses them."
        )


# What is asked


def _start() -> None:
    """On the session's first run take the state from the address."""
    query = insides.address_of_run()
    what_if_state.start({name: given[-1] for name, given in query.items() if name not in FROM_QUERY})
    if st.session_state.pop(navigation.SWEEP_WHAT_IF, False):
        _put_what_if()
        st.session_state[FROM_FILE] = False
        return
    if FORM in st.session_state and not insides.went_back():
        return
    question = what_if_state.current()
    form, notes = form_in(query, question.name, question.changed)
    form = form if form.is_library_sweep else _with_question(form)
    _put(_with_a_first_line(form))
    st.session_state[NOTES] = [*st.session_state[what_if_state.NOTES], *notes]
    st.session_state[what_if_state.NOTES] = []
    st.session_state[FROM_FILE] = False
    wanted = query.get("measure", [""])[-1]
    if wanted in MEASURES:
        st.session_state[MEASURE] = wanted
    elif wanted:
        st.session_state[NOTES].append(f"The link asks for the measure {cut(wanted)!r}, which does not exist.")


def _with_a_first_line(form: SweepForm) -> SweepForm:
    """Something that varies, so that there is an answer to begin with."""
    if form.lines or form.is_library_sweep:
        return form
    scenario, _ = settings.settle(form.base, dict(form.changes))
    key = next(iter(pickable(scenario)))
    return replace(form, lines=(AxisLine(key, suggested(key, form.source())),))


def _put_what_if() -> None:
    _put(_with_a_first_line(_with_question(SweepForm(""))))


def _with_question(form: SweepForm) -> SweepForm:
    """*form* of what the What-if page asks; one side is left where nothing is changed."""
    question = what_if_state.current()
    fields = tuple(question.changed.items()), tuple(question.system.items())
    side = form.side if question.change else "change"
    return replace(form, base=question.name, changes=fields[0], system=fields[1], side=side)


def _address(form: SweepForm) -> None:
    wanted: dict[str, str | list[str]] = (
        {} if form.is_library_sweep else {**address.written(what_if_state.current(), "")}
    )
    wanted |= query_of(form)
    measure = st.session_state.get(MEASURE)
    if measure not in (None, "elapsed_s"):
        wanted["measure"] = measure
    present = {name: st.query_params.get_all(name) for name in st.query_params}
    if present != {name: [value] if isinstance(value, str) else value for name, value in wanted.items()}:
        st.query_params.from_dict(wanted)


def _put(form: SweepForm) -> None:
    st.session_state[FORM] = form
    st.session_state[NOTES] = []
    for key in [key for key in st.session_state if str(key).startswith("sweep.asked.")]:
        del st.session_state[key]


def _edit(change: Callable[[SweepForm], SweepForm]) -> None:
    _put(change(st.session_state[FORM]))


def _took(name: str, read: Callable[[Any], Any] = lambda value: value) -> None:
    """A control of the form moved."""
    if _is_gone(name):
        return
    value = st.session_state[f"sweep.asked.{name}"]
    st.session_state[NOTES] = []
    st.session_state[FORM] = replace(st.session_state[FORM], **{name: read(value)})


def _now(name: str, value: Any) -> Any:
    """What the control *name* holds: *value* where it was not drawn before.

    Each drawing says what it holds: a browser that is late builds the control from the last one alone.
    """
    return st.session_state.get(f"sweep.asked.{name}", value)


def _moves(name: str, taken: Callable[..., None], *args: Any) -> dict[str, Any]:
    """The key of the control *name*, and what takes its value over where it moves."""
    return {"key": f"sweep.asked.{name}", "on_change": taken, "args": args}


def _source(form: SweepForm) -> Scenario:
    titles = {name: entry.title for name, entry in library_of_sweeps().items()}
    if st.session_state[FROM_FILE]:
        chosen = FILE
    else:
        chosen = form.base if form.is_library_sweep else HERE
    st.session_state[SOURCE] = chosen
    st.selectbox(
        "Sweep of", [HERE, *titles, FILE], key=SOURCE, on_change=_pick_source,
        format_func=lambda source_name: titles.get(source_name, source_name[0].upper() + source_name[1:]),
    )  # fmt: skip
    if form.is_library_sweep:
        scenario = form.source().scenario()
    else:
        scenario, _ = settings.settle(form.base, dict(form.changes))
    if not st.session_state[FROM_FILE]:
        if not form.is_library_sweep and form.changes != form.system:
            names = list(SIDES)
            st.selectbox(
                "Side", names, names.index(_now("side", form.side)), format_func=SIDES.__getitem__,
                help="**Both sides**: each point twice, so the table and the charts compare them",
                **_moves("side", _took, "side"),
            )  # fmt: skip
        moved = f", {len(form.changes)} changed" if form.changes else ""
        st.caption(f"Base scenario {plain(scenario.base or scenario.origin)}{moved}")
    return scenario


def _pick_source() -> None:
    chosen = st.session_state[SOURCE]
    st.session_state[FROM_FILE] = chosen == FILE
    st.session_state.pop(CHOSEN, None)
    if chosen == HERE:
        _put_what_if()
    elif chosen != FILE:
        _put(form_of_library(chosen))


def _lines(form: SweepForm, scenario: Scenario) -> None:
    known = every_field(scenario)
    st.markdown("**What varies**")
    for place, line in enumerate(form.lines):
        with st.container(border=True, gap="small", key=f"sweep_line_{place}"):
            name, drop = st.columns([5, 1], vertical_alignment="bottom")
            used = {other.key for other in form.lines} - {line.key}
            options = list(
                dict.fromkeys([*([line.key] if line.key else []), *(key for key in known if key not in used)])
            )
            chosen = _now(f"key.{place}", line.key or None)
            name.selectbox(
                f"Field {place + 1}", options, options.index(chosen) if chosen in options else None,
                label_visibility="collapsed", placeholder="choose, or type a name", filter_mode="contains",
                format_func=lambda key: _in_words(known.get(key, key or "")),
                **_moves(f"key.{place}", _took_key, place),
            )  # fmt: skip
            drop.button(
                ":material/close:", key=f"sweep.drop.{place}", on_click=_drop, args=(place,), type="tertiary",
                width="stretch", help=f"Leave out {plain(label_of(line.key)) or 'this field'}",
            )  # fmt: skip
            several = len(form.lines) > 1
            values, together = st.columns([2.2, 1]) if several else (st.container(), None)
            values.text_input(
                f"Values {place + 1}", _now(f"written.{place}", line.written), placeholder="a, b, c or low:high:n:log",
                **_moves(f"written.{place}", _took_line, place, "written"),
                help="A list such as `2K, 8K, 32K`; or a range `low:high:n` of n values, with `:log` by equal ratios. "
                "A sampled design takes `low:high`.",
            )  # fmt: skip
            if together is not None:
                together.text_input(
                    f"Group {place + 1}", _now(f"zip.{place}", line.zip), placeholder="none",
                    **_moves(f"zip.{place}", _took_line, place, "zip"),
                    help="Fields of one group take their first values together, then their second ones, and so on. "
                    "Without a group, a field is combined with every value of the others.",
                )  # fmt: skip
    st.button(
        "Add a field", icon=":material/add:", width="stretch", disabled=len(form.lines) >= MOST_LINES, on_click=_edit,
        args=(lambda axes_form: replace(axes_form, lines=(*axes_form.lines, AxisLine("", ""))),),
    )  # fmt: skip


def _in_words(label: str) -> str:
    """A field's label before its group, as a narrow control cuts the end."""
    label, dot, path = label.partition(" · ")
    group, _, name = label.partition(": ")
    return (f"{name} · {group}" if name else group) + dot + path


def _drop(place: int) -> None:
    _edit(lambda form: replace(form, lines=form.lines[:place] + form.lines[place + 1 :]))


def _took_key(place: int) -> None:
    """Another field was chosen: it comes with values worth trying."""
    form: SweepForm = st.session_state[FORM]
    if _is_gone(f"key.{place}", place):
        return
    key = st.session_state[f"sweep.asked.key.{place}"] or ""
    line = AxisLine(key, suggested(key, form.source()) if key else "")
    _edit(lambda form: replace(form, lines=(*form.lines[:place], line, *form.lines[place + 1 :])))


def _is_gone(name: str, place: int = -1) -> bool:
    """Whether a control, of the line at *place*, is gone, of which a late browser still tells the value."""
    return address.is_gone(f"sweep.asked.{name}") or place >= len(st.session_state[FORM].lines)


def _took_line(place: int, what: str) -> None:
    form: SweepForm = st.session_state[FORM]
    if _is_gone(f"{what}.{place}", place):
        return
    text = st.session_state[f"sweep.asked.{what}.{place}"]
    line = replace(form.lines[place], **{what: text})
    st.session_state[NOTES] = []
    st.session_state[FORM] = replace(form, lines=(*form.lines[:place], line, *form.lines[place + 1 :]))


def _design(form: SweepForm) -> None:
    designs = list(DESIGNS)
    st.selectbox(
        "Points", designs, designs.index(_now("design", form.design)), format_func=DESIGNS.__getitem__,
        help="Every combination of the values, or a number of samples of their space",
        **_moves("design", _took, "design"),
    )  # fmt: skip
    if form.design != "crossed":
        st.number_input(
            "Samples", 1, MOST_ANSWERS, _now("samples", form.samples), **_moves("samples", _took, "samples")
        )
    with st.expander("Conditions, replications", expanded=bool(form.where)):
        st.text_area(
            "Only points where", _now("where", "\n".join(form.where)), height=80,
            placeholder="workload.users <= 50 * host.cpus", help="One condition a line; a point must meet all of them",
            **_moves("where", _took, "where", lambda text: tuple(filter(None, map(str.strip, text.splitlines())))),
        )  # fmt: skip
        st.number_input(
            "Replications", 1, MOST_REPLICATIONS, _now("replications", form.replications),
            help="Simulations of a point, each with its seed", **_moves("replications", _took, "replications"),
        )  # fmt: skip


# How it comes along


def _tried(form: SweepForm) -> SweepJob:
    """The job that checks *form* and finds out how long it takes, started where there is none."""
    job, run = _job(TRIED), _job(RUN)
    if job is not None and job.form == form and (job.state != "cancelled" or _is_under_way(run, form)):
        return job
    if job is not None:
        job.cancel()
    job = _start_job(TRIED, form, tries=True)
    job.wait(SHORT_WAIT_S)
    return job


def _is_under_way(run: SweepJob | None, form: SweepForm) -> bool:
    """Whether *run* answers what is asked and nobody has ended it."""
    return run is not None and run.active and not run.cancelling and run.form == form


def title_of(form: SweepForm, scenario: Scenario) -> str:
    """What varies, and in which scenario; of a sweep of the library as it stands, its title."""
    if form.is_library_sweep and form.lines == form_of_library(form.base).lines:
        return scenario.title
    labels = [label_of(line.key) for line in form.lines if line.key]
    base = scenario.base or scenario.origin if form.is_library_sweep else scenario.title
    return f"Sweep of {listed(labels)}: {base}" if labels else f"Sweep: {base}"


def _head(form: SweepForm, scenario: Scenario, tried: SweepJob) -> bool:
    """Title, the button that runs or cancels, and how much there is to do; whether the sweep is under way."""
    title, action = st.columns([5, 1.25], vertical_alignment="center")
    title.markdown(f"### {plain(title_of(form, scenario))}")
    run = _job(RUN)
    is_done = run is not None and run.state == "done" and run.form == form
    going = run is not None and run.active
    if run is not None and going:
        action.button(
            "Cancel", icon=":material/stop:", width="stretch", key="sweep_cancel", on_click=run.cancel,
            help="Stops after the answers in progress; finished answers are kept",
        )  # fmt: skip
    else:
        action.button(
            "Run", icon=":material/play_arrow:", type="primary", width="stretch", key="sweep_go", on_click=_go,
            disabled=tried.state == "failed" or is_done,
            help="Stops when its page is closed; finished answers are kept",
        )  # fmt: skip
    is_trying = tried.active and not is_done

    def draw() -> None:
        if is_done and run is not None:
            _say_tried(run)
        elif is_trying:
            _watch_try()
        elif run is None or not going or run.form != form:  # else its progress says so
            _say_tried(tried)

    look_again(draw, POLL_S, is_under_way=is_trying)
    return going


def _go_where_all_is_known(form: SweepForm, tried: SweepJob) -> None:
    run = _job(RUN)
    known = tried.state == "tried" and tried.wanted and tried.done >= tried.wanted
    if known and (run is None or (not run.active and run.form != form)):
        _go()


def _go() -> None:
    """Begin the sweep, once however often the button is hit; another one that is under way ends."""
    form: SweepForm = st.session_state[FORM]
    tried, run = _job(TRIED), _job(RUN)
    if _is_under_way(run, form):
        return
    if run is not None:
        run.cancel()
    plan = tried.plan if tried is not None and tried.form == form and not tried.active else None
    if tried is not None:
        tried.cancel()
    st.session_state.pop(CHOSEN, None)
    _start_job(RUN, form, plan=plan)


def _watch_try() -> None:
    """Look again until it is known how much there is to do."""
    job = _job(TRIED)
    if job is None or not job.active:
        st.rerun(scope="app")
    _say_tried(job)


def _say_tried(job: SweepJob) -> None:
    """How much there is to do and how long it takes; or what is wrong with it, each fault once."""
    if job.state == "failed":
        _say_faults(job)
        return
    if job.plan is None:
        checked = f"{job.checked_points:,} of {job.declared:,}" if job.declared else ""
        st.caption(f"Checking points … {checked}")
        return
    texts = [job.plan.said()]
    if job.wanted and job.done >= job.wanted:
        texts.append("all answers are stored")
    elif job.done:
        texts.append(f"{job.done:,} answers are stored")
    if job.left_s is not None and job.done < job.wanted:
        by = f"{job.workers} processes" if job.workers > 1 else "one process"
        texts.append(f"about {show_duration(job.left_s)} by {by}{' for the rest' if job.done else ''}")
    elif job.active:
        texts.append("trying a few to see how long it takes …")
    st.caption(plain(sentence("; ".join(texts))))
    for note in job.notes:
        st.caption(plain(sentence(note)))


def _watch_run() -> None:
    job = _job(RUN)
    is_under_way = job is not None and job.active
    if job is not None and is_under_way:
        job.wait(SHORT_WAIT_S)
    look_again(_progress if is_under_way else partial(_say_ended, job), POLL_S, is_under_way=is_under_way)


def _say_ended(job: SweepJob | None) -> None:
    """Why it ended before it had all answers, if it did."""
    if job is None:
        return
    if job.state == "cancelled":
        why = "Its page was closed" if job.forgotten else "Cancelled"
        st.info(
            f"{why}: {job.done:,} of {job.wanted:,} answers are kept; **Run** goes on from there.",
            icon=":material/pause:",
        )
    elif job.state == "failed":
        _say_faults(job)


def _say_faults(job: SweepJob) -> None:
    if job.form.lines and all(line.is_blank for line in job.form.lines):
        st.info("Choose a field, and give it values.", icon=":material/info:")
        return
    first, *others = (plain(sentence(fault)) for fault in job.faults)
    st.error("\n".join([first, "", *(f"- {fault}" for fault in others)]), icon=":material/error:")


def _progress() -> None:
    """How far it is, every half a second, until it has ended."""
    job = _job(RUN)
    if job is None or not job.active:
        st.rerun(scope="app")
    text = {
        "waiting": "Waiting for other sweeps to end",
        "checking": f"Checking points: {job.checked_points:,} of {job.declared:,}",
        "trying": "Trying a few points",
        "answering": f"{job.done:,} of {job.wanted:,} answers",
    }.get(job.state, "Reading the table")
    if job.rate_per_s:
        text += f", {show_number(job.rate_per_s, 3)} a second"
    if job.state == "answering" and job.left_s is not None:
        text += f", about {show_duration(job.left_s)} left"
    if job.cancelling:
        text += "; it ends after the answers that are under way"
    st.progress(min(1.0, job.done / job.wanted) if job.wanted else 0.0, text=text)


# A table that somebody kept


@st.cache_data(max_entries=4, show_spinner="Reading the table …")
def _read(files: Mapping[str, bytes]) -> SweepTable:
    return table_in(files)


def _earlier() -> None:
    """Show a table that was written before."""
    given = st.file_uploader(
        "A table of a sweep: Parquet, or CSV with the .csv.json beside it", ["parquet", "csv", "json"],
        accept_multiple_files=True, key="sweep_file", max_upload_size=LARGEST_FILE_BYTES // 1_000_000,
    )  # fmt: skip
    if not given:
        st.caption("`blocktime sweep … --out FILE.parquet` writes such a table, and so does this page.")
        return
    try:
        stored = _read({uploaded_file.name: uploaded_file.getvalue() for uploaded_file in given})
    except BlocktimeError as error:
        st.error(plain(sentence(str(error))), icon=":material/error:")
        return
    st.markdown(f"### {plain(cut(stored.title, LONGEST_TITLE))}")
    results(stored, "-".join(sorted(uploaded_file.file_id for uploaded_file in given)))
