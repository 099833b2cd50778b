"""Conditions say what Python would say of the same numbers, and refuse everything else of Python."""

from __future__ import annotations

import pickle
import warnings
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
        ("1 < host.cpus <= 4 < workload.users", True),
        ("1 < host.cpus < 4 < workload.users", False),
        ("workload.users / host.cpus == 25", True),
        ("workload.users // 30 == 3", True),
        ("workload.users % 30 == 10", True),
        ("workload.users - 1 + 1 != 100", False),
        ("-host.cpus < -3", True),
        ("2 + 3 * 4 == 14", True),
        ("(2 + 3) * 4 == 20", True),
        ("min(workload.users, host.cpus) == 4", True),
        ("max(workload.users, host.cpus, 1e3) == 1000", True),
        ("max(host.cpus) == 4", True),
        ("host.cpus == 4 and workload.users == 5", False),
        ("host.cpus == 4 or workload.users == 5", True),
        ("not host.cpus == 5 and not (host.cpus == 4 and workload.users == 5)", True),
        ("disk.use == 'nvme'", True),
        ('disk.use != "nvme"', False),
        ('disk.use in ("nvme", "sas-15k")', True),
        ('disk.use not in ["nvme", "sas-15k"]', False),
        ("host.cpus in (1, 2)", False),
        ("host.cpus not in (1, 2)", True),
        ("host.cpus in ()", False),
        ('tablespace.block_size_bytes in ("4K", "8K")', True),
        ("tablespace.block_size_bytes in (4K, 8K)", True),
        ("tablespace.block_size_bytes * workload.users <= 1M", True),
        ("disk.overhead_s < 10 ms and disk.overhead_s == 5ms and disk.overhead_s < 1 min 2 s", True),
        ("table.rows == 1000000 and table.rows == 1M and 2m > table.rows", True),
        ('table.rows in ("1M", 7) and max(table.rows, 0.5M) == 1000 K', True),
        ("table.rows * tablespace.block_size_bytes == 8192000000", True),
        ("table.rows % 3 == 1 and 3 < 5 and 1 in (1, 3)", True),
        ('disk.use == "nvme" and disk.use != "8K nvme"', True),
        ('tablespace.block_size_bytes >= "8K"', True),
        ('"4K" < tablespace.block_size_bytes < "16K"', True),
        ('disk.overhead_s < "5ms"', False),
        ('disk.overhead_s <= "5ms"', True),
        ('disk.overhead_s * 2 == "10ms"', True),
        ('tablespace.block_size_bytes == 2 * "4K"', True),
        ('min("8K", 10000) == 8192', True),
        ("instance.disk_asynch_io", True),
        ("not instance.disk_asynch_io", False),
        ("instance.disk_asynch_io == true", True),
        ("instance.disk_asynch_io != False", True),
        ("instance.disk_asynch_io in (false,)", False),
        ("instance.statistics.mbrc == 0x8", True),
        ("1 < 2", True),
    ],
)
def test_what_a_condition_says(text: str, expected: bool) -> None:
    assert holds(text) is expected


def test_it_names_the_fields_it_asks_for() -> None:
    condition = Condition("host.cpus < 1 or not (instance.statistics.mbrc in (disk.overhead_s, host.cpus))")
    assert condition.keys == {"host.cpus", "instance.statistics.mbrc", "disk.overhead_s"}
    assert Condition("1 < 2").keys == frozenset()


def test_what_need_not_be_asked_is_not_asked() -> None:
    asked = []

    def value(key: str) -> int:
        asked.append(key)
        return 0

    assert not Condition("a.b > 0 and a.c / a.b > 1").holds(value)
    assert Condition("a.b == 0 or a.c > 1").holds(value)
    assert not Condition("1 < a.b < a.c").holds(value)
    assert set(asked) == {"a.b"}


def test_it_travels_to_another_process() -> None:
    condition = pickle.loads(pickle.dumps(Condition("host.cpus < 5")))
    assert (condition.text, condition.keys) == ("host.cpus < 5", {"host.cpus"})
    assert condition.holds(VALUES.__getitem__)


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("open('x')", "\"open('x')\""),
        ("host.cpus.bit_length() > 1", "'host.cpus.bit_length()'"),
        ("__import__('os').system('true') == 0", "system"),
        ("pow(host.cpus, 2) > 1", "'pow(host.cpus, 2)'"),
        ("min() < 1", "'min()'"),
        ("min(host.cpus, *disk.use) < 1", "'*disk.use'"),
        ("min(host.cpus, key=host.cpus) < 1", "'min(host.cpus, key=host.cpus)'"),
        ("host.min(1) < 1", "'host.min(1)'"),
        ("host.cpus ** 2 > 1", "'host.cpus ** 2'"),
        ("host.cpus << 2 > 1", "'host.cpus << 2'"),
        ("host.cpus | 1 > 1", "'host.cpus | 1'"),
        ("~host.cpus > 1", "'~host.cpus'"),
        ("+host.cpus > 1", "'+host.cpus'"),
        ("host.cpus[0] > 1", "'host.cpus[0]'"),
        ("(1).real > 1", "'(1).real'"),
        ("'a'.b.c > 1", "b.c"),
        ("cpus > 1", "'cpus', which names no field"),
        ("host.cpus is 4", "'host.cpus is 4'"),
        ("host.cpus == None", "'None'"),
        ("host.cpus == ...", "'...'"),
        ("host.cpus == 1j", "'1j'"),
        ("host.cpus == b'1'", '"b\'"'),
        ("f'{host.cpus}' == '4'", '"f\'"'),
        ("host.cpus < 1e999", "'1e999', which is too large"),
        ("host.cpus < " + "9" * 400, "which is too large"),
        ("lambda: 1", "'lambda: 1', which is neither true nor false"),
        ("[x for x in host.cpus]", "'[x for x in host.cpus]'"),
        ("(host.cpus := 3) > 1", "is not a condition"),
        ("(x := 3) > 1", "'x := 3'"),
        ("host.cpus if host.cpus else 1", "neither true nor false"),
        ("yield", "is not a condition"),
        ("(await host.cpus) > 1", "'await host.cpus'"),
        ("{1: 2} == host.cpus", "'{1: 2}'"),
        ("host.cpus in {1, 2}", "'{1, 2}', where a list has to be"),
        ("disk.use in 'nvme'", "\"'nvme'\", where a list has to be"),
        ("host.cpus in host.cpus", "'host.cpus', where a list has to be"),
        ("1 < host.cpus in (4,)", "'1 < host.cpus in (4,)'"),
        ("(host.cpus < 4) == true", "'host.cpus < 4'"),
        ("5", "'5', which is neither true nor false"),
        ("host.cpus + 1", "'host.cpus + 1', which is neither true nor false"),
        ("host.cpus < 4 and 'x'", "\"'x'\", which is neither true nor false"),
        ("host.cpus = 4", "write == to compare"),
        ("", "is not a condition"),
        ("host.cpus <", "is not a condition"),
        ("host.cpus < 1; host.cpus > 2", "is not a condition"),
        ("host.cpus\n< 1", "is not a condition"),
        ("'unclosed", "is not a condition"),
        ("host.cpus < 1\0", "is not a condition"),
        ("\ud800 < 1", "is not a condition"),
        ("import os", "is not a condition"),
        ("disk.use == '\\d'", "backslash"),
        ("1or host.cpus < 2", "'1or'"),
        ("(" * 300 + "host.cpus" + ")" * 300 + " < 1", "is not a condition"),
        ("not " * 80 + "host.cpus < 1", "at most 50 levels"),
        ("host.cpus < " + "-" * 200 + "1", "at most 50 levels"),
        ("host.cpus < " + "1+" * 80 + "1", "at most 50 levels"),
        ("host" + ".a" * 200 + " < 1", "got 'host.a"),
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
        ("workload.users / table.pctfree_percent > 1", "a division by zero"),
        ("workload.users // table.pctfree_percent > 1", "a division by zero"),
        ("workload.users % (table.pctfree_percent * 1.0) > 1", "a division by zero"),
        ("workload.users * 1e300 * 1e300 > 1", "a number too large"),
        ("workload.users * 10" + "0" * 300 + " * 10" + "0" * 300 + " > 1", "a number too large"),
        ("workload.users == disk.use", "'nvme' is not a number"),
        ("workload.users < 'many'", "'many' is not a number"),
        ("instance.release < 20", "'19c' is not a number"),
        ("instance.release < '20c'", "'19c' and '20c' are texts"),
        ("instance.disk_asynch_io == 1", "True is not a number"),
        ("instance.disk_asynch_io < true", "True is not a number"),
        ("-instance.disk_asynch_io < 1", "True is not a number"),
        ("disk.use * 2 == 2", "'nvme' is not a number"),
        ("max(disk.use, 'x') == 2", "'nvme' is not a number"),
        ("workload.columns == 4", "None is not a number"),
        ("workload.users in (1, disk.use)", "'nvme' is not a number"),
        ("workload.users and instance.disk_asynch_io", "100 is neither true nor false"),
        ("not workload.users", "100 is neither true nor false"),
    ],
)
def test_what_cannot_be_said_at_a_point_names_condition_and_values(text: str, fault: str) -> None:
    sentence = unsaid(text)
    assert fault in sentence
    for key in Condition(text).keys:
        assert f"{key} = {VALUES[key]!r}" in sentence


def test_of_many_values_some_are_named() -> None:
    many = " + ".join(f"host.a{rank}" for rank in range(9))
    with pytest.raises(SpecError, match=r"host\.a4 = 0, 4 more$"):
        Condition(f"1 / ({many}) > 1").holds(lambda _: 0)


def test_a_field_that_is_unknown_is_the_asker_s_fault() -> None:
    def value(key: str) -> Any:
        raise UnknownName("field", key, VALUES)

    with pytest.raises(UnknownName, match=r"host\.cpus"):
        Condition("host.cpu > 1").holds(value)


@pytest.mark.parametrize(
    "text", ["1or 2", "0x1for 2", "1.or 2", "disk.use == '\\d'", "1 is 1", "f'{1or 2}' == 1", "'a' is 'b'"]
)
def test_python_s_parser_warns_of_nothing(text: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        refused(text)
    assert warned == []


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
@example("[" * LONGEST)
@example("-" * (LONGEST - 1) + "1")
@example("a" + ".a" * 499)
@example("1" + "<1" * 499)
@example("1" + "*9" * 499)
@example("not " * 249 + "1")
@example("lambda:" * 142 + "1")
@example("f'{" * 300)
def test_no_text_raises_anything_else(text: str) -> None:
    tried(text)


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["", " "]))
def test_no_heap_of_pieces_raises_anything_else(pieces: list[str], between: str) -> None:
    tried(between.join(pieces))


numbers = st.integers(-20, 20).map(str) | st.sampled_from(["2.5", "0.1", "host.cpus", "workload.users"])
sums = st.recursive(
    numbers,
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner)
    | st.builds("(-{})".format, inner)
    | st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
    max_leaves=6,
)  # fmt: skip
comparisons = st.builds("{} {} {}".format, sums, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), sums)
conditions = st.recursive(
    comparisons,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("(not {})".format, inner)
    ),
    max_leaves=5,
)


@given(conditions)
def test_it_says_what_python_says(text: str) -> None:
    plain = text.replace("host.cpus", "4").replace("workload.users", "100")
    try:
        expected = eval(plain)
    except ZeroDivisionError:
        with pytest.raises(SpecError, match="division by zero"):
            holds(text)
    else:
        assert holds(text) is expected
