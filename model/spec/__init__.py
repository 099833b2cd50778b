"""Inputs: the system and the workload; a field has its unit in its name, its limits, and the source of its default."""

from pydantic import ValidationError, model_validator

from blocktime.model.laws import opened_files
from blocktime.model.provenance import Constant, Frozen
from blocktime.model.spec.client import Client
from blocktime.model.spec.fields import Whole
from blocktime.model.spec.instance import Instance, SystemStatistics, release_tuple
from blocktime.model.spec.loads import Export, Import
from blocktime.model.spec.machine import Disk, Host, IoPath, Iostat
from blocktime.model.spec.prices import Prices
from blocktime.model.spec.programs import Beside
from blocktime.model.spec.segments import Column, Index, MaintainedIndex, Table, Tablespace
from blocktime.model.spec.transactions import Transaction, Transactions
from blocktime.model.spec.workloads import (
    WORKLOADS,
    Calls,
    Delete,
    Dml,
    FullScan,
    IndexRangeScan,
    Insert,
    Load,
    Query,
    ReadStream,
    Statement,
    Stream,
    Update,
    Workload,
    WriteStream,
)

__all__ = [
    "WORKLOADS",
    "Beside",
    "Calls",
    "Client",
    "Column",
    "Delete",
    "Disk",
    "Dml",
    "Export",
    "FullScan",
    "Host",
    "Import",
    "Index",
    "IndexRangeScan",
    "Insert",
    "Instance",
    "IoPath",
    "Iostat",
    "Load",
    "MaintainedIndex",
    "Prices",
    "Query",
    "ReadStream",
    "Statement",
    "Stream",
    "System",
    "SystemStatistics",
    "Table",
    "Tablespace",
    "Transaction",
    "Transactions",
    "Update",
    "Whole",
    "Workload",
    "WriteStream",
    "release_tuple",
]


class System(Frozen):
    """Everything a workload meets, every constant explicit."""

    tablespace: Tablespace = Tablespace.model_construct()
    table: Table = Table.model_construct()
    index: Index = Index.model_construct()
    instance: Instance = Instance.model_construct()
    host: Host = Host.model_construct()
    client: Client = Client.model_construct()
    disk: Disk = Disk.model_construct()
    iostat: Iostat = Iostat.model_construct()
    prices: Prices = Prices.model_construct()
    constants: dict[str, Constant] = {}
    """Dotted path of a field -> where its value comes from, for those taken from a catalog."""

    @property
    def database_path(self) -> str:
        """How the database's files are opened; a stream opens its own."""
        return opened_files.database_path(self.host.io_path, self.instance.filesystemio_options)

    @property
    def database_asynch_io(self) -> bool:
        """Whether reads and writes of the database's files are asynchronous."""
        instance = self.instance
        return opened_files.database_asynch_io(
            self.host.io_path, instance.filesystemio_options, instance.disk_asynch_io
        )

    @property
    def between_calls_s(self) -> float:
        """Seconds between two calls in which a traced session writes its trace; 0 without a trace."""
        return self.host.between_calls_s * self.instance.sql_trace

    @model_validator(mode="after")
    def _limits_are_of_volumes(self) -> "System":
        if self.host.limits_volumes and self.disk.reorder_age_s is not None:
            raise ValueError(
                "host.iops_limit and host.bandwidth_limit_bytes_per_s go without disk.reorder_age_s "
                f"{self.disk.reorder_age_s:g}: they are for volumes of a virtual machine; leave one of the two out"
            )
        return self

    @model_validator(mode="after")
    def _the_log_may_vary(self) -> "System":
        varies = self.instance.redo_service_cv
        if varies and not self.disk.service_cv:
            try:
                Disk.model_validate({**dict(self.disk), "service_cv": varies})
            except ValidationError as error:
                why = error.errors()[0]["msg"].removeprefix("Value error, ")
                raise ValueError(f"instance.redo_service_cv {varies:g} is as disk.service_cv: {why}") from None
        return self

    @model_validator(mode="after")
    def _a_row_fits_somewhere(self) -> "System":
        self.check_fits(self.table, "table")
        return self

    def check_fits(self, table: Table, path: str) -> None:
        """Raise ValueError for a *table*, whose fields lie at *path*, with so many ITL entries that no row has room."""
        itl_bytes, size = 24 * max(table.initrans, 3), self.tablespace.block_size_bytes
        if 110 + itl_bytes + 11 > size / 2:
            raise ValueError(
                f"{path}.initrans {table.initrans} needs {itl_bytes:,} bytes, more than half of a block of {size}; "
                f"allowed is at most {(size // 2 - 121) // 24}"
            )
