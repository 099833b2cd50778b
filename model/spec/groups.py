"""Where a field stands on the page: the groups of controls, and the place of a field in them."""

from typing import NamedTuple

STATEMENTS = ("full_scan", "index_range_scan", "update", "insert", "delete", "import", "export")
STREAMS = ("write_stream", "read_stream")
TRANSACTIONS = ("transactions",)


class ControlPlace(NamedTuple):
    """A place in a group, for some kinds of workload; every kind where *kinds* is empty."""

    group: "ControlGroup"
    rank: int
    """Smaller numbers stand first."""
    label: str
    kinds: tuple[str, ...]

    def is_for(self, kind: str) -> bool:
        """Whether workloads of *kind* have a control there."""
        return not self.kinds or kind in self.kinds


class ControlGroup(NamedTuple):
    """A group of controls."""

    name: str
    kinds: tuple[str, ...] = ()
    """The kinds of workload that have it; every kind where none is named."""
    folded: bool = False
    """Whether few readers need it."""

    def at(self, rank: int, label: str, *kinds: str) -> ControlPlace:
        """The place of a field with this *label*, for *kinds* of workload; for those of the group if none is given."""
        return ControlPlace(self, rank, label, kinds or self.kinds)


SEGMENT = ControlGroup("Segment", STATEMENTS)
ROWS_CHANGED = ControlGroup("Rows changed")
INSTANCE = ControlGroup("Instance", STATEMENTS)
USERS = ControlGroup("Users", TRANSACTIONS)
TRANSACTION = ControlGroup("The transaction", TRANSACTIONS)
BUFFER_CACHE = ControlGroup("Buffer cache", TRANSACTIONS)
REPLACEMENT = ControlGroup("Replacement and hottest blocks", TRANSACTIONS, folded=True)
SERVER = ControlGroup("Processors, log and disk", TRANSACTIONS)
STREAM = ControlGroup("Stream", STREAMS)
STORAGE = ControlGroup("Host and storage", (*STATEMENTS, *STREAMS))
BLOCK_LAYER = ControlGroup("Block layer", STREAMS, folded=True)
PAGE_CACHE = ControlGroup("Page cache", STREAMS, folded=True)
IOSTAT = ControlGroup("iostat", STREAMS, folded=True)
WORKLOAD = ControlGroup("Workload")
PRICES = ControlGroup("Prices")
GROUPS = (
    SEGMENT,
    ROWS_CHANGED,
    INSTANCE,
    USERS,
    TRANSACTION,
    BUFFER_CACHE,
    REPLACEMENT,
    SERVER,
    STREAM,
    STORAGE,
    BLOCK_LAYER,
    PAGE_CACHE,
    IOSTAT,
    WORKLOAD,
    PRICES,
)
"""The groups in the order of the page."""
