"""A statement of a SQL trace or a TKPROF report: its figures, its row sources, and the kind of work that they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from blocktime.validation.identify.identified_scenario import NotIdentified
from blocktime.validation.instruments import Figure, Reading

FORMATS: Final = ("10046", "tkprof")
STATEMENT: Final = re.compile(r"statement ([0-9]+)(?: \((\w+)\))?(?:, depth ([0-9]+))?")
STEP: Final = re.compile(r"step ([0-9]+) ?(.*)")
BY_ROWID: Final = ("TABLE ACCESS BY INDEX ROWID", "TABLE ACCESS BY INDEX ROWID BATCHED")
PLANS: Final[dict[tuple[str, ...], str]] = {
    ("TABLE ACCESS FULL",): "full_scan",
    ("INDEX RANGE SCAN",): "index_range_scan",
    **{(table, "INDEX RANGE SCAN"): "index_range_scan" for table in BY_ROWID},
}
MOST_NAMED: Final = 8
READ_SIZE: Final = re.compile(r"reads of ([0-9]+) blocks")


@dataclass(frozen=True, slots=True)
class Step:
    """One row source."""

    operation: str
    figures: dict[str, Figure]


@dataclass(slots=True)
class Statement:
    """What a file says of one statement."""

    reading: Reading
    of: str
    figures: dict[tuple[str, str], Figure]

    @property
    def name(self) -> str:
        """File and statement, as a message calls them."""
        return f"{self.reading.file}: {self.of}"

    def call(self, kind: str, column: str) -> Figure | None:
        """A sum over its calls of one kind: *column* of c, e, p, cr, r or count."""
        if self.reading.format == "10046":
            return self.figures.get((self.of, f"{kind.upper()} {column}"))
        names = {"count": "count", "c": "cpu", "e": "elapsed", "p": "disk", "cr": "query", "r": "rows"}
        printed = {"exec": "Execute", "fetch": "Fetch", "parse": "Parse"}[kind]
        return self.figures.get((self.of, f"{printed} {names[column]}"))

    def event(self, event: str, column: str) -> Figure | None:
        """*column* of a wait: waits, total, max."""
        return self.figures.get((f"{self.of}, {event}", column))

    def steps(self) -> list[Step]:
        """Its row sources, in the order of the plan."""
        steps: dict[str, dict[str, Figure]] = {}
        for (of, name), figure in self.figures.items():
            if of.startswith(f"{self.of}, step "):
                steps.setdefault(of.removeprefix(f"{self.of}, "), {})[name] = figure
        parts = [(STEP.fullmatch(step), figures) for step, figures in steps.items()]
        numbered = sorted((int(step[1]), step[2], figures) for step, figures in parts if step)
        return [Step(operation, figures) for _, operation, figures in numbered]

    def read_sizes(self, event: str) -> dict[int, float]:
        """Blocks of a read -> how many."""
        sizes = {}
        for (of, name), figure in self.figures.items():
            if of == f"{self.of}, {event}" and (size := READ_SIZE.fullmatch(name)):
                sizes[int(size[1])] = figure.value
        return sizes


def statements_in(readings: Sequence[Reading], wanted: str) -> list[Statement]:
    """The statement in the first file that has it, and in others where its SQL ID says that it is the same."""
    able = [reading for reading in readings if reading.format in FORMATS]
    if not able:
        raise NotIdentified("--statement: these files hold no SQL trace and no TKPROF report")
    statements: list[Statement] = []
    sql_id = None if wanted.isdigit() else wanted
    for reading in able:
        for match in _named_in(reading):
            of = match[0]
            same = match[2] == sql_id if sql_id else not statements and match[1] == wanted
            if same and all(statement.reading is not reading for statement in statements):
                figures = {(figure.of, figure.name): figure for figure in reading.figures}
                statements.append(Statement(reading, of, figures))
                sql_id = match[2] or sql_id
    if not statements:
        there = listed_in(able)
        if not there:
            raise NotIdentified(
                f"--statement {wanted}: {able[0].file} has no statement: no line PARSING IN CURSOR stands in it, as "
                "where a trace began later or is a piece; trace again from before the session parses it"
            )
        more = f" and {len(there) - MOST_NAMED} more" if len(there) > MOST_NAMED else ""
        listed = ", ".join(there[:MOST_NAMED]) + more
        raise NotIdentified(f"--statement {wanted}: {able[0].file} has no such statement; it has {listed}")
    return statements


def listed_in(readings: Sequence[Reading]) -> list[str]:
    """What the statements of the first trace or TKPROF report are called, without those under others."""
    first = next((reading for reading in readings if reading.format in FORMATS), None)
    return [match[2] or match[1] for match in _named_in(first) if not match[3]] if first else []


def _named_in(reading: Reading) -> Iterator[re.Match[str]]:
    subjects = dict.fromkeys(figure.of for figure in reading.figures)
    yield from filter(None, map(STATEMENT.fullmatch, subjects))


def plan_of(statement: Statement) -> tuple[str, str, list[Step]]:
    """Kind of workload and what the query returns; the row sources without a count on top."""
    steps = statement.steps()
    if not steps:
        raise NotIdentified(
            f"{statement.name} has no row sources, which tell the kind of work: trace until its cursor is closed"
        )
    select = "rows"
    if steps[0].operation == "SORT AGGREGATE":
        select, steps = "count", steps[1:]
    kind = PLANS.get(tuple(step.operation for step in steps))
    if kind is None:
        other = next(
            (step for step in steps if not any(step.operation in plan for plan in PLANS)), steps[-1] if steps else None
        )
        named = f"the row source {other.operation or 'of a kind that is not known'}" if other else "no table"
        line = f" (line {next(iter(other.figures.values())).line:,})" if other and other.figures else ""
        raise NotIdentified(
            f"{statement.name} has {named}{line}: a scenario is made of one full scan of a table, or of one range scan "
            "through an index"
        )
    return kind, select, steps
