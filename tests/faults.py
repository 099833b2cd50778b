"""Faults put into copies of the model, and whether the quick tests catch them.

python -m tests.faults [SEED...]          put in the faults of these seeds (1 to 25), one after the other
python -m tests.faults --show [SEED...]   say what they are
"""

import ast
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from tests.workers import QUICK

ROOT: Final = Path(__file__).resolve().parents[1]
SEEDS: Final = range(1, 26)
ROOMS: Final = ("laws", "machine", "demand", "kernels", "loops", "sim", "workloads")
SWAPS: Final = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "//",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
MOST_S: Final = 1800
"""For the quick tests of one fault, however busy the machine is."""
CALLS: Final = {"min": "max", "max": "min", "ceil": "floor", "floor": "ceil"}
EQUIVALENT: Final = {"model/machine/segment/space_map.py:86:24": "a version is compared for equality alone"}
"""Faults that change no answer, by file, line and column, and why; their seeds draw the next one."""


class Fault(NamedTuple):
    """A piece of one line, and what stands there instead."""

    file: str
    line: int
    begin: int
    end: int
    text: str

    @property
    def place(self) -> str:
        """What it is known by."""
        return f"{self.file}:{self.line}:{self.begin}"

    def __str__(self) -> str:
        old = (ROOT / self.file).read_text("utf-8").splitlines()[self.line - 1]
        return f"{self.place}\n    {old.strip()}\n    {self.put_into(old).strip()}"

    def put_into(self, line: str) -> str:
        """The line with the fault; offsets count bytes, as those of a syntax tree."""
        data = line.encode()
        return (data[: self.begin] + self.text.encode() + data[self.end :]).decode()


def _between(file: str, lines: list[str], left: ast.expr, right: ast.expr, new: str) -> Iterator[Fault]:
    """The operator between two operands of one line, brackets aside."""
    if left.end_lineno != right.lineno or left.end_col_offset is None:
        return
    between = lines[right.lineno - 1].encode()[left.end_col_offset : right.col_offset].decode()
    old = between.strip(" ()")
    if old and " " not in old:
        begin = left.end_col_offset + between.index(old)
        yield Fault(file, right.lineno, begin, begin + len(old), new)


def _faults_at(file: str, lines: list[str], node: ast.AST) -> Iterator[Fault]:
    """What can be wrong at a *node*."""
    match node:
        case ast.BinOp() if type(node.op) in SWAPS:
            yield from _between(file, lines, node.left, node.right, SWAPS[type(node.op)])
        case ast.Compare() if len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
            yield from _between(file, lines, node.left, node.comparators[0], SWAPS[type(node.ops[0])])
        case ast.BoolOp():
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from _between(file, lines, left, right, SWAPS[type(node.op)])
        case ast.Constant() if type(node.value) in (int, float) and node.end_col_offset is not None:
            new = repr(node.value + 1 if type(node.value) is int else 2 * node.value or 1.0)
            yield Fault(file, node.lineno, node.col_offset, node.end_col_offset, new)
        case ast.UnaryOp() if isinstance(node.op, ast.Not):
            yield Fault(file, node.lineno, node.col_offset, node.operand.col_offset, "")
        case ast.Call() if isinstance(node.func, ast.Name) and node.func.id in CALLS:
            name = node.func
            yield Fault(file, name.lineno, name.col_offset, name.end_col_offset or 0, CALLS[name.id])


def _in_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of all bodies of functions; annotations, defaults and constants of a module are left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from ast.walk(statement)


@cache
def faults() -> list[Fault]:
    """All there are, in the order of the files."""
    found: dict[str, Fault] = {}
    for room in ROOMS:
        for path in sorted((ROOT / "model" / room).rglob("*.py")):
            text = path.read_text("utf-8")
            file, lines = str(path.relative_to(ROOT)), text.splitlines()
            if path.name == "build.py":
                continue
            for node in _in_functions(ast.parse(text)):
                found |= {fault.place: fault for fault in _faults_at(file, lines, node)}
    return list(found.values())


def fault_of(seed: int) -> Fault:
    """The first of those that a *seed* draws that is not equivalent."""
    chance = random.Random(seed)
    while True:
        fault = chance.choice(faults())
        if fault.place not in EQUIVALENT:
            return fault


def is_caught(fault: Fault) -> tuple[bool, str]:
    """Whether the quick tests fail in a copy of the tree with *fault*, and which of them was the first."""
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        left_out = shutil.ignore_patterns(".git", ".venv", ".dev", ".*_cache", "__pycache__", "*.png", ".hypothesis")
        shutil.copytree(ROOT, tree, symlinks=True, ignore=left_out)
        path = tree / fault.file
        lines = path.read_text("utf-8").splitlines(keepends=True)
        lines[fault.line - 1] = fault.put_into(lines[fault.line - 1])
        path.write_text("".join(lines), "utf-8")
        env = {**os.environ, "PYTHONPATH": str(tree)}
        words = [sys.executable, str(tree / "model" / "loops" / "build.py")]
        subprocess.run(words, cwd=tree, env=env, capture_output=True, check=False)
        words = [sys.executable, "-m", "pytest", "-q", "-x", "--timeout=200", *QUICK[:-1]]
        try:
            done = subprocess.run(words, cwd=tree, env=env, capture_output=True, text=True, check=False, timeout=MOST_S)
        except subprocess.TimeoutExpired:  # a compiled loop without an end, which no limit of pytest interrupts
            return True, "the tests do not end"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode != 0, failed[0][:160] if failed else ""


def main(*words: str) -> None:
    """Put in the faults of some seeds."""
    seeds = [int(word) for word in words if word != "--show"] or list(SEEDS)
    caught = 0
    for seed in seeds:
        fault = fault_of(seed)
        print(seed, fault, flush=True)
        if "--show" not in words:
            began = time.monotonic()
            found, test = is_caught(fault)
            caught += found
            print("    caught" if found else "    NOT CAUGHT", f"{time.monotonic() - began:.0f} s", test, flush=True)
    if "--show" not in words:
        print(f"{caught} of {len(seeds)} are caught")


if __name__ == "__main__":
    main(*sys.argv[1:])
