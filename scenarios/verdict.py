"""The answer to a question in one sentence: yes or no, the number, the limit that binds, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from blocktime.model.causes import FROM_CLIENT
from blocktime.model.provenance import show_times
from blocktime.model.results import EXACT_SUM, RunResult, TransactionStats
from blocktime.model.units import show_alike, show_change, show_data, show_share
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.why import SAME_ELAPSED, are_paired, chance, components, why
from blocktime.scenarios.why_device import BINDING, ScenarioPair, limit
from blocktime.scenarios.why_words import differs

Ask = Literal["change", "faster", "saving", "enough", "users", "reason"]
"""What a question asks of a change: nothing in particular; is it faster, what does it save, does it suffice, how many
users until the response doubles, or why."""
YES: Final[dict[str, dict[bool, str]]] = {
    "change": {True: "Faster", False: "Slower"},
    "faster": {True: "Yes", False: "No"},
    "saving": {True: "It saves", False: "It saves nothing"},
    "enough": {True: "Yes", False: "No"},
}
MOST_LONGER: Final = 0.1
"""Part by which a run may take longer and the volume still suffices."""
LITTLE: Final = 0.05
"""Part of the time that is hardly saved: the answer is neither yes nor no."""


def is_clear(before: RunResult, after: RunResult) -> bool:
    """Whether two answers differ by more than 1 % and by more than chance."""
    return differs(before.time.elapsed_s, after.time.elapsed_s, SAME_ELAPSED) and not chance(before, after)


def verdict(before: RunResult, after: RunResult, scenario: Scenario, ask: Ask) -> bool | None:
    """Yes or no to *ask*; None where it is no such question, or where a change makes no clear difference.

    A volume is enough where none of its limits binds in *scenario*, that of *after*, and it takes 10 % longer at most.
    """
    was_s, now_s = before.time.elapsed_s, after.time.elapsed_s
    if ask == "enough":
        return not full_volume(after, scenario) and now_s <= (1 + MOST_LONGER) * was_s
    if ask in ("users", "reason") or (ask == "change" and not is_clear(before, after)):
        return None
    return is_clear(before, after) and now_s < was_s


def sentence(
    before: RunResult,
    after: RunResult,
    scenarios: tuple[Scenario, Scenario],
    ask: Ask = "change",
    is_open: bool = False,
) -> str:
    """What a change makes of the time: yes or no, both times, the limit that binds, and how sure that is.

    The sign *is_open* where the constants' uncertainty leaves it so.
    """
    was_s, now_s = before.time.elapsed_s, after.time.elapsed_s
    was, now, moved = show_alike(was_s, now_s, abs(now_s - was_s))
    is_moved, answer = is_clear(before, after), verdict(before, after, scenarios[1], ask)
    word = YES[ask][answer] if answer is not None and ask in YES else ""
    if is_moved:
        times = f"{now} instead of {was} ({show_change(was_s, now_s)})"
        word = f"{word} {moved}" if ask == "saving" and answer else word
        word = f"Perhaps {word.lower()}" if is_open else word
        word = "Hardly" if ask == "faster" and answer and not differs(was_s, now_s, LITTLE) else word
    else:
        times = f"{now}, as before" if was == now else f"{was} before, {now} now"
        word = "No, no difference" if ask == "faster" else word if ask == "enough" else "No difference"
    times = ", ".join([times, *_beside(before, after)])
    reason = binding(after, scenarios[1])
    if ask == "reason" and is_moved:
        reason = why(before, after, scenarios)[0].partition(": ")[0]
    if ask == "users" and (limits := _users(after, scenarios[1])):
        word, reason = limits
    parts = [reason, times] if ask == "users" or (answer is False and ask == "enough") else [times, reason]
    return f"{word}{': ' if word else ''}{'; '.join(filter(None, parts))}.{how_sure(after, before)}"


def _beside(before: RunResult, after: RunResult) -> Iterator[str]:
    """What each program beside the first takes now and took before, where that moved by more than 1 %."""
    former = {program.name: program.took_s for program in before.programs or ()}
    for program in (after.programs or ())[1:]:
        was_s, now_s = former.get(program.name), program.took_s
        if was_s and now_s and differs(was_s, now_s, SAME_ELAPSED):
            was, now = show_alike(was_s, now_s)
            yield f"{program.name} {now} instead of {was} ({show_change(was_s, now_s)})"


def full_volume(result: RunResult, scenario: Scenario) -> str:
    """The limit of a volume or of its host that binds, or the drive that is full; empty where none is."""
    if text := limit(ScenarioPair(scenario, scenario), result):
        return text
    disk = scenario.system.disk
    for device in result.device.values():
        moved = device.read_bytes_per_s + device.written_bytes_per_s
        if moved >= BINDING * disk.bandwidth_bytes_per_s * disk.raid_disks:
            return f"the drive is full at {show_data(moved)}/s"
    return ""


def binding(result: RunResult, scenario: Scenario) -> str:
    """The limit that binds: of a volume, the drive or the bottleneck; else what takes most of the time."""
    if text := full_volume(result, scenario):
        return text
    stats = result.transactions
    if stats is not None and not stats.without_disk and stats.utilisation.get(stats.bottleneck, 0.0) >= BINDING:
        return f"{stats.bottleneck} {show_share(stats.utilisation[stats.bottleneck])} busy"
    parts = components(result) | {"CPU": result.time.cpu_s}
    name = max((name for name in parts if not name.startswith("CPU: ")), key=lambda name: parts[name])
    words = {"CPU": "the CPU", FROM_CLIENT: "the client"}.get(name, f"“{name}”")
    of = "the response" if stats is not None else "the time"
    return f"{words} takes {show_share(parts[name] / result.time.elapsed_s)} of {of}"


def how_sure(result: RunResult, before: RunResult | None = None) -> str:
    """How sure a time is: the half-width of its 95 % interval, and how far constants are used beyond their range.

    Of a difference the wider one of its two times. Runs with the same random numbers may differ by less than that.
    """
    texts, times = [], [each.time for each in (result, before) if each is not None]
    halves = [
        (time.interval.high_s - time.interval.low_s) / 2 / time.elapsed_s
        for time in times
        if time.interval is not None and time.elapsed_s
    ]
    if halves:
        each = ""
        if before is not None and are_paired(before, result) and is_clear(before, result):
            moved = abs(result.time.elapsed_s - before.time.elapsed_s) / result.time.elapsed_s
            each = " each, with the same random numbers" if moved < max(halves) else ""
        texts += [f"within ±{show_share(max(halves), 1)}{each}"] if max(halves) >= 0.0005 else []
    elif result.method == EXACT_SUM:
        texts.append("an exact sum")
    if result.extrapolated:
        far = max(use.times or 1.0 for use in result.extrapolated)
        texts.append(f"extrapolated{f' {show_times(far)}×' if far > 1 else ''}")
    text = ", ".join(texts)
    return f" {text[0].upper()}{text[1:]}." if text else ""


def doubling_users(stats: TransactionStats, think_s: float) -> float | None:
    """Users at which the response is twice that of one user at the latest; None for arrivals at a rate.

    With a think time Z and a least response R the throughput X reaches its ceiling at X (Z + R) users, and the response
    is 2 R at X (Z + 2 R): the asymptotic bounds of operational analysis.
    """
    if stats.saturation_users is None or stats.without_disk:
        return None
    return 2 * stats.saturation_users - stats.saturation_per_s * think_s


def _users(result: RunResult, scenario: Scenario) -> tuple[str, str] | None:
    """Until how many users the response stays below twice that of one, and what saturates first."""
    stats = result.transactions
    users = doubling_users(stats, getattr(scenario.workload, "think_s", 0.0)) if stats is not None else None
    if stats is None or users is None:
        return None
    return f"At {users:,.0f} users at the latest", f"{stats.bottleneck} first to saturate"
