"""Questions worth asking first, in plain words: a scenario of the library, what is changed in it, who measured it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from scenarios import library


@dataclass(frozen=True)
class Preset:
    """One question: a library scenario as the baseline, and the changes that the what-if begins with."""

    title: str
    scenario: str
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What a list of scenarios calls it: the scenario itself where nothing is changed."""
        said = "&".join(f"{path}={text}" for path, text in self.changes.items())
        return f"{self.scenario}?{said}" if said else self.scenario


PRESETS: Final[dict[str, tuple[Preset, ...]]] = {
    "Reading": (
        Preset("Full scan, 7.2 million rows", "rahn-full-scan"),
        Preset(
            "Full scan, 8K against 16K blocks", "rahn-full-scan", {"tablespace.block_size_bytes": "16384"}
        ),
        Preset("Full scan, 100 against 15 rows a fetch", "rahn-full-scan", {"workload.arraysize_rows": "15"}),
        Preset("Index range scan", "index-range-scan"),
        Preset("Index range scan, rows scattered", "index-range-scan", {"index.clustering": "scattered"}),
        Preset(
            "Buffered against direct reads", "shallahamer-buffered", {"instance.serial_direct_read": "always"}
        ),
        Preset("Logical I/O: counting cached rows", "savvinov-lio-pc"),
        Preset("What logical I/O costs, in money", "savvinov-lio-priced"),
        Preset("Physical against logical I/O", "savvinov-pio-lio"),
        Preset("Full scan of 50 million rows on NVMe", "full-scan-nvme"),
    ),
    "Changing rows": (
        Preset("Update that grows rows, 16K blocks", "rahn-pctfree-16k-10"),
        Preset("Update that grows rows, 8K blocks", "rahn-pctfree-8k-10"),
        Preset(
            "Update that grows rows, PCTFREE 10 or 35", "rahn-pctfree-16k-10", {"table.pctfree_percent": "35"}
        ),
        Preset("Update that grows rows, bug fixed", "rahn-pctfree-16k-10", {"instance.release": "11.2.0.4"}),
        Preset("Insert beside an uncommitted delete", "assm-uncommitted-delete"),
    ),
    "Loading and unloading": (
        Preset("Import of a schema, 4K blocks", "magni-imp-4k"),
        Preset(
            "Import of a schema, 4K against 16K", "magni-imp-4k", {"tablespace.block_size_bytes": "16384"}
        ),
        Preset("Import of a table of 200 MB", "magni-imp-200mb-4k"),
        Preset("Export of a schema", "magni-exp"),
        Preset("Select through SQL*Plus", "magni-select-200mb-4k"),
    ),
    "Transactions": (
        Preset("OLTP on ext3 (TPC-C)", "magni-tpcc-8k"),
        Preset("OLTP on ext3 (TPC-B)", "magni-tpcb-8k"),
        Preset("Order entry, one warehouse", "tpc-c"),
        Preset("Ten tellers, fifty branches", "tpc-b"),
        Preset("Ten or a hundred tellers", "tpc-b", {"workload.users": "100"}),
    ),
    "Below the database": (
        Preset("dd on a raw device", "magni-dd-raw-10000"),
        Preset("dd through the file system", "magni-dd-fs-10000"),
        Preset(
            "dd: raw against file system",
            "magni-dd-raw-10000",
            {"host.io_path": "buffered", "host.filesystem": "ext3", "workload.extends": "true"},
        ),
        Preset("O_SYNC writes, page by page", "magni-pwrite-1"),
        Preset("Reads of a scan, one pread at a time", "shallahamer-pread"),
        Preset("Reads of a scan, two by io_submit", "shallahamer-io-submit"),
    ),
}
"""Group -> its questions."""

DOCUMENTS: Final[dict[str, str]] = {
    "rahn-mbrc": "G. Rahn, 2008 (document 000): Oracle 11.1 on ASM",
    "magni-linux": "F. Magni (document 001): Linux 2.6.5, ext3",
    "rahn-pctfree": "G. Rahn (document 002): PCTFREE and bug 6918210",
    "geist-assm": "R. Geist, 2011, on document 002",
    "shallahamer-direct": "C. Shallahamer, 2016 (document 003)",
    "savvinov-lio": "N. Savvinov (document 004): PC, Sun M8000",
    "lewis-delete": "J. Lewis and others, 2009 and 2018",
    "tpc-b": "TPC-B, after its specification",
    "tpc-c": "TPC-C, after its specification",
}
"""Source of a scenario -> who measured it, where and when."""


def all_presets() -> Iterator[Preset]:
    """Every preset, group by group."""
    for group in PRESETS.values():
        yield from group


BY_KEY: Final = {preset.key: preset for preset in all_presets()}


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
    found = library()[scenario].source
    return DOCUMENTS.get(found, found)
