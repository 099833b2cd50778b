"""Which worker tests what: whole files, the quick ones first, then the longest; one has the server and the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

IN_A_BROWSER: Final = (
    "tests/app/test_page_browser.py",
    "tests/app/test_page_sharing_browser.py",
    "tests/app/test_page_history_browser.py",
    "tests/app/test_page_mechanisms_browser.py",
    "tests/app/test_page_sweep.py",
    "tests/app/test_page_compare_browser.py",
    "tests/app/test_page_guard.py",
    "tests/app/test_accessibility_browser.py",
    "tests/app/test_page_sessions.py",
    "tests/app/test_page_random_moves.py",
    "tests/app/test_reports.py",
    "tests/test_site.py",
)
"""Files that one worker tests, one after the other: a server and a browser cost more to start than most of them."""
QUICK: Final = (
    "tests/model/test_physics.py",
    "tests/golden/",
    "tests/model/laws/",
    "tests/model/kernels/",
    "tests/model/machine/",
    "tests/model/sim/",
    "tests/model/test_direct_loads.py",
    "tests/architecture/",
)
"""What comes first, in this order: a broken law is told within seconds."""
LONGEST: Final = (
    IN_A_BROWSER[0],
    "tests/validation/test_calibrate.py",
    "tests/test_walk_through.py",
    "tests/app/test_page_what_if.py",
    "tests/scenarios/test_every_field.py",
    "tests/model/test_memory.py",
    "tests/scenarios/sweeps/test_cluster.py",
    "tests/app/test_page_my_system.py",
    "tests/validation/instruments/test_hostile.py",
    "tests/app/test_page_ways.py",
    "tests/scenarios/test_load.py",
    "tests/scenarios/test_why_transactions.py",
    "tests/scenarios/test_why_sentences.py",
    "tests/scenarios/search/test_optimise.py",
    "tests/validation/identify/test_against.py",
    "tests/app/test_cli.py",
    "tests/model/sim/test_host_limits.py",
    "tests/app/test_page_addresses.py",
    "tests/scenarios/sweeps/test_executors.py",
    "tests/validation/identify/test_calibrated.py",
    "tests/model/sim/test_in_part.py",
    "tests/app/test_children.py",
    "tests/app/test_mechanisms.py",
)
"""Units of work that take most time, the longest first; they follow the quick ones, and all others follow them.

A test run ends late when one of them begins late.
"""


def unit_of(node: str) -> str:
    """What the test *node* is handed out with: its file, whose tests share a cluster; one for all in a browser."""
    file = node.partition("::")[0]
    return IN_A_BROWSER[0] if file in IN_A_BROWSER else file


def turn_of(node: str) -> int:
    """The place of the test *node* in a queue that begins with the quick units and goes on with the longest."""
    unit = unit_of(node)
    for place, quick in enumerate(QUICK, start=-len(QUICK)):
        if unit.startswith(quick):
            return place
    return LONGEST.index(unit) if unit in LONGEST else len(LONGEST)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Hand out units in the order in which they were collected.

    The groups of `--dist loadgroup` do nothing from pytest 9.1 on: a test's id no longer carries them.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    config.option.loadscopereorder = False
    return Units(config, log)
