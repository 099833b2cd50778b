"""The house stands as drawn: who imports whom, where the packages lie, and what no file may say."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("model", "scenarios", "validation", "app")
# Put together from halves, so that this file does not say what it forbids.
MACHINE_PATH = re.compile("|".join(f"(?<![\\w.]){folder}/" for folder in ("/home", "/root", "/tmp", "/work", "/Users")))
REGISTRY_HOST = re.compile("|".join(["py" + r"pi\.org", "python" + r"hosted\.org", "conda\\." + "anaconda"]))


def test_imports_go_down() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_the_one_of_this_checkout(package: str) -> None:
    """Another distribution's `model`, or another clone on the path, would win silently."""
    file = importlib.import_module(package).__file__
    assert file is not None
    assert Path(file).resolve() == ROOT / package / "__init__.py"


def test_tests_are_no_packages() -> None:
    """`tests/model/__init__.py` would be a second `model`."""
    assert not list((ROOT / "tests").rglob("__init__.py"))


def test_no_page_shadows_a_package() -> None:
    """Streamlit puts the folder of its script first on the path."""
    assert not [name for name in PACKAGES if (ROOT / "app" / f"{name}.py").exists()]


def test_no_folder_is_scanned_for_pages() -> None:
    assert not (ROOT / "app" / "pages").exists()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_file_knows_a_machine_or_a_registry(package: str) -> None:
    found = []
    for file in sorted((ROOT / package).rglob("*")):
        if not file.is_file() or {"__pycache__", "compiled"} & set(file.parts):
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if MACHINE_PATH.search(line) or REGISTRY_HOST.search(line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)
