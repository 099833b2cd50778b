"""Bytes that a report states and no transaction asks for: direct, temporary and multiblock I/O, as programs beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from blocktime.model.units import MIB
from blocktime.scenarios.measured import REPRODUCES
from blocktime.validation.identify.report import Report

KINDS: Final = {"read": "read_stream", "write": "write_stream"}
LEAST: Final = 0.005
"""Of all bytes, those of a direction that are worth a program."""
IN_FLIGHT: Final = 2
"""Programs for each request that is under way on average, so that a slower disk has more of them waiting."""
THINK_CV: Final = 0.3
"""So that several programs do not ask in step."""
MOST_PROGRAMS: Final = 256
MOST_CALLS: Final = 100_000
"""Calls of a simulated run beside the transactions."""
FEWEST_CALLS, USUAL_CALLS = 20, 1000
"""Calls of a program until it begins anew."""


@dataclass(frozen=True, slots=True)
class OtherRequests:
    """Requests of one direction that no transaction of the model asks for."""

    kind: str
    per_s: float
    call_bytes: int

    @property
    def writes(self) -> bool:
        """Whether they write."""
        return self.kind == KINDS["write"]

    @property
    def bytes_per_s(self) -> float:
        """Bytes of them a second."""
        return self.per_s * self.call_bytes

    def program(self, call_s: float, transactions_per_s: float) -> dict[str, Any]:
        """Closed programs that ask for as many a second where a call takes *call_s* seconds: N = X(R + Z)."""
        programs = min(MOST_PROGRAMS, ceil(IN_FLIGHT * self.per_s * call_s))
        calls = self.per_s / programs * USUAL_CALLS / transactions_per_s
        return {
            "kind": self.kind, "path": "direct", "block_size_bytes": self.call_bytes, "users": programs,
            "think_s": max(0.0, programs / self.per_s - call_s), "think_cv": THINK_CV,
            "count": int(min(USUAL_CALLS, max(FEWEST_CALLS, calls))),
        }  # fmt: skip


def other_requests(
    report: Report, modelled: dict[str, float], modelled_per_s: dict[str, float], transactions: int
) -> list[OtherRequests]:
    """Requests beside *modelled* bytes and requests a second, by direction; none where they are a small part of all.

    None, too, where a run of so many *transactions* would have more calls than a simulation plays.
    """
    stated = report.stated_bytes()
    if stated is None or stated.value - sum(modelled.values()) <= REPRODUCES * stated.value:
        return []
    others = list(_by_direction(report, modelled, modelled_per_s, LEAST * stated.value))
    per_s = report.transactions_per_s()
    run_s = transactions / per_s.value if per_s and per_s.value else 0.0
    return others if sum(each.per_s for each in others) * run_s <= MOST_CALLS else []


def _by_direction(
    report: Report, modelled: dict[str, float], modelled_per_s: dict[str, float], least: float
) -> Iterator[OtherRequests]:
    block = report.block_bytes()
    for what, kind in KINDS.items():
        bytes_per_s = report.stated_of(what, "bytes") - modelled[what]
        per_s = report.stated_of(what, "requests") - modelled_per_s[what]
        if bytes_per_s <= least:
            continue
        call_bytes = bytes_per_s / per_s if per_s > 0 else MIB
        blocks = max(1, round(min(MIB, max(block, call_bytes)) / block))
        yield OtherRequests(kind, bytes_per_s / (blocks * block), blocks * block)
