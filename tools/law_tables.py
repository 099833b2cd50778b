"""The laws as lists, read from their modules: what each says, what it computes, and its sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from blocktime.app.mechanisms.lesson import lesson_of
from blocktime.model import laws
from blocktime.model.errors import SpecError
from tools.markdown_tables import code, item, paragraph

FOLDER: Final = Path(laws.__file__).parent
PLAIN: Final = frozenset({"__init__", "numeric"})
"""Modules without a claim about the world."""
LONGEST: Final = 140
"""Characters of a computation that still reads as a formula."""
KEY: Final = re.compile(r"\[([a-z][a-z0-9]*(?:-[a-z0-9.]+)+|general knowledge)\]")
ROLE: Final = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")


def law_modules() -> list[str]:
    """Names of the modules that hold laws."""
    return sorted(file.stem for file in FOLDER.glob("*.py") if file.stem not in PLAIN)


@cache
def _module(name: str) -> tuple[ast.Module, list[str]]:
    if name not in law_modules():
        raise SpecError(f"laws: got {name!r}; wanted some of {', '.join(law_modules())}")
    text = (FOLDER / f"{name}.py").read_text("utf-8")
    return ast.parse(text), text.splitlines()


def law_tables(modules: str) -> str:
    """What *modules*, separated by commas, say: a list of laws each, and the numbers that stand in them."""
    return "\n\n".join(_of_module(name.strip()) for name in modules.split(","))


def formula(module: str) -> str:
    """The law of the page about a mechanism, as LaTeX, with its symbols and what it assumes."""
    lesson = lesson_of(module)
    return "\n\n".join(
        (f"$$\n{paragraph(lesson.law)}\n$$", paragraph(lesson.symbols), paragraph(f"Assumed: {lesson.assumes}"))
    )


def _of_module(name: str) -> str:
    tree, lines = _module(name)
    text = ast.get_docstring(tree) or ""
    keys = KEY.findall(text)
    items = [
        item(_law(law, keys)) for law in tree.body if isinstance(law, ast.FunctionDef) and not law.name.startswith("_")
    ]
    numbers = [item(number) for number in _numbers(tree, lines)]
    parts = [paragraph(f"**{name}.** {plain_docstring(text)}"), "\n".join(items)]
    return "\n\n".join(parts + ([f"Numbers in `{name}`:", "\n".join(numbers)] if numbers else []))


def _law(law: ast.FunctionDef, keys: list[str]) -> str:
    """What a law says and computes; the sources of its module where it names none."""
    text = plain_docstring(ast.get_docstring(law) or "")
    sources = "" if KEY.search(text) or not keys else f"[{', '.join(dict.fromkeys(keys))}]"
    return " ".join(filter(None, (f"{code(law.name)} –", text, _computes(law), sources)))


def plain_docstring(text: str) -> str:
    """A docstring in one line."""
    return " ".join(ROLE.sub(r"`\1`", text).split())


def _computes(law: ast.FunctionDef) -> str:
    """What is returned, with names that were given values on the way replaced by those; empty for no formula."""
    *before, last = law.body[1:] if ast.get_docstring(law) else law.body
    if not isinstance(last, ast.Return) or last.value is None:
        return ""
    given: dict[str, ast.expr] = {}
    for step in before:
        if not (isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name)):
            return ""
        given[step.targets[0].id] = _NameReplacer(given).visit(step.value)
    text = ast.unparse(_NameReplacer(given).visit(last.value))
    return code(text) if len(text) <= LONGEST else ""


class _NameReplacer(ast.NodeTransformer):
    """Names by the expressions that they stand for."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)


def _numbers(tree: ast.Module, lines: list[str]) -> Iterator[str]:
    """The numbers that a module gives names to, with what is said of them below or beside."""
    for step, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if not isinstance(step, ast.Assign | ast.AnnAssign):
            continue
        target = step.targets[0] if isinstance(step, ast.Assign) else step.target
        value = step.value
        if not (isinstance(target, ast.Name) and target.id.isupper() and value is not None):
            continue
        if isinstance(value, ast.Call | ast.Dict | ast.Set) or any(map(_is_text, ast.walk(value))):
            continue
        text = lines[(step.end_lineno or step.lineno) - 1].partition("  # ")[2]
        if isinstance(after, ast.Expr) and _is_text(after.value):
            text = ast.literal_eval(after.value)
        note = f" ({plain_docstring(text).rstrip('.')})" if text else ""
        yield f"`{target.id} = {ast.unparse(value)}`{note}"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
