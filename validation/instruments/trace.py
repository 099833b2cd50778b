"""Reads raw SQL traces (event 10046) line by line: calls, waits and row sources, summed by statement and by event."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from blocktime.validation.instruments.fetch_calls import FetchCalls
from blocktime.validation.instruments.figures import (
    CUT_LINES,
    CUT_OFF,
    EVERY_LINE,
    MOST_LETTERS,
    QUOTED_LETTERS,
    Figure,
    NotReadable,
    Reading,
    absurd,
    plural,
    with_unit,
)
from blocktime.validation.instruments.opening import OpenedFile, Progress
from blocktime.validation.instruments.operations import operation_of

NAME: Final = "10046"
HOW: Final = "exec dbms_monitor.session_trace_enable(waits => true)"
N: Final = "([0-9]{1,18})"
CALL: Final = re.compile(
    rf"(PARSE|EXEC|FETCH|UNMAP|SORT UNMAP) #{N}:c={N},e={N},p={N},cr={N},cu={N},mis={N},r={N},dep={N},"
    rf"og=[0-9]+(?:,plh=[0-9]+)?,tim={N}"
)
CLOSE: Final = re.compile(rf"CLOSE #{N}:c={N},e={N},dep={N},type={N},tim={N}")
WAIT: Final = re.compile(
    rf"WAIT #{N}: nam='([^']*)' ela=\s*{N}((?: [^=]+=-?[0-9]+)*?)(?: tim={N})?(?=$|WAIT #|FETCH #)"
)
WORDS: Final = (
    "PARSE #", "EXEC #", "FETCH #", "UNMAP #", "SORT UNMAP #", "CLOSE #", "WAIT #", "STAT #", "XCTEND ",
    "PARSING IN CURSOR #",
)  # fmt: skip
"""Begins of the lines that are read."""
ABSURD: Final = re.compile(r"\b(c|e|p|cr|cu|mis|r|dep|ela|tim|cnt)= *(-[0-9]+|[0-9]{19,})")
CURSOR: Final = re.compile(r"PARSING IN CURSOR #([0-9]+) len=[0-9]+ dep=([0-9]+) .*")
SQL_ID: Final = re.compile(r"sqlid='(\w+)'")
STEP: Final = re.compile(rf"STAT #{N} id={N} cnt={N} pid=[0-9]+ pos=[0-9]+ obj=-?[0-9]+ op='(.*)'?\s*")
DETAIL: Final = re.compile(rf"\b(cr|pr|pw|time)={N}(?![0-9.e])")
RELEASE: Final = re.compile(r"Oracle(?:8i|9i| Database)?.*? Release ([0-9]{1,9}(?:\.[0-9]+)*)")
TRANSACTION: Final = re.compile(r"XCTEND rlbk=([0-9]), rd_only=([0-9])(?:, tim=[0-9]+)?\s*")
BLOCKS: Final = re.compile(rf" (?:blocks|block cnt|p3)={N}")
READS: Final = ("db file sequential read", "db file scattered read", "direct path read", "db file parallel read")
CALLS: Final = ("count", "c", "e", "p", "cr", "cu", "mis", "r")
UNITS: Final = {
    "count": "count",
    "c": "s",
    "e": "s",
    "p": "blocks",
    "cr": "gets",
    "cu": "gets",
    "mis": "count",
    "r": "rows",
}
MOST_STATEMENTS: Final = 10_000
MOST_CURSORS: Final = 100_000
MOST_EVENTS: Final = 20_000
"""Pairs of statement and event that are told apart; no release has more than 2,000 events."""
MOST_SIZES: Final = 1_000
"""Sizes of reads of one event that are told apart."""
MOST_LINES: Final = 2_000
LONGEST: Final = 200
"""Letters that tell statements without SQL ID, and events, apart."""
KINDS: Final = re.compile(r"PARSE ERROR|ERROR|LOB[A-Z]{0,20}")
OTHERS: Final = "other statements"
OTHER_EVENTS: Final = "other events"
NAMED: Final = re.compile(
    r"(Node name|Instance name|\*\*\* (?:SERVICE NAME|MODULE NAME|ACTION NAME|CLIENT ID|CLIENT DRIVER)):[ (]*([^()]*)"
)
CENTISECONDS_UNTIL: Final = 9


@dataclass(slots=True)
class _Sums:
    """What was summed of one kind of call, or of one event."""

    first_line: int
    values: list[int]
    largest: int = 0
    powers: dict[int, int] = field(default_factory=dict)
    """Exponent of two of the microseconds -> how many."""
    blocks: dict[int, int] = field(default_factory=dict)


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* is a raw trace."""
    return (
        re.search(r"^(?:PARSING IN CURSOR|PARSE|EXEC|FETCH|WAIT|STAT) #[0-9]+", head, re.MULTILINE) is not None
        or ("*** TRACE CONTINUED FROM FILE" in head)
        or ("*** SESSION ID:(" in head and head.lstrip().startswith(("Trace file ", "Dump file ", "/")))
    )


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """The one reading of a trace; memory is bounded by the number of statements, whatever the size of the file."""
    trace = _Trace(source)
    last = 0
    for number, line in source.lines(progress):
        if number == source.open_line and trace.is_cut(line):
            trace.reading.doubt(number, CUT_OFF)
        else:
            trace.take(number, line)
            last = number
    return [trace.close(last)]


class _Trace:
    """A trace under way: which statement each cursor runs, and sums."""

    def __init__(self, source: OpenedFile) -> None:
        self.reading = source.reading(NAME)
        self._name, self._keep = source.name, source.keep
        self._sql_of, self._sql_line = "", 0
        self._text: list[str] = []
        self._statement: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
        self._calls: dict[str, dict[str, _Sums]] = defaultdict(dict)
        self._waits: dict[str, dict[str, _Sums]] = defaultdict(dict)
        self._steps: dict[str, dict[str, tuple[int, list[tuple[str, int]]]]] = defaultdict(dict)
        self._step_count = self._event_count = 0
        self._commits = [0, 0, 0]
        self._behind = ""
        self._in_sql = False
        self._first_tim = self._last_tim = 0
        self._unit_s = 1e-6
        self._release = ""
        self._fetches = FetchCalls()

    @property
    def _tick(self) -> str:
        """What the trace counts time in."""
        return "µs" if self._unit_s < 1e-3 else "cs"

    def is_cut(self, line: str) -> bool:
        """Whether the last line, which no line break ends, is one of a call, a wait or a row source that is cut off.

        One of a call or a wait is whole where its time stamp has as many digits as those before.
        """
        if self._in_sql or any(word.startswith(line) for word in WORDS):
            return True
        if not line.startswith(WORDS):
            return False
        if line.startswith("STAT #"):
            return not line.rstrip().endswith("'")
        return len(line.rpartition("tim=")[2].strip()) < len(str(self._last_tim)) or "tim=" not in line

    def take(self, number: int, line: str) -> None:
        """Read one line, and each call that lost its line break and stands behind another."""
        self._behind = line
        while line := self._behind:
            self._behind = ""
            self._take(number, line)

    def _take(self, number: int, line: str) -> None:
        start = line[:5]
        if start == "WAIT ":
            self._in_sql = False
            self._wait(number, line)
        elif start in {"FETCH", "EXEC ", "PARSE", "UNMAP", "SORT "} and (call := CALL.match(line)):
            self._call(number, line, call)
        elif start == "PARSI" and (cursor := CURSOR.match(line)):
            self._cursor(number, cursor, line)
        elif start == "END O":
            self._in_sql = False
            self._end_of_text()
        elif self._in_sql:
            self.reading.skip(number, "SQL text")
            if self._keep.sql and len(self._text) < MOST_LINES:
                self._text.append(line[:MOST_LETTERS])
        elif start == "STAT ":
            self._step(number, line)
        elif start == "CLOSE" and (close := CLOSE.match(line)):
            self._add_call(number, "CLOSE", self._of(close[1]), (close[2], close[3]))
            self._fetches.end(self._of(close[1]))
            if close[5] == "0":  # of other types the session keeps the cursor, and may execute it again
                self._statement.pop(close[1], None)
            self._time(int(close[6]))
        elif start == "XCTEN" and (end := TRANSACTION.fullmatch(line)):
            self._commits[2 if end[2] == "1" else int(end[1])] += 1
        else:
            self._other(number, line)

    def _other(self, number: int, line: str) -> None:
        """A line that is neither a call nor a wait."""
        if line.startswith("*** 2") and len(line) > len("*** 2026-11-22 10:00"):
            self._stamp(line)
        elif line.startswith(("FETCH #", "EXEC #", "PARSE #", "XCTEND", "CLOSE #")):
            self._unusable(number, line)
        elif release := RELEASE.search(line):
            self._release = release[1]
            if int(release[1].partition(".")[0]) < CENTISECONDS_UNTIL:
                self._unit_s = 1e-2
        elif line.startswith(("System name:", "Release:")):
            system = self.reading.host.system or ""
            self.reading.host.system = f"{system} {line.partition(':')[2].strip()}".strip()
        elif self._keep.names and (named := NAMED.match(line)):
            self.reading.name("trace file", named[1].strip("* ").lower(), named[2].rstrip(") ").strip(), number)
        elif line.strip() and not line.startswith("===="):
            self.reading.skip(number, _kind(line))

    def _unusable(self, number: int, line: str) -> None:
        """A line of a call or a wait whose numbers are absurd, or which is cut off."""
        if odd := ABSURD.search(line):
            kind = line[: line.find("#")].strip() or "a line"
            self.reading.doubt(
                number, f"{kind}: {odd[1]}={odd[2][:QUOTED_LETTERS]} {absurd(odd[2])}: the line is not used"
            )
        else:
            self.reading.skip(number, CUT_LINES)

    def _end_of_text(self) -> None:
        """Keep the text of a new statement, where that was asked for."""
        if self._text and self._sql_of:
            self.reading.name(self._sql_of, "SQL text", "\n".join(self._text), self._sql_line)
        self._text, self._sql_of = [], ""

    def _of(self, cursor: str) -> str:
        return self._statement.get(
            cursor, "before the first statement" if not self._numbers else "a cursor parsed earlier"
        )

    def _cursor(self, number: int, cursor: re.Match[str], line: str) -> None:
        sql_id = SQL_ID.search(line)
        key = sql_id[1] if sql_id else line[:LONGEST]
        self._in_sql, self._text, self._sql_of = True, [], ""
        if len(self._statement) >= MOST_CURSORS:
            self._statement.pop(next(iter(self._statement)))
        if key not in self._numbers:
            place = len(self._numbers) + 1
            if place > MOST_STATEMENTS:
                self._statement[cursor[1]] = OTHERS
                return
            named = f"statement {place} ({sql_id[1]})" if sql_id else f"statement {place}"
            depth = f", depth {cursor[2]}" if cursor[2] != "0" else ""
            self._numbers[key] = self._sql_of = named + depth
            self._sql_line = number + 1
        self._statement[cursor[1]] = self._numbers[key]

    def _call(self, number: int, line: str, call: re.Match[str]) -> None:
        self._in_sql = False
        of, values = self._of(call[2]), call.group(3, 4, 5, 6, 7, 8, 9)
        self._add_call(number, call[1], of, values)
        self._fetches.call(of, call[1], number, values, call[11], self._unit_s)
        self._time(int(call[11]))
        if call.end() < len(line.rstrip()):
            self._rest(number, line[call.end() :])

    def _rest(self, number: int, rest: str) -> None:
        """What follows in the same line, where a line break was lost."""
        if rest.startswith(("WAIT #", "FETCH #", "EXEC #")):
            self._behind = rest
        else:
            self.reading.skip(number, "ends of lines")

    def _add_call(self, number: int, kind: str, of: str, values: tuple[str, ...]) -> None:
        sums = self._calls[of].get(kind)
        if sums is None:
            sums = self._calls[of][kind] = _Sums(number, [0] * 8)
        sums.values[0] += 1
        for place, value in enumerate(values, 1):
            sums.values[place] += int(value)

    def _wait(self, number: int, line: str) -> None:
        wait = WAIT.match(line)
        if wait is None or (wait[5] is None and self._last_tim and " tim=" not in line and self._unit_s < 1e-3):
            self._unusable(number, line)
            return
        waits, event = self._waits[self._of(wait[1])], wait[2]
        sums = waits.get(event)
        if sums is None:
            if self._event_count >= MOST_EVENTS or len(event) > LONGEST:
                event = OTHER_EVENTS
            self._event_count += event not in waits
            sums = waits.setdefault(event, _Sums(number, [0, 0, 0]))
        ela = int(wait[3])
        self._fetches.wait(self._of(wait[1]), wait[2], ela, self._unit_s)
        sums.values[0] += 1
        sums.values[1] += ela
        sums.largest = max(sums.largest, ela)
        power = ela.bit_length()
        sums.powers[power] = sums.powers.get(power, 0) + 1
        if wait[2] in READS and (blocks := BLOCKS.search(wait[4])):
            count = int(blocks[1])
            sums.values[2] += count
            if count in sums.blocks or len(sums.blocks) < MOST_SIZES:
                sums.blocks[count] = sums.blocks.get(count, 0) + 1
        if wait[5] is not None:
            self._time(int(wait[5]))
        if wait.end() < len(line.rstrip()):
            self._rest(number, line[wait.end() :])

    def _step(self, number: int, line: str) -> None:
        step = STEP.fullmatch(line)
        details = DETAIL.findall(line)
        if step is None:
            self.reading.skip(number, "row sources without their fields")
            return
        steps, named = self._steps[self._of(step[1])], f"{step[2]} {operation_of(step[4] or '')}".strip()
        if named in steps or self._step_count < MOST_STATEMENTS:
            self._step_count += named not in steps
            if self._keep.names and named not in steps:
                of = f"{self._of(step[1])}, step {named}"
                self.reading.name(of, "row source", step[4].partition(" (")[0], number)
            values = [("rows", int(step[3])), *((name, int(value)) for name, value in details)]
            steps[named] = number, values

    def _stamp(self, line: str) -> None:
        stamp = line[4:].split(" (", maxsplit=1)[0].strip()
        self.reading.begins = self.reading.begins or stamp

    def _time(self, tim: int) -> None:
        self._first_tim = self._first_tim or tim
        self._last_tim = max(self._last_tim, tim)

    def close(self, last_line: int) -> Reading:
        """What was read, as figures."""
        reading = self.reading
        if not self._calls and not self._waits:
            raise NotReadable(f"{self._name}: this trace has no call and no wait in it; trace again with {HOW}")
        for of in dict.fromkeys((*self._calls, *self._waits)):
            already = len(reading.figures)
            self._call_figures(of)
            self._wait_figures(of)
            self._step_figures(of)
            lines = [figure.line for figure in reading.figures[already:]]
            reading.add_section(of, already, min(lines), max(lines))
        for name, count in zip(("commits", "rollbacks", "read only ends"), self._commits, strict=True):
            if count:
                reading.add_exact(name, "transactions", count, "count", last_line)
        if self._last_tim > self._first_tim:
            span = (self._last_tim - self._first_tim) * self._unit_s
            reading.interval_s = span
            reading.follows.append(
                f"the calls and waits span {span:,.6f} s by tim=, from the end of the first to the end of the last; "
                "lines with *** give the time of day only now and then: the first is where the trace begins"
            )
        release = f" of {self._release}" if self._release else ""
        reading.title = f"SQL trace{release}: {plural(len(self._numbers), 'statement')}"
        if not any(self._waits.values()):
            reading.missing.append(f"waits: the trace is of level 1 or 4; trace again with {HOW}")
        if len(self._numbers) >= MOST_STATEMENTS:
            reading.follows.append(f"more than {MOST_STATEMENTS:,} statements: the others are summed as one")
        if self._event_count >= MOST_EVENTS:
            reading.follows.append(f"more than {MOST_EVENTS:,} events: the others are summed as one")
        if CUT_LINES in reading.left_alone:
            count, first = reading.left_alone[CUT_LINES]
            text = f"cut off, as the first of {plural(count, 'line')}: their calls and waits are not counted"
            reading.doubt(first, text)
        reading.whole_line = EVERY_LINE
        reading.fetches = self._fetches.close()
        return reading

    def _call_figures(self, of: str) -> None:
        for kind, sums in self._calls[of].items():
            for name, value in zip(CALLS, sums.values, strict=True):
                self._figure(f"{kind} {name}", of, value, UNITS[name], sums)

    def _wait_figures(self, of: str) -> None:
        for event, sums in self._waits[of].items():
            subject = f"{of}, {event}"
            self._figure("waits", subject, sums.values[0], "count", sums)
            self._figure("total", subject, sums.values[1], "s", sums)
            self._figure("max", subject, sums.largest, "s", sums, of_one=True)
            for power, count in sorted(sums.powers.items()):
                below = 1 << power
                self._figure(f"waits below {below:,} {self._tick}", subject, count, "count", sums)
            if sums.blocks:
                self._figure("blocks", subject, sums.values[2], "blocks", sums)
            for size, count in sorted(sums.blocks.items()):
                self._figure(f"reads of {size} blocks", subject, count, "count", sums)

    def _step_figures(self, of: str) -> None:
        units = {"rows": ("rows", 1.0), "time": ("s", 1e-6), "cr": ("gets", 1.0)}
        for step, (line, values) in self._steps[of].items():
            for name, value in values:
                unit, scale = units.get(name, ("blocks", 1.0))
                printed = with_unit(f"{value:,}", unit, scale)
                self.reading.add_exact(name, f"{of}, step {step}", value * scale, unit, line, printed)

    def _figure(self, name: str, of: str, value: int, unit: str, sums: _Sums, *, of_one: bool = False) -> None:
        """A sum; each of its times was printed in whole ticks."""
        if unit != "s":
            self.reading.add_exact(name, of, value, unit, sums.first_line, with_unit(f"{value:,}", unit))
            return
        half = (1 if of_one else sums.values[0]) * self._unit_s / 2
        seconds = value * self._unit_s
        self.reading.figures.append(
            Figure(
                name,
                of,
                seconds,
                "s",
                max(0.0, seconds - half),
                seconds + half,
                sums.first_line,
                f"{value:,} {self._tick}",
            )
        )


def _kind(line: str) -> str:
    """What an unread line is, without what stands in it."""
    if line.startswith(("BINDS", " Bind#", "  oac", "  kxs", "  value", "  No oac")):
        return "bind variables"
    if line.startswith("***"):
        return "session lines (***)"
    if known := KINDS.match(line):
        return f"{known[0]} lines"
    return "header and other lines"
