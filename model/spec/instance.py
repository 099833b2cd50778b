"""The Oracle instance, and what its optimizer was told of the machine."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import (
    GENERAL,
    ORACLE,
    BlockSize,
    Rate,
    Real,
    Seconds,
    Size,
    Whole,
    as_text,
    setting,
)
from blocktime.model.units import GIB, KIB, MIB


class Replacement(Frozen):
    """How the buffer cache chooses the buffer to use again: Oracle's hidden parameters, with its defaults."""

    percent_hot: Real = setting(
        50.0,
        "_db_percent_hot_default: largest share of the hot region",
        "shallahamer-touch-count",
        ge=0,
        le=100,
    )
    touch_time_s: Seconds = setting(
        3.0,
        "_db_aging_touch_time: time within which touches count once",
        "shallahamer-touch-count",
        ge=0,
        le=3600,
    )
    hot_criteria: Whole = setting(
        2, "_db_aging_hot_criteria: touches that make a buffer hot", "shallahamer-touch-count", ge=1, le=255
    )
    more_than: bool = setting(
        False,
        "A buffer needs more touches than hot_criteria to become hot, not as many; sources differ",
        "shallahamer-touch-count",
    )
    stay_count: Whole = setting(
        0,
        "_db_aging_stay_count: touch count of a buffer that moves to the hot end",
        "shallahamer-touch-count",
        ge=0,
        le=255,
    )
    cool_count: Whole = setting(
        1,
        "_db_aging_cool_count: touch count of a buffer that crosses the midpoint",
        "shallahamer-touch-count",
        ge=0,
        le=255,
    )

    @model_validator(mode="after")
    def _a_search_ends(self) -> "Replacement":
        if max(self.stay_count, self.cool_count) >= self.hot_criteria + self.more_than:
            raise ValueError(
                f"stay_count {self.stay_count} and cool_count {self.cool_count} must be below the "
                f"{self.hot_criteria + self.more_than} touches that make a buffer hot, or the search for one never ends"
            )
        return self


class SystemStatistics(Frozen):
    """What the optimizer was told of the machine (AUX_STATS$)."""

    kind: Literal["noworkload", "workload", "none"] = setting(
        "noworkload",
        "NOWORKLOAD defaults, gathered WORKLOAD figures (the same once MBRC, SREADTIM and MREADTIM are given), or none "
        "(old I/O costing)",
        "oracle-tuning",
    )
    ioseektim_s: Seconds = setting(0.010, "IOSEEKTIM", "oracle-tuning", ge=1e-9, le=10)
    iotfrspeed_bytes_per_s: Rate = setting(
        4_096_000.0, "IOTFRSPEED (4,096 bytes/ms)", "oracle-tuning", ge=1, le=1e12
    )
    cpuspeed_hz: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, "CPUSPEED or CPUSPEEDNW, cycles a second, if gathered; else that of the host", "oracle-tuning"
    )
    sreadtim_s: Annotated[Seconds, Field(ge=1e-9, le=10)] | None = setting(
        None, "SREADTIM, if gathered; else from IOSEEKTIM and IOTFRSPEED", "oracle-tuning"
    )
    mreadtim_s: Annotated[Seconds, Field(ge=1e-9, le=100)] | None = setting(
        None, "MREADTIM, if gathered; else from IOSEEKTIM and IOTFRSPEED", "oracle-tuning"
    )
    mbrc: Annotated[Whole, Field(ge=1, le=512)] | None = setting(
        None, "MBRC of the statistics, for costing", "oracle-tuning"
    )
    block_cycles: Real = setting(
        7121.0, "CPU cycles the optimizer expects of a block", "lewis-cbo", ge=0, le=1e9
    )
    row_cycles: Real = setting(
        130.0, "CPU cycles the optimizer expects of a row, without its columns", GENERAL, ge=0, le=1e9
    )
    column_cycles: Real = setting(
        20.0, "CPU cycles the optimizer expects for each column that it skips", "lewis-cbo", ge=0, le=1e9
    )

    @model_validator(mode="after")
    def _several_blocks_take_longer_than_one(self) -> "SystemStatistics":
        if self.sreadtim_s is not None and self.mreadtim_s is not None and self.mreadtim_s < self.sreadtim_s:
            raise ValueError(
                f"mreadtim_s {self.mreadtim_s:g} is less than sreadtim_s {self.sreadtim_s:g}: the optimizer sets such "
                "statistics aside; give times of which that of several blocks is the longer, or neither"
            )
        return self


RELEASE = re.compile(r"[0-9]{1,2}((\.[0-9]{1,2}){1,4}|i|g|c|ai)?")


class Instance(Frozen):
    """The Oracle instance."""

    release: Annotated[str, BeforeValidator(as_text)] = setting(
        "19.3.0.0", "Release; decides direct reads, file layout, which waits are posted", ORACLE
    )
    db_block_size_bytes: BlockSize = setting(8 * KIB, "DB_BLOCK_SIZE", ORACLE)
    buffer_cache_bytes: Size = setting(GIB, "DB_CACHE_SIZE", GENERAL, ge=MIB, le=64 * 1024 * GIB)
    db_keep_cache_bytes: Size = setting(0, "DB_KEEP_CACHE_SIZE", ORACLE, ge=0, le=64 * 1024 * GIB)
    db_recycle_cache_bytes: Size = setting(0, "DB_RECYCLE_CACHE_SIZE", ORACLE, ge=0, le=64 * 1024 * GIB)
    db_nk_cache_bytes: Annotated[Size, Field(ge=MIB, le=64 * 1024 * GIB)] | None = setting(
        None,
        "DB_nK_CACHE_SIZE, the pool of blocks whose size is not DB_BLOCK_SIZE; as large as buffer_cache_bytes when "
        "nothing is said",
        ORACLE,
    )
    replacement: Replacement = setting(
        Replacement, "Replacement in the buffer cache", "shallahamer-touch-count"
    )
    checkpoint_s: Seconds = setting(
        60.0,
        "Checkpoint age: DBWR writes a block that has been dirty for longer. FAST_START_MTTR_TARGET is not the same: "
        "it counts seconds of recovery",
        GENERAL,
        ge=1,
        le=86_400,
    )
    checkpoint_redo_bytes: Annotated[Size, Field(ge=MIB, le=1024**5)] | None = setting(
        None,
        "Redo that the checkpoint lags behind at most: DBWR writes a block once so much redo has come since it changed "
        "(90 % of the smallest redo log; LOG_CHECKPOINT_INTERVAL); no limit if not set",
        "oracle-tuning",
    )
    db_writer_requests: Whole = setting(
        64,
        "Writes that DBWR has under way at once; without asynchronous I/O one for each of db_writer_processes",
        GENERAL,
        ge=1,
        le=4096,
    )
    db_writer_processes: Whole = setting(
        1,
        "DB_WRITER_PROCESSES: without asynchronous I/O each writes one block after another; Oracle's own "
        "default is an eighth of CPU_COUNT, at least one",
        ORACLE,
        ge=1,
        le=100,
    )
    redo_disk: Literal["own", "data"] = setting(
        "own",
        "Where the redo log lies: on a disk of its own like that of the data, or with the data",
        GENERAL,
    )
    redo_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None,
        "Most that the redo log's own disk writes a second, where it has a limit of its own below that of the data's "
        "disk",
        GENERAL,
    )
    redo_service_cv: Annotated[Real, Field(ge=0, le=10)] | None = setting(
        None,
        "Coefficient of variation of the writes of the redo log's own disk, of a device without positions; that of the "
        "data's disk if not set",
        GENERAL,
    )
    log_buffer_bytes: Size = setting(
        32 * MIB,
        "LOG_BUFFER: redo that waits for LGWR at most; sessions whose redo finds no room wait for log buffer space",
        ORACLE,
        ge=64 * KIB,
        le=64 * GIB,
    )
    redo_byte: Annotated[Size, Field(ge=0, le=1024**5)] | None = setting(
        None, "Where on the data disk the log begins; behind the data if not set", GENERAL
    )
    db_file_multiblock_read_count: Literal["auto"] | Annotated[Whole, Field(ge=0, le=1_000_000)] = setting(
        "auto", "DB_FILE_MULTIBLOCK_READ_COUNT: auto, or blocks of DB_BLOCK_SIZE; 0 is bug 5768025", ORACLE
    )
    block_end_saves_get: bool = setting(
        True,
        "A fetch call that stops on a block's last row lets the next call begin at the next block; otherwise each call "
        "gets the block again where the last one stopped",
        "rahn-mbrc",
    )
    sessions: Whole = setting(
        170, "SESSIONS; the automatic MBRC divides the buffer cache by it", ORACLE, ge=1, le=65535
    )
    max_io_bytes: Size = setting(
        MIB, "Largest read that Oracle requests from the host", "rahn-mbrc", ge=32 * KIB, le=32 * MIB
    )
    parallel_max_servers: Whole | None = setting(
        None, "PARALLEL_MAX_SERVERS; 40 for each processor if not set", "oracle-reference", ge=0, le=3600
    )
    parallel_min_servers: Whole | None = setting(
        None,
        "PARALLEL_MIN_SERVERS: parallel servers that the instance keeps; a query starts what it needs beyond them. If "
        "not set 4 for each processor since 12.2, and none before",
        "oracle-reference",
        ge=0,
        le=3600,
    )
    sql_trace: bool = setting(
        False,
        "SQL_TRACE (event 10046): the session writes a trace between calls, which takes host.between_calls_s each time",
        "rahn-mbrc",
    )
    serial_direct_read: Literal["auto", "always", "never"] = setting("auto", "_SERIAL_DIRECT_READ", GENERAL)
    disk_asynch_io: bool = setting(True, "DISK_ASYNCH_IO; false switches it off everywhere", ORACLE)
    filesystemio_options: Literal["none", "asynch", "directio", "setall"] | None = setting(
        None,
        "FILESYSTEMIO_OPTIONS: how Oracle opens files of a file system, whatever host.io_path says; ASM and raw "
        "devices ignore it. If not set: none, the default of Linux, or direct where host.io_path is direct",
        "oracle-file-systems",
    )
    direct_read_slots: Whole = setting(
        2, "Asynchronous direct reads in flight when the scan starts", "shallahamer-direct", ge=1, le=64
    )
    direct_read_slots_limit: Whole = setting(
        32,
        "Maximum of asynchronous direct reads in flight; the number grows when the session waits",
        GENERAL,
        ge=1,
        le=256,
    )
    statistics: SystemStatistics = setting(SystemStatistics, "System statistics", "oracle-tuning")

    @field_validator("release")
    @classmethod
    def _a_release(cls, value: str) -> str:
        if not RELEASE.fullmatch(value):
            raise ValueError(f"{value!r} is not a release; write it like 11.1.0.6 or 19c")
        if release_tuple(value) < (8, 1):
            raise ValueError(f"{value!r} is older than 8.1, the oldest release described here")
        return value

    @model_validator(mode="after")
    def _a_limit_has_a_disk_of_its_own(self) -> "Instance":
        if self.redo_service_cv is not None and self.redo_disk == "data":
            raise ValueError(
                f"redo_service_cv {self.redo_service_cv:g} is that of a disk of the log's own, and redo_disk "
                '"data" has none: give redo_disk "own", or the disk a service_cv'
            )
        if self.redo_limit_bytes_per_s is not None and self.redo_disk == "data":
            raise ValueError(
                f"redo_limit_bytes_per_s {self.redo_limit_bytes_per_s:g} is that of a disk of the log's own, and "
                'redo_disk "data" has none: give redo_disk "own", or the disk a throughput_limit_bytes_per_s'
            )
        return self

    @model_validator(mode="after")
    def _within_the_largest_read(self) -> "Instance":
        mbrc = self.db_file_multiblock_read_count
        if mbrc != "auto":
            most = self.max_io_bytes // self.db_block_size_bytes
            if not 0 <= mbrc <= most:
                raise ValueError(
                    f"db_file_multiblock_read_count {mbrc} is outside 0 to {most}: {most} blocks of "
                    f"{self.db_block_size_bytes} bytes are max_io_bytes {self.max_io_bytes}"
                )
        if self.direct_read_slots_limit < self.direct_read_slots:
            raise ValueError(
                f"direct_read_slots_limit {self.direct_read_slots_limit} is less than direct_read_slots "
                f"{self.direct_read_slots}"
            )
        return self


def release_tuple(release: str) -> tuple[int, ...]:
    """A release as numbers that compare: ``"11.1.0.6"`` -> (11, 1, 0, 6); a bare ``"19c"`` is its first, (19, 1)."""
    parts = tuple(int(part) for part in release.rstrip("igca").split("."))
    return parts if len(parts) > 1 else (*parts, 1)
