"""Numbers and names that nobody means: an answer whose books balance, or one sentence; never a traceback or a NaN."""

import math
from typing import Any

import pytest

from blocktime.model.errors import BlocktimeError, OverBudget
from blocktime.scenarios import from_mapping, load, run
from tests.patience import LIMIT_S
from tests.scenarios.any_scenario import check_answer, check_sentence


@pytest.mark.timeout(LIMIT_S)
@pytest.mark.parametrize(
    "settings_",
    [["workload.users=10000"], ["table.rows=100000000000", "table.cached_fraction=0.9999999"]],
    ids=["users", "few reads of many blocks"],
)
def test_what_would_take_for_ever_is_refused(settings_: list[str]) -> None:
    """Reads are not the only work: cached blocks and the turns of many sessions take their time as well."""
    with pytest.raises(OverBudget, match="the limit is"):
        run(load("savvinov-lio-pc", ["instance.serial_direct_read=never", *settings_]))


@pytest.mark.parametrize("users", [2, 20])
def test_company_on_asynchronous_reads_through_the_page_cache_keeps_its_books(users: int) -> None:
    scenario = load("shallahamer-async", ["host.page_cache_hit_fraction=0", f"workload.users={users}"])
    check_answer(run(scenario))


@pytest.mark.parametrize(
    "data",
    [
        {"base": "rahn-full-scan", "disk": {"overhead_s": math.inf}},
        {"workload": {"int": 3}},
        {"table": {"float": 3}},
        {"table": {"rows": 10**400}},
        {"instance": {"db_file_multiblock_read_count": 10**400}},
        {"disk": {"use": "nvme", "parallel_requests": 10**400}},
        {"table": {"a\nb": 1}},
        {"table": {"k" * 2000: 1}},
        {"table": "k" * 2000},
        {"disk": {"bandwidth_bytes_per_s": 5e-324}},
        {"host": {"io_path": "buffered", "copy_bytes_per_s": 5e-324}},
        {"instance": {"statistics": {"cpuspeed_hz": 5e-324}}},
        {"instance": {"statistics": {"iotfrspeed_bytes_per_s": 5e-324}}},
        {"instance": {"statistics": {"ioseektim_s": 5e-324}}},
        {"instance": {"statistics": {"kind": "workload", "sreadtim_s": 5e-324}}},
        {"workload": {"kind": "index_range_scan", "selectivity_fraction": 5e-324}},
    ],
    ids=lambda data: repr(data)[:80],
)
def test_the_smallest_the_largest_and_the_longest_are_an_answer_or_one_sentence(data: dict[str, Any]) -> None:
    try:
        check_answer(run(from_mapping(data, where="file.toml")))
    except BlocktimeError as error:
        check_sentence(str(error))
