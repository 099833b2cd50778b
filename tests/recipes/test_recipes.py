"""A new field is declared in one place: two patches, applied to copies of the tree, and what a reader then meets."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("app", "blocktime", "docs", "model", "scenarios", "tools", "validation", "tests/recipes", "tests/scenarios")
FILES = ("pyproject.toml", "tests/patience.py", "tests/whole.py")
FILE_OF_PATCH = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)


def patch_of(name: str) -> Path:
    return Path(__file__).with_name(f"{name}_field.patch")


def patched(name: str, copy: Path) -> Path:
    """A copy of the tree with a patch."""
    for part in PARTS:
        shutil.copytree(ROOT / part, copy / part, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    for part in FILES:
        shutil.copy(ROOT / part, copy / part)
    subprocess.run(["git", "apply", patch_of(name)], cwd=copy, check=True, timeout=LIMIT_S)
    return copy


def python(tree: Path, *words: str) -> str:
    """What Python prints in a copy of the tree."""
    done = subprocess.run(
        [sys.executable, *words], cwd=tree, capture_output=True, text=True, check=False, timeout=LIMIT_S,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def followed(tree: Path, *words: str) -> dict[str, Any]:
    """What a reader meets of a field."""
    met: dict[str, Any] = json.loads(python(tree, "-m", "tests.recipes.followed", *words).splitlines()[-1])
    return met


@pytest.mark.parametrize(("name", "most"), [("disk", 3), ("workload", 1)])
def test_a_new_field_changes_few_files(name: str, most: int) -> None:
    files = FILE_OF_PATCH.findall(patch_of(name).read_text(encoding="utf-8"))
    assert files
    assert len(files) <= most


def test_a_new_field_of_a_disk_takes_part_everywhere(tmp_path: Path) -> None:
    tree = patched("disk", tmp_path)
    met = followed(
        tree,
        "disk.fabric_s",
        "read_stream",
        "random-read-depth,disk.use=nvme,workload.in_flight=1",
        "2 s",
        "0,0.001",
        "fabric",
    )
    assert met["group"] == "Host and storage"
    assert met["label"] == "Latency of the storage network"
    assert met["help"].startswith("Time that the network to the storage adds to each request")
    assert "0 s to 1 s — default 0 s (general knowledge) — `disk.fabric_s`" in met["help"]
    assert met["schema"]
    (item,) = met["document"]
    assert "**Latency of the storage network.** Time that the network to the storage adds" in item
    assert "disk.fabric_s: got 2; allowed is at most 1 s" in met["error"]
    assert "it is disk.fabric_s here" in met["meant"]
    assert met["found"][0] == "disk.fabric_s"
    assert met["elapsed_s"][1] > met["elapsed_s"][0]
    assert met["await_s"][1] - met["await_s"][0] == pytest.approx(1e-3, rel=1e-6)


def test_every_kind_of_workload_reads_the_new_field_of_a_disk(tmp_path: Path) -> None:
    """The measured list stays true: it names the field for no kind."""
    asked = (
        "from tests.scenarios.every_field import BASES, fields_of, is_still;"
        "print([kind for kind in BASES if is_still(kind, 'disk.fabric_s', dict(fields_of(kind))['disk.fabric_s'])])"
    )
    assert python(patched("disk", tmp_path), "-c", asked).split() == ["[]"]


def test_a_new_field_of_a_workload_is_met_everywhere(tmp_path: Path) -> None:
    tree = patched("workload", tmp_path)
    met = followed(tree, "workload.module", "full_scan", "rahn-full-scan", "x" * 65, "orders,billing", "module_name")
    assert met["group"] == "Workload"
    assert met["label"] == "Module"
    assert met["help"].startswith("MODULE that the sessions set")
    assert met["schema"]
    assert met["document"]
    assert "workload.module" in met["error"]
    assert "64" in met["error"]
    assert "it is workload.module here" in met["meant"]
    assert met["found"][0] == "workload.module"
    assert met["elapsed_s"][0] == met["elapsed_s"][1], "a name moves no figure"
