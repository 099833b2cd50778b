"""The version names the release and the commit, wherever the program comes from."""

import re
from pathlib import Path

import pytest

from blocktime.model.version import RELEASE, source_version

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_the_release_is_the_first_of_the_changelog() -> None:
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first
    assert first[1] == RELEASE


def _git(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / ".git" / name.replace("__", "/").replace("_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    "files",
    [
        {"HEAD": COMMIT},
        {"HEAD": "ref: refs/heads/main", "refs__heads__main": COMMIT},
        {"HEAD": "ref: refs/heads/main", "packed_refs": f"# pack-refs\n{COMMIT} refs/heads/main"},
    ],
    ids=["detached", "branch", "packed"],
)
def test_a_clone_has_its_commit(files: dict[str, str], tmp_path: Path) -> None:
    _git(tmp_path, **files)
    assert source_version(tmp_path) == f"{RELEASE}.dev0+g{COMMIT[:9]}"


def test_what_is_no_clone_has_the_release_alone(tmp_path: Path) -> None:
    assert source_version(tmp_path) == f"{RELEASE}.dev0"


def test_an_archive_has_the_version_that_it_was_packed_with(tmp_path: Path) -> None:
    (tmp_path / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: blocktime\nVersion: 9.8.7\n", "utf-8")
    assert source_version(tmp_path) == "9.8.7"
