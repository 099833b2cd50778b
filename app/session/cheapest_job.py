"""The search for the cheapest machine that keeps a promise, over volumes, cache, cores and RAID, beside the page."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from blocktime.app.session.job import Job
from blocktime.app.text.optimise_text import sentences_of
from blocktime.model.catalog import entries
from blocktime.model.errors import BlocktimeError
from blocktime.model.spec import System
from blocktime.scenarios import Scenario
from blocktime.scenarios.forecast import forecast
from blocktime.scenarios.load import source_in, to_mapping
from blocktime.scenarios.search.optimise import Candidate, Optimum, optimise
from blocktime.scenarios.sweeps.sweep import Listener, SweepBackend
from blocktime.scenarios.sweeps.sweep_run import Outcome
from blocktime.scenarios.why_device import entry_of

WANTED: Final = "cost_machine_per_month"
SEARCHED_S: Final = 12.0
"""Seconds that the points of a search may take by their forecast, so that it ends within 30."""
LONGEST_S: Final = 30.0
FEWEST, MOST = 8, 200
PRECISION_PERCENT: Final = 10.0
"""Of each point: the ranking needs no more."""
VENDORS: Final = {"aws": "ebs-", "google": "hyperdisk-", "oracle": "oci-"}
"""How a public price list begins -> how the volumes begin that it prices."""
RAID: Final = "disk.raid_disks"
CORES_WEIGH: Final = 3.0
"""How much later values of cores are left out than others: most of a month is theirs, and more are never cheaper."""


class _Left(Exception):
    """The search is not wanted any more, or takes too long."""


def axes_of(scenario: Scenario) -> dict[str, list[Any]]:
    """What is tried of each field, its value in the scenario first; so many that the search ends in time."""
    system, work = scenario.system, scenario.workload
    book = entry_of(scenario, "prices")
    vendor = next((prefix for name, prefix in VENDORS.items() if book.startswith(name)), "")
    volumes = [name for name, e in entries("disk").items() if "iops_limit" in e.constants and name.startswith(vendor)]
    cache, cpus = system.instance.buffer_cache_bytes, system.host.cpus
    now = entry_of(scenario, "disk")
    axes: dict[str, list[Any]] = {
        "disk.use": list(dict.fromkeys([*([now] if now else []), *volumes])),
        "instance.buffer_cache_bytes": [cache, cache // 2, cache * 2, cache // 4, cache * 4],
        "host.cpus": list(dict.fromkeys(max(1, cpus >> step) for step in range(cpus.bit_length()))),
        RAID: [1, 2, 4] if system.disk.raid_level == "none" else [system.disk.raid_disks],
    }  # fmt: skip
    if not now:  # a disk of one's own stays
        axes["disk.use"] = []
    each_s = max(0.02, forecast(system, work).seconds)
    most = min(MOST, max(FEWEST, int(SEARCHED_S / each_s)))
    while math.prod(map(len, filter(None, axes.values()))) > most:
        longest = max(axes, key=lambda key: len(axes[key]) / (CORES_WEIGH if key == "host.cpus" else 1))
        axes[longest].pop()
    return axes


class CheapestJob(Job, Listener):
    """One search on its way: ranking and what binds, once it has ended."""

    def __init__(self, scenario: Scenario, limit: str) -> None:
        """*limit* is the promise, such as ``response_s <= 0.005``."""
        super().__init__()
        self.limit, self.fault, self.answered = limit, "", 0
        self.optima: list[tuple[int, Optimum]] = []
        """Volumes of the set, and the best of it."""
        self._scenario, self.axes = scenario, axes_of(scenario)
        self.points = math.prod(map(len, filter(None, self.axes.values())))

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._run, name="cheapest", daemon=True).start()

    def _run(self) -> None:
        try:
            for disks in self.axes[RAID]:
                self._search(disks)
        except _Left:
            self.fault = "" if self.is_cancelled else f"The search was ended after {LONGEST_S:.0f} s."
        except BlocktimeError as error:
            self.fault = str(error)
        finally:
            self.end()

    def _search(self, disks: int) -> None:
        data: dict[str, Any] = dict(to_mapping(self._scenario))
        if disks > 1 and self._scenario.system.disk.raid_level == "none":
            data["disk"] = {**data.get("disk", {}), "raid_level": "0", "raid_disks": disks}
        if hasattr(self._scenario.workload, "precision_percent"):
            data["workload"] = {**data.get("workload", {}), "precision_percent": PRECISION_PERCENT}
        source = source_in(data, self._scenario.name, self._scenario.origin)
        vary = [f"{key}={','.join(map(str, values))}" for key, values in self.axes.items()
                if key != RAID and len(values) > 1]  # fmt: skip
        optimum = optimise(source, vary, minimise=WANTED, such_that=[self.limit], listener=self, at=SweepBackend())
        self.optima.append((disks, optimum))

    def report_progress(self, outcome: Outcome) -> None:
        """Some more points are answered; leave off where nobody wants them, or they take too long."""
        self.answered += 1
        if self.is_cancelled or self.took_s > LONGEST_S:
            raise _Left

    def ranking(self, most: int = 8) -> list[tuple[int, Candidate]]:
        """The cheapest points of all sets of volumes, in their order."""
        points = [(disks, candidate) for disks, optimum in self.optima for candidate in optimum.ranking]
        return sorted(points, key=lambda point: (round(point[1].measures[WANTED], 2), point[0]))[:most]


def changes_of(scenario: Scenario, disks: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a point that differ from the scenario, as a question changes them."""
    of_set = {"disk.raid_level": "0", RAID: disks} if disks > 1 and scenario.system.disk.raid_level == "none" else {}
    return {key: value for key, value in {**values, **of_set}.items() if value != _value(scenario, key)}


def _value(scenario: Scenario, key: str) -> Any:
    owner: System | Any = scenario.system
    *sections, name = key.split(".")
    for section in sections:
        owner = getattr(owner, section)
    return entry_of(scenario, "disk") if name == "use" else getattr(owner, name)


def binding_words(optima: Sequence[tuple[int, Optimum]]) -> list[str]:
    """What keeps the cheapest from being cheaper."""
    best = [(optimum.best.measures[WANTED], optimum) for _, optimum in optima if optimum.best]
    return sentences_of(min(best, key=lambda pair: pair[0])[1]) if best else [
        text for _, optimum in optima[:1] for text in sentences_of(optimum)
    ]  # fmt: skip
