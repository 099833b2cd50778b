"""Compile the loops: ``python model/loops/build.py [FOLDER]``. It needs Cython and a C compiler, or the wheel ziglang.

The functions and classes in PARTS, and the laws that they call, become one text for Cython, with C's types for those
that they state: an ``int`` has 64 bits there. The compiled module's name holds the digest of all that it was made
from, and the way into it has that name, so that one made from another text is never loaded.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MODEL = Path(__file__).resolve().parent.parent
PARTS = (
    "laws/disk.py",
    "laws/device.py",
    "loops/rows.py",
    "loops/queue.py",
    "loops/cache.py",
    "loops/buffers.py",
    "loops/rotating.py",
    "loops/elevator.py",
    "loops/calendar.py",
)
LOOPS = PARTS[3:]
"""Those that are called from outside; the others only by these."""
WITH_PYTHON = ("loops/calendar.py",)
"""Those that call what is not compiled, which may fail."""
FOLDER = MODEL / "loops" / "compiled"
PLAIN = "The loops are not compiled: the same answers come from plain Python, and large runs take many times as long."
FLAGS = ("-O2", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off", "-fPIC", "-w")
HEADER = """# cython: language_level=3, infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False
cimport cython
from libc cimport math
from array import array
"""
TYPES = {
    "float": "double",
    "Number": "double",
    "int": "long long",
    "bool": "bint",
    "None": "void",
    "str": "str",
    "list": "list",
    "dict": "dict",
    "tuple": "tuple",
    "Reals": "double[::1]",
    "Wholes": "long long[::1]",
    "Halves": "int[::1]",
    "Counts": "unsigned int[::1]",
    "Bytes": "unsigned char[::1]",
    "GivenReals": "const double[::1]",
    "GivenWholes": "const long long[::1]",
    "GivenCounts": "const unsigned int[::1]",
    "GivenBytes": "const unsigned char[::1]",
}
"""What Python's types and those of model/loops/rows.py are in C."""
C_ONLY = {"double", "long long", "bint", "void"}
"""Types that have no None."""
ONLY_PYTHON = (ast.Yield, ast.YieldFrom, ast.Lambda, ast.FunctionDef, ast.GeneratorExp)
"""What no function of C has."""
CASTS = {"int": "cython.longlong", "float": "cython.double"}


@cache
def name() -> str:
    """The compiled module's name, with the digest of what it is made from."""
    texts = [MODEL.joinpath(part).read_bytes() for part in (*PARTS, "units.py", "loops/build.py")]
    return f"loops_{hashlib.sha256(b''.join(texts)).hexdigest()[:16]}"


def file(folder: Path = FOLDER) -> Path:
    """Where the compiled module for this Python is, or would be."""
    return folder / f"{name()}{EXTENSION_SUFFIXES[0]}"


def text() -> str:
    """All parts as one text for Cython."""
    definitions: dict[str, ast.FunctionDef | ast.ClassDef] = {}
    part_of: dict[str, str] = {}
    for part in PARTS:
        for node in _parsed(part).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                assert node.name not in definitions, f"{part}: another loop has the name {node.name}"
                definitions[node.name], part_of[node.name] = node, part
    loops = {one for one, part in part_of.items() if part in LOOPS}
    wanted = list(loops)
    for one in wanted:  # and the laws that it calls
        called = {each.id for each in ast.walk(definitions[one]) if isinstance(each, ast.Name)}
        wanted += [law for law in definitions if law in called and law not in wanted]
    classes = {one for one in wanted if isinstance(definitions[one], ast.ClassDef)}
    lines = [HEADER]
    for one, node in definitions.items():
        if one in wanted:
            lines += _Form(part_of[one], classes).definition(node, "", one not in loops)
    return "\n".join(lines) + "\n"


@cache
def _parsed(part: str) -> ast.Module:
    return ast.parse(MODEL.joinpath(part).read_text(encoding="utf-8"))


@cache
def _constants(part: str) -> dict[str, Any]:
    """Numbers that have names in a part, be they its own or another's; other names are those of types."""
    known: dict[str, Any] = {"__builtins__": {}}
    for node in _parsed(part).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("model."):
            theirs = _constants(f"{str(node.module).removeprefix('model.').replace('.', '/')}.py")
            known |= {one.name: theirs[one.name] for one in node.names if one.name in theirs}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            with suppress(NameError, TypeError):
                exec(compile(ast.Module([node], []), part, "exec"), known)
    return {name: value for name, value in known.items() if isinstance(value, int | float)}


class _Form(ast.NodeTransformer):
    """What is written as Cython has it."""

    def __init__(self, part: str, classes: set[str]) -> None:
        self.numbers, self.classes = _constants(part), classes
        self.sure = part not in WITH_PYTHON

    def c_type(self, annotation: ast.expr | None) -> str:
        """C's type."""
        said = ast.unparse(annotation) if annotation else ""
        bare = said.removesuffix(" | None").partition("[")[0]
        known = TYPES.get(bare, bare if bare in self.classes else "object")
        may_be_none = bare != said and "|" in said
        return "object" if may_be_none and known in C_ONLY else known

    def definition(self, node: Any, indent: str, inner: bool) -> Iterator[str]:
        """Lines of a function, a method or a class; who has nobody outside that calls it is *inner*."""
        inside = f"{indent}    "
        if isinstance(node, ast.ClassDef):
            yield f"@cython.final\ncdef class {node.name}:"
            for one in node.body:
                if isinstance(one, ast.AnnAssign):
                    c_type, name = self.c_type(one.annotation), ast.unparse(one.target)
                    known = "" if name.startswith("_") or c_type.endswith("]") else "public "
                    yield f"{inside}cdef {known}{c_type} {name}"
                elif isinstance(one, ast.FunctionDef):
                    yield from self.definition(one, inside, inner=False)
            return
        own = [] if not indent else ["self"]
        defaults = [""] * (len(node.args.args) - len(node.args.defaults))
        defaults += [f" = {ast.unparse(one)}" for one in node.args.defaults]
        given = [
            f"{self.c_type(arg.annotation)} {arg.arg}{default}"
            for arg, default in zip(node.args.args, defaults, strict=True)
        ][len(own) :]
        answer, parts = self.c_type(node.returns), list(_own_parts(node))
        inner = inner or node.name.startswith("_")
        way = f"cdef {'inline ' * (not indent)}{answer}" if inner else f"cpdef {answer}"
        if node.name.startswith("__") or any(isinstance(part, ONLY_PYTHON) for part in parts):
            way = "def"
        if node.decorator_list:
            yield f"{indent}@property"
            way = "def"
        sure = " noexcept" if way.startswith("cdef") and answer == "void" and self.sure else ""
        yield f"{indent}{way} {node.name}({', '.join(own + given)}){sure}:"
        for part in parts:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                yield f"{inside}cdef {self.c_type(part.annotation)} {part.target.id}"
        for step in node.body[ast.get_docstring(node) is not None :]:
            yield from (f"{inside}{line}" for line in ast.unparse(self.visit(step)).splitlines())

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A constant stands where its name was."""
        if node.id not in self.numbers or isinstance(node.ctx, ast.Store):
            return node
        value = self.numbers[node.id]
        return (
            ast.Name(f"{value}LL") if isinstance(value, int) and abs(value) >= 2**31 else ast.Constant(value)
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """C's infinity has a name of its own."""
        self.generic_visit(node)
        return ast.Name("math.INFINITY") if ast.unparse(node) == "math.inf" else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """The type stands above."""
        self.generic_visit(node)
        assert node.value is not None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """C converts."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in CASTS:
            return ast.Call(ast.Name("cython.cast"), [ast.Name(CASTS[node.func.id]), *node.args], [])
        return node


def _own_parts(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """All nodes of a function's text but those of functions inside it."""
    wanted: list[ast.AST] = list(function.body)
    for node in wanted:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            wanted += ast.iter_child_nodes(node)


def compilers() -> list[list[str]]:
    """Commands that may compile C, the likeliest first."""
    from shutil import which  # noqa: PLC0415

    own = os.environ.get("CC", "").split()
    there = [[one] for one in ("cc", "gcc", "clang") if which(one)]
    zig = [[sys.executable, "-m", "ziglang", "cc"]] if find_spec("ziglang") else []
    return [command for command in (own, *there[:1], *zig) if command]


def build(folder: Path = FOLDER) -> str:
    """Compile what is not compiled yet; nothing, or why it cannot be."""
    import subprocess  # noqa: PLC0415
    import sysconfig  # noqa: PLC0415
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    made = file(folder)
    if made.is_file():
        return ""
    if not find_spec("Cython"):
        return "Cython is not installed"
    why = "there is no C compiler"
    linked = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)
    with TemporaryDirectory() as scratch:
        source, new = Path(scratch, f"{name()}.pyx"), Path(scratch, made.name)
        source.write_text(text(), encoding="utf-8")
        translate = [sys.executable, "-m", "cython", "-3", source.name]
        for first, command in enumerate(compilers()):
            flags = [*FLAGS, *linked, f"-I{sysconfig.get_paths()['include']}"]
            steps = [*([] if first else [translate]), [*command, *flags, f"{name()}.c", "-o", new.name]]
            for step in steps:
                done = subprocess.run(step, cwd=scratch, capture_output=True, text=True, check=False)
                if done.returncode:
                    why = f"{step[0]} failed: {(done.stderr.strip() or '?').splitlines()[-1]}"
                    break
            else:
                return _keep(new, made)
    return why


def _keep(new: Path, made: Path) -> str:
    """Put the compiled module where it is looked for, in the place of older ones for this Python."""
    from shutil import copyfile  # noqa: PLC0415

    try:
        made.parent.mkdir(exist_ok=True)
        for old in made.parent.glob(f"loops_*{EXTENSION_SUFFIXES[0]}"):
            old.unlink()
        beside = made.with_suffix(f".{os.getpid()}")
        copyfile(new, beside)
        beside.replace(made)
    except OSError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    sys.exit(build(*map(Path, sys.argv[1:])) or None)
