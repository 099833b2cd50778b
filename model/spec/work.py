"""What every kind of workload says of itself, beside its fields; so nobody has to ask which kind it is."""

from __future__ import annotations

from typing import ClassVar

from model.provenance import Frozen


class Work(Frozen):
    """A workload; a kind that differs from most says so here."""

    plays_rows: ClassVar[bool] = False
    """Whether it changes rows of its table, which are played through their blocks."""
    inserts: ClassVar[bool] = False
    """Whether the rows that it changes are new ones, in blocks that it formats."""
    deletes: ClassVar[bool] = False
    """Whether the rows that it changes go, and undo keeps all of them."""

    @property
    def at_random(self) -> bool:
        """Whether the rows that it changes come in any order, not block by block."""
        return False

    @property
    def passes(self) -> int:
        """How often it goes over the rows that it changes."""
        return 1

    @property
    def added_rows(self) -> int:
        """Rows that the table has more of afterwards than before."""
        return 0

    @property
    def rows_a_call(self) -> int:
        """Rows that one call of the client brings."""
        return 1

    @property
    def by_direct_path(self) -> bool:
        """Whether its rows go into blocks above the high-water mark, without undo of their own."""
        return False

    def changes_of_rows(self, table_rows: int) -> int:
        """How many rows of a table it changes, all passes together."""
        return self.added_rows


def whole_share(rows: int, fraction: float) -> int:
    """Whole rows of a share of a table's rows."""
    return int(rows * fraction + 1e-9)
