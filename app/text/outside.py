"""Which numbers of an answer stand on constants used outside the range that they were fitted in, and how far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from blocktime.app.text.profile import wait_class
from blocktime.model import causes
from blocktime.model.demand import operating_conditions
from blocktime.model.demand.transaction_demand import READS
from blocktime.model.provenance import Extrapolation, show_times, worst_first
from blocktime.model.results import RunResult
from blocktime.model.units import show_quantity
from blocktime.scenarios.why import CPU, components, next_to_nothing
from blocktime.scenarios.why_words import listed

MARK: Final = "~"
"""Behind the name of a number in plain text."""

MATTERS: Final = 0.01
"""Share of a time from which on it stands on a constant."""

_DEVICE_TIMES: Final = (
    causes.DIRECT, causes.PARALLEL, causes.SCATTERED, causes.SEQUENTIAL, causes.OTHER_SESSION, causes.FREE_BUFFERS,
    causes.KO_CHECKPOINT,
    *causes.LOG_FULL, causes.DIRECT_WRITE, causes.DEVICE, causes.ROOM, causes.WRITE_LIMIT, causes.COMMIT, causes.FSYNC,
    *causes.TEMP, causes.AT_ONCE, causes.SLOWEST, causes.SUBMIT_BLOCKED,
)  # fmt: skip
_DEVICE_WORK: Final = (
    operating_conditions.AT_DEVICE,
    operating_conditions.TRANSFERS,
    operating_conditions.QUEUED_WRITES,
    operating_conditions.REAPS,
)
_TIMES_OF: Final[dict[str, tuple[str, ...]]] = {
    operating_conditions.AT_DEVICE: _DEVICE_TIMES,
    operating_conditions.TRANSFERS: _DEVICE_TIMES,
    operating_conditions.QUEUED_WRITES: _DEVICE_TIMES,
    operating_conditions.REAPS: (causes.DIRECT, READS),
    operating_conditions.TRIPS: (causes.BETWEEN_CALLS,),
    operating_conditions.CLIENT_ROWS: (causes.FROM_CLIENT,),
    operating_conditions.CLIENT_VALUES: (causes.FROM_CLIENT,),
    operating_conditions.FETCHED_VALUES: (causes.FETCHES,),
    operating_conditions.WRITE_CALLS: (operating_conditions.WRITE_CALLS, causes.FREE_BUFFERS, causes.DIRECT_WRITE),
    operating_conditions.PAGE_WRITES: (operating_conditions.WRITE_CALLS, causes.FREE_BUFFERS),
    operating_conditions.JOURNAL: (causes.WRITE_LIMIT, causes.COMMIT),
    operating_conditions.COSTED: (),
}
"""Work -> the causes and events that its time is part of, where those are not called like the work itself."""
_TIMES_OF_A_CONSTANT: Final = {
    "client.send_cpu_fraction": (causes.SENT_TWICE,),
    "host.change_block_s": (*operating_conditions.USED_FOR["host.change_block_s"], causes.BUFFER_BUSY),
}
"""Constants that only part of their work's time depends on, or more than that."""


def components_on(extrapolation: Extrapolation, result: RunResult) -> list[str]:
    """Components of the response time, as the profile names them, that depend on the constant."""
    times: set[str] = set(_TIMES_OF_A_CONSTANT.get(extrapolation.constant, ()))
    if not times:
        for work in _works(extrapolation):
            times.update(_TIMES_OF.get(work, (work,)))
            if work in _DEVICE_WORK and result.transactions is not None:
                times.add(causes.LOG_FILE_SYNC)
    return [
        name
        for name, seconds in components(result).items()
        if seconds and name.removeprefix(CPU) in times and not next_to_nothing(result, seconds)
    ]


def _works(extrapolation: Extrapolation) -> tuple[str, ...]:
    return operating_conditions.USED_FOR.get(extrapolation.constant, ())


def by_component(result: RunResult) -> dict[str, list[Extrapolation]]:
    """Component of the response time -> what it stands on outside a fitted range, the farthest beyond first."""
    behind: dict[str, list[Extrapolation]] = {}
    for extrapolation in worst_first(result.extrapolated):
        for name in components_on(extrapolation, result):
            behind.setdefault(name, []).append(extrapolation)
    return behind


def by_number(result: RunResult) -> dict[str, list[Extrapolation]]:
    """The same for the numbers that stand for an answer: elapsed time, CPU, I/O, the client, the optimizer's cost.

    Elapsed time and CPU stand on what makes a hundredth of them or more.
    """
    behind_number: dict[str, list[Extrapolation]] = {"elapsed": [], "cpu": [], "io": [], "client": [], "cost": []}
    spent_s = components(result)
    for extrapolation in worst_first(result.extrapolated):
        behind, works = components_on(extrapolation, result), _works(extrapolation)
        behind_s = sum(abs(spent_s[name]) for name in behind)
        cpu_s = sum(abs(spent_s[name]) for name in behind if name.startswith(CPU))
        classes = {wait_class(name) for name in behind}
        for number, stands in (
            ("elapsed", bool(behind) and behind_s >= MATTERS * result.time.elapsed_s),
            ("cpu", bool(cpu_s) and cpu_s >= MATTERS * result.time.cpu_s),
            ("io", "User I/O" in classes or any(work in _DEVICE_WORK for work in works)),
            ("client", "Idle" in classes),
            ("cost", operating_conditions.COSTED in works),
        ):
            if stands:
                behind_number[number].append(extrapolation)
    return behind_number


def marked(name: str, behind: Mapping[str, Sequence[Extrapolation]]) -> str:
    """*name*, with a mark where it stands on something outside a range."""
    return f"{name} {MARK}" if behind.get(name) else name


def farthest(extrapolations: Sequence[Extrapolation]) -> str:
    """The largest factor among *extrapolations*, as ``2×``; empty where no factor says how far."""
    times = max(
        (extrapolation.times for extrapolation in extrapolations if extrapolation.times is not None), default=None
    )
    return "" if times is None else f"{show_times(times)}×"


def what_the_mark_says(results: Sequence[RunResult]) -> str:
    """A sentence below marked components: what is the matter, which constant is farthest off; empty without any."""
    marks = [
        extrapolation
        for result in results
        for extrapolations in by_component(result).values()
        for extrapolation in extrapolations
    ]
    if not marks:
        return ""
    worst = worst_first(marks)[0]
    count = len({mark.constant for mark in marks})
    used = show_quantity(worst.quantity, worst.used)
    if worst.times is None:
        text = f"{worst.constant} at {used}"
    else:
        text = f"{worst.constant}, {show_times(worst.times)} times beyond at {used}"
    if count == 1:
        return f"{MARK} depends on a constant used outside its measured range: {text}"
    return f"{MARK} depends on {count} constants used outside their measured ranges. The farthest is {text}"


def lines_of(answers: Sequence[Sequence[Extrapolation]], letters: Sequence[str] = ()) -> list[str]:
    """A sentence for each condition beyond a fitted range, the farthest first, with the letters of the answers.

    Constants that share the range and the value used share a sentence.
    """
    every = [
        (extrapolations, letter)
        for extrapolated, letter in zip(answers, letters or [""] * len(answers), strict=True)
        for extrapolations in _of_one_range(extrapolated)
    ]
    every.sort(key=lambda pair: -(pair[0][0].times or 0.0))
    sentences = ((_beyond(extrapolations), letter) for extrapolations, letter in every)
    return lettered(sentences, len(answers)) if letters else list(dict.fromkeys(text for text, _ in sentences))


def _of_one_range(extrapolated: Sequence[Extrapolation]) -> list[list[Extrapolation]]:
    groups: dict[tuple[str, float, float, float], list[Extrapolation]] = {}
    for extrapolation in extrapolated:
        condition = extrapolation.quantity, extrapolation.used, extrapolation.low, extrapolation.high
        groups.setdefault(condition, []).append(extrapolation)
    return list(groups.values())


def _beyond(extrapolations: Sequence[Extrapolation]) -> str:
    first, *more = extrapolations
    if not more:
        return str(first)
    names = listed([extrapolation.constant for extrapolation in extrapolations])
    return str(first).replace(f"{first.constant} was", f"{names} were", 1)


def lettered(sentences: Iterable[tuple[str, str]], count: int) -> list[str]:
    """Each sentence once, with the letters of the answers that it is told of, where that is not all *count* of them."""
    letters_by_sentence: dict[str, list[str]] = {}
    for sentence, letter in sentences:
        if letter not in letters_by_sentence.setdefault(sentence, []):
            letters_by_sentence[sentence].append(letter)
    return [
        sentence if len(letters) == count else f"{', '.join(sorted(letters))}: {sentence}"
        for sentence, letters in letters_by_sentence.items()
    ]
