"""Whole tables in and out through a client: the original imp and exp utilities."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from blocktime.model.spec.fields import Size, Whole, setting, users
from blocktime.model.spec.groups import WORKLOAD
from blocktime.model.spec.programs import Work
from blocktime.model.units import MIB

UTILITIES = "oracle-utilities"
MOST_ROW_BYTES = 4_000_000

Buffer = Annotated[Size, Field(ge=512, le=256 * MIB)]
LargestRow = Annotated[Size, Field(ge=3, le=MOST_ROW_BYTES)]


class Import(Work):
    """``imp``: the rows of a dump file inserted in arrays into an empty table without indexes."""

    law_sources: ClassVar[tuple[str, ...]] = (
        "oracle-concepts",
        "oracle-utilities",
        "oracle-wait-interface",
        "magni-linux",
    )
    inserts: ClassVar[bool] = True
    kind: Literal["import"] = "import"
    buffer_bytes: Buffer = setting(30_720, UTILITIES, WORKLOAD.at(140, "BUFFER"))
    """BUFFER: bytes of an array, each of its rows counted as long as it may be."""
    largest_row_bytes: LargestRow | None = setting(None, UTILITIES, WORKLOAD.at(150, "Longest row"))
    """Longest row that the columns allow; 24 bytes a column (a NUMBER) if not set."""
    commit: bool = setting(False, UTILITIES, WORKLOAD.at(160, "COMMIT=y"))
    """COMMIT=y: commit after each array; else after the table."""
    users: Whole = users(254)
    """Imports at the same time that share the rows among them."""


class Export(Work):
    """``exp``: all rows of the table, fetched in arrays and written to a dump file."""

    law_sources: ClassVar[tuple[str, ...]] = ("oracle-concepts", "oracle-utilities", "rahn-mbrc", "savvinov-lio")
    kind: Literal["export"] = "export"
    direct: bool = setting(False, UTILITIES, WORKLOAD.at(170, "DIRECT=y"))
    """DIRECT=y: rows go out as they lie in their blocks, past the SQL engine."""
    buffer_bytes: Buffer = setting(30_720, UTILITIES, WORKLOAD.at(140, "BUFFER"))
    """BUFFER: bytes of an array (RECORDLENGTH with direct, where rows count as they are)."""
    largest_row_bytes: LargestRow | None = setting(None, UTILITIES, WORKLOAD.at(150, "Longest row"))
    """Longest row that the columns allow; 24 bytes a column (a NUMBER) if not set."""
    users: Whole = users(10_000)
    """Exports of the table at the same time."""
