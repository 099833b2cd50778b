"""What the page asks for: as controls hold it, in an address, and as a plan."""

from dataclasses import replace

import pytest

from blocktime.app.controls.sweep_form import (
    MOST_ANSWERS,
    MOST_LINES,
    SIDES,
    AxisLine,
    FormFaults,
    SweepForm,
    every_field,
    form_in,
    form_of_library,
    pickable,
    query_of,
    suggested,
)
from blocktime.model.errors import BlocktimeError, SpecError
from blocktime.scenarios import library, load
from blocktime.scenarios.sweeps.sweep import plan_of
from blocktime.scenarios.sweeps.sweep_source import library_of_sweeps

SIZE, ROWS = "tablespace.block_size_bytes", "workload.arraysize_rows"
ZIPPED = (AxisLine(ROWS, "15:100", "a"), AxisLine(SIZE, "8K,16K", "a"))
TWO = (AxisLine(SIZE, "8K, 16K"), AxisLine(ROWS, "15:100:3"))

LIMITS = {"disk.iops_limit", "disk.throughput_limit_bytes_per_s", "host.iops_limit", "host.bandwidth_limit_bytes_per_s"}


def through_an_address(form: SweepForm) -> SweepForm:
    query = {name: [value] if isinstance(value, str) else value for name, value in query_of(form).items()}
    again, notes = form_in(query, form.base, dict(form.changes))
    assert notes == []
    return again


@pytest.mark.parametrize("name", sorted(library_of_sweeps()))
def test_every_sweep_of_the_library_means_the_same_as_a_form(name: str) -> None:
    form = form_of_library(name)
    mine, its = form.plan(), plan_of(name)
    assert mine.values(0, len(mine)) == its.values(0, len(its))
    assert mine.keys.tolist() == its.keys.tolist()
    assert through_an_address(form) == form


@pytest.mark.parametrize(
    "form",
    [
        SweepForm("rahn-full-scan", lines=TWO),
        SweepForm("rahn-full-scan", (("workload.users", "4"),), TWO, where=(f"{ROWS} > 20", f"{ROWS} < 90")),
        SweepForm("rahn-full-scan", lines=ZIPPED, design="latin_hypercube", samples=8),
        SweepForm("tpc-c", lines=(AxisLine("workload.users", "1,2"),), replications=3),
        SweepForm("block-size-mbrc", lines=TWO),
    ],
)
def test_an_address_brings_the_form_back(form: SweepForm) -> None:
    assert through_an_address(form) == form


def test_the_points_are_those_of_the_command_line() -> None:
    form = SweepForm("rahn-full-scan", (("table.pctfree_percent", "20"),), TWO)
    its = plan_of("rahn-full-scan", [f"{SIZE}=8K,16K", f"{ROWS}=15:100:3"], settings=["table.pctfree_percent=20"])
    mine = form.plan()
    assert mine.keys.tolist() == its.keys.tolist()
    assert len(mine) == 6


def test_a_range_keeps_its_points_for_the_day_it_is_crossed_again() -> None:
    form = SweepForm("rahn-full-scan", lines=TWO, design="latin_hypercube", samples=10)
    assert len(form.plan()) == 10


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (SweepForm("rahn-full-scan"), "nothing varies; add a field and give it values"),
        (SweepForm("rahn-full-scan", lines=(AxisLine("", ""),)), "nothing varies; add a field and give it values"),
        (SweepForm("rahn-full-scan", lines=(AxisLine("", "1,2"),)), "has no field; choose what takes these values"),
        (SweepForm("rahn-full-scan", lines=(AxisLine("users", "1"),)), "'users' names no field"),
        (SweepForm("rahn-full-scan", lines=(AxisLine(ROWS, "15:100"),)), "points are missing"),
        (SweepForm("rahn-full-scan", lines=(AxisLine(ROWS, "1,2"),), where=("import os",)), "where"),
        (SweepForm("rahn-full-scan", lines=(AxisLine("table.rows", "1000:30000:30000"),)), "this page takes 20,000"),
        (SweepForm("rahn-full-scan", lines=(AxisLine(ROWS, "0,15"),)), "got 0; allowed is at least 1"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(form: SweepForm, words: str) -> None:
    with pytest.raises(BlocktimeError) as caught:
        form.plan()
    assert words in str(caught.value)


def test_all_lines_that_are_wrong_are_said_at_once() -> None:
    with pytest.raises(FormFaults) as caught:
        SweepForm("rahn-full-scan", lines=(AxisLine(ROWS, "5:1:3"), AxisLine("x", "1"), AxisLine(SIZE, "8K"))).plan()
    assert len(caught.value.lines) == 2
    assert isinstance(caught.value, SpecError)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"sweep": ["nothing"]}, "The link names no sweep that exists (nothing)."),
        ({"design": ["star"]}, "The link asks for design 'star'; allowed are crossed, latin_hypercube."),
        ({"samples": ["-1"]}, f"allowed are 1 to {MOST_ANSWERS:,}."),
        ({"replications": ["1e9"]}, "allowed are 1 to 100."),
        ({"samples": ["99999999999999999999"]}, "allowed are"),
        ({"samples": ["²"]}, "allowed are"),
        ({"samples": ["0"]}, "allowed are"),
        ({"samples": [str(MOST_ANSWERS + 1)]}, "allowed are"),
        ({"samples": [""]}, "allowed are"),
        ({"samples": ["000000001999999999"]}, f"allowed are 1 to {MOST_ANSWERS:,}."),
        ({"samples": ["000000001" + "0" * 5000]}, f"allowed are 1 to {MOST_ANSWERS:,}."),
        ({"replications": ["000000001999999999"]}, "allowed are 1 to 100."),
        ({"vary": [f"a.b{place}=1" for place in range(9)]}, f"varies 9 fields; the page takes {MOST_LINES}"),
    ],
)
def test_what_an_address_asks_in_vain_is_said(query: dict[str, list[str]], words: str) -> None:
    form, notes = form_in(query, "rahn-full-scan", {})
    assert any(words in note for note in notes)
    assert (form.base, form.design, form.samples) == ("rahn-full-scan", "crossed", 64)


def test_a_number_of_samples_may_begin_with_zeros() -> None:
    form, notes = form_in({"samples": ["0032"]}, "rahn-full-scan", {})
    assert (form.samples, notes) == (32, [])


@pytest.mark.parametrize("name", sorted(library()))
def test_every_field_on_offer_comes_with_values_that_make_points(name: str) -> None:
    source = SweepForm(name).source()
    fields = pickable(source.scenario())
    offered = {key: suggested(key, source) for key in fields}
    # a drive that reorders its queue takes no limit of a volume
    reorders = source.scenario().system.disk.reorder_age_s is not None
    limits = LIMITS if reorders else set()
    # redo that lies on the data disk has no limit of its own
    if source.scenario().system.instance.redo_disk == "data":
        limits = limits | {"instance.redo_limit_bytes_per_s", "instance.redo_service_cv"}
    # service varies on devices without positions alone
    if source.scenario().system.disk.rotation_s:
        limits = limits | {"instance.redo_service_cv"}
    assert {key for key, text in offered.items() if not text} <= {
        "workload.rate_per_s",
        "workload.zipf_exponent",
        "instance.redo_transport_round_trip_s",  # of a standby, which none of them has
    } | limits
    for key, text in offered.items():
        if text:
            assert len(SweepForm(name, lines=(AxisLine(key, text),)).plan()) >= 1, key


@pytest.mark.parametrize(
    ("name", "typed", "key"),
    [
        ("tpc-b", "users", "workload.users"),
        ("tpc-b", "Users", "workload.users"),
        ("rahn-full-scan", "mbrc", "instance.db_file_multiblock_read_count"),
        ("full-scan-filesystem", "filesystemio_options", "instance.filesystemio_options"),
        ("rahn-full-scan", "block size", "tablespace.block_size_bytes"),
        ("rahn-full-scan", "client.round_trip_s", "client.round_trip_s"),
    ],
)
def test_what_is_typed_stands_among_the_words_of_its_field(name: str, typed: str, key: str) -> None:
    assert typed.lower() in every_field(load(name))[key].lower()


@pytest.mark.parametrize("name", sorted(library()))
def test_the_address_of_a_scenario_alone_sweeps_that_scenario(name: str) -> None:
    form, notes = form_in({}, name, {"host.cpus": "3"})
    assert (form.base, form.changes, notes) == (name, (("host.cpus", "3"),), [])
    assert form.source().scenario().system.host.cpus == 3


def test_a_link_that_names_an_engine_is_read_without_the_word() -> None:
    assert form_in({"engine": ["steam"]}, "rahn-full-scan", {}) == (SweepForm("rahn-full-scan"), [])


def test_a_question_is_swept_on_one_side_or_on_both() -> None:
    system, change = ((("table.rows", "2000000"),), (("tablespace.block_size_bytes", "16384"), ("disk.use", "ebs-gp3")))
    lines = (AxisLine("workload.users", "1,4"),)
    form = SweepForm("full-scan-nvme", (*system, *change), lines, system=system)
    sides = {side: replace(form, side=side) for side in SIDES}
    assert [len(each.plan()) for each in sides.values()] == [2, 2, 4]
    axes = {axis.key: axis for axis in sides["both"].sweep().axis}
    assert axes["tablespace.block_size_bytes"].values == (8192, 16384)
    assert axes["disk.use"].values == ("nvme", "ebs-gp3")
    assert axes["disk.use"].zip == axes["tablespace.block_size_bytes"].zip != ""
    for side, each in sides.items():
        assert each.source().scenario().system.tablespace.block_size_bytes == (16384 if side == "change" else 8192)
        query = {name: [value] if isinstance(value, str) else value for name, value in query_of(each).items()}
        assert form_in(query, form.base, dict(form.changes))[0].side == side
