"""A Dask cluster does the work of a sweep: its scheduler and its workers run already."""

from __future__ import annotations

import asyncio
import logging
import pickle
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Final, Generic, Self, TypeVar
from urllib.parse import urlsplit

from blocktime.model.errors import SpecError, cut, quote
from blocktime.model.extras import required
from blocktime.scenarios.sweeps.executors import (
    Answer,
    ChunkPiece,
    Flight,
    Item,
    LostPieces,
    PieceAnswered,
    Work,
    WorkerExecutor,
    attempt,
    settled,
)

Value = TypeVar("Value")

ANSWERS_WITHIN_S: Final = 4.0  # what listens, and then what is a scheduler
WORKERS_WITHIN_S: Final = 5.0
LOOKS_AFTER_S: Final = 30.0  # for what is done, where Dask tells of nothing
WORKERS_RETURN_WITHIN_S: Final = 30.0


class Cluster(WorkerExecutor):
    """Workers of the Dask cluster whose scheduler is at *address*."""

    AT_ONCE: ClassVar = 8  # Dask gathers messages for 10 ms; meanwhile a worker has more to do

    def __init__(self, address: str, workers: int | None = None, version: Callable[[], str] = str) -> None:
        """Connects when the context is entered; *version* has to say in each worker what it says here."""
        self.where = _scheduler_at(address)
        if workers is not None:
            raise SpecError(
                f"workers: got {quote(workers)} for the cluster at {quote(address)}, which has workers of its own; "
                "leave one of them out"
            )
        self.workers = 1
        self._version = version

    def __enter__(self) -> Self:
        self._dask = required("distributed")
        with ExitStack() as opening:
            opening.enter_context(_hushed())
            client = self._dask.Client(
                _checked_scheduler(self._dask, *self.where), timeout=ANSWERS_WITHIN_S, set_as_default=False
            )
            self._client = opening.enter_context(client)
            self._check_workers()
            self._open = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _flight(self, work: Work[Item, Answer]) -> Flight[Item, Answer]:
        return _TaskFlight(self._dask, self._client, pickle.dumps(work))

    def _check_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_WITHIN_S)
        except TimeoutError:
            raise SpecError(
                f"cluster: the scheduler at {self._client.scheduler.address} has no workers; "
                "start some with `dask worker` and its address"
            ) from None
        here = self._version()
        versions = self._client.run(_say, pickle.dumps(self._version), on_error="return")
        for worker, there in sorted(versions.items()):
            if isinstance(there, Exception):
                why = cut(f"{type(there).__name__}: {there}", 120)
                raise SpecError(
                    f"cluster: the worker at {worker} cannot run blocktime ({why}); "
                    f"install the version of this machine there, {here}"
                )
            if there != here:
                raise SpecError(
                    f"cluster: the worker at {worker} has blocktime {cut(str(there))}, allowed is the version "
                    f"of this machine, {here}"
                )
        self.workers = sum(self._client.nthreads().values())


def check_cluster(address: str, workers: int | None = None) -> None:
    """Complain about an address that no scheduler answers at, before there is work for it."""
    where = Cluster(address, workers).where
    with _hushed():
        _checked_scheduler(required("distributed"), *where)


class _TaskFlight(Generic[Item, Answer]):
    def __init__(self, dask: Any, client: Any, work: bytes) -> None:
        self._dask = dask
        self._client = client
        self._work = work
        self._flying: dict[Any, ChunkPiece[Item]] = {}
        self._landing = dask.as_completed(loop=client.loop, with_results=True, raise_errors=False)

    def __len__(self) -> int:
        return len(self._flying)

    def send(self, piece: ChunkPiece[Item]) -> None:
        future = self._client.submit(attempt, self._work, pickle.dumps(piece.items), pure=False)
        self._flying[future] = piece
        self._landing.add(future)

    def landed(self) -> Sequence[PieceAnswered[Item, Answer] | LostPieces[Item]]:
        arrival = self._landing.thread_condition
        with arrival:
            arrived = arrival.wait_for(self._landing.has_ready, timeout=LOOKS_AFTER_S)
        if not arrived:
            self._check_that_somebody_works()
            return self._untold()
        landings = self._landing.next_batch(block=False)
        return [self._landed(future, result) for future, result in landings if future in self._flying]

    def _untold(self) -> Sequence[PieceAnswered[Item, Answer] | LostPieces[Item]]:
        """What is done though Dask has told nobody: an answer that was lost with its worker before it was fetched."""
        done = [future for future in self._flying if future.done()]
        return [
            self._landed(future, (None, future.exception(), None) if future.status == "error" else future.result())
            for future in done
        ]

    def _landed(self, future: Any, result: Any) -> PieceAnswered[Item, Answer] | LostPieces[Item]:
        piece = self._flying.pop(future)
        if isinstance(result, bytes):  # an answer, though its worker may have died since
            return PieceAnswered(piece, settled(result))
        if future.status != "error":
            raise SpecError(
                f"cluster: the scheduler at {self._client.scheduler.address} was lost while it had work; start it again"
            )
        _, error, _ = result
        if isinstance(error, self._dask.KilledWorker):
            return LostPieces([piece], error.allowed_failures + 1)
        raise error

    def _check_that_somebody_works(self) -> None:
        if self._client.nthreads():
            return
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_RETURN_WITHIN_S)
        except TimeoutError:
            raise SpecError(
                f"cluster: the workers of {self._client.scheduler.address} are gone and none came back; "
                "start some with `dask worker` and its address"
            ) from None

    def close(self) -> None:
        if self._flying:
            self._client.cancel(list(self._flying))


def _say(version: bytes) -> str:
    """In a worker: what the pickled *version* says there."""
    text: str = pickle.loads(version)()
    return text


@contextmanager
def _hushed() -> Iterator[None]:
    """Dask's loggers write to stderr of every worker that comes or goes; here a sentence says what matters."""
    loggers = [
        logging.getLogger(name)
        for name in list(logging.root.manager.loggerDict)
        if name == "distributed" or name.startswith("distributed.")
    ]
    before = [(logger, logger.level) for logger in loggers if logger.level != logging.NOTSET]
    for logger, _ in before:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in before:
            logger.setLevel(level)


def _scheduler_at(address: str) -> tuple[str, int]:
    """Host and port of a scheduler's *address*."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is no number, a bracket that is not closed
        host = port = None
    if not (host and port) or parts.scheme != "tcp" or parts.path or parts.query or parts.username:
        raise SpecError(f"cluster: got {quote(address)}; allowed is the address of a scheduler, tcp://host:port")
    return host, port


def _checked_scheduler(dask: Any, host: str, port: int) -> str:
    """Address of a scheduler that answers: Dask's own client would wait for a stranger's greeting without end."""
    address = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
    start = "start one with `dask scheduler`"
    try:
        _within(ANSWERS_WITHIN_S, lambda: socket.create_connection((host, port), ANSWERS_WITHIN_S).close())
    except OSError as error:
        reason = error.strerror or "no answer in time"
        raise SpecError(f"cluster: {address} cannot be reached ({reason}); {start}") from None
    try:
        kind = _within(ANSWERS_WITHIN_S, lambda: asyncio.run(_kind_of(dask, address)))
    except Exception:  # whatever a stranger's bytes make Dask raise
        raise SpecError(f"cluster: the server at {address} is not a Dask scheduler; {start}") from None
    if kind != "Scheduler":
        raise SpecError(f"cluster: {address} is a Dask {kind}; allowed is the address of its scheduler")
    return address


async def _kind_of(dask: Any, address: str) -> str:
    """What of Dask listens there."""
    async with asyncio.timeout(0.9 * ANSWERS_WITHIN_S):
        comm = await dask.comm.connect(address, timeout=0.5 * ANSWERS_WITHIN_S)
        try:
            await comm.write({"op": "identity", "reply": True})
            return str((await comm.read())["type"])
        finally:
            comm.abort()


def _within(limit_s: float, ask: Callable[[], Value]) -> Value:
    """What *ask* answers or raises, in a thread that nobody waits for: a name server may take minutes."""
    answers: SimpleQueue[tuple[Value, None] | tuple[None, Exception]] = SimpleQueue()

    def answer() -> None:
        try:
            answers.put((ask(), None))
        except Exception as error:
            answers.put((None, error))

    threading.Thread(target=answer, daemon=True).start()
    try:
        value, error = answers.get(timeout=limit_s)
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]
