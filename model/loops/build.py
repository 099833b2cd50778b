"""Compile the loops: ``python model/loops/build.py [FOLDER]``. It needs Cython and a C compiler, or the wheel ziglang.

The functions and classes in PARTS, and the laws that they call, become one text for Cython, with C's types for those
that they state: an ``int`` has 64 bits there. The compiled module's name holds the digest of all that it was made
from, and the way into it has that name, so that one made from another text is never loaded.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MODEL = Path(__file__).resolve().parent.parent
LAWS = (
    "laws/rotating_disk.py",
    "laws/device_time.py",
    "laws/changed_blocks.py",
    "laws/commit.py",
    "laws/processors.py",
    "laws/disk_queue.py",
    "laws/parallel_reads.py",
    "laws/growth.py",
    "laws/assm.py",
    "laws/page_cache.py",
    "loops/arrays.py",
)
"""Those that are only called by the others."""
NUMBERS = ("loops/places.py", "loops/buffers.py", "loops/rotating.py")
"""Those that call nothing that is not compiled, so that nothing in them fails."""
CALLED = ("loops/watch.py", "loops/calendar.py", "workloads/transactions/write_rates.py")
OBJECTS = (
    "machine/device/servers.py",
    "machine/device/variable_service.py",
    "machine/device/flash.py",
    "machine/device/array_cache.py",
    "machine/device/array.py",
    "machine/device/tagged.py",
    "machine/device/drive.py",
    "machine/device/request.py",
    "machine/device/elevator.py",
    "machine/device/block_queue.py",
    "machine/device/diskstats.py",
    "machine/device/throttle.py",
    "sim/device.py",
    "sim/references.py",
    "sim/data_files.py",
    "sim/writers.py",
    "sim/pool.py",
    "machine/host/read_ahead.py",
    "sim/open_file.py",
    "sim/caller.py",
    "machine/host/session_slots.py",
    "machine/segment/space_map.py",
    "machine/segment/heap_rules.py",
    "machine/segment/heap_blocks.py",
    "machine/segment/heap_rows.py",
    "machine/segment/heap.py",
    "workloads/statements/session_counts.py",
    "workloads/statements/session.py",
    "workloads/transactions/disk.py",
    "workloads/transactions/parts.py",
    "workloads/transactions/tally.py",
    "workloads/transactions/users.py",
)
"""Of these, classes that say which types their attributes have, and what they call."""
PARTS = (*LAWS, *NUMBERS, *CALLED, *OBJECTS)
THEIRS = ("blocktime.model.laws", "blocktime.model.errors", "blocktime.model.causes")
"""What the compiled text may import."""
FOLDER = MODEL / "loops" / "compiled"
PLAIN = "The loops are not compiled: the same answers come from plain Python, and large runs take many times as long."
FLAGS = ("-O2", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off", "-fPIC", "-w")
TRANSLATE = "import gc; gc.disable(); from Cython.Compiler.Main import setuptools_main; setuptools_main()"
"""Cython, without the search for cycles among its million objects, which takes a third of its time."""
HEADER = """# cython: language_level=3, infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False
# cython: auto_pickle=False, binding=False, cpow=True, emit_code_comments=False
cimport cython
from libc cimport math
from array import array

cdef inline double smaller(double first, double second) noexcept:
    return first if first < second else second

cdef inline double larger(double first, double second) noexcept:
    return first if first > second else second

cdef inline double floor_div(double dividend, double divisor) noexcept:
    return math.floor(dividend / divisor)

cdef inline double where(bint condition, double yes, double no) noexcept:
    return yes if condition else no

"""
ENTRY = re.compile(r"^static (?=(PyObject \*|int )__pyx_(pw|getprop|setprop)_)", re.MULTILINE)
"""A function of C with which Python calls, reads or sets what is compiled: two fifths of the machine code."""
ENTRIES = """#if defined(__clang__)
#define ENTRY static __attribute__((noinline, optnone))
#elif defined(__GNUC__)
#define ENTRY static __attribute__((optimize("O0")))
#else
#define ENTRY static
#endif
"""
"""They convert numbers once a call, so the compiler spends no time on them: what they call is optimised."""
TYPES = {
    "float": "double",
    "Number": "double",
    "int": "long long",
    "bool": "bint",
    "None": "void",
    "Clock": "Environment",
    "simpy.Environment": "Environment",
    "simpy.Event": "Event",
    "str": "str",
    "list": "list",
    "dict": "dict",
    "tuple": "tuple",
    "Reals": "double[::1]",
    "Wholes": "long long[::1]",
    "Halves": "int[::1]",
    "Bytes": "unsigned char[::1]",
    "GivenReals": "const double[::1]",
    "GivenWholes": "const long long[::1]",
    "GivenBytes": "const unsigned char[::1]",
}
"""What Python's types and those of model/loops/arrays.py are in C."""
C_ONLY = {"double", "long long", "bint", "void"}
"""Types that have no None."""
IN_C = {
    "ceiling": "math.ceil",
    "exp": "math.exp",
    "expm1": "math.expm1",
    "floor_div": "floor_div",
    "inf": "math.INFINITY",
    "smaller": "smaller",
    "larger": "larger",
    "where": "where",
}
"""Choices for numbers and arrays, and functions of C's library."""
ONLY_PYTHON = (ast.Yield, ast.YieldFrom, ast.Lambda, ast.FunctionDef, ast.GeneratorExp)
"""What no function of C has."""
MADE = "_made"
"""What a class's ``__init__`` does, and the way of C to a new instance."""
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
    definitions, part_of = _definitions()
    classes = {name for name, node in definitions.items() if isinstance(node, ast.ClassDef)}
    loop_parts = {name: part for name, part in part_of.items() if part not in LAWS}
    loops = {name for name, part in loop_parts.items() if name in classes or part not in OBJECTS}
    wanted = list(loops)
    called: set[str] = set()
    for name in wanted:  # and what it calls
        called |= (names := _names(definitions[name]))
        wanted += [law for law in definitions if law in names and law not in wanted]
    typed_classes = [node for node in definitions.values() if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base) for node in typed_classes for base in node.bases}
    made_by = {node.name for node in typed_classes if _made_by(node)}
    of_others = {node.name for node in typed_classes if made_by & set(map(ast.unparse, node.bases))}
    made = made_by - bases - of_others
    lines = [HEADER]
    elsewhere = called - definitions.keys()
    lines += sorted({line for name in wanted for line in _imports(part_of[name], elsewhere)})
    for name, node in definitions.items():
        if name in wanted:
            lines += _Form(part_of[name], part_of, made, bases).definition(
                node, "", name not in loops or name.startswith("_")
            )
    return "\n".join(lines) + "\n"


def _definitions() -> tuple[dict[str, ast.FunctionDef | ast.ClassDef], dict[str, str]]:
    """Functions and typed classes of all parts by name, and the part of each."""
    definitions: dict[str, ast.FunctionDef | ast.ClassDef] = {}
    part_of: dict[str, str] = {}
    for part in PARTS:
        for node in _parsed(part).body:
            if isinstance(node, ast.FunctionDef) or (
                isinstance(node, ast.ClassDef) and _is_typed(node, definitions.keys())
            ):
                assert node.name not in definitions, f"{part}: another loop has the name {node.name}"
                definitions[node.name], part_of[node.name] = node, part
    return definitions, part_of


def _is_typed(node: ast.ClassDef, known: Collection[str]) -> bool:
    """Whether a class says which attributes it has, and extends none but such ones, or is a dataclass."""
    if node.bases:
        return all(ast.unparse(base) in known for base in node.bases)
    plain = [ast.unparse(part) for part in node.decorator_list] in ([], ["dataclass"])
    return plain and any(isinstance(part, ast.AnnAssign) for part in node.body)


def _names(node: ast.AST) -> set[str]:
    """Names of elsewhere that a class or a function uses when it runs."""
    used: set[str] = set()
    bound: set[str] = set()
    wanted = [node]
    if isinstance(node, ast.ClassDef):
        wanted = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    for part in wanted:
        if isinstance(part, ast.FunctionDef) and part is not node:
            used |= _names(part)
        elif isinstance(part, ast.Name):
            (bound if isinstance(part.ctx, ast.Store) else used).add(part.id)
        elif isinstance(part, ast.alias | ast.arg):
            bound.add(part.arg if isinstance(part, ast.arg) else part.asname or part.name)
        else:
            types = [getattr(part, field, None) for field in ("annotation", "returns")]
            wanted += [child for child in ast.iter_child_nodes(part) if child not in types]
    return used - bound


@cache
def _imported_from(part: str) -> dict[str, str]:
    """Names that a part imports, and the part or module from which."""
    return {
        alias.asname or alias.name: f"{str(node.module).removeprefix('blocktime.model.').replace('.', '/')}.py"
        for node in _parsed(part).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _imports(part: str, names: set[str]) -> Iterator[str]:
    """Lines that import laws and what Python has, of those names."""
    for node in _parsed(part).body:
        if not isinstance(node, ast.ImportFrom) or str(node.module).startswith(("typing", "collections.abc")):
            continue
        ours = not str(node.module).startswith("blocktime.model.") or str(node.module).startswith(THEIRS)
        for alias in node.names:
            called = alias.asname or alias.name
            if ours and called in names and called not in (*IN_C, *_constants(part)):
                yield f"from {node.module} import {ast.unparse(alias)}"


def _parsed(part: str) -> ast.Module:
    return ast.parse(MODEL.joinpath(part).read_text(encoding="utf-8"))


@cache
def _constants(part: str) -> dict[str, Any]:
    """Numbers that have names in a part, be they its own or another's; other names are those of types."""
    known: dict[str, Any] = {"__builtins__": {}}
    for node in _parsed(part).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whose = _imported_from(part).get(alias.name, "")
                if whose in {*PARTS, "units.py"} and alias.name in _constants(whose):
                    known[alias.name] = _constants(whose)[alias.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            with suppress(NameError, TypeError):
                exec(compile(ast.Module([node], []), part, "exec"), known)
    return {name: value for name, value in known.items() if isinstance(value, int | float)}


class _Form(ast.NodeTransformer):
    """What is written as Cython has it."""

    def __init__(self, part: str, part_of: dict[str, str], made: set[str], bases: set[str]) -> None:
        self.bases = bases
        self.numbers = _constants(part)
        self.classes = {name for name in part_of if part_of[name] in (part, _imported_from(part).get(name))}
        self.made = made & self.classes
        self.sure = C_ONLY if part in NUMBERS else {"void"} if part in LAWS else set()
        self.counts_errors = False

    def c_type(self, annotation: ast.expr | None) -> str:
        """C's type."""
        annotated = ast.unparse(annotation) if annotation else ""
        bare = annotated.removesuffix(" | None").partition("[")[0]
        known = TYPES.get(bare, bare if bare in self.classes else "object")
        may_be_none = bare != annotated and "|" in annotated
        return "object" if may_be_none and known in C_ONLY else known

    def definition(self, node: Any, indent: str, inner: bool) -> Iterator[str]:
        """Lines of a function, a method or a class; who has nobody outside that calls it is *inner*."""
        inside = f"{indent}    "
        if isinstance(node, ast.ClassDef):
            yield from self._class(node)
            return
        receiver = [] if not indent else ["self"]
        answer, parts = self.c_type(node.returns), list(_parts_outside_inner(node))
        way = f"cdef {'inline ' * (not indent)}{answer}" if inner else f"cpdef {answer}"
        if node.name.startswith("__") or any(isinstance(part, ONLY_PYTHON) for part in parts):
            way = "def"
        if node.decorator_list:
            yield f"{indent}@property"
            way = "def"
        fails, self.counts_errors = "", False
        if way != "def" and node.name != MADE:
            if answer in self.sure:
                fails = " noexcept"
            elif answer == "void":  # NOTE: a number tells sooner than Python whether something has failed
                way, fails, self.counts_errors = way.replace("void", "int"), " except -1", True
            elif answer in C_ONLY:
                fails = " except? -1"
        yield f"{indent}{way} {node.name}({', '.join(receiver + self.given(node))}){fails}:"
        for part in parts:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                yield f"{inside}cdef {self.c_type(part.annotation)} {part.target.id}"
        for step in node.body[ast.get_docstring(node) is not None :] or [ast.Pass()]:
            if step := self.visit(step):
                yield from (f"{inside}{line}" for line in ast.unparse(step).splitlines())

    def _class(self, node: ast.ClassDef) -> Iterator[str]:
        extended = f"({', '.join(map(ast.unparse, node.bases))})" * bool(node.bases)
        final = "" if node.name in self.bases else "@cython.final\n"
        yield f"{final}cdef class {node.name}{extended}:"
        handed = _handed_on(node)
        init = _made_by(node) if node.name in self.made else None
        if init:
            yield from self.definition(init, "    ", inner=True)
            yield f"    def __init__(self, {', '.join(self.given(init))}):"
            yield f"        self.{MADE}({', '.join(_arguments(init))})"
        for member in node.body:
            if isinstance(member, ast.AnnAssign):
                c_type, name = self.c_type(member.annotation), ast.unparse(member.target)
                known = "" if name.startswith("_") or c_type.endswith("]") else "public "
                yield f"    cdef {known}{c_type} {name}"
            elif isinstance(member, ast.FunctionDef) and not (init and member.name == "__init__"):
                inner = member.name.startswith("_") and member.name not in handed
                yield from self.definition(member, "    ", inner)
        if init:  # without boxes for numbers, in which Python hands them to a class
            yield f"cdef inline {node.name} {MADE}_{node.name}({', '.join(self.given(init))}):"
            yield f"    cdef {node.name} new = {node.name}.__new__({node.name})"
            yield f"    new.{MADE}({', '.join(_arguments(init))})"
            yield "    return new"

    def given(self, node: ast.FunctionDef) -> list[str]:
        """Arguments with their types."""
        defaults: list[ast.expr | None] = [None] * (len(node.args.args) - len(node.args.defaults))
        defaults += [*node.args.defaults, *node.args.kw_defaults]
        return [
            f"{self.c_type(arg.annotation)} {arg.arg}{f' = {ast.unparse(self.visit(default))}' if default else ''}"
            for arg, default in zip([*node.args.args, *node.args.kwonlyargs], defaults, strict=True)
            if arg.arg != "self"
        ]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A constant stands where its name was, and C's function."""
        if node.id in IN_C:
            return ast.Name(IN_C[node.id])
        if node.id not in self.numbers or isinstance(node.ctx, ast.Store):
            return node
        value = self.numbers[node.id]
        return ast.Name(f"{value}LL") if isinstance(value, int) and abs(value) >= 2**31 else ast.Constant(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """C's infinity has a name of its own."""
        self.generic_visit(node)
        return ast.Name("math.INFINITY") if ast.unparse(node) == "math.inf" else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """C counts from the begin alone."""
        assert not isinstance(node.slice, ast.UnaryOp), f"{ast.unparse(node)} counts from the end"
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        """The type stands above."""
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        """Nothing is 0 where a number says whether there is an error."""
        self.generic_visit(node)
        return ast.Return(ast.Constant(0)) if self.counts_errors and node.value is None else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """C converts."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in CASTS:
            return ast.Call(ast.Name("cython.cast"), [ast.Name(CASTS[node.func.id]), *node.args], [])
        if isinstance(node.func, ast.Name) and node.func.id in self.made and not node.keywords:
            return ast.Call(ast.Name(f"{MADE}_{node.func.id}"), node.args, [])
        return node


def _made_by(node: ast.ClassDef) -> ast.FunctionDef | None:
    """What makes an instance of a class, if C can have it."""
    inits = [step for step in node.body if isinstance(step, ast.FunctionDef) and step.name == "__init__"]
    init = _init_of(node) if node.decorator_list else inits[0] if inits else None
    if init is None or any(isinstance(part, ONLY_PYTHON) for part in _parts_outside_inner(init)):
        return None
    return _function(MADE, init.args, init.body, init.returns)


def _function(name: str, arguments: ast.arguments, steps: list[ast.stmt], answer: ast.expr | None) -> ast.FunctionDef:
    """A function of these parts; each Python fills the parts that older ones have not."""
    made = ast.parse(f"def {name}(): ...").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body, made.returns = arguments, steps, answer
    return made


def _arguments(node: ast.FunctionDef) -> list[str]:
    return [given.arg for given in [*node.args.args, *node.args.kwonlyargs] if given.arg != "self"]


def _init_of(node: ast.ClassDef) -> ast.FunctionDef:
    """What a dataclass is made of."""
    fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    names = [ast.unparse(field.target) for field in fields]
    given = [ast.arg("self"), *(ast.arg(name, field.annotation) for name, field in zip(names, fields, strict=True))]
    steps = ast.parse("\n".join(f"self.{name} = {name}" for name in names)).body
    defaults = [field.value for field in fields if field.value]
    arguments = ast.arguments([], given, None, [], [], None, defaults)
    return _function("__init__", arguments, steps, None)


def _handed_on(node: ast.ClassDef) -> set[str]:
    """Attributes that a class's text names without calling them: others may call them then."""
    called = {id(child.func) for child in ast.walk(node) if isinstance(child, ast.Call)}
    return {child.attr for child in ast.walk(node) if isinstance(child, ast.Attribute) and id(child) not in called}


def _parts_outside_inner(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """All nodes of a function's text but those of functions inside it."""
    wanted: list[ast.AST] = list(function.body)
    for node in wanted:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            wanted += ast.iter_child_nodes(node)


def compilers() -> list[list[str]]:
    """Commands that may compile C, the likeliest first."""
    from shutil import which

    chosen = os.environ.get("CC", "").split()
    on_all_cores = [["gcc", "-flto=auto"]] if which("gcc") else []
    there = [[name] for name in ("cc", "gcc", "clang") if which(name)]
    zig = [[sys.executable, "-m", "ziglang", "cc"]] if find_spec("ziglang") else []
    return [command for command in (chosen, *on_all_cores, *there[:1], *zig) if command]


def build(folder: Path = FOLDER) -> str:
    """Compile what is not compiled yet; nothing, or why it cannot be."""
    import subprocess
    import sysconfig
    from tempfile import TemporaryDirectory

    made = file(folder)
    if made.is_file():
        return ""
    if not find_spec("Cython"):
        return "Cython is not installed"
    why = "there is no C compiler"
    linked = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared", "-s")
    with TemporaryDirectory() as scratch:
        source, new = Path(scratch, f"{name()}.pyx"), Path(scratch, made.name)
        source.write_text(text(), encoding="utf-8")
        translate = [sys.executable, "-c", TRANSLATE, "-3", source.name]
        for first, command in enumerate(compilers()):
            flags = [*FLAGS, *linked, f"-I{sysconfig.get_paths()['include']}"]
            steps = [*([] if first else [translate]), [*command, *flags, f"{name()}.c", "-o", new.name]]
            for step in steps:
                try:
                    done = subprocess.run(step, cwd=scratch, capture_output=True, text=True, check=False)
                except OSError as error:
                    why = str(error)
                    break
                if done.returncode:
                    why = f"{step[0]} failed: {(done.stderr.strip() or '?').splitlines()[-1]}"
                    break
                if step is translate:
                    c_text = source.with_suffix(".c")
                    c_text.write_text(ENTRIES + ENTRY.sub("ENTRY ", c_text.read_text("utf-8")), "utf-8")
            else:
                return _keep(new, made)
    return why


def _keep(new: Path, made: Path) -> str:
    """Put the compiled module where it is looked for, in the place of older ones for this Python."""
    from shutil import copyfile

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
