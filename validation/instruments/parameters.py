"""Reads the parameters of an instance that bear on performance: init.ora, ``create pfile``, ``show parameter``."""

from __future__ import annotations

import re
from typing import Final

from blocktime.validation.instruments.figures import OTHER_FORM, FilePart, Keep, NotReadable, Reading
from blocktime.validation.instruments.opening import OpenedFile, Progress

NAME: Final = "parameters"
HOW: Final = "SQL> show parameter, or create pfile = 'init.ora' from memory"
RELEVANT: Final = re.compile(
    r"_?(?:db_(?:block|cache|file_multiblock|keep|recycle|writer|big|[0-9]+k|flash)\w*|filesystemio_options|disk_asynch_io|"
    r"\w*asynch_io|\w*_(?:size|target)|sga_\w+|pga_\w+|memory_\w+|optimizer_\w+|cpu_count|sessions|processes|cursor_\w+|"
    r"open_cursors|session_cached_cursors|parallel_\w+|statistics_level|timed_statistics|log_buffer|log_checkpoint\w*|"
    r"fast_start_\w+|commit_\w+|undo_\w+|compatible|cluster_database|db_cache_advice|use_large_pages|inmemory_\w+|"
    r"small_table_threshold|serial_direct_read|direct_read\w*|fastpin\w*|db_file_\w+|resource_manager_\w+|star_\w+)"
)
LINE: Final = re.compile(r"\s*(?:[\w*]+\.)?(_?[a-z][\w$]*)\s*=\s*(.*)", re.IGNORECASE)
SHOW_LINE: Final = re.compile(
    r"^(_?[a-z][\w$]*)\s+(string|integer|boolean|big integer|unknown)(?:\s+(\S.*))?", re.MULTILINE
)
HEADER: Final = re.compile(r"^NAME\s+TYPE\s+VALUE\s*$", re.MULTILINE)


NAMING: Final = re.compile(
    r"\w*(?:_name_convert|_dest|_file|_location)|undo_tablespace|resource_manager_plan|parallel_instance_group"
)
"""Parameters whose values name databases, files, tablespaces and plans of the site."""


def is_relevant(name: str, keep: Keep) -> bool:
    """Whether a parameter bears on performance; others may name hosts, paths and services, and are left alone."""
    name = name.lower()
    return RELEVANT.fullmatch(name) is not None and (keep.names or NAMING.fullmatch(name) is None)


def files_on(name: str, value: str) -> str | None:
    """What the database's files lie on, by where its control files do; None of another parameter."""
    if name.lower() != "control_files" or not value.strip():
        return None
    first = value.strip("'\"( ")
    return "asm" if first.startswith("+") else "raw" if first.startswith(("/dev/", "\\\\.\\")) else "file system"


def recognises(head: str) -> bool:
    """Whether a text that begins with *head* lists parameters."""
    if HEADER.search(head) and SHOW_LINE.search(head):
        return True
    lines = [line for line in head.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    fitting = [match for line in lines if (match := LINE.fullmatch(line.rstrip()))]
    return len(fitting) >= max(2, 0.8 * len(lines)) and any(is_relevant(match[1], Keep()) for match in fitting)


def read(source: OpenedFile, progress: Progress | None = None) -> list[Reading]:
    """The parameters of *source*."""
    reading = source.reading(NAME)
    is_show_parameter = HEADER.search(source.head) is not None
    for number, line in source.lines(progress):
        if not line.strip() or set(line.strip()) <= set("- "):
            continue
        match = (SHOW_LINE if is_show_parameter else LINE).fullmatch(line.rstrip())
        if match is None:
            reading.skip(number, OTHER_FORM)
            continue
        value = (match[3] or "") if is_show_parameter else match[2]
        reading.host.files = reading.host.files or files_on(match[1], value)
        if is_relevant(match[1], source.keep):
            reading.set(match[1].lower(), value.strip("'\""), number)
        else:
            reading.skip(number, "parameters that do not bear on performance")
    if not reading.settings:
        raise NotReadable(f"{source.name}: no parameter in it bears on performance; make it by {HOW}")
    lines = [setting.line for setting in reading.settings]
    reading.title = f"parameters of an instance: {len(reading.settings)}"
    reading.sections.append(FilePart("parameters", lines[0], lines[-1], len(lines)))
    return [reading]
