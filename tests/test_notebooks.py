"""The notebooks of the documentation say what their cells answer."""

import json
from typing import Any

import pytest

from tests.whole import quick
from tools.notebooks import FOLDER, run_notebook

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"), key=lambda path: path.stem != "block-size")
"""The quick one first."""


def texts(notebook: str) -> list[list[str]]:
    """What each cell prints and says of its value; figures in HTML are another test's."""
    cells: list[dict[str, Any]] = json.loads(notebook)["cells"]
    return [
        ["".join(output.get("text") or output["data"]["text/plain"]) for output in cell.get("outputs", ())]
        for cell in cells
    ]


@pytest.mark.parametrize("path", NOTEBOOKS[: quick(1, len(NOTEBOOKS))], ids=lambda path: path.stem)
def test_a_notebook_has_the_outputs_of_its_cells(path: Any) -> None:
    stored = path.read_text(encoding="utf-8")
    assert any(texts(stored))
    assert texts(run_notebook(path)) == texts(stored)
