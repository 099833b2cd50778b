"""Scenarios drawn by chance from the specification, programs beside them, legal or with a fault; and their checks."""

import io
import json
import math
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest
import tomlkit

from blocktime.app.command.cli import main
from blocktime.app.text.document import run_lines
from blocktime.model.budget import Budget
from blocktime.model.catalog import KINDS as SECTIONS_OF_ENTRIES
from blocktime.model.catalog import entries
from blocktime.model.closing import check_books
from blocktime.model.errors import BlocktimeError, BooksDoNotBalance
from blocktime.model.results import RunResult
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios import Scenario, from_mapping, run
from tests.leaves import floats_of
from tests.random_scenarios import case
from tests.scenarios.every_field import NAMED, OTHER_WORDS, SCHEMA, fields_of, with_values

Data = dict[str, Any]
BUDGET: Final = Budget(seconds=0.5, bytes=1e9)
"""Of one answer: small, so that thousands can be asked."""
LONGEST: Final = 400
MOST_CHANGES: Final = 5
MOST_BESIDE: Final = 3
WORDS: Final = ("x", "a name", "µ-β", "n" * 60)
ALLOWED: Final = re.compile(
    r"allowed (is|are)|at (least|most)|more than|less than|it (is|must|has)|must be|such as|write |did you mean|known|"
    r"belongs to|give |set |leave |no such|goes? with|needs|sum to|takes|has (one|two)"
)
"""What a refusal says of what would be taken."""


class Asked(NamedTuple):
    """A legal scenario as it was drawn, and what was refused on the way to it."""

    data: Data
    scenario: Scenario
    refused: list[str]


# --- values -----------------------------------------------------------------------------------------------------------


def resolved(schema: Data) -> Data:
    """A schema with what it refers to."""
    return dict(SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]) if "$ref" in schema else schema


def forms_of(schema: Data) -> list[Data]:
    """The forms that a field's value may have, without those of text for numbers and of nothing."""
    every = [resolved(form) for form in schema.get("anyOf", schema.get("oneOf", [schema]))]
    return [form for form in every if form.get("type") != "null" and "pattern" not in form] or every


def limits(form: Data) -> tuple[float, float]:
    """The least and the most that a number may be."""
    whole = form["type"] == "integer"
    low, high = form.get("minimum"), form.get("maximum")
    if "exclusiveMinimum" in form:
        low = form["exclusiveMinimum"] + 1 if whole else math.nextafter(form["exclusiveMinimum"], math.inf)
    if "exclusiveMaximum" in form:
        high = form["exclusiveMaximum"] - 1 if whole else math.nextafter(form["exclusiveMaximum"], -math.inf)
    return (0 if low is None else low), (10**6 if high is None else high)


def number(draw: Random, form: Data, usual: Any) -> float:
    """A number within its limits: near the usual one, anywhere, or at an end of what is allowed."""
    low, high = limits(form)
    whole, way = form["type"] == "integer", draw.random()
    usual = usual if isinstance(usual, int | float) and usual > 0 else draw.choice((1, 0.01, 1000))
    if way < 0.5:
        value = usual * 10 ** draw.uniform(-1, 1)
    elif way < 0.7:
        least = max(low, 1e-9)
        value = least * (max(high, least) / least) ** draw.random()
    else:
        value = draw.choice((low, high, 0, 1, low + (1 if whole else 1e-9), high - (1 if whole else high * 1e-9)))
    value = round(value) if whole else float(f"{value:.3g}") if way < 0.7 else float(value)
    return max(low, min(high, value))


def value_of(draw: Random, schema: Data, path: str = "") -> Any:
    """A value that the schema allows, however seldom anybody gives it."""
    if path in OTHER_WORDS and draw.random() < 0.5:
        return deepcopy(draw.choice(OTHER_WORDS[path]))
    form = draw.choice(forms_of(schema))
    if "enum" in form:
        return draw.choice(form["enum"])
    if "const" in form:
        return form["const"]
    kind = form.get("type")
    if kind == "boolean":
        return draw.random() < 0.5
    if kind in ("integer", "number"):
        return number(draw, form, schema.get("default"))
    if kind == "array":
        most = min(3, form.get("maxItems", 3))
        return [value_of(draw, resolved(form["items"])) for _ in range(draw.randint(0, most))]
    if "properties" in form:
        names = [name for name in form["properties"] if name not in NAMED and draw.random() < 0.4]
        return {name: value_of(draw, form["properties"][name]) for name in names}
    return draw.choice(OTHER_WORDS.get(path, WORDS))


# --- scenarios that are legal -----------------------------------------------------------------------------------------


def entry_of(draw: Random) -> tuple[str, str]:
    """A section that an entry of the catalog fills, and the name of one."""
    kind = draw.choice(sorted(SECTIONS_OF_ENTRIES))
    return f"{SECTIONS_OF_ENTRIES[kind]}.use", draw.choice(sorted(entries(kind)))


def _in_turn(number: int) -> tuple[str, str]:
    """Each disk and each host of the catalog, one after the other."""
    kind = ("disk", "host")[number % 2]
    names = sorted(entries(kind))
    return f"{kind}.use", names[number // 2 % len(names)]


def changes_of(draw: Random, kind: str, beside: list[str]) -> Iterator[tuple[str, Any]]:
    """Fields with values: of the scenario, of the programs beside it, and entries of the catalog."""
    every = list(fields_of(kind))
    for _ in range(draw.randint(0, MOST_CHANGES)):
        way = draw.random()
        if way < 0.2:
            yield entry_of(draw)
        elif way < 0.4 and beside:
            rank = draw.randrange(len(beside))
            path, schema = draw.choice([*_own_fields(beside[rank])])
            yield f"workload.beside.{rank}.{path}", value_of(draw, schema, f"workload.{path}")
        else:
            path, schema = draw.choice(every)
            yield path, value_of(draw, schema, path)


def _own_fields(kind: str) -> Iterator[tuple[str, Data]]:
    """Fields of a program beside others: of its kind, when it begins, changes of its table, and the table."""
    yield "begin_s", {"type": "number", "minimum": 0, "maximum": 86_400, "default": 1.0}
    yield "changes_fraction", {"type": "number", "minimum": 0, "maximum": 1, "default": 0.0}
    for path, schema in fields_of(kind):
        section, _, name = path.partition(".")
        if section == "table":
            yield path, schema
        elif section == "workload" and not name.startswith("beside"):
            yield name, schema


def _with(data: Data, changes: Data, scenario: Scenario, refused: list[str]) -> tuple[Scenario, Data]:
    """*data* with sections changed, where they are taken together; else as it was, and one more sentence *refused*."""
    try:
        return from_mapping(data | changes, where="mine"), data | changes
    except BlocktimeError as error:
        refused.append(str(error))
        return scenario, data


def legal(number: int) -> Asked:
    """The legal scenario of that number: always the same one."""
    draw = Random(f"legal {number}")
    kind = draw.choice(list(WORKLOADS))
    refused: list[str] = []
    data: Data = {"workload": {"kind": kind}}
    scenario = from_mapping(data, where="mine")
    for section, values in case(f"{kind}/{draw.randrange(1000)}").items():
        scenario, data = _with(data, {section: values}, scenario, refused)
    beside = draw.choices(list(WORKLOADS), k=max(0, draw.randint(-2, MOST_BESIDE)))
    programs = [
        {k: v for k, v in case(f"{one}/{draw.randrange(1000)}")["workload"].items() if k != "beside"} for one in beside
    ]
    if programs:
        scenario, data = _with(data, {"workload": {**data["workload"], "beside": programs}}, scenario, refused)
    kinds = beside if "beside" in data["workload"] else []
    for path, value in [_in_turn(number), *changes_of(draw, kind, kinds)]:
        scenario, data = _with(data, with_values(data, {path: value}), scenario, refused)
    return Asked(data, scenario, refused)


def sentence_for(asked: Asked) -> str:
    """The sentence that a legal scenario gets in the place of an answer; empty where it has an answer.

    Raises AssertionError for an answer or a sentence that no reader can use, and whatever the answer itself raises.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = run(asked.scenario, replications=1, budget=BUDGET)
            lines = list(run_lines(result, asked.scenario.title, width=100, bar="#"))
        except BooksDoNotBalance:
            raise
        except BlocktimeError as error:
            check_sentence(str(error))
            return str(error)
    check_answer(result)
    assert not [line for line in lines if re.search(r"\b(nan|inf|None)\b", line)]
    return ""


def check_answer(result: RunResult) -> None:
    """Raise unless the books balance once more, every number is finite and the JSON says the same."""
    check_books(result)
    dumped = result.model_dump(mode="python")
    assert not [place for place, value in floats_of(dumped) if not math.isfinite(value)]
    assert result.time.elapsed_s >= 0
    printed = json.loads(result.model_dump_json(), parse_constant=pytest.fail)
    assert printed["time"]["elapsed_s"] == pytest.approx(result.time.elapsed_s, rel=1e-12)
    negative = [place for place, value in floats_of(dumped) if value < 0 and "unaccounted" not in place]
    assert not negative
    physical = result.physical_io
    size = sum(blocks * many for blocks, many in physical.request_blocks.items())
    assert physical.read_blocks == pytest.approx(size, rel=1e-6, abs=1e-9)
    assert result.sources
    if result.streams is not None:
        assert all(stream.calls > 0 and stream.response_s >= 0 for stream in result.streams)
        return
    assert result.cache is None or 0 <= result.cache.hit_fraction <= 1
    assert 0 <= result.logical_io.row_walk_fraction <= 1
    if result.transactions is not None:
        stats = result.transactions
        assert stats.per_s > 0
        assert stats.under_way == pytest.approx(stats.per_s * stats.response_s, rel=1e-9)
        assert stats.bottleneck in stats.utilisation
        assert all(0 <= share <= 1 for share in stats.utilisation.values())
        assert list(run_lines(result))
        return
    assert result.segment.bytes_after >= result.segment.blocks_after


def check_sentence(text: str) -> None:
    """Raise AssertionError where *text* is no sentence for a reader."""
    assert text.isprintable(), text
    assert len(text) <= LONGEST, text
    assert not re.search(r"Traceback|<class|object at 0x|NoneType|Error:", text), text


# --- scenarios with one fault -----------------------------------------------------------------------------------------


ODD: Final = (
    None, True, 0, -1, 10**9, 10**18, 2**53 + 1, 10**400, -(10**30), 5e-324, 1e-300, 1e300, math.inf, -math.inf,
    math.nan, "8K", "-1M", "1e999", "nan", "9" * 500, "auto", "x\ny", "5 ms", "k" * 2000, [1, 2], {"a": 1}, "",
)  # fmt: skip
"""Values that somebody may put anywhere."""


def odd(number: int) -> Data:
    """A legal scenario of which a few fields are anything, some of them of no name that is known."""
    draw = Random(f"odd {number}")
    data = legal(draw.randrange(100_000)).data
    known = [path for path, _ in fields_of(data["workload"]["kind"])]
    for _ in range(draw.randint(1, 3)):
        text = "".join(chr(draw.randrange(0xD7FF)) for _ in range(draw.randrange(1, 30))).replace(".", "")
        data = with_values(data, {draw.choice((*known, *known, f"table.{text}")): draw.choice((*ODD, text))})
    if draw.random() < 0.3:
        data = data | {draw.choice((*data, "title", "base", text)): draw.choice((*ODD, text))}
    return data


class Faulty(NamedTuple):
    """A legal scenario, a field of it, and a value that the field does not take."""

    data: Data
    path: str
    value: Any
    form: str
    """How it is given."""


FORMS: Final = ("mapping", "file", "stdin", "set", "name")


def illegal(number: int) -> Faulty:
    """The faulty scenario of that number: always the same one."""
    draw = Random(f"illegal {number}")
    asked = legal(draw.randrange(100_000))
    kind, beside = (asked.data["workload"]["kind"], [one["kind"] for one in asked.data["workload"].get("beside", ())])
    form = draw.choice(FORMS)
    while True:
        if beside and draw.random() < 0.3:
            rank = draw.randrange(len(beside))
            path, schema = draw.choice([*_own_fields(beside[rank])])
            path = f"workload.beside.{rank}.{path}"
        else:
            path, schema = draw.choice(list(fields_of(kind)))
        wrong = list(wrong_values(draw, schema, plain=form in ("set", "name")))
        if draw.random() < 0.15:  # no such field
            parent, _, name = path.rpartition(".")
            return Faulty(asked.data, f"{parent}.{name[:-1]}{draw.choice('qxz')}{name[-1]}", 1, form)
        if wrong:
            return Faulty(asked.data, path, draw.choice(wrong), form)


def wrong_values(draw: Random, schema: Data, plain: bool) -> Iterator[Any]:
    """Values that no form of a field takes; *plain* ones stand in a word of the command line."""
    every = [resolved(form) for form in schema.get("anyOf", schema.get("oneOf", [schema]))]
    kinds = {form.get("type") for form in every} | {"enum" for form in every if "enum" in form}
    numbers = [form for form in every if form.get("type") in ("integer", "number") and "enum" not in form]
    if "string" in kinds and "enum" not in kinds and not numbers:
        return
    if numbers:
        yield from (math.nan, math.inf, "fast")
        low, high = min(limits(form)[0] for form in numbers), max(limits(form)[1] for form in numbers)
        if any({"minimum", "exclusiveMinimum"} & form.keys() for form in numbers):
            yield from (low - 1, -(10 ** draw.randrange(1, 12)) - 0.5 + low)
        if any({"maximum", "exclusiveMaximum"} & form.keys() for form in numbers):
            yield from (high * 2 + 1, 10.0**40)
        if all(form["type"] == "integer" for form in numbers) and "boolean" not in kinds:
            yield low + 0.5
    if "enum" in kinds or kinds == {"boolean"}:
        yield "nonsense"
    if not plain:
        yield {"a": 1}
        if "array" not in kinds:
            yield [5]


def told_of(faulty: Faulty, folder: Path) -> str:
    """What the faulty scenario is told, given in its form; raises AssertionError where it is taken."""
    changed = with_values(faulty.data, {faulty.path: faulty.value})
    if faulty.form == "mapping":
        try:
            from_mapping(changed, where="mine")
        except BlocktimeError as error:
            return str(error)
        raise AssertionError(f"it takes {faulty.path} = {faulty.value}")
    path, given = folder / "mine.toml", None
    path.write_text(tomlkit.dumps(faulty.data if faulty.form in ("set", "name") else changed), encoding="utf-8")
    setting = f"{faulty.path}={faulty.value}"
    words = {"file": [str(path)], "stdin": ["-"], "set": [str(path), "--set", setting], "name": [f"{path},{setting}"]}[
        faulty.form
    ]
    if faulty.form == "stdin":
        given = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    try:
        sys.stdin = given or before
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["run", *words])
    finally:
        sys.stdin = before
    assert code == 2, f"exit code {code}: {err.getvalue()[:300]}"
    assert not out.getvalue(), "standard output"
    text = err.getvalue()
    assert text.startswith("blocktime: "), text
    assert text.count("\n") == 1, text
    return text.removeprefix("blocktime: ").rstrip("\n")


def check_refusal(faulty: Faulty, folder: Path) -> None:
    """Raise AssertionError unless one sentence names the field of a faulty scenario, the value and what is allowed."""
    text = told_of(faulty, folder)
    check_sentence(text)
    assert faulty.path.rpartition(".")[2] in text, text
    is_number = isinstance(faulty.value, int | float)
    shown = [f"{faulty.value:{form}}"[:20] for form in ("", ",", "g", ".0f") if is_number or not form]
    assert any(form in text for form in (*shown, "no such field", "finite", "has no entries here")), text
    assert ALLOWED.search(text), text
