"""How far the closed form lies from the simulation of random scenarios: ``python -m tools.residuals --help``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, stdev
from typing import cast

from blocktime.model.accuracy import (
    ALL,
    FAR_FRACTION,
    REGIMES,
    TABLE,
    RegimeResiduals,
    is_estimate,
    margin,
    table,
)
from blocktime.model.engine import calculate, simulate
from blocktime.model.errors import BlocktimeError
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.results import RunResult
from blocktime.model.spec import WORKLOADS, Stream
from blocktime.model.units import show_share
from blocktime.model.workloads.families import TOGETHER, family_of
from blocktime.scenarios import Scenario, from_mapping
from tools.random_scenarios import KINDS, case

SEEDS = (1, 2)
"""The simulated answer is the mean of these, and of more where chance decides."""
MORE_SEEDS = range(3, 11)
NEAR_MEAN = 0.03
"""Standard error of a mean over seeds, relative to it, from which on no further seed is played."""
FIRST_OF_TABLE = 20_000
"""Cases from this number on make the table; those that test it have lower numbers."""
MORE_OF_STREAMS = 50_000
"""Streams from this number on make it as well, as many again: they are the most various."""
NUMBER = {False: 250, True: 400}
"""Cases of each kind in the table, by whether some of its answer comes from the simulation alone."""
FEWEST = 59
"""Cases of which the farthest bounds 95 % of all with a confidence of 95 % [wilks-1941]."""
FEWEST_OF_FAMILY = 20
OFF = FAR_FRACTION
"""Distance beyond which the estimate of a stream should carry a warning."""
NEAR = 0.2
"""Distance within which 95 % of a kind should lie, or declare more."""
LEAST_SHARE = 0.95
"""Of a kind's cases that are to lie within, and the confidence of it."""
MEDIAN = 0.02
"""Distance of a kind's median ratio from 1."""
SAME = 1e-6
STEPS = (1, 1.5, 2, 3, 5, 7, 10)


@dataclass(frozen=True, slots=True)
class CaseTimes:
    """The simulated times of a case, seed by seed."""

    case: str
    times: dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class CaseComparison:
    """A case by both engines, and what the estimate says of itself."""

    case: str
    ratio: float
    """Simulated over estimated time; of several times the ratio farthest from 1."""
    chance_fraction: float
    """Distance of the simulations from each other, over their mean."""
    regime: str
    factor: float
    warned: bool = False
    error_fraction: float = 0.0
    """Standard error of the mean of the simulations, over it: of that time whose ratio this is."""

    @property
    def kind(self) -> str:
        """The kind of workload."""
        return self.case.partition("/")[0]

    @property
    def distance(self) -> float:
        """How far the times lie apart: 0 is the same, 1 a factor of 2."""
        return max(self.ratio, 1 / self.ratio) - 1

    @property
    def nearest(self) -> float:
        """The distance less twice the standard error of the mean of the simulations."""
        return self.distance - 2 * self.error_fraction * (1 + self.distance)


def times_of(result: RunResult) -> dict[str, float]:
    """The times an answer is held to: of a session; of a transaction and between two; of a stream and its calls."""
    if result.transactions is not None:
        return {"response_s": result.transactions.response_s, "between_s": 1 / result.transactions.per_s}
    if result.streams is not None:
        return {"elapsed_s": result.time.elapsed_s, "response_s": result.streams[0].response_s}
    return {"elapsed_s": result.time.elapsed_s}


def scenario_of(name: str) -> Scenario:
    """The scenario of a case; raises :class:`BlocktimeError` for one that is not legal."""
    return from_mapping(case(name))


def play(name: str) -> CaseTimes | None:
    """The simulated times of a case; None where it is not legal, or has no end."""
    try:
        scenario = scenario_of(name)
        times = [times_of(simulate(scenario.system, scenario.workload, seed=seed)) for seed in SEEDS]
        for seed in MORE_SEEDS:
            if (
                max(error_fraction([run_times[field] for run_times in times]) for field in times[0])
                <= NEAR_MEAN
            ):
                break
            times.append(times_of(simulate(scenario.system, scenario.workload, seed=seed)))
    except BlocktimeError:
        return None
    return CaseTimes(name, {field: [run_times[field] for run_times in times] for field in times[0]})


def error_fraction(times: Sequence[float]) -> float:
    """Standard error of the mean of *times*, over it."""
    mean = fmean(times)
    return stdev(times) / len(times) ** 0.5 / mean if len(times) > 1 and mean > 0 else 0.0


def compare(played: CaseTimes) -> CaseComparison | None:
    """The simulated times of a case beside the estimated ones; None where the closed form refuses it."""
    scenario = scenario_of(played.case)
    try:
        estimate = calculate(scenario.system, scenario.workload)
    except BlocktimeError:
        return None
    ratios, chances = [(1.0, 0.0)], [0.0]
    for field, estimated in times_of(estimate).items():
        each = played.times[field]
        mean = fmean(each)
        if min(mean, estimated) > 0:
            ratios.append((mean / estimated, error_fraction(each)))
            chances.append((max(each) - min(each)) / mean)
    accuracy = estimate.accuracy
    assert accuracy is not None
    ratio, error = max(ratios, key=lambda pair: max(pair[0], 1 / pair[0]))
    return CaseComparison(
        played.case, ratio, max(chances), accuracy.regime, accuracy.factor, is_estimate(accuracy), error
    )


def residual_of(sample: Sequence[CaseComparison]) -> RegimeResiduals:
    """Bounds of a sample: what holds 95 % with a confidence of 95 %, and the worst with a margin, both rounded up."""
    ratios = sorted(compared.ratio for compared in sample)
    distances = sorted(compared.distance for compared in sample)
    worst = margin(len(sample)) * distances[-1]
    factor = round(1 + rounded_up(worst), 4) if worst < 1 else rounded_up(1 + worst)
    within = rounded_up(distances[rank_of_bound(len(sample)) - 1])
    return RegimeResiduals(
        n=len(sample),
        median=float(f"{ratios[len(ratios) // 2]:.3g}"),
        longest=float(f"{ratios[-1]:.4g}"),
        shortest=float(f"{ratios[0]:.4g}"),
        within_fraction=min(within, round(factor - 1, 4)),
        factor=factor,
        usual_fraction=float(f"{distances[-1 - left_out(len(sample))]:.3g}"),
    )


def left_out(n: int, share: float = LEAST_SHARE) -> int:
    """How many of *n* cases may lie beyond what *share* of all keep to: of k, (k + 1)/(n + 2) do [laplace-1814]."""
    return max(0, math.floor((1 - share) * (n + 2) + SAME) - 1)


def rank_of_bound(n: int) -> int:
    """Rank of the least of *n* values that bounds 95 % of all with 95 % confidence [wilks-1941]; *n* at most."""
    below = 0.0
    for rank in range(n + 1):
        below += math.comb(n, rank) * LEAST_SHARE**rank * (1 - LEAST_SHARE) ** (n - rank)
        if below >= LEAST_SHARE:
            return min(n, rank + 1)
    return n


def rounded_up(distance: float) -> float:
    """A distance on a scale of few steps in each decade, rounded up; 0 where the engines agree."""
    if distance <= SAME:
        return 0.0
    decade = 10.0 ** math.floor(math.log10(distance))
    return float(f"{next(step * decade for step in STEPS if step * decade >= distance * (1 - 1e-9)):.3g}")


def table_of(sample: Iterable[CaseComparison]) -> dict[str, dict[str, RegimeResiduals]]:
    """Kind or family -> regime -> bounds; a regime that a kind met too seldom has those of its family alone."""
    by_kind: dict[str, dict[str, list[CaseComparison]]] = defaultdict(lambda: defaultdict(list))
    for compared in sample:
        for owner, regime in {
            (compared.kind, ALL),
            (compared.kind, compared.regime),
            (family_of(compared.kind).name, compared.regime),
        }:
            by_kind[owner][regime].append(compared)
    return {
        owner: {
            regime: residual_of(cases)
            for regime, cases in sorted(regimes.items())
            if regime == ALL or len(cases) >= (FEWEST_OF_FAMILY if owner in REGIMES else FEWEST)
        }
        for owner, regimes in sorted(by_kind.items())
    }


def as_toml(table: dict[str, dict[str, RegimeResiduals]]) -> str:
    """The table as the file that the model reads."""
    lines = [
        "# How far the closed form lies from the simulation of random legal scenarios on the catalog's disks.",
        "# Written by `python -m tools.residuals --write`; the cases are those of tools/random_scenarios.py",
        f"# from number {FIRST_OF_TABLE} on, of streams from {MORE_OF_STREAMS} on too, each with the seeds"
        f" {' and '.join(map(str, SEEDS))}, and more where these lie apart.",
        "# n: scenarios; median, longest, shortest: of simulated over estimated time; within_fraction: holds 95 % of",
        "# them with a confidence of 95 %; factor: the worst of them, 1 + 10/sqrt(n) times as far; both rounded up.",
        "# usual_fraction: within which 95 % of such cases lie, of k beyond it among n expecting (k + 1)/(n + 2).",
    ]
    for kind, regimes in table.items():
        lines += ["", f"[{kind}]"]
        for regime, residual in regimes.items():
            known = {name: value for name, value in residual._asdict().items() if value is not None}
            fields = ", ".join(f"{name} = {value!r}" for name, value in known.items())
            lines.append(f'"{regime}" = {{ {fields} }}')
    return "\n".join(lines) + "\n"


def report(sample: Sequence[CaseComparison], *, by_regime: bool = False) -> Iterator[str]:
    """Residuals by kind: how many, their median, what holds 95 %, the worst, and how many lie beyond the bars."""
    yield f"{'kind and regime':<47}{'n':>5}  median   95 %   worst  >20 %  undeclared  beyond  chance"
    for kind in KINDS:
        cases = [compared for compared in sample if compared.kind == kind]
        if cases:
            yield _line(kind, cases)
        regimes = Counter(case.regime for case in cases) if by_regime else {}
        for regime in sorted(regimes):
            yield _line(f"  {regime}", [case for case in cases if case.regime == regime])


def _line(name: str, cases: Sequence[CaseComparison]) -> str:
    ratios = sorted(case.ratio for case in cases)
    distances = sorted(case.distance for case in cases)
    chances = sorted(case.chance_fraction for case in cases)
    at = math.ceil(0.95 * len(cases)) - 1
    far = sum(case.distance > NEAR for case in cases)
    return (
        f"{name:<47}{len(cases):>5}{ratios[len(cases) // 2]:>8.3f}{1 + distances[at]:>7.2f}"
        f"{1 + distances[-1]:>8.2f}{far:>7}{len(undeclared(cases)):>12}{len(beyond(cases)):>8}{chances[at]:>8.3f}"
    )


def groups_of(name: str) -> Iterator[str]:
    """What a stream of that name has in common with others: one value of each of its traits."""
    scenario = scenario_of(name)
    disk, work = scenario.system.disk, cast(Stream, scenario.workload)
    path = work.opened_as(scenario.system)
    yield "device " + next(
        kind
        for kind, holds in (
            ("RAID set", disk.raid_level != "none"),
            ("volume with limits", disk.iops_limit or disk.throughput_limit_bytes_per_s),
            ("rotating disk", disk.rotation_s),
            ("with a write cache", disk.write_cache_bytes),
            ("flash", True),
        )
        if holds
    )
    yield "path " + (
        "unbuffered" if path in UNBUFFERED else "buffered" if path == "buffered" else "synchronous"
    )
    yield f"{work.pattern} {'writes' if work.writes else 'reads'}"
    yield "calls " + ("that arrive" if work.rate_per_s is not None else "one after the other")
    yield "users " + ("1" if work.users == 1 else "several")
    yield f"in flight {work.in_flight}"
    yield f"scheduler {scenario.system.host.scheduler}"
    yield "side by side" if work.beside else "alone"


def group_report(sample: Sequence[CaseComparison]) -> Iterator[str]:
    """Distances of streams by group; of those beyond 15 %, how many chance explains and how many carry no warning.

    Chance explains those that twice the standard error of their mean brings within 15 %.
    """
    yield f"{'streams':<34}{'n':>5}  median  95th pct   worst  >15 %  of them chance  not warned  warned"
    groups: dict[str, list[CaseComparison]] = defaultdict(list)
    for compared in sample:
        if family_of(compared.kind).name == "streams":
            for group in ("all", *groups_of(compared.case)):
                groups[group].append(compared)
    for group in ("all", *sorted(set(groups) - {"all"})):
        cases = groups[group]
        distances = sorted(case.distance for case in cases)
        off = [case for case in cases if case.distance > OFF]
        chance = sum(case.nearest <= OFF for case in off)
        at = math.ceil(0.95 * len(cases)) - 1
        yield (
            f"{group:<34}{len(cases):>5}{median(distances):>8.3f}{distances[at]:>10.3f}{distances[-1]:>8.2f}"
            f"{len(off) / len(cases):>7.1%}{chance:>16}{len(silent(cases)):>12}"
            f"{sum(case.warned for case in cases):>8}"
        )


def silent(sample: Iterable[CaseComparison]) -> list[CaseComparison]:
    """Those beyond 15 % that carry no warning."""
    return [compared for compared in sample if compared.distance > OFF and not compared.warned]


def undeclared(sample: Iterable[CaseComparison]) -> list[CaseComparison]:
    """Those that are farther than a fifth from the simulation and do not say that they may be."""
    return [compared for compared in sample if compared.distance > max(NEAR, compared.factor - 1)]


def beyond(sample: Iterable[CaseComparison]) -> list[CaseComparison]:
    """Those that are off by more than a factor of two, and by more than they declare."""
    return [compared for compared in sample if compared.distance > max(1.0, compared.factor - 1)]


def broken_bars(cases: Sequence[CaseComparison]) -> Iterator[str]:
    """A sentence for each bar that the cases of a kind miss."""
    far, very_far = undeclared(cases), beyond(cases)
    if len(far) > (1 - LEAST_SHARE) * len(cases):
        yield (
            f"{len(far)} of {len(cases)} are off by more than {show_share(NEAR)} and by more than "
            f"they declare: {_named(far)}"
        )
    if very_far:
        yield f"off by more than a factor of two and by more than declared: {_named(very_far)}"
    middle = median(case.ratio for case in cases)
    if abs(middle - 1) > MEDIAN:
        yield f"the median of simulated over estimated time is {middle:.3f}"


def _named(cases: Iterable[CaseComparison]) -> str:
    return ", ".join(f"{case.case} ({case.ratio:.3g}, declares {case.factor:g})" for case in cases)


def main(argv: Sequence[str] | None = None) -> int:
    """Play cases, print their residuals, and write the table."""
    asked = _asked(argv)
    kinds = asked.kind or KINDS
    sample = _sampled(_names(kinds, asked.first, asked.number), asked.played)
    if asked.write:
        _write_table(sample)
    lines = [*report(sample, by_regime=asked.regimes), *(group_report(sample) if asked.groups else ())]
    failed = False
    for kind in kinds:
        cases = sorted(
            (compared for compared in sample if compared.kind == kind),
            key=lambda compared: -compared.distance,
        )
        lines += [
            f"{compared.case:<24}{compared.ratio:>9.3f}  declares {compared.factor:g}  {compared.regime}"
            for compared in cases[: asked.worst]
        ]
        broken = [f"{kind}: {sentence}" for sentence in broken_bars(cases)]
        failed = failed or bool(broken)
        lines += broken
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return int(asked.check and failed)


def _asked(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.residuals", description=__doc__)
    parser.add_argument(
        "--kind", action="append", choices=list(WORKLOADS), help="only this kind; may be repeated"
    )
    parser.add_argument(
        "--first", type=int, help="number of the first case of each kind; those of the table if not said"
    )
    parser.add_argument("--number", type=int, help=f"cases of each kind; {NUMBER} when nothing is said")
    parser.add_argument(
        "--played", type=Path, help="file that keeps simulated times; cases it holds are not played"
    )
    parser.add_argument("--regimes", action="store_true", help="print each kind's regimes, too")
    parser.add_argument("--groups", action="store_true", help="print groups of streams, too")
    parser.add_argument("--worst", type=int, default=0, help="print so many of the worst cases of each kind")
    parser.add_argument("--check", action="store_true", help="fail where a kind lies beyond the bars")
    parser.add_argument("--write", action="store_true", help=f"write these kinds into {TABLE.name}")
    asked = parser.parse_args(argv)
    kinds = asked.kind or KINDS
    families = {family_of(kind).name for kind in kinds}
    if asked.write and {kind for kind in KINDS if family_of(kind).name in families} != set(kinds):
        parser.error("--write needs all kinds of a family: its rows are from all of them together")
    return asked


def _sampled(names: Iterable[str], file: Path | None) -> list[CaseComparison]:
    """The named cases that can be compared; what *file* keeps is not played again."""
    known = _kept(file)
    sample = []
    for name in names:
        if name not in known:
            known[name] = play(name)
            _keep(file, name, known[name])
        played = known[name]
        compared = None if played is None else compare(played)
        if compared is not None:
            sample.append(compared)
    return sample


def _write_table(sample: Sequence[CaseComparison]) -> None:
    """Write the rows of the kinds that were played, and leave those of others as they are."""
    rows = table_of(sample)
    made = set(rows)
    for (owner, regime), residual in table().items():
        if owner not in made:  # of kinds that were not asked for, or from a sample of its own
            rows.setdefault(owner, {})[regime] = residual
    rows = dict(sorted(rows.items(), key=lambda row: (row[0] == TOGETHER.name, row[0])))
    TABLE.write_text(as_toml(rows), encoding="utf-8")


def _names(kinds: Sequence[str], first: int | None, number: int | None) -> Iterator[str]:
    """Names of cases, kind after kind in turn, so that a run that is stopped has some of each."""
    most = {kind: number or NUMBER[family_of(kind).needs_events] for kind in kinds}
    for place in range(max(most.values())):
        for kind in (kind for kind in kinds if place < most[kind]):
            yield f"{kind}/{(FIRST_OF_TABLE if first is None else first) + place}"
            if first is None and family_of(kind).name == "streams":
                yield f"{kind}/{MORE_OF_STREAMS + place}"


def _kept(file: Path | None) -> dict[str, CaseTimes | None]:
    if file is None or not file.exists():
        return {}
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {row["case"]: CaseTimes(row["case"], row["times"]) if row["times"] else None for row in rows}


def _keep(file: Path | None, name: str, played: CaseTimes | None) -> None:
    if file is not None:
        with file.open("a", encoding="utf-8") as kept:
            kept.write(json.dumps({"case": name, "times": played and played.times}) + "\n")


if __name__ == "__main__":
    sys.exit(main())
