"""Sentences that a user reads have no shape that was a riddle once: help, controls, fields and warnings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from blocktime import app
from blocktime.app.command.cli import COMMANDS, commands
from blocktime.app.controls import presets
from blocktime.model.workloads import families
from blocktime.scenarios import library, load
from blocktime.scenarios.schema import schema_of

SHAPES = (
    r"\bWho (?:writes|reads|has|queues|waits)\b",
    r"\b(?:moves|move) the heads for\b",
    r"\bbegin(?:s)? anew\b",
    r"\bin vain\b",
    r"\bdear\b",
    r"\bhangs on\b",
    r"\bspares it\b",
    r"\bdecides nothing\b",
    r"\bcannot be told apart\b",
    r"\bare marked for\b",
    r"\bWithin what\b",
    r"\bWhat can be named\b",
    r"\bunlike each other\b",
    r"\bstands? for itself\b",
    r"\bis to be\b",
    r"\bare to be\b",
    r"\bnobody\b",
    r"\bof its own accord\b",
    r"\b(?:holds?|has) (?:the|measured) figures and no\b",
    r"\blaid beside\b",
    r"\bIt holds (?:along|as far|from|nowhere|up to)\b",
    r"\bNo link holds\b",
)
"""Shapes that are not to come back; each was rewritten as subject, verb, object."""
MOST_WORDS = 35
"""Of one sentence that a field or a command says of itself."""


def _help() -> Iterator[tuple[str, str]]:
    for name in COMMANDS:
        yield f"blocktime {name} --help", CliRunner().invoke(commands, [name, "--help"]).output


def _fields() -> Iterator[tuple[str, str]]:
    def walk(path: str, node: object) -> Iterator[tuple[str, str]]:
        if isinstance(node, dict):
            if isinstance(text := node.get("description"), str):
                yield path, text
            for name, part in node.items():
                yield from walk(f"{path}.{name}", part)

    yield from walk("scenario", schema_of("scenario"))


def _titles() -> Iterator[tuple[str, str]]:
    for name in library():
        yield name, load(name).title or ""
    for group in (presets.QUESTIONS, *presets.PRESETS.values()):
        for preset in group:
            yield "preset", str(preset)
    yield "warning", families.DML_LEAVES_OUT


def _literals() -> Iterator[tuple[str, str]]:
    """What the app's modules say in their strings, docstrings left out."""
    for file in sorted(Path(app.__file__).parent.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield f"{file.name}:{node.lineno}", node.value


@pytest.mark.parametrize("texts", [_help, _fields, _titles, _literals], ids=lambda texts: texts.__name__[1:])
def test_no_sentence_has_a_shape_that_was_rewritten(texts: object) -> None:
    assert callable(texts)
    riddles = [
        f"{where}: {match[0]}"
        for where, text in texts()
        for shape in SHAPES
        if (match := re.search(shape, text, re.IGNORECASE))
    ]
    assert not riddles


def test_what_a_field_says_of_itself_is_short() -> None:
    long = [
        f"{path}: {sentence}"
        for path, text in _fields()
        for sentence in re.split(r"[.;:] ", text)
        if len(sentence.split()) > MOST_WORDS
    ]
    assert not long
