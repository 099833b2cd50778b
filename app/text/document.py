"""An answer as a document: its sections in their order, made once; terminal, file and page draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from click import style

from blocktime.app.base.lines import wrapped
from blocktime.app.text.iostat_text import MOST_LINES, device_lines, size_lines
from blocktime.app.text.money_text import money_lines
from blocktime.app.text.plan_text import plan_lines
from blocktime.app.text.profile_table import mark_lines, profile_lines
from blocktime.app.text.programs_text import programs_lines
from blocktime.app.text.segment_text import block_lines, row_lines, search_lines, segment_lines
from blocktime.app.text.stream_text import stream_lines, timeline_lines
from blocktime.app.text.text import answer, io_lines, note_lines, optimizer_lines, tkprof_lines
from blocktime.app.text.transaction_text import (
    intervals_left_out,
    kind_lines,
    load_lines,
    on_await_lines,
    policy_lines,
    resource_lines,
    transaction_lines,
)
from blocktime.model.results import SIMULATION, RunResult


class Form(NamedTuple):
    """What a place has room for."""

    width: int = 80
    bar: str = "█"
    """The letter that bars are made of; empty for none."""
    most_lines: int = MOST_LINES
    """Of iostat, for each device."""
    whole: bool = True
    """Whether there is room for what is of little interest in transactions: intervals of iostat, sizes of requests."""

    def of_devices(self, result: RunResult) -> RunResult:
        """*result* with what there is room for of its devices."""
        return result if self.whole or not result.transactions else intervals_left_out(result)


Lines = Callable[[RunResult, Form], Iterable[str]]
SECTIONS: Final[dict[str, Lines]] = {
    "programs": lambda result, form: programs_lines(result, form.width),
    "transactions": lambda result, form: transaction_lines(result, form.width),
    "streams": lambda result, form: stream_lines(result, form.width),
    "profile": lambda result, form: (
        *profile_lines(result, form.width, form.bar),
        *mark_lines([result], form.width),
    ),
    "load": lambda result, _: load_lines(result),
    "resources": lambda result, form: resource_lines(result, form.width, form.bar),
    "kinds": lambda result, form: kind_lines(result, form.width),
    "policies": lambda result, form: policy_lines(result, form.width),
    "tkprof": lambda result, _: tkprof_lines(result),
    "plan": lambda result, _: plan_lines(result),
    "io": lambda result, form: io_lines(result, form.width),
    "rows": lambda result, _: row_lines(result),
    "segment": lambda result, form: segment_lines(result, form.width),
    "search": lambda result, form: search_lines(result, form.width),
    "blocks": lambda result, form: block_lines(result, form.width, plain=form.bar.isascii()),
    "device": lambda result, form: (
        *device_lines(form.of_devices(result), form.width, form.most_lines),
        *on_await_lines(result, form.width),
    ),
    "sizes": lambda result, form: (
        size_lines(result, form.width, form.bar) if form.whole or not result.transactions else ()
    ),
    "timeline": lambda result, form: timeline_lines(result, form.width, form.bar),
    "optimizer": lambda result, _: optimizer_lines(result),
    "money": lambda result, form: money_lines(result, form.width),
    "notes": lambda result, form: note_lines(result, form.width),
}
"""Name -> its lines, the first of which is its heading, but for the notes; none where the answer has nothing of it."""


def sections(result: RunResult, form: Form, names: Iterable[str] = SECTIONS) -> Iterator[list[str]]:
    """Those of *names* that say something of an answer."""
    return (lines for name in names if (lines := [*SECTIONS[name](result, form)]))


def run_lines(result: RunResult, title: str = "", *, width: int = 80, bar: str = "█") -> Iterator[str]:
    """Everything about one answer, line by line, as a terminal shows it."""
    yield from heading_lines(result, title, width)
    yield ""
    yield from wrapped(answer(result), width, bold=True)
    for lines in sections(result, Form(width, bar, whole=False)):
        yield ""
        yield from lines


def heading_lines(result: RunResult, title: str, width: int) -> Iterator[str]:
    """What was asked, and what answered it."""
    made = f"{result.method}, blocktime {result.version}"
    if result.how == SIMULATION:
        made = f"{result.method}, seed {result.seed}, blocktime {result.version}"
    if result.events is not None:
        made += f", {result.events:,} events"
    if result.played_by:
        made += f", {result.played_by}"
    yield from wrapped(f"{result.scenario} – {title}" if title else result.scenario, width, bold=True)
    for line in wrapped(made, width):
        yield style(line, dim=True)
