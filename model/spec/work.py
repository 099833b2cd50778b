"""What every kind of workload says of itself, beside its fields; so nobody has to ask which kind it is."""

from __future__ import annotations

from typing import ClassVar

from model.provenance import Frozen


class Work(Frozen):
    """A workload; a kind that differs from most says so here."""

    plays_rows: ClassVar[bool] = False
    """Whether it changes rows of its table, which are played through their blocks."""

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

    def changes_of_rows(self, table_rows: int) -> int:
        """How many rows of a table it changes, all passes together."""
        return self.added_rows


def whole_share(rows: int, fraction: float) -> int:
    """Whole rows of a share of a table's rows."""
    return int(rows * fraction + 1e-9)
