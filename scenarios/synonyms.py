"""What a DBA calls a field by another name: one table, for errors, lists and the page's search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from blocktime.model.catalog import KINDS, entries
from blocktime.model.errors import UnknownName, cut
from blocktime.model.spec import WORKLOADS
from blocktime.model.unmodelled import unmodelled
from blocktime.scenarios.declared import declared_fields

MOST_MEANT: Final = 3
"""Fields that an error offers."""

USED: Final = ("host", "client", "disk", "prices")
"""Sections that an entry of the catalog sets as a whole."""

_OPTIONS: Final = ("instance.filesystemio_options",)
_OPENED: Final = ("host.io_path", *_OPTIONS)
_MBRC: Final = ("instance.db_file_multiblock_read_count",)
_CACHE: Final = ("instance.buffer_cache_bytes",)

_MEMBERS: Final = ("disk.raid_disks", "disk.raid_level")
_STRIPE: Final = (*_MEMBERS, "disk.stripe_unit_bytes")
_WRITERS: Final = ("instance.db_writer_processes", "instance.db_writer_requests", "instance.checkpoint_s")

_HOT: Final = ("workload.hottest_blocks", "workload.hottest_changes_percent")

FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "filesystemio_options": _OPTIONS, "setall": _OPTIONS, "directio": _OPTIONS,
    "o_direct": (*_OPTIONS, "host.io_path"), "asynch": (*_OPTIONS, "instance.disk_asynch_io"),
    "aio": ("instance.disk_asynch_io",), "fs": _OPENED, "files": _OPENED, "filesystem": _OPENED,
    "file_system": _OPENED, "ext4": _OPENED, "xfs": _OPENED,
    "mbrc": _MBRC, "multiblock": _MBRC,
    "db_cache_size": _CACHE, "buffer_cache": _CACHE, "cache_size": _CACHE, "sga": _CACHE, "sga_target": _CACHE,
    "db_keep_cache_size": ("instance.db_keep_cache_bytes",), "keep": ("instance.db_keep_cache_bytes",),
    "db_recycle_cache_size": ("instance.db_recycle_cache_bytes",), "recycle": ("instance.db_recycle_cache_bytes",),
    "db_block_size": ("instance.db_block_size_bytes", "tablespace.block_size_bytes"),
    "block_size": ("tablespace.block_size_bytes",),
    "pctfree": ("table.pctfree_percent",), "pct_free": ("table.pctfree_percent",),
    "num_rows": ("table.rows",), "avg_row_len": ("table.row_bytes",), "row_length": ("table.row_bytes",),
    "assm": ("tablespace.space_management",), "freelists": ("tablespace.space_management",),
    "clustering_factor": ("index.clustering_factor", "index.clustering"),
    "arraysize": ("workload.arraysize_rows",), "fetch_size": ("workload.arraysize_rows",),
    "prefetch": ("workload.arraysize_rows",), "commit": ("workload.commit_every_rows",),
    "bitmap": ("index.bitmap", "workload.rowid_order"), "table_cached_blocks": ("index.table_cached_blocks",),
    "compress": ("index.compress_columns",), "index_compression": ("index.compress_columns",),
    "nulls": ("index.null_fraction",),
    "plsql": ("workload.caller",), "forall": ("workload.caller",),
    "sessions": ("workload.users", "instance.sessions"), "concurrency": ("workload.users",),
    "connections": ("workload.users",),
    "think_time": ("workload.think_s",), "tps": ("workload.rate_per_s",),
    "fast_start_mttr_target": ("instance.checkpoint_s",), "checkpoint": ("instance.checkpoint_s",),
    "log_checkpoint_interval": ("instance.checkpoint_redo_bytes",),
    "log_file_size": ("instance.checkpoint_redo_bytes",),
    "redo": ("instance.redo_disk",), "log_buffer": ("instance.log_buffer_bytes",), "redo_log": ("instance.redo_disk",),
    "cpu_count": ("host.cpus",), "cores": ("host.cpus",), "hyperthreading": ("host.threads_per_core",),
    "elevator": ("host.scheduler",), "read_ahead_kb": ("host.read_ahead_bytes",),
    "max_sectors_kb": ("host.max_request_bytes",), "dirty_ratio": ("host.dirty_ratio_percent",),
    "ram": ("host.memory_bytes",), "memory": ("host.memory_bytes", *_CACHE),
    "dop": ("workload.degree",), "parallel": ("workload.degree",), "parallel_degree": ("workload.degree",),
    "parallel_query": ("workload.degree",), "ncq": ("disk.reorder_age_s", "disk.queue_depth"),
    "zipf": ("workload.zipf_exponent",), "fast_full_scan": ("workload.access",), "unique_scan": ("workload.access",),
    "skip_scan": ("workload.access", "index.prefix_distinct_keys"), "ndv": ("index.distinct_keys",),
    "covering_index": ("workload.index_only",), "cgroup": ("disk.iops_limit", "disk.limit_slice_s"),
    "iops": ("disk.iops_limit", "host.iops_limit"), "throughput": ("disk.throughput_limit_bytes_per_s",),
    "vm_limit": ("host.iops_limit", "host.bandwidth_limit_bytes_per_s"), "ebs_optimized": ("host.iops_limit",),
    "bandwidth": ("disk.bandwidth_bytes_per_s",), "latency": ("disk.overhead_s",), "raid": ("disk.raid_level",),
    "number_of_disks": _MEMBERS, "disks": _MEMBERS, "spindles": _MEMBERS, "stripe": _STRIPE, "striping": _STRIPE,
    "ssd": ("disk.use",), "hdd": ("disk.use",), "volume": ("disk.use",), "row_count": ("table.rows",),
    "batch": ("workload.beside", "workload.batch"), "batch_job": ("workload.beside",),
    "rman": ("workload.beside", "workload.in_flight"), "backup": ("workload.beside", "workload.in_flight"),
    "dbwr": _WRITERS, "dbwn": _WRITERS, "dbw0": _WRITERS,
    "undo": ("host.change_block_s", "workload.mix.0.changed_blocks"),
    "hot_block": _HOT, "hot_blocks": _HOT, "number": _MEMBERS,
    "write_cache": ("disk.write_cache_bytes",), "version": ("instance.release",), "smt": ("host.threads_per_core",),
}  # fmt: skip
"""A DBA's word -> the fields that hold it."""

_REPORT: Final = "that is a report: blocktime measure FILE reads it"
NOTES: Final[dict[str, str]] = {
    "awr": _REPORT, "statspack": _REPORT, "tkprof": _REPORT,
    "setall": "instance.filesystemio_options=setall: O_DIRECT and asynchronous I/O",
    "compress": "index.compress_columns compresses the prefix of an index; table compression is not modelled, and the "
    "nearest is a smaller table.row_bytes",
}  # fmt: skip
"""A DBA's word -> what is to be said of it, where the fields alone do not say it."""


class Meaning(NamedTuple):
    """What a word of a DBA stands for."""

    fields: tuple[str, ...]
    note: str

    def hint(self) -> str:
        """A clause for an error."""
        return self.note or f"it is {' or '.join(self.fields)} here"


def meant_by(word: str) -> Meaning | None:
    """What *word* stands for, with or without a section before it and a unit behind it; None for an unknown one.

    A word for what is not modelled has no fields, and a note that says so.
    """
    name = "_".join(cut(word).lower().partition("=")[0].rpartition(".")[2].replace("-", " ").split())
    for unit in ("", "_bytes", "_s", "_rows", "_percent"):
        bare = name.removesuffix(unit) if unit else name
        if bare in FIELDS or bare in NOTES:
            return Meaning(FIELDS.get(bare, ()), NOTES.get(bare, ""))
    subject = unmodelled(name)
    return Meaning((), subject.sentence()) if subject else None


def no_such_field(key: str, form: str) -> str:
    """A sentence about a *key* without its section: the fields that it may mean, or else what *form* a key has."""
    if meant := meant_by(key):
        hint = meant.hint()
    else:
        every = (path for kind in WORKLOADS for path in declared_fields(kind) if path.endswith(f".{key}"))
        known = [f"{key}.use"] if key in USED else list(dict.fromkeys(every))[:MOST_MEANT]
        hint = f"did you mean {' or '.join(known)}?" if known else f"write {form}"
    return f"{cut(key)!r} names no field; {hint}"


def no_such_section(key: str, sections: Iterable[str]) -> str:
    """A sentence about a *key* that begins with none of *sections*: the fields that the rest of it means, or those."""
    section, _, field = key.partition(".")
    meant = meant_by(field)
    if meant is None or not meant.fields:
        return str(UnknownName("section", section, sections))
    return f"no section named {cut(section)!r}; {cut(field)} is {' or '.join(meant.fields)} here"


class SearchResult(NamedTuple):
    """What a search comes to."""

    fields: list[str]
    """The best first."""
    note: str
    """What is to be said of the words, such as what the model leaves out; mostly empty."""


def found(text: str, labels: Iterable[tuple[str, str]]) -> SearchResult:
    """What somebody looks for by *text*: *labels* are pairs of a field and the words for it.

    Whole words match, the last of them from its beginning on; a word of a DBA comes before what merely has its letters,
    and one for what is not modelled finds nothing beside it.
    """
    bare = " ".join(text.partition("=")[0].lower().split())
    if not bare:
        return SearchResult([], "")
    meant = meant_by(bare)
    uses = _uses(bare)
    ranked = [(1, field) for field in (*(meant.fields if meant else ()), *uses)]
    is_outside = meant is not None and not meant.fields
    for field, label in labels:
        if bare in (label.lower(), field):
            ranked.append((0, field))
        elif not is_outside and (rank := _rank(_words(bare), _words(label), _words(field))):
            ranked.append((rank, field))
    fields = list(dict.fromkeys(field for _, field in sorted(ranked, key=lambda pair: pair[0])))
    notes = (
        [meant.note]
        if meant and meant.note
        else [f"{names}: choose it by {use}" for use, names in uses.items()]
    )
    return SearchResult(fields, "; ".join(notes))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _rank(wanted: list[str], label: list[str], field: list[str]) -> int:
    """2 where the label begins with the *wanted* words, 3 where it or the field has all of them, else 0."""
    if not wanted:
        return 0
    *whole, last = wanted
    for rank, words in ((2, label[: len(wanted)]), (3, [*label, *field])):
        singular = {form for word in words for form in (word, word.removesuffix("s"))}
        if all(word.removesuffix("s") in singular for word in whole) and any(
            word.startswith(last) or word == last.removesuffix("s") for word in words
        ):
            return rank
    return 0


def _uses(text: str) -> dict[str, str]:
    """The sections whose entries of the catalog have the word *text* in their names, with those names."""
    word = _words(text)
    named = {
        f"{place}.use": [name for name in entries(kind) if word and word == _words(name)[-len(word) :]]
        for kind, place in KINDS.items()
    }
    return {use: " or ".join(names[:MOST_MEANT]) for use, names in named.items() if names}
