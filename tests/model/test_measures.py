"""Every measure reads the field that it is named for, and no other one."""

from collections.abc import Iterator
from typing import Any

import pytest

from blocktime.model.measures import MEASURES, measures_of
from blocktime.model.results import RunResult
from blocktime.scenarios import load
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
    "response_low_s": "low_s", "response_high_s": "high_s",
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


def field_of(measure: str) -> str:
    if measure in RENAMED:
        return RENAMED[measure]
    for prefix in PREFIXES:
        measure = measure.removeprefix(prefix)
    return (
        measure.removeprefix("response_").removesuffix("_s") if measure.startswith("response_p") else measure
    )


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
            if name not in OTHERS:
                assert value in fields.get(field_of(name), ()), name
                seen.add(name)
    assert seen | OTHERS == MEASURES.keys()
