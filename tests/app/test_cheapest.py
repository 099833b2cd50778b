"""The cheapest machine that keeps a promise: the search beside the page, its ranking, and how it ends."""

import math

import pytest

from blocktime.app.answer import cheapest_view
from blocktime.app.session import cheapest_job
from blocktime.app.session.cheapest_job import RAID, WANTED, CheapestJob, axes_of, binding_words, changes_of
from blocktime.scenarios import Scenario, load, run
from tests.app import page_numbers
from tests.patience import LIMIT_S

PRICED = ["prices.use=google-n1-2018", "workload.users=2"]


@pytest.fixture(scope="module")
def scan() -> Scenario:
    return load("full-scan-nvme", [*PRICED, "table.rows=200000"])


@pytest.fixture(scope="module")
def job(scan: Scenario) -> CheapestJob:
    job = CheapestJob(scan, f"elapsed_s <= {run(scan).time.elapsed_s!r}")
    job.start()
    assert job.wait(LIMIT_S)
    return job


def test_the_ranking_keeps_the_promise_and_begins_with_the_cheapest(scan: Scenario, job: CheapestJob) -> None:
    assert not job.fault
    at_most = run(scan).time.elapsed_s
    ranking = job.ranking()
    months = [candidate.measures[WANTED] for _, candidate in ranking]
    assert months == sorted(months)
    assert all(candidate.measures["elapsed_s"] <= at_most for _, candidate in ranking)
    base = run(scan).money
    assert base is not None
    assert months[0] < base.month["machine"], "fewer cores and a smaller cache keep it"
    assert binding_words(job.optima)


def test_a_point_of_the_ranking_costs_what_its_changes_cost(scan: Scenario, job: CheapestJob) -> None:
    disks, candidate = job.ranking()[0]
    changes = changes_of(scan, disks, candidate.values)
    money = run(load("full-scan-nvme", [*PRICED, "table.rows=200000", *(f"{k}={v}" for k, v in changes.items())])).money
    assert money is not None
    assert money.month["machine"] == pytest.approx(candidate.measures[WANTED])


def test_what_takes_long_is_tried_at_fewer_points(scan: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cheapest_job, "SEARCHED_S", 0.0)
    axes = axes_of(scan)
    assert math.prod(map(len, filter(None, axes.values()))) <= cheapest_job.FEWEST
    assert axes["host.cpus"][0] == scan.system.host.cpus
    assert axes[RAID][0] == 1
    assert all(name == "nvme" or name.startswith("hyperdisk") for name in axes["disk.use"])


def test_a_search_that_is_cancelled_ends(scan: Scenario) -> None:
    job = CheapestJob(scan, "elapsed_s <= 1")
    job.cancel()
    job.start()
    assert job.wait(LIMIT_S)
    assert not job.fault


def test_a_wrong_promise_is_said_in_a_sentence(scan: Scenario) -> None:
    job = CheapestJob(scan, "elapsed_s <= 'soon'")
    job.start()
    assert job.wait(LIMIT_S)
    assert "soon" in job.fault


def test_the_page_shows_the_ranking() -> None:
    app = page_numbers.opened({"scenario": "savvinov-lio-pc", "prices.use": "google-n1-2018"}, tab="Money")
    assert app.text_input(cheapest_view.PROMISE).value == page_numbers.elapsed("savvinov-lio-pc")
    app.button("cheapest.start").click().run()
    assert app.session_state[cheapest_view.JOB].wait(LIMIT_S)
    app.run()
    assert not app.exception
    (ranked,) = [table.value for table in app.table if "A month (USD)" in table.value.columns]
    assert len(ranked) > 1
