"""The address and the screen: each gives the other, and no link, however bad, does more than leave a sentence."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocktime.app.controls import user_files
from blocktime.app.controls.page_question import PageQuestion, opened
from blocktime.app.session import address
from blocktime.model.errors import SpecError
from blocktime.scenarios import library, load
from tests.app.scenarios_at_random import hostile, questions

FIRST = "rahn-full-scan"
OWN = b'title = "Mine"\n[table]\nrows = 100_000\n'


def over_the_wire(query: dict[str, str]) -> dict[str, str]:
    return dict(parse_qsl(urlencode(query), keep_blank_values=True))


def fields_of(question: PageQuestion) -> tuple[object, ...]:
    return question.name, question.system, question.change, question.moves


def numbers_of(question: PageQuestion) -> list[object]:
    """What both sides of a question are answered by."""
    return [(side.system, side.workload, side.seed) for side in question.sides()[:2]]


@settings(max_examples=100)
@given(questions())
def test_a_link_opens_the_same_question(question: PageQuestion) -> None:
    shown, notes = address.read(over_the_wire(address.written(question, FIRST)), FIRST)
    assert not notes
    assert fields_of(shown) == fields_of(question)
    assert shown.sides() == question.sides()


@settings(max_examples=60)
@given(questions())
def test_a_long_link_is_packed_and_opens_the_same_question(question: PageQuestion) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(address, "LONGEST_PLAIN", 0)
        query = over_the_wire(address.written(question, ""))
        assert set(query) <= {"s", "moves"}
        shown, notes = address.read(query, FIRST)
        assert over_the_wire(address.written(shown, "")) == query
    assert not notes
    assert (shown.name, set(shown.system), set(shown.changed)) == (
        question.name, set(question.system), set(question.changed),
    )  # fmt: skip
    assert numbers_of(shown) == numbers_of(question)


def test_a_field_in_the_address_wins_over_the_packed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "LONGEST_PLAIN", 0)
    packed = address.written(opened(FIRST, {"host.cpus": "3", "table.rows": "5"}), "")
    assert set(packed) == {"s"}
    shown, _ = address.read({**packed, "host.cpus": "7"}, FIRST)
    assert shown.change == {"host.cpus": "7", "table.rows": "5"}


@given(st.sampled_from(["5", "16K", "many"]), st.sampled_from([OWN, b"base='tpc-b'\nseed=9\n[table]\nrows=7\n"]))
def test_an_own_file_with_changes_makes_the_round_trip(rows: str, document: bytes) -> None:
    question = opened(user_files.opened(document, "mine.toml").name, {"host.cpus": "3"})
    query = over_the_wire(address.written(question, FIRST))
    assert address.read(query, FIRST) == (question, [])
    refused, _ = address.read({**query, "table.rows": rows}, FIRST)
    assert ("table.rows" in refused.change) is (rows != "many")


@settings(max_examples=300)
@given(hostile())
def test_a_hostile_link_leaves_sentences_and_a_screen(query: dict[str, str]) -> None:
    shown, notes = address.read(query, FIRST)
    assert shown.name in library() or user_files.is_user_file(shown.name)
    assert len(notes) <= 3 * (address.MOST_NOTES + 1)
    for note in notes:
        assert len(note) <= SpecError.LONGEST + 120
        assert note.isprintable(), note
    assert shown.sides()[2] == {}
    again, notes = address.read(over_the_wire(address.written(shown, FIRST)), FIRST)
    assert numbers_of(again) == numbers_of(shown)
    assert notes == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"foo": "1"}, "The link has 'foo', which is not a field of this page."),
        (
            {"scenario": "rahn-ful-scan"},
            "The link names a scenario that does not exist (rahn-ful-scan); the page shows rahn-full-scan instead.",
        ),
        ({"scenario": "../../../etc/passwd"}, "names a scenario that does not exist"),
        ({"scenario": "~eNoDAAAAAAE"}, "names a scenario that does not exist"),
        ({"s": "nonsense"}, "The scenario of the link cannot be opened (it cannot be unpacked"),
        ({"s": "eNoDAAAAAAE"}, "the link's scenario: is empty"),
        ({"s": "x" * 10_000_000}, "it has 10,000,000 characters; a link holds at most 30,000"),
        ({"table.rows": "1e400"}, "(table.rows): got inf; it must be a finite number"),
        ({"table.rows": "<script>alert(1)</script>"}, "(table.rows): "),
        ({"table.rows": "9" * 10_000_000}, "table.rows: got 10,000,000 characters"),
        ({"table." + "x" * 10_000_000: "1"}, "table.xxx"),
        ({"table.rowz": "1"}, "did you mean rows"),
        ({"v0.2.rows": "1"}, "no section named 'v0'"),
    ],
)
def test_what_a_link_has_wrong_is_one_sentence(query: dict[str, str], said: str) -> None:
    shown, notes = address.read({**query}, FIRST)
    assert (shown.name, shown.changed) == (FIRST, {})
    assert len(notes) == 1
    assert said in notes[0]
    assert len(notes[0]) <= SpecError.LONGEST + 120


def test_thousands_of_faults_are_a_few_sentences() -> None:
    query = {f"table.x{place}": "1" for place in range(1000)} | {f"y{place}": "1" for place in range(1000)}
    _, notes = address.read(query, FIRST)
    assert len(notes) == 2 * (address.MOST_NOTES + 1)
    assert "It has 994 more such keys." in notes
    assert f"It asks for {address.MOST_FIELDS + 1 - address.MOST_NOTES:,} more things that are not allowed." in notes


def test_fields_of_a_scenario_that_cannot_be_opened_change_no_other_one() -> None:
    assert address.read({"s": "nonsense", "table.rows": "5", "foo": "1"}, FIRST)[0].changed == {}


def test_the_form_of_earlier_links_is_still_read() -> None:
    """As the page wrote them before there was anything packed."""
    query = {"scenario": "tpc-b", "workload.users": "10", "instance.release": "10.2.0.4", "client.round_trip_s": "5ms"}
    shown, notes = address.read(query, FIRST)
    assert (shown.name, shown.system, notes) == ("tpc-b", {}, [])
    assert shown.change == {key: query[key] for key in list(query)[1:]}
    scenario = load("tpc-b", ["workload.users=10", "instance.release=10.2.0.4", "client.round_trip_s=5ms"])
    _, settled, _ = shown.sides()
    assert settled.model_copy(update={"title": scenario.title}) == scenario


def test_a_list_travels_packed() -> None:
    kinds = ", ".join(f'{{name = "kind {place}", gets = {place + 1}}}' for place in range(32))
    columns = ", ".join(f'{{name = "column {place}", bytes = {place % 20 + 1}}}' for place in range(100))
    for name, changes in (("tpc-c", {"workload.mix": f"[{kinds}]"}), (FIRST, {"table.columns": f"[{columns}]"})):
        query = address.written(opened(name, changes), FIRST)
        assert set(query) == {"s"} if len(urlencode(changes)) > address.LONGEST_PLAIN else {"scenario", *changes}
        shown, notes = address.read(over_the_wire(query), FIRST)
        assert (shown.name, notes) == (name, [])
        assert numbers_of(shown) == numbers_of(opened(name, changes))


@pytest.mark.parametrize(
    ("query", "system", "changed"),
    [
        ({"table.rows": "5"}, {}, {"table.rows": "5"}),
        ({"baseline.table.rows": "5", "table.rows": "5"}, {"table.rows": "5"}, {"table.rows": "5"}),
        ({"baseline.table.rows": "5", "table.rows": "7"}, {"table.rows": "5"}, {"table.rows": "7"}),
        ({"baseline.table.rows": "5"}, {"table.rows": "5"}, {"table.rows": "7197670"}),
        ({"baseline.disk.use": "nvme"}, {"disk.use": "nvme"}, {"disk.use": "sas-15k"}),
    ],
)
def test_a_link_of_version_0_1_0_opens_the_same_two_sides(
    query: dict[str, str], system: dict[str, str], changed: dict[str, str]
) -> None:
    shown, notes = address.read(query, FIRST)
    assert (shown.system, shown.changed, notes) == (system, changed, [])


def test_a_field_of_an_old_baseline_that_no_change_takes_back_is_told() -> None:
    shown, (note,) = address.read({"scenario": "tpc-b", "baseline.disk.use": "nvme"}, FIRST)
    assert "disk.use" in note
    assert (shown.system, shown.change) == ({}, {})
