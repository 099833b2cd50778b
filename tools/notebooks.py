"""The notebooks of the documentation: their cells run one after another, and what each one prints and shows."""

from __future__ import annotations

import ast
import json
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def run_notebook(path: Path) -> str:
    """The notebook at *path* with the outputs of all its cells made anew, run in its folder."""
    notebook = json.loads(path.read_text("utf-8"))
    names: dict[str, Any] = {}
    with chdir(path.parent):
        for number, cell in enumerate((cell for cell in notebook["cells"] if cell["cell_type"] == "code"), 1):
            cell["execution_count"], cell["outputs"] = number, _outputs("".join(cell["source"]), names, number)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """What a cell prints, and how its last expression shows itself."""
    tree, printed = ast.parse(source), StringIO()
    last = tree.body[-1] if tree.body else None
    shown = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    tree.body = tree.body[:-1] if shown else tree.body
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = eval(compile(shown, f"cell {number}", "eval"), names) if shown else None
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue()})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_()
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs
