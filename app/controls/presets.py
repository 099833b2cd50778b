"""Questions worth asking first, in plain words: a scenario of the library, what is changed in it, who measured it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from blocktime.app.controls import own_files, settings
from blocktime.scenarios import library


@dataclass(frozen=True)
class Preset:
    """One question: a library scenario as the baseline, and the changes that the what-if begins with."""

    title: str
    scenario: str
    changes: Mapping[str, str] = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    """The fields that the question is about; their controls stand first."""
    tab: str = ""
    """The tab that holds more of the answer."""
    says: str = ""
    """What is compared with what, and what the model leaves out of it."""

    @property
    def key(self) -> str:
        """What a list of scenarios calls it: the scenario itself where nothing is changed."""
        query = "&".join(f"{path}={text}" for path, text in self.changes.items())
        return f"{self.scenario}?{query}" if query else self.scenario


QUESTIONS: Final[tuple[Preset, ...]] = (
    Preset(
        "Are 16K blocks faster?", "full-scan-nvme", {"tablespace.block_size_bytes": "16384"},
        ("tablespace.block_size_bytes", "table.rows", "table.row_bytes", "disk.use"),
        says="A full scan of 50 million rows in 16K blocks, compared with 8K blocks.",
    ),
    Preset(
        "Why does the same update take 11 minutes there?", "rahn-pctfree-8k-10",
        {"tablespace.block_size_bytes": "16384"},
        ("tablespace.block_size_bytes", "table.pctfree_percent", "instance.release", "tablespace.space_management"),
        "Segment",
        "An update that lengthens 200,000 rows in 16K blocks, compared with 8K blocks. Raise PCTFREE, or choose a "
        "release with the fix of bug 6918210, and the 11 minutes go.",
    ),
    Preset(
        "Is filesystemio_options=setall worth it?", "full-scan-filesystem",
        {"instance.filesystemio_options": "setall"},
        ("instance.filesystemio_options", "instance.disk_asynch_io", "host.page_cache_hit_fraction", "disk.use"),
        says="A full scan of files in a file system with SETALL, compared with NONE, the default on Linux, where the "
        "session waits for each read. OLTP that lives on the page cache gets slower with SETALL: give its memory to "
        "the buffer cache.",
    ),
    Preset(
        "How many users until response doubles?", "oltp-nvme", {"workload.users": "2000"},
        ("workload.users", "workload.think_s", "host.cpus", "disk.use"), "Load",
        "2,000 users, compared with 200. The tab Load below has response and throughput over the number of users, up "
        "to saturation. Parsing and network time are left out, so real systems saturate earlier.",
    ),
    Preset(
        "What does a bigger buffer cache save?", "oltp-nvme", {"instance.buffer_cache_bytes": "16G"},
        ("instance.buffer_cache_bytes", "workload.data_bytes", "disk.use", "workload.users"),
        "Cache", "A buffer cache of 16 GB for 64 GB of data, compared with 8 GB.",
    ),
    Preset(
        "Will this cloud volume carry my scan?", "full-scan-nvme", {"disk.use": "ebs-gp3"},
        ("disk.use", "disk.iops_limit", "disk.throughput_limit_bytes_per_s", "table.rows"), "Device",
        "A full scan from a gp3 volume at its base price (3,000 IOPS, 125 MiB/s), compared with local NVMe.",
    ),
)  # fmt: skip
"""What a DBA asks first."""

PRESETS: Final[dict[str, tuple[Preset, ...]]] = {
    "Read": (
        Preset("Full scan of 50 million rows on NVMe, 19c", "full-scan-nvme"),
        Preset("Full scan of 7.2 million rows, fetched", "rahn-full-scan"),
        Preset("Full scan: 8K or 16K blocks", "rahn-full-scan", {"tablespace.block_size_bytes": "16384"}),
        Preset("Full scan: array size 100 or 15", "rahn-full-scan", {"workload.arraysize_rows": "15"}),
        Preset("Index range scan", "index-range-scan"),
        Preset(
            "Index range scan: clustered or scattered", "index-range-scan", {"index.clustering": "scattered"}
        ),
        Preset(
            "Full scan: buffered or direct path reads",
            "shallahamer-buffered",
            {"instance.serial_direct_read": "always"},
        ),
        Preset("CPU of logical I/O: a cached table", "savvinov-lio-pc"),
        Preset("Cost of logical I/O in money", "savvinov-lio-priced"),
        Preset("CPU of logical I/O beside physical I/O", "savvinov-pio-lio"),
    ),
    "Change rows": (
        Preset("Update, rows grow: 16K blocks", "rahn-pctfree-16k-10"),
        Preset("Update, rows grow: 8K blocks", "rahn-pctfree-8k-10"),
        Preset("Update, rows grow: PCTFREE 10 or 35", "rahn-pctfree-16k-10", {"table.pctfree_percent": "35"}),
        Preset(
            "Update, rows grow: bug 6918210 fixed", "rahn-pctfree-16k-10", {"instance.release": "11.2.0.4"}
        ),
        Preset("Insert beside an uncommitted delete", "assm-uncommitted-delete"),
    ),
    "Load and unload": (
        Preset("imp of a schema, 4K blocks", "magni-imp-4k"),
        Preset("imp of a schema: 4K or 16K blocks", "magni-imp-4k", {"tablespace.block_size_bytes": "16384"}),
        Preset("imp of a table of 200 MB", "magni-imp-200mb-4k"),
        Preset("exp of a schema", "magni-exp"),
        Preset("SELECT through SQL*Plus", "magni-select-200mb-4k"),
    ),
    "Transactions": (
        Preset("TPC-C on ext3, 10g", "magni-tpcc-8k"),
        Preset("TPC-B on ext3, 10g", "magni-tpcb-8k"),
        Preset("TPC-C-like, one warehouse, 10 users", "tpc-c"),
        Preset("TPC-B-like, 50 branches, 10 users", "tpc-b"),
        Preset("TPC-B-like: 10 or 100 users", "tpc-b", {"workload.users": "100"}),
    ),
    "Below the database": (
        Preset("dd to a raw device", "magni-dd-raw-10000"),
        Preset("dd through the file system", "magni-dd-fs-10000"),
        Preset(
            "dd: raw device or file system",
            "magni-dd-raw-10000",
            {"host.io_path": "buffered", "host.filesystem": "ext3", "workload.extends": "true"},
        ),
        Preset("O_SYNC writes of one page", "magni-pwrite-1"),
        Preset("Multiblock reads by pread, one at a time", "shallahamer-pread"),
        Preset("Multiblock reads by io_submit, two at once", "shallahamer-io-submit"),
    ),
}
"""Group -> its experiments."""

DOCUMENTS: Final[dict[str, str]] = {
    "rahn-mbrc": "G. Rahn, 2008: Oracle 11.1 on ASM",
    "magni-linux": "F. Magni: Oracle block size on Linux 2.6.5, ext3",
    "rahn-pctfree": "G. Rahn: PCTFREE and bug 6918210",
    "geist-assm": "R. Geist, 2011: bug 6918210",
    "shallahamer-direct": "C. Shallahamer, 2016: direct path reads",
    "savvinov-lio": "N. Savvinov: logical I/O on a PC and a Sun M8000",
    "lewis-delete": "J. Lewis and others, 2009 and 2018",
    "general knowledge": "Typical values of today's hardware, not measured on one system",
    "tpc-b": "TPC-B, after its specification",
    "tpc-c": "TPC-C, after its specification",
}
"""Source of a scenario -> who measured it, where and when."""


def all_presets() -> Iterator[Preset]:
    """Every preset: the questions, then the experiments group by group."""
    yield from QUESTIONS
    for group in PRESETS.values():
        yield from group


BY_KEY: Final = {preset.key: preset for preset in all_presets()}


def question(key: str) -> Preset | None:
    """The question of that *key*; None for anything else."""
    preset = BY_KEY.get(key)
    return preset if preset in QUESTIONS else None


def key_of(scenario: str, changes: Mapping[str, str]) -> str:
    """The key of the preset that is the *scenario* with just these *changes*; the scenario's name where none is."""
    text = Preset("", scenario, changes).key
    return text if text in BY_KEY else scenario


def title_of_answer(key: str, scenario: str, changes: Mapping[str, str]) -> str:
    """What the preset *key* asks if it makes some of the *changes*, or else the *scenario*; with the other changes."""
    preset = BY_KEY.get(key)
    if preset is None or preset.scenario != scenario or not preset.changes.items() <= changes.items():
        return settings.titled(own_files.title(scenario), changes)
    further = {path: text for path, text in changes.items() if path not in preset.changes}
    return settings.titled(preset.title, further)


def named(key: str) -> Preset:
    """The preset of that *key*, or the library's scenario of that name as one."""
    return BY_KEY.get(key) or Preset(library()[key].title, key)


def title_of(key: str, otherwise: Callable[[str], str]) -> str:
    """What the preset *key* asks; *otherwise* says it of a scenario that is none."""
    return BY_KEY[key].title if key in BY_KEY else otherwise(key)


def choices() -> list[str]:
    """Keys of every preset, then the names of the scenarios that no preset is."""
    return [*BY_KEY, *(name for name in library() if name not in BY_KEY)]


def source_of(scenario: str) -> str:
    """Who measured a library scenario, in words."""
    text = library()[scenario].source
    return DOCUMENTS.get(text, text)
