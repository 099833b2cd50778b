"""Document 001, its imports, exports and selects: every printed number is there, and the bars are met."""

import re

from blocktime.model.causes import FREE_BUFFERS
from blocktime.scenarios import library, load, run
from blocktime.scenarios.why import why
from blocktime.validation import load_case, numbers_of

CASE = "magni_exp_imp"
NUMBERS = list(numbers_of(load_case(CASE)))
LOADS = [name for name in library() if name.startswith(("magni-imp", "magni-exp", "magni-select"))]


def test_the_printed_times_of_imports_are_there() -> None:
    printed = [486.429, 561.775, 832.711, 742.458, 130.214, 131.89, 131.094, 130.727, 24.037, 25.383, 25.023, 24.392]
    assert sorted(n.printed for n in NUMBERS if n.table == "imp") == sorted(printed)


def test_only_the_system_time_of_the_small_import_is_a_known_gap() -> None:
    gaps = [n.id for n in NUMBERS if n.known_gap]
    assert gaps == [f"{CASE}:table import:200mb,{blocks}:sys" for blocks in ("32k", "4k")]


def test_the_disk_of_the_pwrite_runs_decides_at_4k_alone() -> None:
    waited = {name: run(load(name)).time.wait.get(FREE_BUFFERS) for name in LOADS if name.startswith("magni-imp")}
    assert {name for name, found in waited.items() if found and found.total_s > 1} == {
        "magni-imp-4k",
        "magni-imp-500mb-4k",
    }


def test_the_wait_for_buffers_is_what_makes_small_blocks_slow() -> None:
    said = why(run(load("magni-imp-500mb-32k")), run(load("magni-imp-500mb-4k")))
    waited = re.match(r"waiting for free buffers takes ([\d.]+) s instead of 0 s", said[0])
    assert 30 < float(waited[1]) < 45
    assert "DBWR" in said[0]
