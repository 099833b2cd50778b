"""Where the calls of streams go: files on the device, one for each user, and the places of their calls."""

from __future__ import annotations

from typing import Any, NamedTuple

from blocktime.model.errors import OutsideLaw
from blocktime.model.laws import block_layer
from blocktime.model.laws.block_layer import PAGE_BYTES
from blocktime.model.laws.numeric import Number
from blocktime.model.laws.opened_files import UNBUFFERED
from blocktime.model.laws.page_cache import place_of_page
from blocktime.model.spec import Calls, Host, Stream, System
from blocktime.model.units import MIB, show_bytes

SECTOR_BYTES = 512


def written_as(system: System) -> str:
    """How DBWR's writes go: Oracle opens files of a file system with O_SYNC [oracle-reference]."""
    return "sync" if system.database_path == "buffered" else system.database_path


def goes_on(system: System) -> bool:
    """Whether Oracle goes on while the disk reads or writes for it; io_submit to a page cache waits."""
    return system.database_asynch_io and system.database_path in UNBUFFERED


def writes_at_once(system: System) -> int:
    """Writes that DBWR has under way at once: where it waits for each, one of each process [oracle-reference]."""
    instance = system.instance
    return int(instance.db_writer_requests if goes_on(system) else instance.db_writer_processes)


def call_cpu_s(host: Host, calls: Stream) -> Number:
    """Seconds of a processor for one call, without its pages."""
    stated_s = host.write_call_s if calls.writes else host.read_call_s
    if (calls.path or host.io_path) in UNBUFFERED:
        return block_layer.program_call_s(stated_s, calls.submission)
    return block_layer.stated_call_s(stated_s)


def largest_bytes_of(host: Host, path: str, *, writes: bool = False, call_bytes: Number = 0) -> Number:
    """Bytes to which the pages of calls merge: past the page cache single ones, in it the file system's folios."""
    segment: Number = block_layer.PAGE_BYTES
    if path not in UNBUFFERED and host.folios is not False:
        release = block_layer.release_of(host.kernel)
        if writes and block_layer.writes_folios(release, host.filesystem):
            segment = block_layer.written_folio_bytes(call_bytes)
        elif not writes and block_layer.has_folios(release, host.filesystem):
            segment = block_layer.READ_FOLIO_BYTES
    return block_layer.largest_request_bytes(host.max_request_bytes, host.max_segments, segment)


class File(NamedTuple):
    """One user's file: which stream it belongs to, where it begins, how long it is."""

    calls: Any
    write: bool
    path: str
    first_byte: int
    span_bytes: int


def span_bytes(calls: Stream, capacity_bytes: int, first_byte: int) -> int:
    """Bytes of one user's file: as given, else what the calls cover, else the rest of the device for random ones."""
    if calls.span_bytes is not None:
        return int(calls.span_bytes)
    if calls.pattern == "random":
        return int((capacity_bytes - first_byte) // calls.block_size_bytes * calls.block_size_bytes)
    return int((calls.count - 1) * calls.step_bytes + calls.block_size_bytes)


def files_of(system: System, work: Calls, capacity_bytes: int, first_byte: int = 0) -> list[File]:
    """All files of *work* and of the streams beside it; raises OutsideLaw for one beyond the device's end.

    The first begins at *first_byte*. Files whose place is not given follow each other with room for what a file system
    puts between their blocks.
    """
    files: list[File] = []
    end = first_byte
    for calls in (work, *work.beside):
        if calls.passes_page_cache(system) and calls.block_size_bytes % SECTOR_BYTES:
            raise OutsideLaw(
                f"{calls.kind}: block_size_bytes {calls.block_size_bytes} is no multiple of {SECTOR_BYTES}; a call "
                "past the page cache moves whole sectors"
            )
    _check_submission(system, work)
    for calls in (work, *work.beside):
        first = end if calls.start_byte is None else calls.start_byte
        for user in range(calls.users):
            span = span_bytes(calls, capacity_bytes, first)
            if first + _taken_bytes(system, calls, span) > capacity_bytes or span < calls.block_size_bytes:
                raise OutsideLaw(
                    f"{calls.kind}: the file of user {user + 1} would end at byte {first + max(span, 0):,}, beyond the "
                    f"device's end at {capacity_bytes:,} ({show_bytes(capacity_bytes)})"
                )
            files.append(File(calls, calls.writes, calls.opened_as(system), first, span))
            if calls.pattern != "random" or calls.span_bytes is not None:  # else it may go anywhere, as others do
                end = first + span
                first = following_byte(end)
    return files


def _check_submission(system: System, work: Calls) -> None:
    """Refuse ways of submitting calls that kernel, path or processors do not have."""
    host = system.host
    every = (work, *work.beside)
    for calls in every:
        first = block_layer.SUBMITS_BY.get(calls.submission or "")
        if first is not None and block_layer.release_of(host.kernel) < first:
            raise OutsideLaw(
                f"{calls.kind}: submission {calls.submission} is in kernels since {'.'.join(map(str, first))}; "
                f"host.kernel is {host.kernel}"
            )
        path = calls.path or host.io_path
        if calls.writes and calls.synced != "none" and path not in UNBUFFERED:
            raise OutsideLaw(
                f"{calls.kind}: synced {calls.synced} goes with O_DIRECT; path is {path}, allowed are "
                f"{', '.join(UNBUFFERED)}: through the page cache, path sync and dsync say it"
            )
        if calls.submission == "polled" and path not in UNBUFFERED:
            raise OutsideLaw(
                f"{calls.kind}: submission polled goes past the page cache; path is {path}, allowed are "
                f"{', '.join(UNBUFFERED)}"
            )
    programs = sum(calls.users for calls in every)
    if programs > host.cpus and any(calls.submission == "polled" for calls in every):
        raise OutsideLaw(
            f"submission polled keeps a processor busy for each program: {programs} programs need as many processors; "
            f"host.cpus is {host.cpus}"
        )


def following_byte(end_byte: int) -> int:
    """Where the file behind one that ends there begins: a whole MiB, with room for a file system's own blocks."""
    return -(-(end_byte + end_byte // 1000) // MIB) * MIB


def call_to_trace(calls: Stream) -> int:
    """The call whose way through the kernel is shown: that in the middle, or the first where a run time ends them."""
    return 0 if calls.runtime_s is not None else int(calls.count // 2)


def _taken_bytes(system: System, calls: Stream, span: int) -> int:
    """Bytes of the device that a file takes: those of ext3 have blocks of addresses between."""
    if calls.passes_page_cache(system) or system.host.filesystem != "ext3":
        return span
    last = max(0, -(-span // PAGE_BYTES) - 1)
    return max(span, (place_of_page(last) + 1) * PAGE_BYTES)


def places(file: File, numbers: Any, draws: Any) -> Any:
    """Begin of calls on the device, by arrays of their numbers and, for random ones, of uniform draws.

    Random ones go anywhere in the file, to a multiple of the block size.
    """
    calls = file.calls
    size = calls.block_size_bytes
    if calls.pattern == "random":
        return file.first_byte + (draws * (file.span_bytes // size)).astype("int64") * size
    step = calls.step_bytes
    fit = (file.span_bytes - size) // step + 1
    place = numbers % fit * step
    return file.first_byte + ((fit - 1) * step - place if calls.pattern == "backward" else place)
