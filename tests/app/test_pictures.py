"""Each picture of README and docs shows the answers of today."""

import re
from pathlib import Path

import pytest

from tests.app.pictures import DOCS, PICTURES, digest_of, held_digest

ROOT = DOCS.parent
PAGES = [ROOT / "README.md", *DOCS.rglob("*.md")]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_answers_of_today(name: str, tmp_path: Path) -> None:
    fresh = digest_of(PICTURES[name], tmp_path)
    assert held_digest(DOCS / f"{name}.png") == fresh, "run `python3 dev.py screenshots`"


def test_every_picture_is_taken_by_the_table() -> None:
    assert {path.stem for path in DOCS.rglob("*.png")} == set(PICTURES)
    shown = {Path(name).stem for page in PAGES for name in re.findall(r"\]\(([^)]+\.png)\)", page.read_text("utf-8"))}
    assert shown <= set(PICTURES)
