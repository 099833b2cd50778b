"""Every measure reads the field that it is named for, and no other one."""

from collections.abc import Iterator
from typing import Any

import pytest

from blocktime.app.text.quantities import FORMS
from blocktime.app.text.quantities import QUANTITIES as WRITTEN
from blocktime.model.measures import MEASURES, QUANTITIES, measures_of
from blocktime.model.results import RunResult
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios import load
from blocktime.scenarios.measured import FIGURES
from blocktime.validation.quantity import DERIVED, check_path, look_up
from tests.engines import by

ANSWERS = {
    "scan": ("savvinov-lio-priced", ("workload.users=2",), "calculate"),
    "update": ("rahn-pctfree-2k-10", ("table.rows=500",), "calculate"),
    "transactions": ("tpc-b", ("workload.transactions=400",), "simulate"),
    "reads": ("random-read-depth", ("workload.count=200",), "simulate"),
}
RENAMED = {
    "device_request_bytes": "average_request_bytes", "segment_blocks": "blocks_before", "optimizer_cost": "cost",
    "segment_after_blocks": "blocks_after", "segment_after_bytes": "bytes_after",
    "response_low_s": "low_s", "response_high_s": "high_s", "cost_machine_per_month": "machine",
}  # fmt: skip
OTHERS = {"wait_s", "read_wait_s", "extrapolated_constants"}
"""Sums, which other tests have."""
PREFIXES = ("device_", "cost_", "transactions_")


def leaves(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Name and value of each number in a result."""
    if isinstance(part, dict):
        for key, inner in part.items():
            yield from leaves(inner, str(key))
    elif isinstance(part, list):
        for inner in part[:1]:
            yield from leaves(inner, name)
    elif isinstance(part, int | float):
        yield name, part


OF_PROGRAMS = {f"{kind}_{what}" for kind in WORKLOADS for what in ("took_s", "alone_s", "times_alone", "done_per_s")}
"""Tests of programs hold them to their fields."""


def field_of(measure: str) -> str:
    if measure in RENAMED:
        return RENAMED[measure]
    for prefix in PREFIXES:
        measure = measure.removeprefix(prefix)
    return measure.removeprefix("response_").removesuffix("_s") if measure.startswith("response_p") else measure


@pytest.fixture(scope="module")
def answers() -> list[RunResult]:
    return [by(engine, load(name, settings)) for name, settings, engine in ANSWERS.values()]


def test_each_measure_is_the_field_that_it_is_named_for(answers: list[RunResult]) -> None:
    seen = set()
    for answer in answers:
        fields: dict[str, set[float]] = {}
        data = answer.model_dump()
        for name, value in leaves(data | {"cpu_s": answer.time.cpu_s}):
            fields.setdefault(name, set()).add(float(value))
        for name, value in measures_of(answer).items():
            if name not in OTHERS | OF_PROGRAMS:
                assert value in fields.get(field_of(name), ()), name
                seen.add(name)
    assert seen | OTHERS | OF_PROGRAMS == MEASURES.keys()


def test_the_register_has_each_name_and_each_label_once() -> None:
    labels = [quantity.label for quantity in QUANTITIES.values() if quantity.label]
    assert len(set(labels)) == len(labels)
    assert not QUANTITIES.keys() & DERIVED.keys()
    assert all(quantity.says for quantity in QUANTITIES.values())


def test_cards_and_tables_write_what_the_register_declares() -> None:
    for name, quantity in QUANTITIES.items():
        if quantity.label:
            written = WRITTEN[name]
            assert (written.label, written.better) == (quantity.label, quantity.better)
            assert written.unit is FORMS[quantity.form]


def test_a_measured_document_names_a_quantity_of_the_register(answers: list[RunResult]) -> None:
    for name, quantity in QUANTITIES.items():
        check_path(name)
        for answer in answers:
            value = quantity.of(answer)
            if value is None:
                with pytest.raises(LookupError):
                    look_up(name, answer)
            else:
                assert look_up(name, answer) == value


def test_a_measured_figure_is_a_quantity_of_the_register_or_a_mean_wait(answers: list[RunResult]) -> None:
    register = {quantity.of for quantity in QUANTITIES.values()}
    others = {figure: read for figure, read in FIGURES.items() if read not in register}
    waits = {event: waited for answer in answers for event, waited in answer.time.wait.items()}
    assert others.keys() == FIGURES.keys() & {*waits, "db file parallel read", "db file scattered read"}
