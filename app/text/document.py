"""An answer as a document: its sections in their order, made once; terminal, file and page draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from click import style

from blocktime.app.base.lines import wrapped
from blocktime.app.text import segment_text, transaction_text
from blocktime.app.text.iostat_text import MOST_LINES, device_section, size_sections
from blocktime.app.text.money_text import money_section
from blocktime.app.text.plan_text import plan_section
from blocktime.app.text.profile_table import profile_section
from blocktime.app.text.programs_text import programs_section
from blocktime.app.text.section import Section
from blocktime.app.text.stream_text import stream_section, timeline_section
from blocktime.app.text.text import answer, io_section, note_section, optimizer_section, tkprof_section
from blocktime.model.results import SIMULATION, RunResult
from blocktime.scenarios import Scenario


class Form(NamedTuple):
    """What a place has room for."""

    width: int = 80
    bar: str = "█"
    """The letter that bars are made of; empty for none."""
    most_lines: int = MOST_LINES
    """Of iostat, for each device."""
    whole: bool = True
    """Whether there is room for what is of little interest in transactions: intervals of iostat, sizes of requests."""

    def device(self, result: RunResult) -> Section:
        """The devices, as much of them as there is room for."""
        device_result = result
        if result.transactions and not self.whole:
            device_result = transaction_text.intervals_left_out(result)
        section = device_section(device_result, self.width, self.most_lines)
        return replace(section, notes=transaction_text.await_notes(result))

    def sizes(self, result: RunResult) -> Iterable[Section]:
        """Sizes of requests, where there is room for them."""
        return size_sections(result) if self.whole or not result.transactions else ()

    def blocks(self, result: RunResult) -> Section:
        """Blocks, drawn in letters."""
        return segment_text.block_section(result, self.width, plain=self.bar.isascii())


SECTIONS: Final[dict[str, Callable[[Form, RunResult], Section | Iterable[Section]]]] = {
    "programs": lambda _, result: programs_section(result),
    "transactions": lambda _, result: transaction_text.transaction_section(result),
    "streams": lambda _, result: stream_section(result),
    "profile": lambda _, result: profile_section(result),
    "load": lambda _, result: transaction_text.load_section(result),
    "resources": lambda _, result: transaction_text.resource_section(result),
    "kinds": lambda _, result: transaction_text.kind_section(result),
    "tkprof": lambda _, result: tkprof_section(result),
    "plan": lambda _, result: plan_section(result),
    "io": lambda _, result: io_section(result),
    "rows": lambda _, result: segment_text.row_section(result),
    "segment": lambda _, result: segment_text.segment_section(result),
    "search": lambda _, result: segment_text.search_section(result),
    "blocks": Form.blocks,
    "device": Form.device,
    "sizes": Form.sizes,
    "timeline": lambda _, result: timeline_section(result),
    "optimizer": lambda _, result: optimizer_section(result),
    "money": lambda _, result: money_section(result),
    "notes": lambda _, result: note_section(result),
}
"""Name -> its sections: most have the same rows in every form."""


def sections(result: RunResult, form: Form, names: Iterable[str] = SECTIONS) -> Iterator[Section]:
    """Those of *names* that say something of an answer."""
    for name in names:
        made = SECTIONS[name](form, result)
        yield from filter(None, (made,) if isinstance(made, Section) else made)


def lines(result: RunResult, form: Form, names: Iterable[str] = SECTIONS) -> Iterator[Iterator[str]]:
    """The same as a terminal shows them."""
    return (section.lines(form.width, form.bar) for section in sections(result, form, names))


def run_lines(
    result: RunResult, title: str = "", *, scenario: Scenario | None = None, width: int = 80, bar: str = "█"
) -> Iterator[str]:
    """Everything about one answer, line by line, as a terminal shows it."""
    yield from heading_lines(result, title, width)
    yield ""
    yield from wrapped(answer(result, scenario), width, bold=True)
    for section in lines(result, Form(width, bar, whole=False)):
        yield ""
        yield from section


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
