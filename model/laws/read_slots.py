"""Asynchronous direct reads that one session keeps in flight: its slots, and their growth with time.

A session checks its read waits every three seconds, and adds a slot or two at every second check [hatem-slots]. The
trace of a scan of 25 s has checks 3.0 s apart; slots 2, 3 after the first 6 s, 4 after 12, 6 after 18.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from blocktime.model.laws.numeric import Number, larger, smaller, some, where

LOOK_EVERY_S = 3.0
LOOKS_TO_ADD = 2
"""At the check between it sees the effect of the last slots."""
WAITS_FRACTION = 0.5
"""Share of the time that a session must have waited to add slots; the published session had waited 73 %."""
TWO_FROM_SLOTS = 4
ADD_EVERY_S = LOOK_EVERY_S * LOOKS_TO_ADD


class SlotStage(NamedTuple):
    """A time of a scan in which its slots stay."""

    slots: Number
    elapsed_s: Number
    fraction: Number
    """Of the scan's reads."""
    device_s: Number
    """Time that the device would take for these reads if the session did no other work."""


def more_slots(slots: Number, limit: Number) -> Number:
    """Slots after one addition: one more, two more from four on, at most *limit*."""
    return smaller(limit, slots + where(slots < TWO_FROM_SLOTS, 1, 2))


def stages(
    work_s: Number, channel_s: Number, latency_s: Number, parallel: Number, slots: Number, limit: Number
) -> Iterator[SlotStage]:
    """The stages between two additions of a scan that works *work_s* in total and uses a channel for *channel_s*.

    Its reads take *latency_s* one after another; as many are in flight as there are slots, or as the device serves.
    """
    left, now = 1.0 + 0.0 * work_s, slots + 0 * work_s
    while some(left > 0):
        at_device_s = larger(channel_s, latency_s / smaller(parallel, now))
        all_s = larger(1e-12, larger(work_s, at_device_s))
        stays = where(now >= limit, True, work_s >= (1 - WAITS_FRACTION) * all_s)
        fraction = smaller(left, where(stays, left, ADD_EVERY_S / all_s))
        yield SlotStage(now, fraction * all_s, fraction, fraction * at_device_s)
        left = left - fraction
        now = where(stays, now, more_slots(now, limit))


def mean_slots(elapsed_s: Number, work_s: Number, slots: Number, limit: Number) -> Number:
    """Mean slots of a session over *elapsed_s* seconds, in which it works *work_s*; it starts with *slots*."""
    each = list(stages(work_s, elapsed_s, 0.0, 1, slots, limit))
    return sum(stage.slots * stage.fraction for stage in each)


def device_s(
    work_s: Number, channel_s: Number, latency_s: Number, parallel: Number, slots: Number, limit: Number
) -> Number:
    """Time that a device takes for the reads of a scan with the slots of each stage; see :func:`stages`."""
    return sum(stage.device_s for stage in stages(work_s, channel_s, latency_s, parallel, slots, limit))


def slots_by_time(scan_stages: Iterable[SlotStage]) -> dict[float, float]:
    """Seconds since a scan began -> slots from then on."""
    history, at_s = {}, 0.0
    for stage in scan_stages:
        history[at_s] = float(stage.slots)
        at_s += float(stage.elapsed_s)
    return history
