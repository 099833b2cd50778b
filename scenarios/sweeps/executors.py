"""Who does the work of a sweep: this process, processes of this machine or, in ``cluster``, a Dask cluster.

A worker may die in the middle (out of memory, killed by hand) and nothing is lost: what it had is done again. A chunk
that is in flight at `TRIES` deaths is halved until the one item that kills stands alone; its answer is `NoAnswer`.
"""

from __future__ import annotations

import pickle
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from queue import SimpleQueue
from threading import Semaphore
from types import TracebackType
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from blocktime.model.errors import SpecError, quote
from blocktime.scenarios.worker_pool import LOOKS_S, Worker, WorkerLost, WorkerPool

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Work: TypeAlias = Callable[[Sequence[Item]], Sequence[Answer]]

TRIES: Final = 3
MOST_WORKERS: Final = 256


@dataclass(frozen=True)
class NoAnswer:
    """The answer of an item that has none, and why."""

    sentence: str


class Executor(Protocol):
    """Answers chunks of items; one ``map`` at a time, within the context."""

    @property
    def workers(self) -> int:
        """How many work at once."""

    def map(
        self, work: Work[Item, Answer], chunks: Iterable[Sequence[Item]]
    ) -> Iterator[tuple[int, Sequence[Answer | NoAnswer]]]:
        """Each chunk's number with one answer per item, as they are done.

        *work* is a function of a module, or a partial of one; what it raises ends everything. Chunks are taken only
        when somebody has time for them.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ThisProcess:
    """This process."""

    workers: int = 1

    def map(
        self, work: Work[Item, Answer], chunks: Iterable[Sequence[Item]]
    ) -> Generator[tuple[int, Sequence[Answer | NoAnswer]], None, None]:
        for number, chunk in enumerate(chunks):
            yield number, work(chunk)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


# What every executor with workers elsewhere does alike


@dataclass(eq=False)
class ChunkPiece(Generic[Item]):
    """A chunk, or a part of one that was halved."""

    number: int
    start: int  # of its items among those of the chunk
    items: Sequence[Item]
    deaths: int = 0  # while it was in flight


@dataclass(frozen=True)
class PieceAnswered(Generic[Item, Answer]):
    """A piece came back."""

    piece: ChunkPiece[Item]
    answers: Sequence[Answer]


@dataclass(frozen=True)
class LostPieces(Generic[Item]):
    """These were in flight when a worker died; one of them may have killed it."""

    pieces: Sequence[ChunkPiece[Item]]
    times: int = 1


class Flight(Protocol[Item, Answer]):
    """The pieces of one ``map`` that are with the workers."""

    def __len__(self) -> int: ...

    def send(self, piece: ChunkPiece[Item]) -> None:
        """Hand *piece* over."""

    def landed(self) -> Sequence[PieceAnswered[Item, Answer] | LostPieces[Item]]:
        """Wait for the next; raises what the work raised."""

    def close(self) -> None:
        """Forget what is still in flight."""


class ChunkPieces(Generic[Item, Answer]):
    """What is to be sent next, and what is known of each chunk.

    A death accuses all that were in flight. Those that were so before go on trial: nothing else flies with them, first
    one half and then the other, until one that dies alone is found.
    """

    def __init__(self, chunks: Iterable[Sequence[Item]]) -> None:
        self._chunks = enumerate(chunks)
        self._again: deque[ChunkPiece[Item]] = deque()
        self._trials: list[list[ChunkPiece[Item]]] = []
        self._on_trial = 0  # pieces that were sent with nothing else in flight
        self._answers: dict[int, list[Answer | NoAnswer | None]] = {}
        self._missing: dict[int, int] = {}

    def due(self, flying: int, room: int) -> Iterator[ChunkPiece[Item]]:
        """What to send while *flying* pieces are in flight and *room* may be."""
        if flying and (self._on_trial or self._trials):
            return
        group = self._trials.pop() if self._trials else []
        self._on_trial = len(group)
        yield from group
        while not group and flying < room and (piece := self._next()):
            flying += 1
            yield piece

    def answered(
        self, piece: ChunkPiece[Item], answers: Sequence[Answer | NoAnswer]
    ) -> Iterator[tuple[int, Sequence[Answer | NoAnswer]]]:
        """Keep *answers*; yields the chunk once it is complete."""
        whole = self._answers[piece.number]
        if len(answers) == len(whole):  # as they came
            del self._missing[piece.number], self._answers[piece.number]
            yield piece.number, answers
            return
        whole[piece.start : piece.start + len(answers)] = answers
        self._missing[piece.number] -= len(answers)
        if not self._missing[piece.number]:
            del self._missing[piece.number]
            yield piece.number, self._answers.pop(piece.number)  # type: ignore[misc]  # no None is left

    def fallen(
        self, pieces: Sequence[ChunkPiece[Item]], times: int
    ) -> Iterator[tuple[int, Sequence[Answer | NoAnswer]]]:
        """Send *pieces* again, halve one that died alone or give it up; yields a chunk that this completes."""
        for piece in pieces:
            piece.deaths += times
        if self._on_trial != 1:
            self._again += [piece for piece in pieces if piece.deaths < TRIES - 1]
            suspects = [piece for piece in pieces if piece.deaths >= TRIES - 1]
            middle = (len(suspects) + 1) // 2
            self._trials += [group for group in (suspects[middle:], suspects[:middle]) if group]
            return
        (piece,) = pieces
        if piece.deaths < TRIES:
            self._trials.append([piece])
        elif len(piece.items) == 1:
            yield from self.answered(piece, [NoAnswer(f"its worker died {TRIES} times")])
        else:
            middle = len(piece.items) // 2
            behind = ChunkPiece(piece.number, piece.start + middle, piece.items[middle:], piece.deaths)
            before = ChunkPiece(piece.number, piece.start, piece.items[:middle], piece.deaths)
            self._trials += [[behind], [before]]

    def _next(self) -> ChunkPiece[Item] | None:
        if self._again:
            return self._again.popleft()
        number, chunk = next(self._chunks, (0, None))
        if chunk is None:
            return None
        self._answers[number] = [None] * len(chunk)
        self._missing[number] = len(chunk)
        return ChunkPiece(number, 0, chunk)


class WorkerExecutor(ABC):
    """An executor whose workers are other processes."""

    AT_ONCE: ClassVar = 2  # pieces in flight per worker: one in work and one that waits for it
    workers: int

    @abstractmethod
    def _flight(self, work: Work[Item, Answer]) -> Flight[Item, Answer]: ...

    def map(
        self, work: Work[Item, Answer], chunks: Iterable[Sequence[Item]]
    ) -> Generator[tuple[int, Sequence[Answer | NoAnswer]], None, None]:
        pieces: ChunkPieces[Item, Answer] = ChunkPieces(chunks)
        done: list[tuple[int, Sequence[Answer | NoAnswer]]] = []
        flight = self._flight(work)
        try:
            while True:
                for piece in pieces.due(len(flight), self.AT_ONCE * self.workers):
                    flight.send(piece)
                yield from done  # the workers have their next pieces while the caller looks at these
                if not len(flight):
                    return
                done = []
                for landing in flight.landed():
                    if isinstance(landing, LostPieces):
                        done += pieces.fallen(landing.pieces, landing.times)
                    else:
                        done += pieces.answered(landing.piece, landing.answers)
        finally:
            flight.close()


def attempt(work: bytes, items: bytes) -> bytes:
    """In a worker: answers of the pickled *work* to the pickled *items*, or what it raised, pickled."""
    try:
        todo = pickle.loads(items)
        answers = _work_of(work)(todo)
        if len(answers) != len(todo):
            raise ValueError(f"{len(answers)} answers to {len(todo)} items")
        return pickle.dumps((None, answers))
    except Exception as error:
        portable = _that_travels(error)
        portable.add_note("In a worker:\n" + "".join(traceback.format_exception(error)))
        return pickle.dumps((portable, ()))


@lru_cache(maxsize=1)
def _work_of(pickled: bytes) -> Any:
    """In a worker: the work of its last chunk again, with what that has learned of the scenario."""
    return pickle.loads(pickled)


def settled(outcome: bytes) -> Sequence[Any]:
    """The answers in an *outcome* of ``attempt``; raises what the work raised."""
    error, answers = pickle.loads(outcome)
    if error is not None:
        raise error
    return answers  # type: ignore[no-any-return]


def _that_travels(error: Exception) -> Exception:
    """*error* or, where that cannot be pickled (UnknownName makes its own text), its nearest ancestor that can."""
    for kind in type(error).__mro__:
        try:
            same = error if kind is type(error) else kind(*error.args)
            pickle.loads(pickle.dumps(same))
        except Exception:  # whatever a class may do when it is made or pickled
            continue
        return same
    return RuntimeError(f"{type(error).__name__}: {error}")


# Processes of this machine


class LocalProcesses(WorkerExecutor):
    """Processes of this machine, which are kept over several ``map`` and end with the context."""

    def __init__(self, workers: int) -> None:
        self.workers = checked_workers(workers)
        self._pool: WorkerPool[Worker] | None = None

    def _flight(self, work: Work[Item, Answer]) -> Flight[Item, Answer]:
        return _PoolFlight(self, pickle.dumps(work))

    def pool(self) -> WorkerPool[Worker]:
        """The pool, made where there is none."""
        if self._pool is None:
            self._pool = WorkerPool([Worker() for _ in range(self.workers)])
        return self._pool

    def stop(self) -> None:
        """End the workers, whatever they do."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for worker in pool.workers:
                worker.kill()
            pool.stop()
            for worker in pool.workers:
                worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def checked_workers(workers: int) -> int:
    """*workers*, which must be a sensible number of them."""
    if not 1 <= workers <= MOST_WORKERS:
        raise SpecError(f"workers: got {quote(workers)}; allowed is 1 to {MOST_WORKERS}")
    return workers


class _PoolFlight(Generic[Item, Answer]):
    def __init__(self, owner: LocalProcesses, work: bytes) -> None:
        self._owner = owner
        self._work = work
        self._flying = 0
        self._landings: SimpleQueue[PieceAnswered[Item, Answer] | LostPieces[Item] | Exception] = SimpleQueue()
        """Which Ctrl-C may interrupt anywhere."""
        self._arrivals = Semaphore(0)
        """One for each that has landed."""

    def __len__(self) -> int:
        return self._flying

    def send(self, piece: ChunkPiece[Item]) -> None:
        items = pickle.dumps(piece.items)
        self._flying += 1
        self._owner.pool().submit(lambda worker: self._land(worker, piece, items))

    def _land(self, worker: Worker, piece: ChunkPiece[Item], items: bytes) -> None:
        self._landings.put(self._landing(worker, piece, items))
        self._arrivals.release()

    def _landing(
        self, worker: Worker, piece: ChunkPiece[Item], items: bytes
    ) -> PieceAnswered[Item, Answer] | LostPieces[Item] | Exception:
        """In a thread of the pool: what comes of *piece*."""
        try:
            return PieceAnswered(piece, settled(worker.call(attempt, self._work, items)))
        except WorkerLost:
            return LostPieces([piece])
        except Exception as error:  # whoever waits raises it
            return error

    def landed(self) -> Sequence[PieceAnswered[Item, Answer] | LostPieces[Item]]:
        landing = self._next_landing()
        self._flying -= 1
        if isinstance(landing, Exception):
            raise landing
        return [landing]

    def _next_landing(self) -> PieceAnswered[Item, Answer] | LostPieces[Item] | Exception:
        """What lands next; a Ctrl-C that comes just before a wait begins does not end that wait, so none is long."""
        while not self._arrivals.acquire(timeout=LOOKS_S):
            pass
        return self._landings.get()

    def close(self) -> None:
        if self._flying:
            self._owner.stop()
