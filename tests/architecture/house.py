"""The counts of the house, read from its source: ``python tests/architecture/house.py -v`` lists their places.

``house.toml`` holds what each may be at most. A change that lowers one lowers its number too, by ``--lower``.
``--picture`` draws the house in ``docs/design.md`` again, from the contracts about imports.
"""

import ast
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = Path(__file__).with_name("house.toml")
DESIGN = ROOT / "docs" / "design.md"
ROOMS = ("model", "scenarios", "app", "validation")
TABLE = "model/workloads/families.py"
"""The one table of kinds, which may ask for the kind."""
CHOICE = ("model/engine.py",)
"""The one place that picks an engine."""
ENGINES = ("auto", "calculate", "simulate")
RESULTS = ("result", "after", "before", "law")
KINDS = frozenset(
    (
        "full_scan", "index_range_scan", "update", "insert", "delete", "import", "export", "write_stream",
        "read_stream", "transactions",
    )
)  # fmt: skip
CLASSES = frozenset(
    (
        "FullScan", "IndexRangeScan", "Update", "Insert", "Delete", "Import", "Export", "WriteStream", "ReadStream",
        "Transactions", "Query", "Dml", "Load", "Stream", "Statement", "Workload", "Calls", "WORKLOADS",
    )
)  # fmt: skip
SPEC = "blocktime.model.spec"
COUNTED = (
    *(ast.Assign, ast.AnnAssign, ast.ClassDef, ast.FunctionDef, ast.ImportFrom, ast.Match, ast.Name, ast.arg),
    *(ast.Call, ast.Compare, ast.Dict, ast.List, ast.Set, ast.Subscript, ast.Tuple),
)
"""Nodes that a count may look at: a third of all."""


@dataclass(frozen=True)
class Place:
    """A line of the source."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Module:
    """One file, parsed, with the names in it that stand for kinds of workload."""

    def __init__(self, file: Path) -> None:
        self.path = file.relative_to(ROOT).as_posix()
        source = file.read_text(encoding="utf-8")
        self.lines = source.splitlines()
        self.body = ast.parse(source).body
        self.nodes = [node for part in self.body for node in ast.walk(part) if isinstance(node, COUNTED)]
        self.classes: set[str] = set()
        self.constants: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(SPEC):
                self.classes |= {name.asname or name.name for name in node.names if name.name in CLASSES}

    def place(self, node: ast.AST) -> Place:
        line: int = getattr(node, "lineno", 1)
        return Place(self.path, line, self.lines[line - 1].strip())

    def names_a_class(self, node: ast.AST) -> bool:
        return any(
            (isinstance(part, ast.Name) and part.id in self.classes)
            or (isinstance(part, ast.Attribute) and part.attr in CLASSES)
            for part in ast.walk(node)
        )

    def names_a_kind(self, node: ast.AST | None) -> bool:
        """Whether an expression is the word of a kind, or a table or a list by kinds, or a constant that is one."""
        if isinstance(node, ast.Constant):
            return node.value in KINDS
        if isinstance(node, ast.Name):
            return node.id in self.constants or node.id == "WORKLOADS"
        return any(self.names_a_kind(part) for part in _items(node))

    def constants_of_kinds(self, known: set[str]) -> bool:
        """Find the constants that hold kinds, the module's own and those it imports; whether there are new ones."""
        before = len(self.constants)
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom):
                self.constants |= {
                    name.asname or name.name for name in node.names if f"{node.module}.{name.name}" in known
                }
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign | ast.AnnAssign) and value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [name.id for name in targets if isinstance(name, ast.Name) and name.id.isupper()]
                if names and self.names_a_kind(value):
                    self.constants |= set(names)
        if self.path == TABLE:  # who looks a kind up there asks nobody else
            return False
        dotted = "blocktime." + self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        known |= {f"{dotted}.{name}" for name in self.constants}
        return len(self.constants) > before

    def asks(self, node: ast.AST) -> bool:
        """Whether a node asks for the kind of a workload."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = node.func.id in ("isinstance", "issubclass") and len(node.args) == 2
            return asked and self.names_a_class(node.args[1])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            what, name = node.func.value, node.func.attr
            if name == "get" and node.args:
                return is_kind(node.args[0]) and self.names_a_kind(what)
            return name == "endswith" and is_kind(what)
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            known = any(self.names_a_kind(side) or self.names_a_class(side) for side in sides)
            return known and any(map(is_kind, sides))
        if isinstance(node, ast.Subscript):
            return is_kind(node.slice) and self.names_a_kind(node.value)
        if isinstance(node, ast.Match):
            return is_kind(node.subject) or any(self.names_a_class(case.pattern) for case in node.cases)
        return False

    def lists_kinds(self, node: ast.AST) -> bool:
        """Whether a node is a list of kinds: a display with two words of kinds or more as its items or keys."""
        if isinstance(node, ast.Dict):
            items = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            items = list(node.elts)
        else:
            return False
        return sum(isinstance(one, ast.Constant) and one.value in KINDS for one in items) > 1


def _items(node: ast.AST | None) -> Sequence[ast.AST | None]:
    """What makes an expression a list of kinds, or a table by kinds: its items or keys."""
    match node:
        case ast.Dict():
            return node.keys
        case ast.Tuple() | ast.List() | ast.Set():
            return node.elts
        case ast.Starred():
            return [node.value]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.Call(func=ast.Attribute(value=inside)):
            return [inside, *node.args]
        case ast.Call():
            return node.args
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return [part.iter for part in node.generators]
    return []


def is_kind(node: ast.AST) -> bool:
    """``work.kind`` in any spelling: an attribute, a name or a key *kind*, or ``type(work)``."""
    if isinstance(node, ast.Attribute):
        return node.attr == "kind"
    if isinstance(node, ast.Name):
        return node.id in ("kind", "workload_kind")
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "kind"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


@cache
def parsed() -> list[Module]:
    """All modules of the house."""
    return [Module(file) for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]


@cache
def modules() -> list[Module]:
    """All modules outside the table of kinds and the description of workloads itself."""
    found = parsed()
    known: set[str] = set()
    while sum(module.constants_of_kinds(known) for module in found):
        pass
    return [module for module in found if module.path != TABLE and not module.path.startswith("model/spec/")]


def places(matches: Callable[[Module, ast.AST], bool]) -> Iterator[Place]:
    """Where a node of the house matches."""
    for module in modules():
        for node in module.nodes:
            if matches(module, node):
                yield module.place(node)


def signatures_of_anything(_: Module, node: ast.AST) -> bool:
    """``def f(system: Any, …)``: a function that says nothing of what it takes for a system or a workload."""
    if not isinstance(node, ast.FunctionDef):
        return False
    return any(
        one.arg in ("system", "work") and isinstance(one.annotation, ast.Name) and one.annotation.id == "Any"
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    )


def picks_an_engine(module: Module, node: ast.AST) -> bool:
    """A function that looks at the engine's word, or at whether the closed form is exact, to decide who answers."""
    if not isinstance(node, ast.FunctionDef) or module.path in CHOICE:
        return False
    return any(_looks_at_the_engine(part) for part in ast.walk(node))


def _looks_at_the_engine(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        words = any(isinstance(side, ast.Constant) and side.value in ENGINES for side in sides)
        return words and any(map(_is_asked_engine, sides))
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in ("nobody_queues", "is_exact")
    return False


def _is_asked_engine(node: ast.AST) -> bool:
    """The engine that is asked for, or was chosen; that a result came from one may be looked at."""
    if isinstance(node, ast.Attribute):
        whose = getattr(node.value, "id", getattr(node.value, "attr", ""))
        return node.attr == "engine" and whose not in RESULTS
    return isinstance(node, ast.Name) and node.id in ("engine", "chosen")


def imports_own_modules(_: Module, node: ast.AST) -> bool:
    """A function that imports a module of the house, which hides a circle or has a reason beside it."""
    if not isinstance(node, ast.FunctionDef):
        return False
    inside = [one for one in ast.walk(node) if isinstance(one, ast.ImportFrom) and one.module]
    return any(str(one.module).startswith("blocktime.") for one in inside)


SAY_NOTHING = ("one", "found", "said", "many")
NO_NOUNS = frozenset(
    (
        "Advised", "Apart", "Away", "Fallen", "Filling", "Found", "Given", "Handed", "Held", "Here", "How", "Kept",
        "Known", "Laid", "Listed", "Lost", "Many", "Met", "One", "Quiet", "Reached", "Said", "Same", "Shown", "Spent",
        "Spot", "Telling", "There", "Told", "Unfit", "When", "Where", "Who",
    )
)  # fmt: skip
NOUNS_IN_LY = ("Anomaly", "Assembly", "Family", "Supply", "Tally")


def says_nothing(_: Module, node: ast.AST) -> bool:
    """An argument or a variable whose name does not tell what it holds, or a class that no noun names."""
    if isinstance(node, ast.ClassDef):
        name = node.name.lstrip("_")
        return name in NO_NOUNS or (name.endswith("ly") and not name.endswith(NOUNS_IN_LY))
    if isinstance(node, ast.arg):
        return node.arg in SAY_NOTHING
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in SAY_NOTHING


PARTICIPLES = frozenset(("asked", "held", "kept", "laid", "mine", "own", "shown", "told"))
NAMES_OF_RESULTS = frozenset(("rejected_held", "held_out_median_error"))
"""Fields that ``--json`` prints, whose names scripts read."""


def is_a_participle(_: Module, node: ast.AST) -> bool:
    """A variable, an argument, an attribute or a function with a participle or a pronoun for the name of a thing."""
    if isinstance(node, ast.Assign):
        names = [part.attr for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Attribute)]
    elif isinstance(node, ast.Name):
        names = [node.id] if isinstance(node.ctx, ast.Store) else []
    else:
        names = [getattr(node, "arg", getattr(node, "name", "")) if isinstance(node, ast.arg | ast.FunctionDef) else ""]
    return any(PARTICIPLES & set(name.lower().split("_")) and name not in NAMES_OF_RESULTS for name in names)


LONGEST_LINES, MOST_ARGUMENTS = 60, 8


def is_long(_: Module, node: ast.AST) -> bool:
    """A function that no screen shows at once."""
    return isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= LONGEST_LINES


def takes_too_much(_: Module, node: ast.AST) -> bool:
    """A function whose arguments nobody keeps apart."""
    if not isinstance(node, ast.FunctionDef):
        return False
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"])) > MOST_ARGUMENTS


PROTOCOL = ("__init__.py", "books.py", "cost.py", "in_part.py", "processes.py")
"""Files that several families of workloads have, each for the same task."""


def base_names_twice() -> int:
    """Names of files that stand in two folders, so that a name alone does not say which is meant."""
    files = [file for room in (*ROOMS, "tools") for file in (ROOT / room).rglob("*.py") if file.name not in PROTOCOL]
    return len(files) - len({file.name for file in files})


@cache
def folders_by_class() -> dict[str, set[str]]:
    """The folders in which a module has a public class of a name."""
    folders: dict[str, set[str]] = defaultdict(set)
    for module in parsed():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                folders[node.name].add(module.path.rpartition("/")[0])
    return folders


def stands_in_two_rooms(_: Module, node: ast.AST) -> bool:
    """A public class whose name another room has as well: two things of one name."""
    return isinstance(node, ast.ClassDef) and len(folders_by_class().get(node.name, ())) > 1


def lines_of_product() -> int:
    """Lines of Python that a user installs, imports left out: a room that grows has another that shrinks by as much."""
    imports = (
        part.end_lineno - part.lineno + 1
        for module in parsed()
        for part in ast.walk(ast.Module(module.body, []))
        if isinstance(part, ast.Import | ast.ImportFrom) and part.end_lineno
    )
    return sum(len(module.lines) for module in parsed()) - sum(imports)


COUNTS: dict[str, Callable[[Module, ast.AST], bool]] = {
    "questions_for_the_kind_of_workload": Module.asks,
    "places_that_pick_an_engine": picks_an_engine,
    "lists_of_kinds": Module.lists_kinds,
    "signatures_with_any_system_or_work": signatures_of_anything,
    "functions_that_import_own_modules": imports_own_modules,
    "names_that_say_nothing": says_nothing,
    "classes_whose_name_stands_in_two_rooms": stands_in_two_rooms,
    "names_that_are_participles": is_a_participle,
    "functions_over_60_lines": is_long,
    "functions_with_over_8_arguments": takes_too_much,
}


def counted() -> dict[str, int]:
    """All counts of the house by their names in ``house.toml``."""
    found = {name: len(list(places(matches))) for name, matches in COUNTS.items()}
    return found | {"base_names_twice": base_names_twice(), "lines_of_product": lines_of_product()}


def _floors(room: str, contracts: Sequence[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """The floors of a room by its contract, from the roof down, each with those within its rooms one step deeper."""
    for contract in contracts:
        if contract["type"] == "independence" and contract["modules"][0].rpartition(".")[0] == room:
            yield 0, " · ".join(name.rpartition(".")[2] for name in contract["modules"])
        if contract["type"] != "layers" or contract.get("containers", [""]) != [room]:
            continue
        for layer in contract["layers"]:
            names = layer.split(" | ")
            yield 0, " · ".join(names)
            for name in names:
                yield from ((1 + deep, floor) for deep, floor in _floors(f"{room}.{name}".strip("."), contracts))


def picture() -> str:
    """The house as its contracts have it: who stands higher may import what is below, never the other way round."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    floors = _floors("", project["tool"]["importlinter"]["contracts"])
    return "\n".join("    " * deep + floor for deep, floor in floors)


def drawn(text: str) -> str:
    """*text* with the picture between its marks made anew."""
    before, mark, rest = text.partition("<!-- the house -->\n")
    return f"{before}{mark}\n```text\n{picture()}\n```\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"


def main() -> None:
    """Print the counts, with ``-v`` their places; ``--lower`` writes down those that became less."""
    if "--picture" in sys.argv:
        DESIGN.write_text(drawn(DESIGN.read_text(encoding="utf-8")), encoding="utf-8")
    found, allowed = counted(), tomllib.loads(ALLOWED.read_text(encoding="utf-8"))
    for name, number in found.items():
        print(f"{name} = {number}" + ("" if number == allowed[name] else f"  # allowed: {allowed[name]}"))
        if "-v" in sys.argv and name in COUNTS:
            print(*(f"  {place}" for place in places(COUNTS[name])), sep="\n")
    if "--lower" in sys.argv:
        head, _, _ = ALLOWED.read_text(encoding="utf-8").partition("\n")
        numbers = [f"{name} = {min(number, allowed[name])}" for name, number in found.items()]
        ALLOWED.write_text("\n".join([head, *numbers, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
