"""How many numbers there are of what kind, and how far they are off: in sample and out of sample, never mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final, Literal

from validation.compare import Comparison
from validation.numbers import MeasuredNumber
from validation.quantity import UNITS

Kind = Literal["count", "time", "other"]

TIMES: Final = ("s", "ms", "us")
# Last names of the paths to gets, reads, writes, blocks, merges, waits, calls and rows; iostat's are those of a second.
COUNTED: Final = frozenset(
    {
        "consistent_gets", "current_gets", "query", "current", "disk", "rows", "count", "waits", "calls",
        "read_requests", "read_blocks", "write_requests", "request_blocks", "blocks_per_read", "mbrc",
        "reads_per_s", "writes_per_s", "merged_reads_per_s", "merged_writes_per_s",
        "blocks_before", "blocks_after", "migrated_rows", "rejected_probes", "itl_full_blocks",
    }
)  # fmt: skip
NO_MECHANISM: Final = "not said"


def kind_of(number: MeasuredNumber) -> Kind:
    """What was measured: a count (gets, reads, blocks, merges, waits), a time, or something else such as a share."""
    if number.unit in TIMES:
        return "time"
    last = number.path.partition("[")[0] if number.path.endswith("]") else number.path
    return "count" if not number.unit and last.rpartition(".")[2] in COUNTED else "other"


def in_base_units(number: MeasuredNumber, value: float) -> float:
    """*value* of *number* in seconds, bytes or plain shares."""
    return value * UNITS[number.unit]


def median_error(errors: Iterable[float | None]) -> float | None:
    """Median of the sizes of relative errors; None where there is none."""
    found = [abs(error) for error in errors if error is not None]
    return median(found) if found else None


def in_sample_median(found: Iterable[Comparison]) -> float | None:
    """Median relative error of the numbers that constants were fitted to."""
    return median_error(one.in_sample_error for one in found)


def out_of_sample_median(found: Iterable[Comparison]) -> float | None:
    """Median relative error of what was predicted without being fitted to."""
    return median_error(one.out_of_sample_error for one in found)


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of one case, of one mechanism, or all."""

    name: str
    printed: int
    descriptive: int
    fits: int
    tests: int
    within: int
    known_gaps: int
    failed: int
    in_sample_median_error: float | None
    held_out_median_error: float | None

    def to_json(self) -> dict[str, Any]:
        """As an object of ``validate --json``."""
        return asdict(self)


def tally(name: str, found: Sequence[Comparison]) -> Tally:
    """Count *found* by mark and verdict."""
    marks = [one.number.mark for one in found]
    return Tally(
        name=name,
        printed=len(found),
        descriptive=marks.count("descriptive"),
        fits=marks.count("fits"),
        tests=marks.count("tests"),
        within=sum(one.verdict == "within" for one in found),
        known_gaps=sum(one.verdict == "known_gap" for one in found),
        failed=sum(one.failed for one in found),
        in_sample_median_error=in_sample_median(found),
        held_out_median_error=out_of_sample_median(found),
    )


def case_of(one: Comparison) -> str:
    """Name of the case that the number stands in."""
    return one.number.case


def mechanism_of(one: Comparison) -> str:
    """What the number is about, as its case says."""
    return one.number.mechanism or NO_MECHANISM


def groups(
    found: Iterable[Comparison], by: Callable[[Comparison], str]
) -> Iterator[tuple[str, list[Comparison]]]:
    """*found* in groups, in the order in which these first occur; what has no mechanism comes last."""
    together: dict[str, list[Comparison]] = {}
    for one in found:
        together.setdefault(by(one), []).append(one)
    yield from sorted(together.items(), key=lambda group: group[0] == NO_MECHANISM)


def by_case(found: Iterable[Comparison]) -> list[Tally]:
    """One tally for each case."""
    return [tally(name, those) for name, those in groups(found, case_of)]


def by_mechanism(found: Iterable[Comparison]) -> list[Tally]:
    """One tally for each mechanism among the numbers that are compared."""
    return [
        tally(name, those) for name, those in groups((one for one in found if one.compared), mechanism_of)
    ]
