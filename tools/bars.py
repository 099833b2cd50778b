"""How near the model comes to reports of other people's systems: ``python3 dev.py bars [FOLDER]``.

The folder holds reports in subfolders named after their format. Each row is a check, its bar, and the figure measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, Final, Literal, cast

from blocktime.model.demand.transaction_demand import curve_classes, touch_rules
from blocktime.model.errors import OverBudget
from blocktime.model.laws import touch_count
from blocktime.model.results import RunResult
from blocktime.model.spec import Transactions
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.measured import (
    CPU,
    DB_TIME,
    ELAPSED,
    FETCH_CALLS,
    GETS,
    PARALLEL_WAIT,
    READ_REQUESTS,
    READ_WAIT,
    SYNC_WAIT,
    TRANSACTIONS,
    as_modelled,
)
from blocktime.validation.identify.advisory import Curve
from blocktime.validation.identify.against import against
from blocktime.validation.identify.identified_scenario import IdentifiedScenario, NotIdentified
from blocktime.validation.identify.limit import limit_of
from blocktime.validation.identify.report import Report
from blocktime.validation.identify.statement import identify_statement
from blocktime.validation.identify.system import SystemProfile, identify
from blocktime.validation.instruments import Keep, OpenedFile, Reading, read

BENCH: Final = "slob-p30x2-s32-wu4"
VOLUMES: Final = {BENCH: 5_000.0, "slob-p60x2-s80-wu4": 16_000.0, "slob-p80x2-s128-wu12": 20_000.0}
"""Report of a bench -> requests a second of the volume that it ran on, as its maker publishes them."""
TRACES: Final = {50: "arraysize-0.2ms-050", 500: "arraysize-0.2ms-500"}
STATEMENT: Final = "4y53369cbbaqf"
OF_REPORTS: Final = ("awr_html", "awr_text", "statspack")


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure of a check."""

    check: str
    what: str
    figure: float
    """A share: how far off, or of how many."""
    bar: float | None
    """At most this; None for what is told alone."""
    least: bool = False
    """Whether the bar is what it is at least."""
    unit: Literal["%", "s"] = "%"

    @property
    def met(self) -> bool | None:
        """Whether it is; None where there is no bar."""
        if self.bar is None:
            return None
        return self.figure >= self.bar if self.least else abs(self.figure) <= self.bar

    def line(self) -> str:
        """The row as it is printed."""
        figure = f"{100 * self.figure:+.2f} %" if self.unit == "%" else f"{self.figure:.2f} s"
        bar = "" if self.bar is None else f"{'≥' if self.least else '≤'} {100 * self.bar:g} %"
        if self.unit == "s" and self.bar is not None:
            bar = f"≤ {self.bar:g} s"
        met = {None: "", True: "met", False: "NOT MET"}[self.met]
        return f"{self.check:<38} {self.what:<62} {figure:>11} {bar:>9}  {met}"


class Samples:
    """The reports of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, kind: str, name: str) -> list[Reading]:
        """The readings of one file, whatever its ending."""
        (path,) = sorted((self.folder / kind).glob(f"{name}.*"))
        return read(OpenedFile(path, path.name, Keep()))

    def of_bench(self, name: str) -> list[Reading]:
        """The report of a bench, with iostat's output where there is one."""
        return self.read("awr_text", name) + (self.read("iostat", name) if name == BENCH else [])

    def reports(self) -> Iterator[tuple[str, Reading]]:
        """Each AWR or Statspack report."""
        for kind in OF_REPORTS:
            for path in sorted((self.folder / kind).glob("*.gz")):
                yield (path.name.split(".html")[0].split(".txt")[0], read(OpenedFile(path, path.name, Keep()))[0])


def offs(measured: IdentifiedScenario, result: RunResult) -> dict[str, float]:
    """Figure -> how far off *result* is."""
    return {row.measured.name: row.off_fraction for row in as_modelled(measured.compared, result)}


def made_from(samples: Samples) -> Iterator[Bar]:
    """The interval that a system was made from."""
    bars = {TRANSACTIONS: 0.03, READ_REQUESTS: 0.03, CPU: 0.03, READ_WAIT: 0.05, DB_TIME: 0.05}
    for name in VOLUMES:
        identified = identify(samples.of_bench(name))
        off = offs(identified, run(from_mapping(identified.sections(), "my")))
        for what, bar in bars.items():
            yield Bar("the interval it was made from", f"{name}: {what}", off[what], bar)


def other_volume(samples: Samples) -> Iterator[Bar]:
    """From the smallest volume to larger ones, each with its own mix and sessions, its disk by limits alone."""
    readings = samples.of_bench(BENCH)
    before = limit_of(Report(readings[0]), readings)
    bars = {TRANSACTIONS: 0.10, READ_REQUESTS: 0.10, READ_WAIT: 0.20, PARALLEL_WAIT: 0.20}
    for name, limit_per_s in list(VOLUMES.items())[1:]:
        identified = identify(samples.read("awr_text", name))
        system = identified.sections()
        system["disk"] |= {
            "overhead_s": before.read_s,
            "service_cv": before.varies,
            "iops_limit": before.share * limit_per_s,
        }
        off = offs(identified, run(from_mapping(system, "my")))
        for what, bar in bars.items():
            if what in off:
                yield Bar(f"another volume, {limit_per_s:,.0f} a second", f"{name}: {what}", off[what], bar)


def arrays(samples: Samples) -> Iterator[Bar]:
    """From the trace of one array size to that of the other."""
    for arraysize, other in ((50, 500), (500, 50)):
        first, second = (samples.read("trace10046", TRACES[size]) for size in (arraysize, other))
        measured = identify_statement(second, STATEMENT)
        habit = {known.path: known.value for known in measured.known}
        for what, readings in (("both traces", [*first, *second]), ("that trace", first)):
            sections = identify_statement(readings, STATEMENT).sections()
            sections["workload"]["arraysize_rows"] = habit["workload.arraysize_rows"]
            sections["client"]["first_fetch_rows"] = habit["client.first_fetch_rows"]
            off = offs(measured, run(from_mapping(sections, "my")))
            check = f"array size {arraysize} to {other}, from {what}"
            yield Bar(check, GETS, off[GETS], 0.005)
            yield Bar(check, FETCH_CALLS, off[FETCH_CALLS], 0.0)
            yield Bar(check, ELAPSED, off[ELAPSED], 0.05 if what == "both traces" else None)


def advisories(samples: Samples) -> Iterator[Bar]:
    """The buffer pool advisory: all points given, or every other one, those between predicted."""
    for name, reading in samples.reports():
        curve = curve_of_interval(reading)
        if curve is None:
            continue
        for step, of in ((1, f"{name}, all given"), (2, name)):
            off = between(curve.as_fields(), step)
            yield Bar("buffer pool advisory", f"{of}: median", median(off), 0.02)
            yield Bar("buffer pool advisory", f"{of}: worst", max(off), 0.08)


def curve_of_interval(reading: Reading) -> Curve | None:
    """The advisory of a report as ``measure`` makes it a miss curve."""
    report = Report(reading)
    per_s = report.transactions_per_s()
    if per_s is None or not per_s.value:
        return None
    interval = SystemProfile(IdentifiedScenario(reading.file), report, per_s)
    interval.cache()
    return interval.curve


def between(points: Sequence[Mapping[str, float]], step: int) -> list[float]:
    """How far off the misses are at the points between each *step*-th, which alone are given."""
    given = points[::step]
    return [
        abs(missed_percent(given, point["cache_bytes"]) / point["miss_percent"] - 1)
        for point in points[1 - step % 2 :: step]
        if point["cache_bytes"] < given[-1]["cache_bytes"]
    ]


def missed_percent(given: Sequence[Mapping[str, float]], cache_bytes: float) -> float:
    """Misses in a cache of so many bytes, of blocks as popular as the *given* points of a miss curve make them."""
    work = {"miss_curve": given, "hottest_gets_percent": 0, "hottest_blocks": 1}
    sized = {"base": "oltp-nvme", "workload": work, "instance": {"buffer_cache_bytes": int(cache_bytes)}}
    sized["host"] = {"memory_bytes": 2 * int(cache_bytes) + (64 << 30)}
    scenario = from_mapping(sized, "my")
    classes = curve_classes(scenario.system, cast("Transactions", scenario.workload))
    blocks = [count for count, _ in classes]
    popular = [share / count for count, share in classes]
    rules, size = touch_rules(scenario.system), scenario.system.tablespace.block_size_bytes
    return 100 * (1 - touch_count.hit_fraction(cache_bytes / size - 1, popular, blocks, rules))


def explained(samples: Samples) -> Iterator[Bar]:
    """Each report: the share of DB time that has a name, and what of the interval the model reproduces."""
    bars = {CPU: 0.03, READ_REQUESTS: 0.03, TRANSACTIONS: 0.03}
    waits = (READ_WAIT, PARALLEL_WAIT, SYNC_WAIT)
    for name, reading in samples.reports():
        parts = Report(reading).profile()
        if parts:
            yield Bar("share of DB time with a name", name, 1 - parts[-1].share, None)
        try:
            identified = identify([reading])
        except NotIdentified as reason:
            yield Bar("the interval of each report", f"{name}: {str(reason).partition(': ')[2]}"[:62], 0, None)
            continue
        try:
            off = offs(identified, run(from_mapping(identified.sections(), "my")))
        except OverBudget as reason:
            yield Bar("the interval of each report", f"{name}: {reason}"[:62], 0, None)
            continue
        for what in (*bars, *waits):
            if what in off:
                yield Bar("the interval of each report", f"{name}: {what}", off[what], bars.get(what))


def intervals(samples: Samples) -> Iterator[Bar]:
    """Figures that were not used: how many lie within the stated 95 % interval of their prediction."""
    covered = total = 0
    for system, other, change in _unused(samples):
        changed = system[1] | {"disk": system[1]["disk"] | change}
        comparison = against(system[0], changed, other)
        covered, total = covered + comparison.covered, total + len(comparison.figures)
        yield Bar(
            "intervals",
            f"{system[0].name} to {other[0].file.split('.')[0]}",
            comparison.covered / len(comparison.figures),
            None,
        )
    if total:
        yield Bar("intervals", f"all {total} figures that were not used", covered / total, 0.85, least=True)


def _unused(samples: Samples) -> Iterator[tuple[tuple[Any, dict[str, Any]], list[Reading], dict[str, Any]]]:
    """A system, the report of another interval, and the volume that this was on."""
    names = list(VOLUMES)
    systems: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name in names:
        content = identify(samples.of_bench(name)).sections()
        systems[name] = from_mapping(content, name), content
    readings = samples.of_bench(BENCH)
    share = limit_of(Report(readings[0]), readings).share
    for volume in names:
        for other in names:
            if other != volume:
                change = {"iops_limit": share * VOLUMES[other]}
                yield systems[volume], samples.read("awr_text", other), change


def speed(samples: Samples) -> Iterator[Bar]:
    """From files dropped to *as modelled*, in seconds of CPU."""
    begin = process_time()
    identified = identify(samples.of_bench(BENCH))
    run(from_mapping(identified.sections(), "my"))
    yield Bar("AWR and iostat to as modelled", "CPU of reading and the answer", process_time() - begin, 5, unit="s")


CHECKS: Final = {
    check.__name__: check for check in (speed, made_from, other_volume, arrays, advisories, explained, intervals)
}


def main(words: Sequence[str]) -> int:
    """Print every row; 1 where a bar is not met."""
    chosen = [word for word in words if word in CHECKS]
    folders = [word for word in words if word not in CHECKS]
    named = folders[0] if folders else os.environ.get("BLOCKTIME_SAMPLES", "")
    folder = Path(named)
    if not named or not folder.is_dir():
        sys.stderr.write("bars: name a folder of reports, or set BLOCKTIME_SAMPLES; the project holds none\n")
        return 2
    missed = 0
    for name in chosen or CHECKS:
        for bar in CHECKS[name](Samples(folder)):
            sys.stdout.write(bar.line() + "\n")
            sys.stdout.flush()
            missed += bar.met is False
    sys.stdout.write(f"{missed} bars are not met\n" if missed else "every bar is met\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
