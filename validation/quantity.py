"""What a path of a case means: a value in a result, or one of a few quantities derived from results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from blocktime.model.causes import COPIED, DIRECT, FROM_CLIENT, SCATTERED
from blocktime.model.measures import QUANTITIES
from blocktime.model.paths import PICKS, follow, steps_of
from blocktime.model.results import DeviceLine, RunResult, SegmentSpace

# As printed -> in seconds, bytes and plain shares. K and M are powers of 1024, as a DBA means them.
UNITS: Final[dict[str, float]] = {
    "": 1.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "bytes": 1.0,
    "MB": 1024.0**2,
    "MB/s": 1024.0**2,
    "kB": 1024.0,
    "kB/s": 1024.0,
    "sectors": 512.0,
    "sectors/s": 512.0,
    "%": 0.01,
}

Derived = Callable[[RunResult, Sequence[RunResult]], float]
Part = TypeVar("Part")


def _part(part: Part | None, name: str) -> Part:
    """*part* of a result; raises LookupError where the result has none."""
    if part is None:
        raise LookupError(name)
    return part


def _segment(result: RunResult) -> SegmentSpace:
    return _part(result.segment, "segment")


def blocks_per_read(result: RunResult, _: Sequence[RunResult]) -> float:
    """Blocks of the largest read."""
    return max(result.physical_io.request_blocks)


def bytes_per_read(result: RunResult, others: Sequence[RunResult]) -> float:
    """Bytes of the largest read."""
    return blocks_per_read(result, others) * result.physical_io.read_bytes / result.physical_io.read_blocks


def time_per_read_s(result: RunResult, _: Sequence[RunResult]) -> float:
    """Elapsed time over reads: the time from one read call to the next."""
    return result.time.elapsed_s / result.physical_io.read_requests


def ready_read_s(result: RunResult, _: Sequence[RunResult]) -> float:
    """Wait for a direct read that was done already: all such waits but the longest, over their number."""
    event = result.time.wait[DIRECT]
    return (event.total_s - event.max_s) / (event.waits - 1)


def submit_s(result: RunResult, others: Sequence[RunResult]) -> float:
    """Time inside io_submit, which copies from the page cache, of the mean direct read."""
    return result.time.cpu[COPIED] / result.physical_io.read_blocks * blocks_per_read(result, others)


def read_s(result: RunResult, _: Sequence[RunResult]) -> float:
    """Mean wait for a buffered multiblock read."""
    event = result.time.wait[SCATTERED]
    return event.total_s / event.waits


def read_rate_bytes_per_s(result: RunResult, others: Sequence[RunResult]) -> float:
    """Bytes of the mean multiblock read over the mean wait for it."""
    event = result.time.wait[SCATTERED]
    return result.physical_io.read_bytes / event.waits / read_s(result, others)


def client_system_s(result: RunResult, _: Sequence[RunResult]) -> float:
    """What the client takes beside its work on rows: round trips and its file, which are its system calls."""
    time = result.time
    return time.wait[FROM_CLIENT].total_s - _part(time.client_rows_s, "client_rows_s")


def gets_of_read_s(result: RunResult, others: Sequence[RunResult]) -> float:
    """CPU time of getting, one by one, the blocks of the largest read."""
    return blocks_per_read(result, others) * _part(result.logical_io, "logical_io").cpu_per_get_s


def read_over_gets(result: RunResult, others: Sequence[RunResult]) -> float:
    """Mean wait for a multiblock read over the CPU time of getting its blocks."""
    return read_s(result, others) / gets_of_read_s(result, others)


def elapsed_gain(result: RunResult, others: Sequence[RunResult]) -> float:
    """Share of the elapsed time that the mean of the other runs saves."""
    return 1 - sum(other.time.elapsed_s for other in others) / len(others) / result.time.elapsed_s


def elapsed_spread(result: RunResult, others: Sequence[RunResult]) -> float:
    """Longest elapsed time of all the runs over the shortest, less 1."""
    times = [run_result.time.elapsed_s for run_result in (result, *others)]
    return max(times) / min(times) - 1


def device_busy(result: RunResult, _: Sequence[RunResult]) -> float:
    """Utilisation of the busiest device; 0 where no read reached one."""
    return max((device.utilisation_fraction for device in result.device.values()), default=0.0)


def optimizer_bytes(result: RunResult, _: Sequence[RunResult]) -> float:
    """Bytes the optimizer expects of the rows: columns with their length bytes, without the row header."""
    return result.calls["fetch"].rows * (_segment(result).row_bytes - 3)


def used_before_bytes(result: RunResult, _: Sequence[RunResult]) -> float:
    """Blocks below the high-water mark beforehand, times their size."""
    return _segment(result).blocks_before * _segment(result).block_size_bytes


def used_after_bytes(result: RunResult, _: Sequence[RunResult]) -> float:
    """Blocks below the high-water mark afterwards, times their size."""
    return _segment(result).blocks_after * _segment(result).block_size_bytes


def segment_growth(result: RunResult, others: Sequence[RunResult]) -> float:
    """Blocks afterwards over blocks beforehand, the mean of all the runs."""
    runs = (result, *others)
    return sum(_segment(run).blocks_after / _segment(run).blocks_before for run in runs) / len(runs)


def elapsed_ratio(result: RunResult, others: Sequence[RunResult]) -> float:
    """Elapsed time over the mean of the other runs'."""
    return result.time.elapsed_s * len(others) / sum(other.time.elapsed_s for other in others)


def stream_bytes_ratio(result: RunResult, others: Sequence[RunResult]) -> float:
    """Bytes of all streams over the mean of the other runs'."""
    run_bytes, *rest = (sum(stream.bytes for stream in run_result.streams or ()) for run_result in (result, *others))
    return run_bytes * len(rest) / sum(rest)


DERIVED: Final[dict[str, Derived]] = {
    derived.__name__: derived
    for derived in (
        blocks_per_read,
        bytes_per_read,
        time_per_read_s,
        ready_read_s,
        submit_s,
        read_s,
        read_rate_bytes_per_s,
        client_system_s,
        gets_of_read_s,
        read_over_gets,
        elapsed_gain,
        elapsed_spread,
        device_busy,
        optimizer_bytes,
        used_before_bytes,
        used_after_bytes,
        segment_growth,
        elapsed_ratio,
        stream_bytes_ratio,
    )
}


def check_path(path: str) -> None:
    """Raise ValueError unless *path* names a quantity, of one run or of several, or leads to a number of a result."""
    if path in DERIVED or path in QUANTITIES:
        return
    kind: Any = RunResult
    for step in steps_of(path):
        kind = _without_none(kind)
        if get_origin(kind) is dict:
            kind = get_args(kind)[1]
        elif kind == list[DeviceLine] and step in PICKS:
            kind = DeviceLine
        elif get_origin(kind) is list and (isinstance(step, int) or step == "first"):
            kind = get_args(kind)[0]
        elif isinstance(kind, type) and issubclass(kind, BaseModel) and step in kind.model_fields:
            kind = kind.model_fields[str(step)].annotation
        else:
            raise ValueError(f"{path!r}: a result has no {step!r} there")
    if _without_none(kind) not in (float, int):
        raise ValueError(f"{path!r} leads to no number")


def _without_none(kind: Any) -> Any:
    """The type of a part where the result has it."""
    if get_origin(kind) in (Union, UnionType):
        present = [get_arg for get_arg in get_args(kind) if get_arg is not NoneType]
        return present[0] if len(present) == 1 else kind
    return kind


def look_up(path: str, result: RunResult, others: Sequence[RunResult] = ()) -> float:
    """The number at *path* in *result*, or of its name; raises LookupError where the result has no such part."""
    if path in DERIVED:
        return float(DERIVED[path](result, others))
    if path in QUANTITIES:
        return float(_part(QUANTITIES[path].of(result), path))
    return float(follow(steps_of(path), result))
