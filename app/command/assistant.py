"""The assistant's door: five tools over the functions of ``import blocktime``, with short answers and a way to more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from click import unstyle

from blocktime.app.api.entry_points import compare, measure, run
from blocktime.app.api.notebook_values import AnswerComparison
from blocktime.app.api.python_fields import Question, axes, request
from blocktime.app.command.list_text import LISTS, kinds_with, lines_of, names_of
from blocktime.app.text.compare_text import compare_lines
from blocktime.app.text.document import SECTIONS, Form, run_lines, sections
from blocktime.app.text.key_numbers import others
from blocktime.app.text.measure_text import report_lines, title_line
from blocktime.app.text.sweep_text import short_line, summary_of, sweep_lines
from blocktime.model.errors import BlocktimeError, SpecError, cut, quote
from blocktime.model.extras import check_installed
from blocktime.model.spec import WORKLOADS
from blocktime.model.version import blocktime_version
from blocktime.scenarios.declared import declared_field
from blocktime.scenarios.load import library_names, split_name
from blocktime.scenarios.sweeps.sweep import SweepBackend, plan_of, sweeping
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps
from blocktime.scenarios.verdict import binding, how_sure

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MOST_BYTES: Final = 1_500
"""Of one answer."""
MOST_POINTS: Final = 200
"""Of one sweep."""
WIDTH: Final = 96
INSTRUCTIONS: Final = (
    "A performance model of Oracle-style database I/O on Linux. A scenario is the name of one in the library "
    '(explain("scenarios") lists them, explain("disks") the drives), a TOML file, or AWR, Statspack, TKPROF, iostat or '
    'fio reports of one system. change sets fields: {"tablespace.block_size_bytes": "16K", "disk.use": "nvme"}; '
    'explain("disk.iops_limit") says what a field is. Answers are short, and end with how to ask for more.'
)
Files = str | list[str]
Fields = dict[str, Any] | None


class Assistant:
    """The tools, over the library and the files of one *folder*; none of them writes anything."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def read_measurements(self, files: Files, begin: int = 1) -> str:
        """Read reports of a real system: AWR, Statspack, TKPROF, SQL trace, iostat, sar, fio.

        Says what each is, and what they determine; then their figures, from line begin on.
        """
        system = measure([self._path(file) for file in _list(files)])
        use = ["run, compare and sweep take these files as a scenario."] if system.document.identified else []
        head = [*map(title_line, system.readings[1:] and system.readings), *use, *system.sentences, ""]
        return page(chain(head, report_lines(system.readings, WIDTH, None)), begin)

    def run(self, scenario: Files, change: Fields = None) -> str:
        """Answer a scenario: its time, where the time goes, the limit that binds, and the main numbers."""
        result = run(self._question(scenario), change)
        numbers = (f"{each.quantity.label}: {each.show(each.read(result.run))}" for each in others(*2 * [result.run]))
        warnings = (f"warning: {text}" for text in result.run.warnings)
        limit = f"limit: {binding(result.run, result.scenario)}.{how_sure(result.run)}"
        return short([result.sentence, limit], [*numbers, *warnings], "more: explain with the same arguments")

    def compare(self, scenario: Files, other: Files = "", change: Fields = None) -> str:
        """Compare a scenario with another one, or with itself changed: the difference, the limit, and why."""
        both = self._comparison(scenario, other, change)
        cause, *causes = both.why
        titles = (f"{letter}: {title}" for letter, title in zip("AB", both.titles, strict=True))
        return short([both.sentence, f"why: {cause}"], [*causes, *titles], "more: explain with the same arguments")

    def sweep(
        self, scenario: Files, vary: dict[str, list[Any]] | list[str], measure: str = "elapsed_s", change: Fields = None
    ) -> str:
        """Answer a scenario along fields: {"workload.users": [1, 10, 100]}, or a range ["workload.users=1:200:20"].

        measure is what the table has; explain("measures") lists them. At most 200 points.
        """
        source = request(self._question(scenario), change, {}, "sweep")
        plan = plan_of(source, axes(vary, "sweep"), limit=MOST_POINTS)
        with sweeping(plan, SweepBackend(workers=1, keep=False)) as rows:
            summary = summary_of(rows, measure)
        return short(
            [short_line(summary)], sweep_lines(summary, WIDTH), "more: sweep with fewer points", cut_alone=True
        )

    def explain(self, topic: Files, other: Files = "", change: Fields = None, part: str = "", begin: int = 1) -> str:
        """Say more: all of an answer or of a comparison, from line begin on, or what a name or a field is.

        topic is a scenario with its other or change, a field (disk.iops_limit), a name (nvme) or a list (scenarios,
        disks, hosts, measures). part is one part of a scenario's answer: profile, io, device.
        """
        if part and part not in SECTIONS:
            raise SpecError(f"explain: part: got {quote(part)}; allowed are {', '.join(SECTIONS)}")
        if isinstance(topic, str) and not (other or change or part) and (meaning := meaning_of(topic)):
            return page(meaning, begin)
        if other or (change and not part):
            both = self._comparison(topic, other, change)
            runs, scenarios = [each.run for each in both.results], [each.scenario for each in both.results]
            return page(compare_lines(runs, both.titles, width=WIDTH, scenarios=scenarios), begin)
        result = run(self._question(topic), change)
        if not part:
            return page(run_lines(result.run, result.scenario.title, scenario=result.scenario, width=WIDTH), begin)
        form = Form(WIDTH, "", whole=False)
        return page((line for each in sections(result.run, form, [part]) for line in each.lines(WIDTH, "")), begin)

    def _comparison(self, scenario: Files, other: Files, change: Fields) -> AnswerComparison:
        return compare(*(self._question(each) for each in (scenario, other) if each), change=change)

    def _question(self, scenario: Files) -> Question:
        """A scenario of the library, a file of the folder, or the system that reports in the folder describe."""
        names = _list(scenario)
        if len(names) != 1:
            return measure([self._path(name) for name in names])
        name, settings = split_name(names[0])
        if name in library_names() or name in library_of_sweeps():
            return names[0]
        path = self._path(name)
        if path.suffix != ".toml" and path.is_file() and not settings:
            return measure(path)
        return ",".join([str(path), *settings])

    def _path(self, name: str) -> Path:
        """The file *name*; raises :class:`SpecError` where it is outside the folder."""
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder):
            raise SpecError(f"{cut(name)}: is outside the folder that blocktime mcp was started in; name a file inside")
        return path


def _list(files: Files) -> list[str]:
    return [files] if isinstance(files, str) else files


def meaning_of(topic: str) -> Iterator[str] | None:
    """What a list, a name of the catalog or a field is; None for a scenario and for what has no such name."""
    if topic in LISTS:
        return (f"{name}: {title}" for name, title, _ in names_of(topic))
    for kind in WORKLOADS:
        if field := declared_field(topic, kind) if "." in topic else None:
            return (
                f"{key}: {value}" for key, value in {"field": topic, **field}.items() if not isinstance(value, dict)
            )
    if topic in library_names() or topic not in {name for kind in LISTS for name, _, _ in names_of(kind)}:
        return None
    return (line for kind in kinds_with(topic) for line in lines_of(kind, topic, WIDTH))


def short(first: Sequence[str], others: Iterable[str], more: str, *, cut_alone: bool = False) -> str:
    """The lines *first* whole, as many of the *others* as there is room for, and how to ask for *more*.

    With *cut_alone* the last line is there only where some of the others had no room.
    """
    lines = list(first)
    for line in map(unstyle, others):
        if size([*lines, line, more]) > MOST_BYTES:
            return "\n".join([*lines, more])
        lines.append(line)
    return "\n".join(lines if cut_alone else [*lines, more])


def page(lines: Iterable[str], begin: int) -> str:
    """The *lines* from number *begin* on that there is room for, and where the next page begins."""
    texts, part = list(map(unstyle, lines)), list[str]()
    if not 1 <= begin <= len(texts):
        raise SpecError(f"explain: begin: got {begin}; allowed is a line from 1 to {len(texts)}")
    for number, text in enumerate(texts[begin - 1 :], begin):
        more = f"more: the same with begin={number} ({len(texts)} lines)"
        if part and size([*part, text, more]) > MOST_BYTES:
            return "\n".join([*part, more])
        part.append(text)
    return "\n".join(part)


def size(lines: Sequence[str]) -> int:
    """Bytes of the lines together."""
    return len("\n".join(lines).encode())


def server_of(folder: Path) -> MCPServer:
    """The server of an assistant over the files of *folder*; raises :class:`SpecError` where its package is missing."""
    check_installed("mcp")
    from mcp.server.mcpserver import MCPServer
    from mcp_types import CallToolResult, TextContent, ToolAnnotations

    assistant, turn = Assistant(folder), Lock()

    def answering(tool: Callable[..., str]) -> Callable[..., str]:
        @wraps(tool)
        def answer(**arguments: Any) -> Any:
            try:
                with turn:
                    return tool(**arguments)
            except BlocktimeError as fault:
                return CallToolResult(content=[TextContent(type="text", text=str(fault))], is_error=True)

        return answer

    server = MCPServer("blocktime", instructions=INSTRUCTIONS, version=blocktime_version(), log_level="WARNING")
    only_read = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in (assistant.read_measurements, assistant.run, assistant.compare, assistant.sweep, assistant.explain):
        server.add_tool(answering(tool), annotations=only_read, structured_output=False)
    return server
