"""Open mode of the database files, from the host, FILESYSTEMIO_OPTIONS and DISK_ASYNCH_IO [oracle-reference].

FILESYSTEMIO_OPTIONS takes precedence over the host's path; ASM and raw devices ignore it. Without it, files that a host
opens through its page cache have the default of Linux, NONE [oracle-file-systems].
"""

from __future__ import annotations

UNBUFFERED = ("asm", "raw", "direct")
"""Paths that leave the page cache out."""
WITHOUT_FILESYSTEM = ("asm", "raw")
DIRECT = ("directio", "setall")
ASYNCHRONOUS = ("asynch", "setall")


def database_path(io_path: str, options: str | None) -> str:
    """Open mode of the database files: the host's path, with or without O_DIRECT according to *options*."""
    if options is None or io_path in WITHOUT_FILESYSTEM:
        return io_path
    if options in DIRECT:
        return "direct"
    return "buffered" if io_path == "direct" else io_path


def database_asynch_io(io_path: str, options: str | None, disk_asynch_io: bool) -> bool:
    """Whether reads and writes of the database's files are asynchronous."""
    left_out = io_path in (WITHOUT_FILESYSTEM if options else UNBUFFERED)
    return disk_asynch_io and (left_out or options in ASYNCHRONOUS)
