"""The house does not grow back: what there should be less of may not become more."""

import tomllib
from pathlib import Path

import pytest

from blocktime.model.spec import WORKLOADS
from tests.architecture.house import ALLOWED, CLASSES, COUNTS, DESIGN, KINDS, Module, counted, drawn, picture, places

MOST = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found() -> dict[str, int]:
    return counted()


@pytest.mark.parametrize("name", MOST)
def test_no_count_of_the_house_grows(name: str, found: dict[str, int]) -> None:
    if found[name] <= MOST[name]:
        return
    where = "\n".join(str(place) for place in places(COUNTS[name])) if name in COUNTS else ""
    pytest.fail(f"{name} is {found[name]}, at most {MOST[name]} is allowed\n{where}")


def test_every_count_has_a_limit(found: dict[str, int]) -> None:
    assert set(found) == set(MOST)


def test_the_picture_of_the_house_is_as_its_contracts_have_it() -> None:
    text = DESIGN.read_text(encoding="utf-8")
    assert picture() in text
    assert drawn(text) == text, "run `python tests/architecture/house.py --picture`"


def test_the_counter_knows_every_kind() -> None:
    assert set(WORKLOADS) == KINDS
    assert {form.__name__ for form in WORKLOADS.values()} <= CLASSES


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(work, Update)",
        "isinstance(work, spec.Stream)",
        "work.kind == 'update'",
        "work.kind in ('update', 'insert')",
        "work.kind in ONES",
        "ONES[work.kind]",
        "ONES.get(kind)",
        "kind.endswith('_stream')",
        "type(work) is Update",
        "scenario['workload']['kind'] != 'import'",
    ],
)
def test_a_question_for_the_kind_is_seen(question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.architecture.house.ROOT", tmp_path)
    file = tmp_path / "made.py"
    source = "from blocktime.model.spec import Update\nONES = {'update': 1, 'insert': 2}\nasked = " + question + "\n"
    file.write_text(source, encoding="utf-8")
    module = Module(file)
    module.constants_of_kinds(set())
    assert [node for node in module.nodes if module.asks(node)]


@pytest.mark.parametrize("other", ["fault.kind == 'real'", "isinstance(work, int)", "created_by == 'insert'"])
def test_other_kinds_are_left_alone(other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.architecture.house.ROOT", tmp_path)
    file = tmp_path / "made.py"
    file.write_text(f"asked = {other}\n", encoding="utf-8")
    module = Module(file)
    assert not [node for node in module.nodes if module.asks(node)]


@pytest.mark.parametrize(
    ("text", "matches", "count"),
    [
        ("held, rest = 1, 2", "names_that_are_participles", 1),
        ("class A:\n    def f(self, kept): self._own = kept", "names_that_are_participles", 2),
        ("shareholders, tokens = 1, 2", "names_that_are_participles", 0),
        ("def f():\n" + "    pass\n" * 60, "functions_over_60_lines", 1),
        ("def f():\n" + "    pass\n" * 59, "functions_over_60_lines", 0),
        ("class A:\n    def f(self, a, b, c, d, e, f, g, h): ...", "functions_with_over_8_arguments", 0),
        ("def f(a, b, c, d, e, f, g, *, h, i): ...", "functions_with_over_8_arguments", 1),
    ],
)
def test_names_and_sizes_are_seen(
    text: str, matches: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.architecture.house.ROOT", tmp_path)
    (tmp_path / "module.py").write_text(text, encoding="utf-8")
    module = Module(tmp_path / "module.py")
    assert sum(COUNTS[matches](module, node) for node in module.nodes) == count
