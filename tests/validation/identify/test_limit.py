"""The fastest reads of a histogram, by hand."""

from math import log, sqrt
from pathlib import Path

import pytest

from blocktime.validation.identify.identified_scenario import IdentifiedScenario
from blocktime.validation.identify.limit import (
    histogram,
    limit_of,
    log_pace,
    quantile,
    undelayed_s,
    variation,
    variation_of_slowest,
    write_s_of,
)
from blocktime.validation.identify.report import Report, reads_at_once
from blocktime.validation.identify.system import SystemProfile
from blocktime.validation.instruments.figures import Setting
from tests.validation.instruments import made
from tests.validation.instruments.made import report_of, waited

# Ten of a hundred below 1 ms, eighty more below 4 ms, the rest below 8 ms.
SHARES = [(0.001, 0.10), (0.004, 0.90), (0.008, 1.00)]


def buckets(event: str, shares: dict[str, float]) -> list[tuple[str, str, float]]:
    """A part of the histogram of an event."""
    of = f"Wait Event Histogram: {event}"
    return [(of, f"% of waits <{bound}", share) for bound, share in shares.items()]


@pytest.mark.parametrize(
    ("wanted", "seconds"),
    [
        (0.10, 0.001),  # the whole first bucket
        (0.05, 0.001 / sqrt(2)),  # half of it: the middle, in logarithm, of 0.5 to 1 ms
        (0.50, 0.002),  # half of the second: the middle, in logarithm, of 1 to 4 ms
        (1.00, 0.008),
    ],
)
def test_a_quantile_lies_even_in_logarithm_within_its_bucket(wanted: float, seconds: float) -> None:
    assert quantile(SHARES, wanted) == pytest.approx(seconds)


def test_a_histogram_without_waits_has_none() -> None:
    assert quantile([], 0.1) is None


def test_reads_of_the_bucket_that_has_most_take_what_the_overall_mean_leaves() -> None:
    shares = [(0.002, 0.0), (0.004, 0.8), (0.008, 1.0)]
    slow_s = 0.004 / log(2)  # mean of 4 to 8 ms, even in logarithm
    assert undelayed_s(shares, 0.8 * 0.0033 + 0.2 * slow_s) == pytest.approx(0.0033)


def test_reads_that_most_others_outlast_are_told_by_the_fastest_alone() -> None:
    assert undelayed_s([(0.001, 0.2), (0.008, 1.0)], 0.005) is None
    assert undelayed_s([], 0.005) is None


def test_the_parts_of_a_histogram_split_the_bucket_in_which_the_one_before_ends() -> None:
    """Shares of a later part are of all waits, and what it rounds away is not in the longest bucket."""
    event = "log file parallel write"
    parts = [(10, {"8ms": 0.2, "32ms": 0.3, "=1s": 0.5}), (20, {"32ms": 0.5, "64ms": 0.4, "1/8s": 0.099})]
    waits = [*waited(event, 1000, 40, "background"), *waited("db file sequential read", 10, 0.01)]
    reading = report_of(("report", "Elapsed", 100.0), *waits)
    for line, part in parts:
        reading.figures += report_of(*buckets(event, part), line=line).figures
    shares = [(0.008, 0.2), (0.032, 0.5), (0.064, 0.9), (0.125, 0.999)]
    found = Report(reading)
    assert histogram(found, event) == [pytest.approx(one) for one in shares]
    assert limit_of(found, [reading]).log_varies == pytest.approx(variation(shares))


def report(mean_s: float, shares: dict[str, float]) -> Report:
    """100 s in which 400,000 reads took *mean_s* each, with shares by bucket; 1,000 writes a second beside them."""
    event = "db file sequential read"
    said = [
        ("report", "Elapsed", 100.0),
        *waited(event, 400_000, 400_000 * mean_s),
        ("Load Profile: Write IO requests", "Per Second", 1000.0),
        *buckets(event, shares),
    ]
    return Report(report_of(*said))


def test_reads_that_take_far_longer_than_the_fastest_tell_a_limit() -> None:
    limit = limit_of(report(0.005, {"1ms": 0.2, "8ms": 0.8}), [])
    assert limit.read_s == pytest.approx(0.001 / sqrt(2))  # a tenth: the middle of 0.5 to 1 ms
    assert limit.per_s == pytest.approx(5000)  # 4,000 reads and 1,000 writes a second


def test_reads_as_quick_as_the_fastest_tell_none() -> None:
    limit = limit_of(report(0.0009, {"1ms": 1.0}), [])
    assert limit.per_s is None
    assert limit.read_s == pytest.approx(0.0009)


def test_idle_events_are_no_part_of_the_profile() -> None:
    said = [
        ("Time Model: DB time", "Time (s)", 100.0),
        ("Time Model: DB CPU", "Time (s)", 30.0),
        *waited("a wait", 4, 60),
        ("Wait Events: foreground: a wait", "% DB time", 0.6),
        *waited("watchdog", 4, 900),
    ]
    parts = Report(report_of(*said)).profile()
    assert [(part.name, part.seconds) for part in parts] == [
        ("a wait", 60), ("DB CPU", 30), ("not in the report", pytest.approx(10))
    ]  # fmt: skip
    said[1] = ("Time Model: DB CPU", "Time (s)", 42.0)
    *_, last = Report(report_of(*said)).profile()
    assert (last.name, last.seconds) == ("in two lines of the report", pytest.approx(-2))


@pytest.mark.parametrize(("reads_per_s", "at_once"), [(4040.0, 40.0), (1e6, 0.0)])
def test_more_reads_than_one_wait_is_for_are_those_of_others(reads_per_s: float, at_once: float) -> None:
    found = report(0.001, {})
    more = ("Load Profile: Read IO requests", "Per Second", reads_per_s)
    found.reading.figures += report_of(*waited("db file parallel read", 100, 1), more).figures
    assert reads_at_once(Report(found.reading)) == pytest.approx(at_once)


def test_how_reads_vary_follows_from_their_buckets() -> None:
    assert variation([(0.002, 0.0), (0.004, 1.0)]) == pytest.approx(sqrt(1.5 * log(2) - 1))
    assert variation([(0.004, 1.0)]) == 0  # one bucket does not tell where in it they lie
    assert variation([(0.002, 0.5), (0.004, 1.0)]) > variation([(0.002, 0.0), (0.004, 1.0)])


def test_the_last_of_some_reads_tells_how_they_vary() -> None:
    harmonic = sum(1 / count for count in range(1, 9))
    assert variation_of_slowest(8, harmonic) == pytest.approx(1, rel=1e-3)
    assert variation_of_slowest(8, 0.9) == 0


def test_reads_that_queue_vary_no_less_than_the_fastest_do() -> None:
    limit = limit_of(report(0.010, {"2ms": 0.0, "4ms": 0.8, "8ms": 0.1, "64ms": 0.1}), [])
    assert limit.per_s is not None
    assert limit.varies == pytest.approx(sqrt(1.5 * log(2) - 1))


def test_where_sessions_wait_for_the_log_buffer_lgwr_sets_the_pace() -> None:
    found = report(0.005, {"1ms": 0.2, "8ms": 0.8})
    said = [
        ("Time Model: DB time", "Time (s)", 5000.0),
        *waited("log buffer space", 100, 2500),
        *waited("log file parallel write", 1000, 80, "background"),
        ("Load Profile: Redo size", "Per Second", 40e6),
        ("Load Profile: Transactions", "Per Second", 200.0),
    ]
    found.reading.figures += report_of(*said).figures
    pace = log_pace(Report(found.reading))
    assert (pace.busy, pace.bytes_per_s, pace.share) == pytest.approx((0.8, 40e6, 0.5))
    limit = limit_of(Report(found.reading), [])
    assert limit.redo_bytes_per_s == 40e6
    assert limit.per_s is None  # the log holds throughput, not the data disk
    assert "log buffer space" in limit.says[0]


@pytest.mark.parametrize(("took_s", "blocks_per_s", "write_s"), [(0.02, 1000.0, 0.02), (0.3, 1000.0, 0.032)])
def test_dbwr_writes_no_longer_than_its_requests_under_way_allow(
    took_s: float, blocks_per_s: float, write_s: float
) -> None:
    """64 under way half of the time, at 1,000 blocks a second: 32 ms; LGWR's 300 ms are of another disk."""
    log = waited("log file parallel write", 1000, 1000 * took_s, "background")
    written = ("Load Profile: Physical write", "Per Second", blocks_per_s)
    assert write_s_of(Report(report_of(*log, written)))[0] == pytest.approx(write_s)


AWR_RECOVERY = """
Instance Recovery Stats               DB/Inst: SECRET/secret  Snaps: 1124-1126
-> B: Begin Snapshot,  E: End Snapshot

                                                                            Estd
  Targt  Estd                                     Log Ckpt Log Ckpt    Opt   RAC
  MTTR   MTTR Recovery  Actual   Target   Log Sz   Timeout Interval    Log Avail
   (s)    (s) Estd IOs RedoBlks RedoBlks RedoBlks RedoBlks RedoBlks  Sz(M)  Time
- ----- ----- -------- -------- -------- -------- -------- -------- ------ -----
B     0     9      173      312  1234567  1234567      N/A      N/A    N/A   N/A
E     0    17     4075    67622   876543  1234567  1800000 {interval}    N/A   N/A
                          ------------------------------------------------------

End of Report"""


@pytest.mark.parametrize(("interval", "blocks"), [("     N/A", 1_234_567), (" 1000000", 1_000_000)])
def test_the_checkpoint_lags_as_far_as_logs_or_their_interval_allow(interval: str, blocks: int, tmp_path: Path) -> None:
    text = made.AWR.replace("\nEnd of Report", AWR_RECOVERY.format(interval=interval))
    (reading,) = made.read_text(tmp_path, text)
    lag = Report(reading).checkpoint_lag()
    assert lag.value == blocks


REDO_PER_S = 41_336_005


@pytest.mark.parametrize(
    ("actual", "timeout", "age_s"),
    [
        ("67622", None, 1.0),  # 0.84 s; a scenario may state one second at least
        ("2.06E+07", None, 2.06e7 * 512 / REDO_PER_S),
        ("2.06E+08", None, 1800.0),  # DBWR falls behind LOG_CHECKPOINT_TIMEOUT, 1,800 s if not set
        ("2.06E+08", "0", 2.06e8 * 512 / REDO_PER_S),  # no limit
        ("2.06E+08", "300", 300.0),
        ("0", None, None),
    ],
)
def test_a_changed_block_is_as_old_as_the_redo_that_is_not_written_says(
    actual: str, timeout: str | None, age_s: float | None, tmp_path: Path
) -> None:
    recovery = AWR_RECOVERY.format(interval="     N/A").replace("   67622", f"{actual:>8}")
    (reading,) = made.read_text(tmp_path, made.AWR.replace("\nEnd of Report", recovery))
    if timeout:
        reading.settings.append(Setting("log_checkpoint_timeout", timeout, 1))
    report = Report(reading)
    per_s = report.transactions_per_s()
    assert per_s is not None
    identified = IdentifiedScenario("a report", "oltp-nvme")
    SystemProfile(identified, report, per_s).disk(limit_of(report, []))
    known = {field.path: field.value for field in identified.known}
    assert known.get("instance.checkpoint_s") == (age_s and pytest.approx(age_s, rel=1e-3))


def test_a_report_without_instance_recovery_tells_no_lag(tmp_path: Path) -> None:
    (reading,) = made.read_text(tmp_path, made.AWR)
    assert Report(reading).checkpoint_lag() is None
    assert Report(reading).checkpoint_age() is None
