"""Conditions say what Python would say of the same numbers, and refuse whatever is no comparison."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blocktime.model.errors import SpecError, UnknownName
from blocktime.scenarios.sweeps.conditions import LONGEST, Condition

VALUES: dict[str, Any] = {
    "workload.users": 100,
    "table.rows": "1M",
    "host.cpus": 4,
    "tablespace.block_size_bytes": 8192,
    "disk.overhead_s": 0.005,
    "disk.use": "nvme",
    "instance.disk_asynch_io": True,
    "instance.release": "19c",
    "instance.statistics.mbrc": 8,
    "workload.columns": None,
    "table.pctfree_percent": 0,
}


def holds(text: str) -> bool:
    return Condition(text).holds(VALUES.__getitem__)


def refused(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        Condition(text)
    return one_line(caught.value)


def unsaid(text: str) -> str:
    """The sentence of a condition that can be read and cannot be said to hold or not."""
    condition = Condition(text)
    with pytest.raises(SpecError) as caught:
        condition.holds(VALUES.__getitem__)
    return one_line(caught.value)


def one_line(error: SpecError) -> str:
    sentence = str(error)
    assert sentence.startswith("where ")
    assert "\n" not in sentence
    assert len(sentence) < SpecError.LONGEST
    return sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("workload.users <= 25 * host.cpus", True),
        ("workload.users < 25 * host.cpus", False),
        ("  workload.users > 99 ", True),
        ("1 < host.cpus and host.cpus <= 4 and 4 < workload.users", True),
        ("1 < host.cpus and host.cpus < 4 and 4 < workload.users", False),
        ("-4 < host.cpus", True),
        ("host.cpus < 1e3 and host.cpus < 10_000 and host.cpus < 4.5", True),
        ("2 * 3 * host.cpus == 24", True),
        ("host.cpus == 4 and workload.users == 5", False),
        ("host.cpus = 4 and host.cpus != 5", True),
        ("disk.use == 'nvme'", True),
        ('disk.use != "nvme"', False),
        ("tablespace.block_size_bytes * workload.users <= 1M", True),
        ("disk.overhead_s < 10 ms and disk.overhead_s == 5ms and disk.overhead_s < 1 min 2 s", True),
        ("table.rows == 1000000 and table.rows == 1M and 2m > table.rows", True),
        ("table.rows == 1000 K", True),
        ("table.rows * tablespace.block_size_bytes == 8192000000", True),
        ('disk.use == "nvme" and disk.use != "8K nvme"', True),
        ('disk.use != "a and b or c"', True),
        ('tablespace.block_size_bytes >= "8K"', True),
        ('"4K" < tablespace.block_size_bytes', True),
        ('disk.overhead_s < "5ms"', False),
        ('disk.overhead_s <= "5ms"', True),
        ('disk.overhead_s * 2 == "10ms"', True),
        ("tablespace.block_size_bytes == 2 * 4K", True),
        ("instance.disk_asynch_io == true", True),
        ("instance.disk_asynch_io != False", True),
        ("instance.disk_asynch_io == false", False),
        ("1 < 2", True),
    ],
)
def test_what_a_condition_says(text: str, expected: bool) -> None:
    assert holds(text) is expected


def test_it_names_the_fields_it_asks_for() -> None:
    condition = Condition("host.cpus < 1 and instance.statistics.mbrc == disk.overhead_s * host.cpus")
    assert condition.keys == {"host.cpus", "instance.statistics.mbrc", "disk.overhead_s"}
    assert Condition("1 < 2").keys == frozenset()


def test_what_need_not_be_asked_is_not_asked() -> None:
    asked = []

    def value(key: str) -> int:
        asked.append(key)
        return 0

    assert not Condition("a.b > 0 and a.c > 1").holds(value)
    assert not Condition("1 < a.b and a.b < a.c").holds(value)
    assert set(asked) == {"a.b"}


def test_it_travels_to_another_process() -> None:
    condition = pickle.loads(pickle.dumps(Condition("host.cpus < 5")))
    assert (condition.text, condition.keys) == ("host.cpus < 5", {"host.cpus"})
    assert condition.holds(VALUES.__getitem__)


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("open('x')", "\"open('x')\""),
        ("host.cpus.bit_length() > 1", "'host.cpus.bit_length() > 1'"),
        ("__import__('os').system('true') == 0", "system"),
        ("min(host.cpus, 2) < 1", "'min(host.cpus, 2) < 1'"),
        ("host.cpus + 1 < 4", "'host.cpus + 1 < 4'"),
        ("host.cpus - 1 < 4", "'host.cpus - 1 < 4'"),
        ("host.cpus / 2 < 4", "'host.cpus / 2 < 4'"),
        ("host.cpus ** 2 > 1", "'host.cpus ** 2 > 1'"),
        ("host.cpus * > 1", "'host.cpus * > 1'"),
        ("-host.cpus > 1", "'-host.cpus > 1'"),
        ("host.cpus[0] > 1", "'host.cpus[0] > 1'"),
        ("'a'.b.c > 1", "b.c"),
        ("cpus > 1", "'cpus', which names no field"),
        ("host.cpus is 4", "'host.cpus is 4'"),
        ("host.cpus in (4, 8)", "'host.cpus in (4, 8)'"),
        ("host.cpus == None", "'None', which names no field"),
        ("host.cpus == b'1'", "b'1'"),
        ("host.cpus < 1e999", "'1e999', which is no value of its field"),
        ("host.cpus < " + "9" * 400, "which is no value of its field"),
        ("host.cpus < 5 ms", "'5 ms', which is no value of its field"),
        ("disk.overhead_s < 5 GB", "'5 GB', which is no value of its field"),
        ("1 < host.cpus < 4", "'1 < host.cpus < 4'"),
        ("(host.cpus < 4) and host.cpus > 8", "'(host.cpus < 4) and host.cpus > 8'"),
        ("host.cpus < 4 or host.cpus > 8", "'host.cpus < 4 or host.cpus > 8'"),
        ("not host.cpus < 4", "'not host.cpus < 4'"),
        ("instance.disk_asynch_io", "'instance.disk_asynch_io'"),
        ("5", "'5'"),
        ("host.cpus < 4 and 'x'", "\"'x'\""),
        ("host.cpus < 4 xor host.cpus > 2", "'host.cpus < 4 xor host.cpus > 2'"),
        ("", "a comparison is missing"),
        ("host.cpus < 4 and", "a comparison is missing"),
        ("host.cpus <", "'host.cpus <'"),
        ("host.cpus < 1; host.cpus > 2", "'host.cpus < 1; host.cpus > 2'"),
        ("'unclosed", "unclosed"),
        ("host.cpus < 1\0", "host.cpus < 1"),
        ("\ud800 < 1", "< 1"),
        ("import os", "'import os'"),
        ("1and host.cpus < 2", "'1and host.cpus < 2'"),
        ("(" * 300 + "host.cpus" + ")" * 300 + " < 1", "'((("),
        ("host" + ".a" * 200 + " = ", "got 'host.a"),
        ("disk.use == '" + "x" * 10_000 + "'", "10,014 characters; a condition has at most 1,000"),
        ("9" * 999 + " < 1", "1,003 characters"),
    ],
    ids=lambda value: value[:40].encode("unicode_escape").decode(),
)
def test_everything_else_is_refused_by_one_sentence(text: str, got: str) -> None:
    assert got in refused(text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("workload.users * 1e300 * 1e300 > 1", "a number too large"),
        ("workload.users == disk.use", "'nvme' is not a number"),
        ("workload.users < 'many'", "'many' is not a number"),
        ("instance.release < 20", "'19c' is not a number"),
        ("instance.release < '20c'", "'19c' and '20c' are texts"),
        ("instance.disk_asynch_io == 1", "True is not a number"),
        ("instance.disk_asynch_io < true", "True is not a number"),
        ("disk.use * 2 == 2", "'nvme' is not a number"),
        ("workload.columns == 4", "None is not a number"),
    ],
)
def test_what_cannot_be_said_at_a_point_names_condition_and_values(text: str, fault: str) -> None:
    sentence = unsaid(text)
    assert fault in sentence
    for key in Condition(text).keys:
        assert f"{key} = {VALUES[key]!r}" in sentence


def test_of_many_values_some_are_named() -> None:
    many = " * ".join(f"host.a{rank}" for rank in range(9))
    with pytest.raises(SpecError, match=r"host\.a4 = 0, 4 more$"):
        Condition(f"{many} == 'x'").holds(lambda _: 0)


def test_a_field_that_is_unknown_is_the_asker_s_fault() -> None:
    def value(key: str) -> Any:
        raise UnknownName("field", key, VALUES)

    with pytest.raises(UnknownName, match=r"host\.cpus"):
        Condition("host.cpu > 1").holds(value)


# --- whatever is written ----------------------------------------------------------------------------------------------

PIECES = [
    "host.cpus", "disk.use", "workload.columns", "instance.disk_asynch_io", "true", "1", "0", "2.5", "1e300", "'8K'",
    '"5ms"', "''", "(", ")", "[", "]", "{", "}", ",", "+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">",
    "in", "not", "and", "or", "is", "if", "else", "lambda", ":", ":=", "=", "min(", "max(", "f'", "b'", "'", '"', ".",
    "#", ";", "\n", "\\", "@", "await", "yield", "x",
]  # fmt: skip


def tried(text: str) -> None:
    with suppress(SpecError):
        condition = Condition(text)
        assert condition.holds(VALUES.get) in (True, False)


@given(st.text())
@example("(" * LONGEST)
@example("a" + ".a" * 499)
@example("1" + "<1" * 499)
@example("1" + "*9" * 499)
@example("9 s " * 250)
@example("1<1 and " * 120 + "1<1")
def test_no_text_raises_anything_else(text: str) -> None:
    tried(text)


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["", " "]))
def test_no_heap_of_pieces_raises_anything_else(pieces: list[str], between: str) -> None:
    tried(between.join(pieces))


numbers = st.integers(-20, 20).map(str) | st.sampled_from(["2.5", "0.1", "host.cpus", "workload.users"])
products = st.lists(numbers, min_size=1, max_size=3).map(" * ".join)
tests = st.builds("{} {} {}".format, products, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), products)
conditions = st.lists(tests, min_size=1, max_size=4).map(" and ".join)


@given(conditions)
def test_it_says_what_python_says(text: str) -> None:
    assert holds(text) is eval(text.replace("host.cpus", "4").replace("workload.users", "100"))
