"""The words that differences are told in: from, to, saves, costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blocktime.model.units import show_alike, show_seconds

LEAST_COUNT_CHANGE = 0.01
NOTHING_S = 1e-9


class ComponentChange(NamedTuple):
    """One component of the response time, before and after."""

    name: str
    before_s: float
    after_s: float
    change_s: float
    longest_s: float = 0.0
    """The longest time that stands beside it: from minutes on, its own times are told in minutes, too."""

    def show(self, duration_s: float) -> str:
        """A duration in the form of the longest beside it."""
        return show_seconds(duration_s, self.longest_s)


def differs(before: float, after: float, least: float = LEAST_COUNT_CHANGE) -> bool:
    return abs(after - before) > least * max(abs(before), abs(after))


def count(value: float) -> str:
    return f"{value:,.0f}"


def from_to(before: float, after: float, show: Callable[[float], str] = count) -> str:
    """A change in words."""
    first, second = show_alike(before, after) if show is show_seconds else (show(before), show(after))
    if first == second:
        return f"stays at {first}"
    return f"{'fell' if after < before else 'rose'} from {first} to {second}"


def takes(change: ComponentChange) -> str:
    return f"takes {change.show(change.after_s)} instead of {change.show(change.before_s)}"


def effect(change: ComponentChange, of: str = "") -> str:
    if abs(change.change_s) < NOTHING_S:
        return "costs no time"
    return f"{'saves' if change.change_s < 0 else 'costs'} {change.show(abs(change.change_s))}{of}"


def listed(parts: Sequence[str]) -> str:
    """Several things in words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def plural(number: float, word: str) -> str:
    return f"{count(number)} {word}{'' if number == 1 else 's'}"
