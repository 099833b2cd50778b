"""How many numbers there are of what kind, and how far they are off: in sample and out of sample, never mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final, Literal

from blocktime.validation.compare import ROUNDING, Comparison
from blocktime.validation.numbers import MeasuredNumber

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


def median_error(errors: Iterable[float | None]) -> float | None:
    """Median of the sizes of relative errors; None where there is none."""
    sizes = [abs(error) for error in errors if error is not None]
    return median(sizes) if sizes else None


def in_sample_median(comparisons: Iterable[Comparison]) -> float | None:
    """Median relative error of the numbers that constants were fitted to."""
    return median_error(comparison.in_sample_error for comparison in comparisons)


def out_of_sample_median(comparisons: Iterable[Comparison]) -> float | None:
    """Median relative error of what was predicted without being fitted to."""
    return median_error(comparison.out_of_sample_error for comparison in comparisons)


@dataclass(frozen=True, slots=True)
class VerdictTally:
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

    @property
    def counts(self) -> tuple[int, ...]:
        """How many numbers there are, are told alone, fit, test, stand, are known gaps, and fail."""
        return (self.printed, self.descriptive, self.fits, self.tests, self.within, self.known_gaps, self.failed)

    def to_json(self) -> dict[str, Any]:
        """As an object of ``validate --json``."""
        return asdict(self)


def tally(name: str, comparisons: Sequence[Comparison]) -> VerdictTally:
    """Count *comparisons* by mark and verdict."""
    marks = [comparison.number.mark for comparison in comparisons]
    return VerdictTally(
        name=name,
        printed=len(comparisons),
        descriptive=marks.count("descriptive"),
        fits=marks.count("fits"),
        tests=marks.count("tests"),
        within=sum(comparison.verdict == "within" for comparison in comparisons),
        known_gaps=sum(comparison.verdict == "known_gap" for comparison in comparisons),
        failed=sum(comparison.failed for comparison in comparisons),
        in_sample_median_error=in_sample_median(comparisons),
        held_out_median_error=out_of_sample_median(comparisons),
    )


def case_of(comparison: Comparison) -> str:
    """Name of the case that the number stands in."""
    return comparison.number.case


def mechanism_of(comparison: Comparison) -> str:
    """What the number is about, as its case says."""
    return comparison.number.mechanism or NO_MECHANISM


def groups(
    comparisons: Iterable[Comparison], by: Callable[[Comparison], str]
) -> Iterator[tuple[str, list[Comparison]]]:
    """*comparisons* in groups, in the order in which these first occur; what has no mechanism comes last."""
    together: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        together.setdefault(by(comparison), []).append(comparison)
    yield from sorted(together.items(), key=lambda group: group[0] == NO_MECHANISM)


def by_case(comparisons: Iterable[Comparison]) -> list[VerdictTally]:
    """One tally for each case."""
    return [tally(name, those) for name, those in groups(comparisons, case_of)]


def by_mechanism(comparisons: Iterable[Comparison]) -> list[VerdictTally]:
    """One tally for each mechanism among the numbers that are compared."""
    return [
        tally(name, those)
        for name, those in groups((comparison for comparison in comparisons if comparison.compared), mechanism_of)
    ]


def median_groups(numbers: Sequence[Comparison]) -> list[tuple[str, list[Comparison]]]:
    """All that is compared, and by what was measured."""
    compared = [comparison for comparison in numbers if comparison.compared]
    kinds = {
        kind: [comparison for comparison in compared if kind_of(comparison.number) == kind]
        for kind in ("count", "time", "other")
    }
    return [
        ("all numbers", compared),
        ("counts (gets, reads, blocks, merges, waits)", kinds["count"]),
        ("times", kinds["time"]),
        ("others (bytes, rates, shares, costs)", kinds["other"]),
    ]


def is_as_printed(error: float | None) -> bool:
    """Whether a prediction is the printed number, but for the last digit of arithmetic."""
    return error is not None and abs(error) < ROUNDING
