"""Books are closed in one place, and so are made the flat rows of measures and iostat's columns."""

import ast
from pathlib import Path

import pytest

MODEL = Path(__file__).resolve().parents[2] / "model"


def callers(*names: str) -> set[str]:
    """Modules of the model that call one of *names*, a class's own way to make itself included."""
    found = set()
    for file in sorted(MODEL.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                made = node.func.value if isinstance(node.func, ast.Attribute) else node.func
                called = {getattr(made, "id", ""), getattr(node.func, "attr", getattr(node.func, "id", ""))}
                if called & set(names):
                    found.add(file.relative_to(MODEL).as_posix())
    return found


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (("RunResult", "check_books", "extrapolations"), {"closing.py"}),
        (("TimeBreakdown",), set()),
        (("DeviceStats",), set()),
        (("quantities",), {"closing.py", "machine/device/diskstats.py"}),
        (("money_of",), {"closing.py", "money_books.py"}),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_what_one_place_makes_no_other_does(names: tuple[str, ...], places: set[str]) -> None:
    assert callers(*names) == places
