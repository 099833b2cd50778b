"""Answer the points of a plan: those that the store has not, by an executor, each kept as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from blocktime.model.measures import MEASURES
from blocktime.model.results import SIMULATION
from blocktime.scenarios.sweeps.answers import NOTHING, Answer, Answers, Item, Items, SweepTask, Wholes, answers
from blocktime.scenarios.sweeps.executors import Executor, NoAnswer
from blocktime.scenarios.sweeps.ledger import Ledger
from blocktime.scenarios.sweeps.sweep_plan import BLOCK, Plan

CHUNK_S: Final = 1.0
"""Work that is handed out at once: much against what handing out costs, little enough to show progress."""
LONGEST_CHUNK_S: Final = 3.0
"""Where a chunk has much work of its own, as answers by arrays have."""
OVERHEAD_SHARE: Final = 0.1
"""Of the time of a chunk that its own work may take; of one longer than `LONGEST_CHUNK_S` `MOST_OVERHEAD_SHARE`."""
MOST_OVERHEAD_SHARE: Final = 0.5
MOST_TIMES_LARGER: Final = 32
"""Than the last chunk."""
MOST_IN_A_CHUNK: Final = 50_000
CHUNKS_A_WORKER: Final = 2
"""At least so many of what nobody has yet, so that several workers end together."""
LEAST_CHUNK_S: Final = 0.01
"""Below that, handing out costs more than waiting for the last one."""
PILOTS: Final = (1, 1, 8, 64)
PILOT_S: Final = 0.25
MOST_STEPS: Final = 1_000
GOLDEN: Final = 0.6180339887498949
"""Steps of this share of a row of points never come close to each other."""

OnProgress = Callable[["Outcome"], None]


@dataclass(slots=True)
class Outcome:
    """How far a sweep has come, in answers: points times replications."""

    wanted: int
    reused: int = 0
    answered: int = 0
    failed: dict[int, str] = field(default_factory=dict)
    """Place of a point -> why it has no row."""
    has: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(len(MEASURES), bool))
    """Which measures any of the answers has."""

    @property
    def done(self) -> int:
        """Answers that are known."""
        return self.reused + self.answered

    @property
    def left(self) -> int:
        """Answers still to be worked out."""
        return self.wanted - self.done

    def saw(self, rows: NDArray[np.float64]) -> None:
        """Note which measures these answers have."""
        self.has |= ~np.isnan(rows).all(axis=0)


class Running:
    """A plan on its way through a store and an executor; what was answered stays in the store whatever happens."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self.plan, self.ledger = plan, ledger
        self.task = SweepTask(plan.points, plan.how.seed, plan.how.budget)
        self.outcome = Outcome(plan.answers)
        self.each_s = 0.0
        """What one more answer in a chunk takes, as far as it is known."""
        self._overhead_s = 0.0
        """What a chunk takes beside its answers."""
        self._learned = 0, 0.0
        """Answers of the largest chunk so far, and its seconds."""
        self._played = 0, 0.0
        """Answers in chunks with simulations, and their seconds: some take much longer than others."""
        self._each = plan.how.replications
        self._known = np.zeros(self._each + plan.answers, bool)  # those of the base scenario come first
        self._keys = plan.keys.reshape(-1)
        self._look_up()
        self._doubles = plan.doubles()
        for place in self._doubles:  # answered once
            of_place = slice((place + 1) * self._each, (place + 2) * self._each)
            self.outcome.reused += int(np.count_nonzero(~self._known[of_place]))
            self._known[of_place] = True

    def _look_up(self) -> None:
        for begin in range(0, len(self._known) if len(self.ledger) else 0, BLOCK):
            rows, methods = self.ledger.get(self._keys[begin : begin + BLOCK].tolist())
            stored = np.array(methods, object) != ""
            self._known[begin : begin + BLOCK] = stored
            self.outcome.saw(rows)
        self.outcome.reused = int(np.count_nonzero(self._known[self._each :]))

    @property
    def unknown(self) -> int:
        """Answers that nobody has, of points and of the base scenario."""
        return len(self._missing())

    def _missing(self) -> Wholes:
        """Numbers of the answers that nobody has, point by point, replications together."""
        return np.flatnonzero(~self._known)

    def _items(self, numbers: Wholes) -> Sequence[Item]:
        """Points, or replications of the base scenario."""
        if numbers.max(initial=0) < self._each:
            return [Item(number, number, None) for number in numbers.tolist()]
        places, replications = np.divmod(numbers, self._each)
        return Items(numbers, replications, self.plan.columns(places - 1))

    def pilot(self) -> float:
        """Answer a few points, spread over the design, and then more while that is quick; seconds that the rest takes.

        Those are of one process. The first point also pays for what is imported and compiled once.
        """
        missing = self._missing()
        missing = missing[missing >= self._each]
        ranks = dict.fromkeys(int(step * GOLDEN % 1 * len(missing)) for step in range(MOST_STEPS))
        spread = iter(missing[list(ranks)] if len(missing) else missing)
        for step, size in enumerate(PILOTS):
            items = self._items(np.sort(np.fromiter(islice(spread, size), np.int64)))
            if not len(items):
                break
            chunk = answers(self.task, items)
            self._keep(items, chunk)
            if step == 0:  # it may import much
                self._learned = self._played = 0, 0.0
            elif chunk.took_s > PILOT_S:
                break
        return self.each_s * self.outcome.left

    def run(self, executor: Executor, on_progress: OnProgress | None = None) -> Outcome:
        """Answer what is missing; *on_progress* hears of every step. May be left by any exception, and called again."""
        sent: dict[int, Sequence[Item]] = {}

        def chunks() -> Iterator[Sequence[Item]]:
            missing = self._missing()
            # Points from everywhere in the design: the first of them take as long as the others.
            missing = missing[np.argsort(missing // self._each * GOLDEN % 1, kind="stable")]
            while len(missing):
                of_base = int(np.count_nonzero(missing < self._each))
                size = self._chunk(executor.workers, len(missing))
                numbers, missing = np.split(missing, [min(of_base or len(missing), size)])
                sent[len(sent)] = items = self._items(np.sort(numbers))
                yield items

        for number, chunk_answers in executor.map(partial(answers, self.task), chunks()):
            items, sent[number] = sent[number], ()
            self._keep(items, chunk_answers)
            if on_progress is not None:
                on_progress(self.outcome)
        return self.outcome

    def close(self) -> Outcome:
        """The outcome, in which a point has the error of an equal one."""
        for place, first in self._doubles.items():
            if first in self.outcome.failed:
                self.outcome.failed[place] = self.outcome.failed[first]
        return self.outcome

    def _chunk(self, workers: int, missing: int) -> int:
        """Answers that are handed out together, of so many that nobody has yet."""
        size = MOST_IN_A_CHUNK if self.each_s else 1
        if self.each_s:
            least_s = self._overhead_s / MOST_OVERHEAD_SHARE
            chunk_s = max(CHUNK_S, least_s, min(LONGEST_CHUNK_S, self._overhead_s / OVERHEAD_SHARE))
            least = 2 if self._learned[0] == 1 else 1  # of one answer alone it is not known what the chunk takes
            size = min(size, max(least, int((chunk_s - self._overhead_s) / self.each_s)))
            if workers > 1:
                share = -(-missing // (CHUNKS_A_WORKER * workers))
                size = min(size, max(share, int(LEAST_CHUNK_S / self.each_s)))
        if self._learned[0]:
            size = min(size, MOST_TIMES_LARGER * self._learned[0])
        return size

    def _learn(self, size: int, took_s: float, are_played: bool) -> None:
        """Tell the time that a chunk of that size takes itself from that of its answers."""
        before, before_s = self._learned
        if are_played:
            self._played = self._played[0] + size, self._played[1] + took_s
            self.each_s, self._overhead_s = self._played[1] / self._played[0], 0.0
            self._learned = max(size, before), took_s
        elif size > before:
            self.each_s = max(took_s / MOST_TIMES_LARGER / size, (took_s - before_s) / (size - before))
            self.each_s = min(self.each_s, took_s / size)
            self._overhead_s, self._learned = took_s - size * self.each_s, (size, took_s)
        else:
            self.each_s = max(took_s / MOST_TIMES_LARGER, took_s - self._overhead_s) / size

    def _keep(self, items: Sequence[Item], chunk_answers: Sequence[Answer | NoAnswer]) -> None:
        together = by_column(chunk_answers)
        if isinstance(chunk_answers, Answers) and isinstance(items, Items):
            self._learn(len(items), chunk_answers.took_s, bool((together.methods == SIMULATION).any()))
        numbers = items.numbers if isinstance(items, Items) else np.array([item.number for item in items])
        self._known[numbers] = True
        self.outcome.answered += int(np.count_nonzero(numbers >= self._each))
        for rank, error in together.errors.items():
            place = int(numbers[rank]) // self._each - 1
            if place >= 0:
                self.outcome.failed.setdefault(place, error)
        has_row = together.methods != ""
        rows = together.rows[has_row]
        self.ledger.put(self._keys[numbers[has_row]].tolist(), rows, together.methods[has_row].tolist())
        self.outcome.saw(rows)


def by_column(chunk_answers: Sequence[Answer | NoAnswer]) -> Answers:
    """Answers of a chunk by column, which they are where no worker died."""
    if isinstance(chunk_answers, Answers):
        return chunk_answers
    together = Answers(len(chunk_answers))
    for place, answer in enumerate(chunk_answers):
        together.put(place, Answer(NOTHING, "", answer.sentence) if isinstance(answer, NoAnswer) else answer)
    return together
