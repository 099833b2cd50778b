"""Sets of limited volumes, controllers before drives that reorder, calls that decide, and long lines to a client."""

import pytest

from blocktime.model.laws.round_trips import line_s
from blocktime.model.laws.volume_limits import requests_of_members
from blocktime.scenarios import from_mapping, run

STREAM = {
    "kind": "read_stream", "path": "direct", "pattern": "random", "block_size_bytes": "8K", "in_flight": 96,
    "count": 6000, "span_bytes": "10G",
}  # fmt: skip


def rate(disk: dict[str, object], host: dict[str, object] | None = None, **work: object) -> float:
    fields = {"disk": disk, "host": host or {}, "workload": {**STREAM, **work}}
    return run(from_mapping(fields, "set")).streams[0].calls_per_s


@pytest.mark.parametrize("members", [2, 5])
@pytest.mark.parametrize("volume", ["ebs-gp3", "azure-p30"])
def test_a_striped_set_has_the_limits_of_its_members_together(members: int, volume: str) -> None:
    alone = rate({"use": volume})
    striped = {"use": volume, "raid_level": "0", "raid_disks": members}
    assert rate(striped) == pytest.approx(members * alone, rel=0.05)
    assert rate(striped, {"iops_limit": 1.5 * alone}) == pytest.approx(1.5 * alone, rel=0.05)
    big = {"block_size_bytes": "256K", "count": 1500}
    assert rate(striped, **big) == pytest.approx(members * rate({"use": volume}, **big), rel=0.07)


def test_a_mirror_writes_to_both_sides() -> None:
    mirror = {"use": "ebs-gp3", "raid_level": "10", "raid_disks": 4}
    assert rate(mirror) == pytest.approx(12_000, rel=0.03)
    assert rate(mirror, kind="write_stream") == pytest.approx(6_000, rel=0.03)
    parity = from_mapping({"disk": mirror | {"raid_level": "5"}, "workload": STREAM}, "set").system.disk
    assert (requests_of_members(parity, True), requests_of_members(parity, False)) == (4, 1)


@pytest.mark.parametrize("hits", [0.2, 0.5])
def test_a_controller_answers_hits_and_misses_wait_in_a_drive_that_reorders(hits: float) -> None:
    drive = {"use": "sata-7k2-ncq"}
    work = {"in_flight": 12, "count": 2000, "block_size_bytes": "4K", "span_bytes": "5G"}
    missed = rate(drive, **work)
    assert rate(drive | {"read_hit_fraction": hits}, **work) == pytest.approx(missed / (1 - hits), rel=0.08)


def test_a_default_that_decides_is_named() -> None:
    quick = {"use": "intel-p4500"}
    fields = {"disk": quick, "host": {"scheduler": "none", "kernel": "5.15"}, "workload": STREAM}
    assert any(
        "host.read_call_s decides this answer" in text for text in run(from_mapping(fields, "deep")).warnings or ()
    )
    fields["host"] = {"scheduler": "none", "kernel": "5.15", "read_call_s": 12e-6}
    assert not any("decides this answer" in text for text in run(from_mapping(fields, "deep")).warnings or ())


@pytest.mark.parametrize(
    ("sent", "line", "window", "seconds"),
    [(200e3, None, None, 0.0), (200e3, 2e6, None, 0.1), (200e3, None, 65536, 3 * 0.04), (200e3, 1e6, 65536, 0.2),
     (60e3, None, 65536, 0.0)],
)  # fmt: skip
def test_a_line_takes_the_longer_of_its_rate_and_of_the_window(
    sent: float, line: float | None, window: int | None, seconds: float
) -> None:
    assert line_s(sent, 0.04, line, window) == pytest.approx(seconds)


def test_large_fetch_calls_on_a_long_line_pay_for_their_bytes() -> None:
    fields = {
        "table": {"rows": 30_000, "row_bytes": 300, "cached_fraction": 1.0},
        "client": {"round_trip_s": 0.03},
        "workload": {"kind": "full_scan", "select": "rows", "arraysize_rows": 1000},
    }
    free = run(from_mapping(fields, "wan"))
    assert any("set client.line_bytes_per_s" in text for text in free.warnings or ())
    fields["client"] = {"round_trip_s": 0.03, "line_bytes_per_s": 2.5e6}
    slow = run(from_mapping(fields, "wan"))
    assert slow.time.elapsed_s - free.time.elapsed_s == pytest.approx(30_000 * 300 / 2.5e6, rel=0.05)
    assert not any("set client.line_bytes_per_s" in text for text in slow.warnings or ())
