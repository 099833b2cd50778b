"""Who does the work of a sweep: this process, processes of this machine or, in ``cluster``, a Dask cluster.

A worker may die in the middle (out of memory, killed by hand) and nothing is lost: what it had is done again. A chunk
that is in flight at `TRIES` deaths is halved until the one item that kills stands alone; its answer is `NoAnswer`.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from multiprocessing import parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType, ModuleType, TracebackType
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from blocktime.model.errors import SpecError, shown

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Work: TypeAlias = Callable[[Sequence[Item]], Sequence[Answer]]

TRIES: Final = 3
LOOKS_S: Final = 0.1
"""How often somebody who waits looks whether he is interrupted."""
MOST_WORKERS: Final = 256
SAFE_PATH: Final = "PYTHONSAFEPATH"
"""Makes a Python process look for no module in its working folder."""


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
        asked = pickle.loads(items)
        answers = _work_of(work)(asked)
        if len(answers) != len(asked):
            raise ValueError(f"{len(answers)} answers to {len(asked)} items")
        return pickle.dumps((None, answers))
    except Exception as error:
        told = _that_travels(error)
        told.add_note("In a worker:\n" + "".join(traceback.format_exception(error)))
        return pickle.dumps((told, ()))


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

    def __init__(self, workers: int, ready: Callable[[], object] | None = None) -> None:
        """Have *workers*, each of which calls *ready* once before it works, to import what is heavy."""
        self.workers = checked_workers(workers)
        self._ready = ready
        self._pool: _Pool | None = None

    def _flight(self, work: Work[Item, Answer]) -> Flight[Item, Answer]:
        return _PoolFlight(self, pickle.dumps(work))

    def pool(self) -> _Pool:
        """The pool, started where there is none."""
        for _ in range(TRIES):
            if self._pool is None:
                self._pool = _Pool(self.workers, self._ready)
            if self._pool.answers():
                return self._pool
            self.stop()
        raise SpecError(
            f"workers: {self.workers} processes were started {TRIES} times and died before they could work; "
            "see whether there is memory for them, or take fewer"
        )

    def stop(self) -> None:
        """End the workers, whatever they do."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def checked_workers(workers: int) -> int:
    """*workers*, which must be a sensible number of them."""
    if not 1 <= workers <= MOST_WORKERS:
        raise SpecError(f"workers: got {shown(workers)}; allowed is 1 to {MOST_WORKERS}")
    return workers


class _Pool:
    """A pool, the processes it started and a directory in which chunks and answers lie.

    The pool's own pipes carry names of files alone. A pipe that a killed worker leaves full, or half read, would block
    the pool for ever (CPython issue 94777, in the Python 3.11 of Debian 12).
    """

    def __init__(self, workers: int, ready: Callable[[], object] | None) -> None:
        self._directory = TemporaryDirectory(prefix="blocktime-")
        self._path = Path(self._directory.name)
        self._names = count()
        self._context = _Spawn()
        begin_tracker()
        self._pool = ProcessPoolExecutor(
            workers, self._context, initializer=_begin, initargs=(ready, self._directory.name)
        )
        self._workers = workers
        self._answered = False

    def answers(self) -> bool:
        """Whether its workers can work at all; the first call starts them."""
        if not self._answered:
            try:
                greetings = [self._pool.submit(_greet) for _ in range(self._workers)]
            except OSError as error:
                raise SpecError(f"workers: {self._workers} processes cannot be started: {error}") from error
            except BrokenProcessPool:
                return False
            wait(greetings)
            self._answered = all(greeting.exception() is None for greeting in greetings)
        return self._answered

    def file(self, content: bytes) -> Path:
        """A file of its own that holds *content*."""
        path = self._path / str(next(self._names))
        path.write_bytes(content)
        return path

    def submit(self, work: Path, items: Path) -> Future[None]:
        """Have *items* answered; the answers will lie beside them."""
        try:
            return self._pool.submit(_attempt, str(work), str(items))
        except BrokenProcessPool as broken:  # before this one came
            future: Future[None] = Future()
            future.set_exception(broken)
            return future

    def stop(self) -> None:
        with interrupts_afterwards():  # a second one must not leave anything behind
            for worker in self._context.started:
                if worker.pid is not None:
                    worker.kill()
            self._pool.shutdown()
            for worker in self._context.started:
                if worker.pid is not None:
                    worker.join()
            self._directory.cleanup()


class _PoolFlight(Generic[Item, Answer]):
    def __init__(self, owner: LocalProcesses, work: bytes) -> None:
        self._owner = owner
        self._work = work
        self._filed: tuple[_Pool, Path] | None = None  # the work, in the pool that lives
        self._flying: dict[Future[None], tuple[ChunkPiece[Item], Path]] = {}

    def __len__(self) -> int:
        return len(self._flying)

    def send(self, piece: ChunkPiece[Item]) -> None:
        pool = self._owner.pool()
        if self._filed is None or self._filed[0] is not pool:
            self._filed = (pool, pool.file(self._work))
        items = pool.file(pickle.dumps(piece.items))
        self._flying[pool.submit(self._filed[1], items)] = (piece, items)

    def landed(self) -> Sequence[PieceAnswered[Item, Answer] | LostPieces[Item]]:
        done: set[Future[None]] = set()
        while not done:
            with interrupts_afterwards():
                done = wait(self._flying, LOOKS_S, FIRST_COMPLETED).done
        broken = any(isinstance(future.exception(), BrokenProcessPool) for future in done)
        if broken:  # all others will be told so too
            with interrupts_afterwards():
                done = wait(self._flying).done
        landings: list[PieceAnswered[Item, Answer] | LostPieces[Item]] = []
        fallen = []
        for future in [future for future in self._flying if future in done]:
            piece, items = self._flying.pop(future)
            if isinstance(future.exception(), BrokenProcessPool):
                fallen.append(piece)
                continue
            future.result()  # raises what `attempt` does not catch
            answers = _answers_to(items)
            landings.append(PieceAnswered(piece, settled(answers.read_bytes())))
            answers.unlink()
        if broken:
            landings.append(LostPieces(fallen))
            self._owner.stop()
        return landings

    def close(self) -> None:
        if self._flying:
            self._owner.stop()
        elif self._filed is not None:
            self._filed[1].unlink(missing_ok=True)


def _answers_to(items: Path) -> Path:
    return items.with_suffix(".answers")


def _attempt(work: str, items: str) -> None:
    """In a worker: answer the items in a file, and write the answers beside it."""
    if _unready is not None:
        raise _unready
    path = Path(items)
    answers = attempt(Path(work).read_bytes(), path.read_bytes())
    _answers_to(path).write_bytes(answers)
    path.unlink()


def _greet() -> None:
    """In a worker: it lives."""


_unready: Exception | None = None  # in a worker: what `ready` raised, for the first work to say


def _begin(ready: Callable[[], object] | None, directory: str) -> None:
    """In a worker, at its start."""
    threading.Thread(target=_end_with_parent, args=(directory,), daemon=True).start()
    try:
        if ready is not None:
            ready()
    except Exception as error:
        global _unready  # noqa: PLW0603  (a worker has one state)
        _unready = _that_travels(error)


def _end_with_parent(directory: str) -> None:
    """In a worker: a parent that was killed could not end it."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(1)


class _Worker(SpawnProcess):
    def start(self) -> None:
        with deaf_to_interrupts(), on_their_own():
            super().start()


class _Spawn(SpawnContext):
    """Starts processes afresh and knows which: only those may be ended."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[_Worker] = []

    def Process(self, *args: Any, **kwargs: Any) -> _Worker:  # type: ignore[override]  # noqa: N802
        worker = _Worker(*args, **kwargs)
        self.started.append(worker)
        return worker


@contextmanager
def interrupts_afterwards() -> Iterator[None]:
    """Ctrl-C is heard at the end of the block: within a lock of the pool it would leave that locked for ever."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda *arguments: heard.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard and callable(before):
        before(*heard[0])


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes and threads that are started within never see Ctrl-C, which goes to all processes of a terminal."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_tracker() -> None:
    """Start Python's tracker of locks, which it would start where modules of the working folder are found."""
    with on_their_own():
        resource_tracker.ensure_running()  # which takes the deafness from the thread that starts it


class _Own:
    """The main program while somebody hides it, whether Python was told to look elsewhere before, and how many do."""

    lock = threading.Lock()
    hidden: ModuleType
    instead = ModuleType("__main__")
    safe_path: str | None
    count = 0


@contextmanager
def on_their_own() -> Iterator[None]:
    """Processes that are started within import neither the main program nor what lies in the working folder.

    The main program may be a script or a page of Streamlit.
    """
    with _Own.lock:
        if not _Own.count:
            _Own.hidden, sys.modules["__main__"] = sys.modules["__main__"], _Own.instead
            _Own.safe_path, os.environ[SAFE_PATH] = os.environ.get(SAFE_PATH), "1"
        _Own.count += 1
    try:
        yield
    finally:
        with _Own.lock:
            _Own.count -= 1
            if not _Own.count:
                if sys.modules["__main__"] is _Own.instead:  # Streamlit sets it for each run
                    sys.modules["__main__"] = _Own.hidden
                del os.environ[SAFE_PATH]
                if _Own.safe_path is not None:
                    os.environ[SAFE_PATH] = _Own.safe_path
