"""Work of several kinds is checked by the kind that is given; the others are not built until asked for."""

import pickle
import subprocess
import sys

import pytest
from pydantic import TypeAdapter, ValidationError

from blocktime.model.spec import WORKLOADS, Workload
from blocktime.model.spec.programs import beside_of

WORK: TypeAdapter[Workload] = TypeAdapter(Workload)
ONE_RUN = """
from blocktime.scenarios import load
from blocktime.model.spec.programs import beside_of
from blocktime.model.spec.workloads import WORKLOADS
load("rahn-full-scan")
print(beside_of.cache_info().currsize, sum(kind.__pydantic_complete__ for kind in WORKLOADS.values()))
"""


def test_a_scenario_builds_few_kinds_beside_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", ONE_RUN], capture_output=True, text=True, check=True)
    beside, built = map(int, done.stdout.split())
    assert beside == 0
    assert built <= 2


@pytest.mark.parametrize("kind", WORKLOADS)
def test_a_kind_is_what_its_name_says(kind: str) -> None:
    fields = {"kind": kind, "beside": [{"kind": kind, "begin_s": "2s"}]}
    work = WORK.validate_python(fields)
    (program,) = work.beside
    assert (type(work), type(program)) == (WORKLOADS[kind], beside_of(kind))
    assert program.begin_s == 2
    assert WORK.validate_python(work) is work
    assert pickle.loads(pickle.dumps(work)) == work


@pytest.mark.parametrize(
    ("fields", "where", "fault"),
    [
        ({"kind": "update", "users": -1}, ("update", "users"), "greater_than_equal"),
        ({"kind": "none"}, (), "union_tag_invalid"),
        ({}, (), "union_tag_not_found"),
        (3, (), "model_attributes_type"),
        (
            {"kind": "update", "beside": [{}, {"kind": "export", "users": "x"}]},
            ("update", "beside", 1, "export", "users"),
            "value_error",
        ),
    ],
)
def test_a_fault_is_told_at_its_place(fields: object, where: tuple[object, ...], fault: str) -> None:
    with pytest.raises(ValidationError) as told:
        WORK.validate_python(fields)
    first = told.value.errors()[0]
    assert (first["loc"], first["type"]) == (where, fault)
