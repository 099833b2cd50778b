"""What moved and why: the components sum, and every sentence says what both results say."""

import pytest

from blocktime.model.causes import IN_NO_EVENT
from blocktime.model.results import Interval, RunResult
from blocktime.model.spec import Stream, Transactions
from blocktime.scenarios import from_mapping, load, run
from blocktime.scenarios.why import MECHANISM, changes, components, why
from tests.answered import answered as answer
from tests.growing import GROWING
from tests.known_by_law import KNOWN


@pytest.mark.parametrize("name", KNOWN)
def test_components_sum_to_the_elapsed_time(name: str) -> None:
    result = answer(name)
    assert sum(components(result).values()) == pytest.approx(result.time.elapsed_s, rel=1e-9)


def test_components_come_as_cpu_then_waits_then_unaccounted() -> None:
    names = list(components(answer("rahn-full-scan")))
    rank = [0 if name.startswith("CPU: ") else 2 if name in IN_NO_EVENT else 1 for name in names]
    assert rank == sorted(rank)
    assert "CPU: buffer gets" in names
    assert "direct path read" in names


def test_changes_sum_to_the_difference_and_the_largest_comes_first() -> None:
    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "workload.arraysize_rows=1000")
    found = changes(base, other)
    assert sum(change.change_s for change in found) == pytest.approx(other.time.elapsed_s - base.time.elapsed_s)
    sizes = [abs(change.change_s) for change in found]
    assert sizes == sorted(sizes, reverse=True)
    assert {change.name for change in found} == {*components(base), *components(other)}


@pytest.mark.parametrize("first", KNOWN)
@pytest.mark.parametrize("second", ["rahn-full-scan", "index-range-scan-scattered"])
def test_there_are_one_to_five_sentences_each_in_one_line(first: str, second: str) -> None:
    found = why(answer(first), answer(second))
    assert 1 <= len(found) <= 5
    assert all("\n" not in sentence and sentence == sentence.strip() for sentence in found)


def test_what_reads_save_is_called_cpu_where_it_is() -> None:
    said = why(answer("shallahamer-buffered"), answer("shallahamer-direct"))
    assert "reading takes 1.22 s less (all of it CPU; the waits stay at 723 ms)" in said[0]
    said = why(answer("shallahamer-direct"), answer("shallahamer-async"))
    assert "reading takes 105 ms more (all of it CPU)" in said[0]


def test_nothing_changes() -> None:
    base = answer("rahn-full-scan")
    (sentence,) = why(base, base)
    assert sentence.startswith("elapsed time does not change: ")
    assert sentence.endswith(", as before")


def test_a_block_size_moves_the_gets_and_hardly_the_time() -> None:
    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "tablespace.block_size_bytes=16K")
    said = why(base, other)
    assert said[0].startswith("elapsed time barely changes (125.")
    before, after = base.logical_io.consistent_gets, other.logical_io.consistent_gets
    gets = f"consistent gets fell from {before:,.0f} to {after:,.0f} (blocks fell from "
    assert said[1].startswith(gets)
    assert said[1].endswith(" ms of CPU")
    assert ", which saves " in said[1]


def test_longer_reads_are_fewer_because_they_are_longer() -> None:
    settings = ("instance.serial_direct_read=never", "workload.select=count")
    base = answer("rahn-full-scan", *settings, "instance.db_file_multiblock_read_count=16")
    other = answer("rahn-full-scan", *settings, "instance.db_file_multiblock_read_count=128")
    (sentence,) = [one for one in why(base, other) if one.startswith("reads")]
    before, after = base.physical_io.read_requests, other.physical_io.read_requests
    assert f"reads fell from {before:,.0f} to {after:,.0f} because a read grew from 16 to 128 blocks" in sentence
    assert "(128K to 1M)" in sentence
    slower = other.time.elapsed_s > base.time.elapsed_s
    assert (" more" if slower else " less") in sentence


def test_the_access_path_changes_with_its_reason() -> None:
    base = answer("rahn-full-scan", "instance.serial_direct_read=never")
    other = answer("rahn-full-scan")
    text = " ".join(why(base, other))
    assert "the access path changes from buffered reads to direct path reads (" in text
    assert "is larger than the direct read threshold" in text


def test_fetching_in_larger_arrays_saves_round_trips() -> None:
    said = why(answer("rahn-full-scan"), answer("rahn-full-scan", "workload.arraysize_rows=1000"))
    assert said[0].startswith("round trips to the client fell from 71,980 to 7,201, which saves ")
    assert any("fetch calls fell from 71,978 to 7,199" in sentence for sentence in said)


def test_a_faster_disk_shows_in_await() -> None:
    counted = "workload.select=count"
    (first, *_) = why(answer("rahn-full-scan", counted), answer("rahn-full-scan", counted, "disk.use=nvme"))
    assert first.startswith("await of a request fell from ")
    assert "%util" in first


def test_a_price_that_changes_is_named() -> None:
    counted = ("workload.select=count", "disk.use=nvme")
    dearer = answer("rahn-full-scan", *counted, "host.logical_io_s=10us")
    said = why(answer("rahn-full-scan", *counted), dearer)
    assert any(sentence.startswith("a get costs 10 µs of CPU instead of ") for sentence in said)


def test_a_component_of_an_unknown_name_is_told_by_its_name() -> None:
    base = answer("rahn-full-scan")
    waited = {**base.time.wait, "latch free": base.time.wait["SQL*Net message from client"]}
    more_s = waited["latch free"].total_s
    time = base.time.model_copy(update={"wait": waited, "elapsed_s": base.time.elapsed_s + more_s})
    said = why(base, base.model_copy(update={"time": time}))
    assert said[0].startswith("latch free appears, which costs 93.")


def test_a_difference_within_the_intervals_may_be_chance() -> None:
    def replicated(result: RunResult, half: float) -> RunResult:
        s = result.time.elapsed_s
        interval = Interval(low_s=s - half, high_s=s + half, confidence=0.95)
        return result.model_copy(update={"time": result.time.model_copy(update={"interval": interval})})

    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "tablespace.block_size_bytes=2K")
    assert (
        "no clear difference, it may be chance: the 95 % intervals" in why(replicated(base, 5), replicated(other, 5))[0]
    )
    assert "may be chance" not in " ".join(why(replicated(base, 0.01), replicated(other, 0.01)))


def test_every_cause_of_the_model_belongs_to_a_mechanism() -> None:
    """A cause that is renamed in the model would otherwise be told as a stranger."""
    statements = [name for name in KNOWN if not isinstance(load(name).workload, Stream | Transactions)]
    asked = [(name, ()) for name in statements] + [("rahn-full-scan", ("workload.users=50", "host.cpus=1"))]
    names = {name for scenario, settings in asked for name in components(answer(scenario, *settings))}
    assert names <= MECHANISM.keys()


def growing(section: str = "table", **fields: object) -> RunResult:
    """The update whose rows grow, with some fields of one section changed."""
    return run(from_mapping({**GROWING, section: {**GROWING[section], **fields}}))


@pytest.mark.parametrize(
    ("section", "field", "value", "says"),
    [
        ("table", "pctfree_percent", 35, "because no row migrates, so no block's ITL list fills up: "),
        ("tablespace", "space_management", "manual", "because space management is manual, where a block that rejects"),
        ("instance", "release", "11.2.0.4", "because a block with a full ITL list is marked full ("),
        ("workload", "commit_every_rows", 1000, "because 200 commits instead of 0 free the ITL entries: "),
        ("tablespace", "block_size_bytes", 8192, "before its ITL list has the 169 entries that a block of 8K may have"),
        ("workload", "rows_fraction", 0.5, "because fewer row pieces search for space, "),
        ("workload", "users", 4, "because 4 sessions instead of 1 share the rows: "),
    ],
)
def test_the_search_for_space_is_told_with_its_reason(section: str, field: str, value: object, says: str) -> None:
    base, other = growing(), growing(section, **{field: value})
    (sentence, *_) = why(base, other)
    assert sentence.startswith("the space search fell from 10 min 30 s")
    assert says in sentence
    assert f"rejected probes fell from {base.segment.rejected_probes:,.0f} to " in sentence
    (back, *_) = why(other, base)
    assert back.startswith("the space search rose from ")


def test_rows_that_migrate_no_more_save_cpu_and_blocks() -> None:
    base, other = growing(), growing(pctfree_percent=35)
    said = why(base, other)
    moved = f"migrated rows fell from {base.segment.migrated_rows:,.0f} to 0 because PCTFREE keeps 35 % of a block"
    assert said[1].startswith(moved)
    assert said[1].endswith(" s of CPU")
    assert f"blocks afterwards fell from {base.segment.blocks_after:,.0f} to 247" in said
    (worse, *_) = why(other, base)
    assert "remain candidates and are probed again and again (bug 6918210)" in worse
    assert worse.endswith("; before, no row migrates, so no block's ITL list fills up")


def test_no_reason_is_given_that_the_results_do_not_show() -> None:
    base = growing()
    bare = base.model_copy(
        update={
            "segment": growing("tablespace", space_management="manual").segment.model_copy(
                update={"blocks": None, "freeness_after": None}
            ),
            "space_search": growing("tablespace", space_management="manual").space_search,
        }
    )
    time = base.time.model_copy(
        update={"cpu": {**base.time.cpu, "space search": 1.0}, "elapsed_s": base.time.elapsed_s - 629}
    )
    (sentence, *_) = why(base, bare.model_copy(update={"time": time}))
    assert "because a block with a full ITL list is not offered again after it has rejected a row: " in sentence
    assert "manual" not in sentence


def test_a_delete_that_is_not_committed_is_the_reason_of_probes() -> None:
    table = {"rows": 100_000, "row_bytes": 100, "cached_fraction": 1.0}
    inserts = {"kind": "insert", "rows": 10_000}
    base = run(from_mapping({"table": table, "workload": inserts | {"uncommitted_delete_fraction": 1.0}}))
    other = run(from_mapping({"table": table, "workload": inserts}))
    assert any("because no free space waits for another session's commit" in sentence for sentence in why(base, other))


def test_fewer_rows_are_fewer_changes() -> None:
    said = why(*(run(load("rahn-pctfree-8k-35", [f"workload.rows_fraction={share}"])) for share in (1.0, 0.5)))
    assert any(one.startswith("rows updated fell from 200,000 to 100,000, which saves ") for one in said)


def test_every_cause_of_changes_belongs_to_a_mechanism() -> None:
    found = [growing(), growing("workload", commit_every_rows=100)]
    for kind in ("insert", "delete"):
        found.append(run(from_mapping({**GROWING, "workload": {"kind": kind, "commit_every_rows": 1000}})))
    assert {name for result in found for name in components(result)} <= MECHANISM.keys()


def test_commits_cost_waits_for_the_log_writer() -> None:
    once = growing("workload", commit_every_rows=10)
    waited = once.time.wait["log file sync"]
    assert waited.waits == 20_000
    said = why(growing("table", pctfree_percent=35), once)
    assert f"commits rose from 0 to 20,000, which costs {waited.total_s:.2f} s waiting for the log writer" in said
    waits = {name: event.model_copy(update={"total_s": 3 * event.total_s}) for name, event in once.time.wait.items()}
    more_s = sum(event.total_s for event in waits.values()) - sum(e.total_s for e in once.time.wait.values())
    time = once.time.model_copy(update={"wait": waits, "elapsed_s": once.time.elapsed_s + more_s})
    slower = once.model_copy(update={"time": time})
    assert why(once, slower)[0].startswith(
        f"waiting for the log writer takes {3 * waited.total_s:.2f} s instead of {waited.total_s:.2f} s"
    )


def test_waits_for_free_buffers_name_what_dbwr_writes_behind_all_sessions() -> None:
    one, two = (answer("magni-imp-500mb-4k", f"workload.users={users}") for users in (1, 2))
    said = why(one, two)
    assert any("free buffers" in line and "blocks that DBWR has to write meanwhile" in line for line in said)
    assert not any("fell" in line and "DBWR" in line for line in said)


def test_a_log_that_is_slower_than_an_import_is_named() -> None:
    base = ("instance.buffer_cache_bytes=8G",)
    said = why(
        answer("magni-imp-200mb-32k", *base), answer("magni-imp-200mb-32k", *base, "disk.bandwidth_bytes_per_s=5M")
    )
    assert said[0].startswith("waiting for the log takes")


def _done_after(result: RunResult, last_session_s: float | None) -> RunResult:
    return result.model_copy(update={"time": result.time.model_copy(update={"last_session_s": last_session_s})})


def test_the_last_session_is_told_where_both_know_it_and_it_moves() -> None:
    base, other = answer("rahn-full-scan"), answer("rahn-full-scan", "workload.arraysize_rows=1000")
    said = why(_done_after(base, 200.0), _done_after(other, 150.0))
    assert "the last session ends after 150.00 s instead of 200.00 s (-50.00 s, -25.0 %)" in said
    back = why(_done_after(other, 150.0), _done_after(base, 200.0))
    assert "the last session ends after 200.00 s instead of 150.00 s (+50.00 s, +33.3 %)" in back
    for one, two in ((200.0, None), (None, 150.0), (200.0, 200.1)):
        told = why(_done_after(base, one), _done_after(other, two))
        assert not [sentence for sentence in told if "last session" in sentence]


def test_what_goes_the_way_of_the_elapsed_time_is_told_first() -> None:
    """One column less saves CPU and lets DBWR be waited for longer; all in all it is quicker."""
    before, after = answer("magni-imp-4k"), answer("magni-imp-4k", "table.column_count=1")
    assert after.time.elapsed_s < before.time.elapsed_s
    said = why(before, after)
    assert "saves" in said[0]
    assert any("free buffers" in one for one in said[1:])


def test_what_programs_beside_the_first_take_is_a_reason() -> None:
    base = run(load("full-scan-beside-users", ["workload.transactions=300"]))
    assert base.programs
    later = base.programs[1].model_copy(update={"elapsed_s": 2 * (base.programs[1].took_s or 0.0)})
    other = base.model_copy(update={"programs": [base.programs[0], later]})
    assert f"{later.name} beside it: " in " ".join(why(base, other))
    assert " beside it: " not in " ".join(why(base, base))


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("host.io_path=asm", "files are opened as asm instead of buffered, past the page cache; "),
        ("instance.filesystemio_options=setall", "files are opened as direct instead of buffered, past the page"),
        ("disk.use=ssd-sata", "the disk is ssd-sata instead of nvme; "),
    ],
)
def test_a_scan_names_how_files_are_opened_and_the_disk(setting: str, says: str) -> None:
    asked = load("full-scan-filesystem"), load("full-scan-filesystem", [setting])
    base, other = (run(scenario) for scenario in asked)
    assert why(base, other, asked)[0].startswith(says)
    assert "page cache" not in why(other, other, (asked[1], asked[1]))[0]


def test_the_processor_that_makes_the_calls_is_named_where_it_sets_the_rate() -> None:
    asked = load("random-read-depth"), load("random-read-depth", ["disk.use=nvme"])
    base, other = (run(scenario) for scenario in asked)
    assert why(base, other, asked)[1].endswith(": the processor that makes the calls sets the rate")
    assert "sets the rate" not in " ".join(why(other, base, asked[::-1]))


def test_a_client_that_works_while_more_of_an_array_is_sent_is_told() -> None:
    base, other = (run(load("rahn-full-scan", [f"table.row_bytes={size}"])) for size in (50, 200))
    assert "while the server sends the rest (SQL*Net more data to client rose from 0 to" in why(base, other)[0]
    assert "fell from 143,953 to 0" in why(other, base)[0]


def test_a_time_that_stays_while_its_parts_move_says_what_most_of_it_is() -> None:
    base = answer("rahn-full-scan")
    client, fetch = "SQL*Net message from client", "projecting rows"
    waited = base.time.wait[client]
    wait = base.time.wait | {client: waited.model_copy(update={"total_s": waited.total_s - 5})}
    cpu = base.time.cpu | {fetch: base.time.cpu[fetch] + 5}
    other = base.model_copy(update={"time": base.time.model_copy(update={"wait": wait, "cpu": cpu})})
    sentence = why(base, other)[0]
    assert sentence.startswith("elapsed time does not change: most of the 125.")
    assert "is waiting for the client, 88.3" in sentence
    assert " instead of 93.3" in sentence
