"""The words in which a statement's answer is printed are those of a DBA."""

import pytest

from blocktime.app.text import key_numbers
from blocktime.app.text.segment_text import row_section, search_section
from blocktime.app.text.text import answer, io_section, note_section, optimizer_section
from blocktime.model import causes
from blocktime.model.results import RunResult
from blocktime.scenarios import from_mapping, run
from blocktime.scenarios.why import components

ODD = (
    "unaccounted: ", "other CPU", "rows go into blocks of", "blocks for DBWR", "not committed by another",
    "MBRC of 1\n", "walking", "mostly writing", "filling the buffer cache", "in flight at first",
)  # fmt: skip


def ran(work: dict[str, object], **more: dict[str, object]) -> RunResult:
    return run(from_mapping({"workload": work, "table": {"rows": 100_000}, **more}))


def printed(result: RunResult) -> str:
    parts = (io_section, row_section, search_section, optimizer_section)
    lines = [line for part in parts for line in part(result).lines()]
    return "\n".join([answer(result), *lines, *note_section(result).lines(), *components(result), ""])


@pytest.mark.parametrize(
    "work",
    [
        {"kind": "full_scan"},
        {"kind": "full_scan", "users": 50},
        {"kind": "index_range_scan"},
        {"kind": "insert", "uncommitted_delete_fraction": 1.0},
        {"kind": "insert", "method": "direct"},
        {"kind": "update", "order": "random", "growth_bytes": 40},
        {"kind": "delete", "users": 4},
    ],
)
def test_no_odd_word_is_left(work: dict[str, object]) -> None:
    text = printed(ran(work, table={"rows": 100_000, "indexes": [{}]}))
    assert [word for word in ODD if word in text] == []


def test_a_load_says_where_its_rows_go() -> None:
    assert ran({"kind": "insert"}).access.startswith("conventional insert: ")
    assert ran({"kind": "insert", "method": "direct"}).access.startswith("direct path: ")
    assert "index" in ran({"kind": "update", "order": "random"}).access


def test_the_headline_names_the_work_of_indexes() -> None:
    indexes = [{"new_keys": "random"} for _ in range(4)]
    text = answer(ran({"kind": "insert", "method": "row"}, table={"rows": 100_000, "indexes": indexes}))
    assert causes.INDEXES in text


def test_a_small_cost_has_decimals_and_an_index_no_mbrc() -> None:
    (line, *_) = [line for line in optimizer_section(ran({"kind": "index_range_scan"})).lines() if "I/O +" in line]
    assert "MBRC" not in line
    (line, *_) = [
        line
        for line in optimizer_section(
            ran({"kind": "index_range_scan", "access": "unique"}, index={"unique": True})
        ).lines()
        if "I/O +" in line
    ]
    assert ".00 I/O + 0." in line


def test_constants_of_one_range_share_a_sentence() -> None:
    scenario = from_mapping(
        {"workload": {"kind": "full_scan"}, "table": {"rows": 100_000, "row_bytes": 9}, "host": {"use": "savvinov-pc"}}
    )
    result = run(scenario)
    pairs = {(one.quantity, one.low, one.high) for one in result.extrapolated}
    beyond = [line for line in note_section(result).lines(400) if "beyond   " in line]
    assert len(beyond) == len(pairs) < len(result.extrapolated)
    assert any(" were fitted for " in line for line in beyond)


@pytest.mark.parametrize(("columns", "pieces"), [(255, 0), (256, 2), (400, 2), (511, 3)])
def test_a_row_of_more_than_255_columns_has_pieces(columns: int, pieces: int) -> None:
    result = ran({"kind": "full_scan"}, table={"rows": 1000, "row_bytes": 2000, "column_count": columns})
    told = [warning for warning in result.warnings if "pieces" in warning]
    assert len(told) == (pieces > 0)
    assert all(f"has {pieces} pieces in its block" in warning for warning in told)


@pytest.mark.parametrize(
    "work",
    [
        {"kind": "import"},
        {"kind": "insert", "uncommitted_delete_fraction": 1.0},
        {"kind": "insert", "method": "array"},
        {"kind": "update", "order": "random", "growth_bytes": 40},
        {"kind": "full_scan"},
        {"kind": "read_stream"},
    ],
    ids=lambda work: str(list(work.values())),
)
def test_key_numbers_and_the_search_for_space_count_the_same_probes_and_no_number_is_missing(
    work: dict[str, object],
) -> None:
    result = ran(work, tablespace={"block_size_bytes": 4096})
    lines = {str(line["Number"]).partition(" :")[0]: line["Value"] for line in key_numbers.lines(result, result)}
    assert "not in this answer" not in lines.values()
    if (search := result.space_search) is not None:
        probes = search.rejected_itl + search.rejected_space + search.rejected_held
        assert lines["Rejected probes"] == f"{probes:,.0f}"
