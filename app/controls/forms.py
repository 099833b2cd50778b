"""The controls of the what-if page, as the fields declare them: label, group and rank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Final

from blocktime.app.controls.control_fields import Facts, facts, value_at
from blocktime.model.spec import WORKLOADS
from blocktime.model.spec.groups import GROUPS, PRICES, ControlGroup
from blocktime.scenarios import Scenario
from blocktime.scenarios.declared import declaration, declarations
from blocktime.scenarios.idle import why_idle
from blocktime.scenarios.unread import is_unread


@dataclass(frozen=True)
class Control:
    """One control: the dotted path of its field, the DBA's word for it, and values worth offering."""

    path: str
    label: str
    offers: tuple[str, ...] = ()

    def facts(self, kind: str) -> Facts | None:
        """What its field allows; None where a workload of *kind* has no such field."""
        return facts(self.path, kind)

    def offered(self, scenario: Scenario) -> bool:
        """Whether it is worth showing: prices are once there is a currency, a kind of transaction where it is alone."""
        if self.path == ROW_BYTES:
            return not scenario.system.table.columns
        if self.path.startswith(OF_A_KIND):
            return len(scenario.workload.mixed) == 1
        return self.path not in PRICED or scenario.system.prices.currency is not None

    def idle(self, scenario: Scenario) -> str:
        """Why the field decides nothing in *scenario*, in a few words; empty where it does."""
        return why_idle(self.path, scenario)


RAID_DISKS: Final = "disk.raid_disks"
ROW_BYTES: Final = "table.row_bytes"
"""Offered where the row is not described column by column."""
OF_A_KIND: Final = "workload.mix.0."
WAKES: Final = {"the disk is not a RAID set": "two or more make a RAID 0"}
"""Why a field plays no part as yet -> what a value of it changes about that."""


def companion(path: str, text: str, before: Scenario) -> tuple[str, str]:
    """The other field that this value of a field may need, with a value that suits it; two empty texts where none.

    *before* is the scenario without it.
    """
    if path == RAID_DISKS and text != "1" and before.system.disk.raid_level == "none":
        return "disk.raid_level", "0"
    return declaration(path, before.workload.kind).needs.get(text, ("", ""))


@cache
def groups_of(kind: str) -> dict[str, tuple[Control, ...]]:
    """The groups of the page for a workload of *kind*, each with the controls of fields that matter for it.

    Groups and their order, labels and ranks are those that the fields declare.
    """
    controls: dict[ControlGroup, list[tuple[int, Control]]] = {group: [] for group in GROUPS}
    for path, declared in declarations(kind).items():
        for place in declared.places:
            if place.is_for(kind) and not is_unread(kind, path):
                controls[place.group].append((place.rank, Control(path, place.label, declared.offers)))
    return {
        group.name: tuple(control for _, control in sorted(ranked, key=itemgetter(0)))
        for group, ranked in controls.items()
        if ranked
    }


FOLDED: Final = frozenset(group.name for group in GROUPS if group.folded)
"""Groups that few readers need; they are drawn once they are open, or have a change."""
PRICED: Final = frozenset(
    path
    for path, declared in declarations("full_scan").items()
    if any(place.group is PRICES for place in declared.places)
) - {"prices.use", "prices.currency"}


def controls_of(paths: Sequence[str], kind: str) -> list[Control]:
    """The controls of these fields in a workload of *kind*, in that order."""
    return [control_of(path, kind) for path in paths if facts(path, kind)]


def label_of(path: str, kind: str = "") -> str:
    """The DBA's word for a field in a workload of *kind*, or of the first one that has it; empty where none has any."""
    labels = (
        (GROUPS.index(place.group), place.label)
        for each in ([kind] if kind else WORKLOADS)
        for place in declaration(path, each).places
    )
    return min(labels, key=itemgetter(0), default=(0, ""))[1].partition(";")[0]


@cache
def control_of(path: str, kind: str) -> Control:
    """The control of a field in a workload of *kind*; one that declares no label is named after the field."""
    known = (control for controls in groups_of(kind).values() for control in controls if control.path == path)
    return next(known, Control(path, words_of(path, kind), declaration(path, kind).offers))


def words_of(path: str, kind: str = "") -> str:
    """The DBA's word for a field, or else its section and its name: ``Disk: bandwidth``."""
    section, _, name = path.rpartition(".")
    if not FIELD.fullmatch(path):
        return path
    words = ENDS_IN_A_UNIT.sub("", name).replace("_", " ")
    number = section.rpartition(".")[2]  # of a program beside the first, which is number 1
    of = f"Program {int(number) + 2}" if number.isdigit() and "beside" in section else number.capitalize()
    return label_of(path, kind) or f"{of}: {words}"


FIELD: Final = re.compile(r"[a-z_]+(\.[a-z0-9_]+)+")
ENDS_IN_A_UNIT: Final = re.compile(r"(?<=.)(_bytes_per_s|_bytes|_percent|_fraction|_s|_hz)$")


def in_words(text: str) -> str:
    """*text* with the DBA's words for the fields that it names by their paths."""
    return FIELD.sub(lambda path: label_of(path[0]) or path[0], text)


def both_values(path: str, base: Scenario, other: Scenario) -> tuple[str, str, str]:
    """What a field is called, and its values in both scenarios in words; empty where *path* is no field of theirs."""
    control = control_of(path, other.workload.kind)
    field = control.facts(other.workload.kind)
    if field is None:
        return words_of(path), "", ""
    was, now = (value_at(scenario, path) for scenario in (base, other))
    # Entries of the catalog are told by the names that the reason calls them by.
    was, now = (
        value if path.endswith(".use") and value in field.options else field.show(value) for value in (was, now)
    )
    return control.label, was, now
