"""The Oracle instance, and what its optimizer was told of the machine."""

import re
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import (
    GENERAL,
    ORACLE,
    BlockSize,
    Declaration,
    Rate,
    Real,
    Seconds,
    Size,
    Whole,
    as_text,
    catalog_entry,
    setting,
)
from blocktime.model.spec.groups import BUFFER_CACHE, INSTANCE, REPLACEMENT, SERVER, STATEMENTS, WORKLOAD
from blocktime.model.units import GIB, KIB, MIB


class Replacement(Frozen):
    """How the buffer cache chooses the buffer to use again: Oracle's hidden parameters, with its defaults."""

    percent_hot: Real = setting(
        50.0, "shallahamer-touch-count", REPLACEMENT.at(10, "Hot region (_db_percent_hot_default)"), within=(0, 100)
    )
    """_db_percent_hot_default: largest share of the hot region."""
    touch_time_s: Seconds = setting(3.0, "shallahamer-touch-count", REPLACEMENT.at(20, "Touch time"), within=(0, 3600))
    """_db_aging_touch_time: time within which touches count once."""
    hot_criteria: Whole = setting(
        2, "shallahamer-touch-count", REPLACEMENT.at(30, "Touch count of a hot buffer"), within=(1, 255)
    )
    """_db_aging_hot_criteria: touches that make a buffer hot."""
    more_than: bool = setting(False, "shallahamer-touch-count")
    """A buffer needs more touches than hot_criteria to become hot, not as many; sources differ."""
    stay_count: Whole = setting(
        0, "shallahamer-touch-count", REPLACEMENT.at(40, "Touch count at the hot end"), within=(0, 255)
    )
    """_db_aging_stay_count: touch count of a buffer that moves to the hot end."""
    cool_count: Whole = setting(
        1, "shallahamer-touch-count", REPLACEMENT.at(50, "Touch count at the midpoint"), within=(0, 255)
    )
    """_db_aging_cool_count: touch count of a buffer that crosses the midpoint."""

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

    use: ClassVar[Declaration] = catalog_entry()
    kind: Literal["noworkload", "workload", "none"] = setting(
        "noworkload", "oracle-tuning", words="system_statistics optimizer"
    )
    """NOWORKLOAD defaults, gathered WORKLOAD figures (the same once MBRC, SREADTIM and MREADTIM are given), or none
    (old I/O costing)."""
    ioseektim_s: Seconds = setting(0.010, "oracle-tuning", within=(1e-9, 10))
    """IOSEEKTIM."""
    iotfrspeed_bytes_per_s: Rate = setting(4_096_000.0, "oracle-tuning", within=(1, 1e12))
    """IOTFRSPEED (4,096 bytes/ms)."""
    cpuspeed_hz: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(None, "oracle-tuning")
    """CPUSPEED or CPUSPEEDNW, cycles a second, if gathered; else that of the host."""
    sreadtim_s: Annotated[Seconds, Field(ge=1e-9, le=10)] | None = setting(None, "oracle-tuning")
    """SREADTIM, if gathered; else from IOSEEKTIM and IOTFRSPEED."""
    mreadtim_s: Annotated[Seconds, Field(ge=1e-9, le=100)] | None = setting(None, "oracle-tuning")
    """MREADTIM, if gathered; else from IOSEEKTIM and IOTFRSPEED."""
    mbrc: Annotated[Whole, Field(ge=1, le=512)] | None = setting(None, "oracle-tuning")
    """MBRC of the statistics, for costing."""
    block_cycles: Real = setting(7121.0, "lewis-cbo", within=(0, 1e9))
    """CPU cycles the optimizer expects of a block."""
    row_cycles: Real = setting(130.0, GENERAL, within=(0, 1e9))
    """CPU cycles the optimizer expects of a row, without its columns."""
    column_cycles: Real = setting(20.0, "lewis-cbo", within=(0, 1e9))
    """CPU cycles the optimizer expects for each column that it skips."""

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
        "19.3.0.0",
        ORACLE,
        INSTANCE.at(10, "Release"),
        words="version oracle_version",
        offers="9.2.0.8 10.2.0.4 11.1.0.6 11.2.0.4 12.1.0.2 19.3.0.0",
    )
    """Release; decides direct reads, file layout, which waits are posted."""
    db_block_size_bytes: BlockSize = setting(8 * KIB, ORACLE, words="db_block_size")
    """DB_BLOCK_SIZE."""
    buffer_cache_bytes: Size = setting(
        GIB,
        GENERAL,
        INSTANCE.at(30, "Buffer cache"),
        BUFFER_CACHE.at(10, "Buffer cache"),
        words="db_cache_size buffer_cache cache_size sga sga_target",
        related="memory",
        within=(MIB, 64 * 1024 * GIB),
    )
    """DB_CACHE_SIZE."""
    db_keep_cache_bytes: Size = setting(
        0, ORACLE, BUFFER_CACHE.at(70, "KEEP pool"), words="db_keep_cache_size keep", within=(0, 64 * 1024 * GIB)
    )
    """DB_KEEP_CACHE_SIZE."""
    db_recycle_cache_bytes: Size = setting(
        0,
        ORACLE,
        BUFFER_CACHE.at(90, "RECYCLE pool"),
        words="db_recycle_cache_size recycle",
        within=(0, 64 * 1024 * GIB),
    )
    """DB_RECYCLE_CACHE_SIZE."""
    db_nk_cache_bytes: Annotated[Size, Field(ge=MIB, le=64 * 1024 * GIB)] | None = setting(None, ORACLE)
    """DB_nK_CACHE_SIZE, the pool of blocks whose size is not DB_BLOCK_SIZE; as large as buffer_cache_bytes when nothing
    is said."""
    replacement: Replacement = setting(Replacement, "shallahamer-touch-count")
    """Replacement in the buffer cache."""
    checkpoint_s: Seconds = setting(
        60.0,
        GENERAL,
        SERVER.at(170, "Checkpoint age"),
        words="fast_start_mttr_target checkpoint",
        related="dbwr dbwn dbw0",
        within=(1, 86_400),
    )
    """Checkpoint age: DBWR writes a block that has been dirty for longer. FAST_START_MTTR_TARGET is not the same: it
    counts seconds of recovery."""
    checkpoint_redo_bytes: Annotated[Size, Field(ge=MIB, le=1024**5)] | None = setting(
        None, "oracle-tuning", SERVER.at(180, "Checkpoint lag in redo"), words="log_checkpoint_interval log_file_size"
    )
    """Redo that the checkpoint lags behind at most: DBWR writes a block once so much redo has come since it changed (90
    % of the smallest redo log; LOG_CHECKPOINT_INTERVAL); no limit if not set."""
    fast_start_mttr_target_s: Seconds = setting(
        0.0,
        "oracle-tuning",
        SERVER.at(175, "FAST_START_MTTR_TARGET"),
        words="fast_start_mttr_target recovery mttr crash_recovery",
        within=(0, 3600),
    )
    """FAST_START_MTTR_TARGET: DBWR writes so early that recovery takes no longer; 0 sets no such limit."""
    redo_log_bytes: Annotated[Size, Field(ge=4 * MIB, le=1024**5)] | None = setting(
        None, ORACLE, SERVER.at(182, "Size of a redo log"), words="redo_log_size log_switch log_file_size checkpoint"
    )
    """Size of each redo log: DBWR writes a block before 90 % of it have come since the block changed, and LGWR waits
    before a log whose blocks are not written yet; no switch of logs is played if not set."""
    redo_log_groups: Whole = setting(
        3, ORACLE, SERVER.at(184, "Redo log groups"), words="log_groups checkpoint_incomplete", within=(2, 255)
    )
    """Redo logs that LGWR writes in turn."""
    archive_disk: Literal["none", "own", "data"] = setting(
        "none",
        ORACLE,
        SERVER.at(136, "Archived logs"),
        words="archiver arch archived_log log_archive_dest archiving",
        options={"none": "not played", "own": "on a separate device", "data": "on the data device"},
    )
    """Where the archiver copies each redo log that is full; it reads the redo's device meanwhile, and a log is written
    anew only once it is copied."""
    undo_bytes: Annotated[Size, Field(ge=MIB, le=1024**5)] | None = setting(
        None,
        ORACLE,
        SERVER.at(186, "Undo tablespace"),
        words="undo_size undotbs undo_tablespace undo_retention undo_segment rollback_segment ora_30036",
    )
    """Size of the undo tablespace: a transaction whose undo does not fit fails (ORA-30036), and so does a query that
    needs what transactions beside it have overwritten (ORA-01555); no limit if not set."""
    db_writer_requests: Whole = setting(64, GENERAL, words="dbwr dbwn dbw0", within=(1, 4096))
    """Writes that DBWR has under way at once; without asynchronous I/O one for each of db_writer_processes."""
    db_writer_processes: Whole = setting(1, ORACLE, words="dbwr dbwn dbw0", within=(1, 100))
    """DB_WRITER_PROCESSES: without asynchronous I/O each writes one block after another; Oracle's own default is an
    eighth of CPU_COUNT, at least one."""
    redo_disk: Literal["own", "data"] = setting(
        "own",
        GENERAL,
        INSTANCE.at(70, "Redo log"),
        SERVER.at(130, "Redo log"),
        words="redo redo_log",
        options={"own": "on a separate device", "data": "on the data device"},
    )
    """Where the redo log lies: on a disk of its own like that of the data, or with the data."""
    archivelog: bool = setting(True, GENERAL, SERVER.at(132, "ARCHIVELOG mode"), words="noarchivelog archive_log")
    """ARCHIVELOG: direct loads write redo of their blocks; without it they write none."""
    force_logging: bool = setting(False, GENERAL, SERVER.at(134, "FORCE LOGGING"), words="force_logging")
    """FORCE LOGGING: direct loads write redo of their blocks, NOLOGGING or not."""
    log_file_sync: Literal["auto", "post", "poll"] = setting(
        "auto",
        GENERAL,
        SERVER.at(145, "Waiting for a commit"),
        words="use_adaptive_log_file_sync post_wait polling",
        options={"auto": "as the release does", "post": "LGWR posts sessions", "poll": "sessions poll"},
    )
    """How a session learns that its commit is on disk: LGWR posts it, or it sleeps and polls; since 11.2.0.3 LGWR
    changes to polling where posting takes it longer (_use_adaptive_log_file_sync)."""
    redo_limit_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, GENERAL, SERVER.at(140, "Throughput limit of the log's disk")
    )
    """Most that the redo log's own disk writes a second, where it has a limit of its own below that of the data's
    disk."""
    redo_service_cv: Annotated[Real, Field(ge=0, le=10)] | None = setting(
        None, GENERAL, SERVER.at(150, "Variation of log writes")
    )
    """Coefficient of variation of the writes of the redo log's own disk, of a device without positions; that of the
    data's disk if not set."""
    log_buffer_bytes: Size = setting(
        32 * MIB, ORACLE, SERVER.at(160, "Log buffer"), words="log_buffer", within=(64 * KIB, 64 * GIB)
    )
    """LOG_BUFFER: redo that waits for LGWR at most; sessions whose redo finds no room wait for log buffer space."""
    redo_transport: Literal["none", "async", "sync"] = setting(
        "none",
        ORACLE,
        SERVER.at(162, "Redo transport"),
        words="data_guard dataguard standby redo_transport log_transport sync_standby far_sync maximum_availability",
        options={"none": "no standby", "async": "asynchronous", "sync": "synchronous"},
    )
    """Data Guard: with sync a commit waits for the standby's write, too; with async for none of it."""
    redo_transport_round_trip_s: Annotated[Seconds, Field(ge=0, le=10)] | None = setting(
        None, GENERAL, SERVER.at(164, "Round trip to the standby")
    )
    """Round trip between LGWR and the standby; sync needs it."""
    redo_transport_write_s: Seconds = setting(1e-3, GENERAL, SERVER.at(166, "Log write of the standby"), within=(0, 10))
    """Write of the standby's redo log, before it answers."""
    redo_byte: Annotated[Size, Field(ge=0, le=1024**5)] | None = setting(None, GENERAL)
    """Where on the data disk the log begins; behind the data if not set."""
    db_file_multiblock_read_count: Literal["auto"] | Annotated[Whole, Field(ge=0, le=1_000_000)] = setting(
        "auto",
        ORACLE,
        INSTANCE.at(20, "Multiblock read count (blocks)"),
        words="mbrc multiblock",
        offers="auto 0 8 16 128",
    )
    """DB_FILE_MULTIBLOCK_READ_COUNT: auto, or blocks of DB_BLOCK_SIZE; 0 is bug 5768025."""
    block_end_saves_get: bool = setting(
        True, "rahn-mbrc", WORKLOAD.at(110, "Array ends at block end: no re-get", *STATEMENTS)
    )
    """A fetch call that stops on a block's last row lets the next call begin at the next block; otherwise each call
    gets the block again where the last one stopped."""
    sessions: Whole = setting(170, ORACLE, related="sessions", within=(1, 65535))
    """SESSIONS; the automatic MBRC divides the buffer cache by it."""
    max_io_bytes: Size = setting(MIB, "rahn-mbrc", within=(32 * KIB, 32 * MIB))
    """Largest read that Oracle requests from the host."""
    parallel_max_servers: Whole | None = setting(None, "oracle-reference", within=(0, 3600))
    """PARALLEL_MAX_SERVERS; 40 for each processor if not set."""
    parallel_min_servers: Whole | None = setting(None, "oracle-reference", within=(0, 3600))
    """PARALLEL_MIN_SERVERS: parallel servers that the instance keeps; a query starts what it needs beyond them. If not
    set 4 for each processor since 12.2, and none before."""
    sql_trace: bool = setting(False, "rahn-mbrc")
    """SQL_TRACE (event 10046): the session writes a trace between calls, which takes host.between_calls_s each time."""
    serial_direct_read: Literal["auto", "always", "never"] = setting(
        "auto", GENERAL, INSTANCE.at(40, "Direct path reads")
    )
    """_SERIAL_DIRECT_READ."""
    disk_asynch_io: bool = setting(
        True,
        ORACLE,
        INSTANCE.at(50, "Asynchronous I/O"),
        SERVER.at(80, "Asynchronous I/O"),
        words="aio",
        related="asynch",
    )
    """DISK_ASYNCH_IO; false switches it off everywhere."""
    filesystemio_options: Literal["none", "asynch", "directio", "setall"] | None = setting(
        None,
        "oracle-file-systems",
        INSTANCE.at(60, "filesystemio_options"),
        SERVER.at(70, "filesystemio_options"),
        words="filesystemio_options setall directio o_direct asynch",
        related="fs files filesystem file_system ext4 xfs",
    )
    """FILESYSTEMIO_OPTIONS: how Oracle opens files of a file system, whatever host.io_path says; ASM and raw devices
    ignore it. If not set: none, the default of Linux, or direct where host.io_path is direct."""
    pga_bytes: Size = setting(
        256 * MIB,
        GENERAL,
        INSTANCE.at(80, "PGA_AGGREGATE_TARGET"),
        words="pga pga_aggregate_target pga_target workarea",
        within=(10 * MIB, 4096 * GIB),
    )
    """PGA_AGGREGATE_TARGET: sessions share it, and one work area of a sort or a hash join has a part of it, by
    release."""
    work_area_bytes: Annotated[Size, Field(ge=16 * KIB, le=2 * GIB)] | None = setting(
        None, ORACLE, words="sort_area_size hash_area_size workarea_size_policy work_area_size"
    )
    """SORT_AREA_SIZE and HASH_AREA_SIZE under WORKAREA_SIZE_POLICY = MANUAL; by pga_bytes if not set."""
    temp_disk: Literal["data", "own"] = setting(
        "data",
        GENERAL,
        words="temp temp_tablespace temporary_tablespace tempfile direct_path_write_temp direct_path_read_temp",
        options={"data": "on the data device", "own": "on a separate device"},
    )
    """Where the temporary tablespace lies: with the data, or on a disk of its own like that of the data."""
    direct_read_slots: Whole = setting(2, "shallahamer-direct", within=(1, 64))
    """Asynchronous direct reads in flight when the scan starts."""
    direct_read_slots_limit: Whole = setting(32, GENERAL, within=(1, 256))
    """Maximum of asynchronous direct reads in flight; the number grows when the session waits."""
    statistics: SystemStatistics = setting(SystemStatistics, "oracle-tuning")
    """System statistics."""

    @field_validator("release")
    @classmethod
    def _a_release(cls, value: str) -> str:
        if not RELEASE.fullmatch(value):
            raise ValueError(f"{value!r} is not a release; write it like 11.1.0.6 or 19c")
        if release_tuple(value) < (8, 1):
            raise ValueError(f"{value!r} is older than 8.1, the oldest release described here")
        return value

    @model_validator(mode="after")
    def _a_limit_needs_a_redo_disk(self) -> "Instance":
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
    def _an_archiver_has_logs(self) -> "Instance":
        if self.archive_disk != "none" and (self.redo_log_bytes is None or not self.archivelog):
            needs = "archivelog true" if self.redo_log_bytes else "redo_log_bytes, the size of a redo log"
            raise ValueError(f"archive_disk {self.archive_disk} goes without {needs}: give it, or archive_disk none")
        return self

    @property
    def standby_s(self) -> float:
        """From LGWR's write on, until the standby has answered; 0 where no commit waits for it."""
        trip_s = self.redo_transport_round_trip_s
        return 0.0 if trip_s is None or self.redo_transport != "sync" else trip_s + self.redo_transport_write_s

    @model_validator(mode="after")
    def _a_standby_is_somewhere(self) -> "Instance":
        if self.redo_transport == "sync" and self.redo_transport_round_trip_s is None:
            raise ValueError(
                "redo_transport sync goes without redo_transport_round_trip_s: give the round trip to the standby, "
                "such as 1ms"
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
