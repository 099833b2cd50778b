"""What tests of executors share."""

import gc
import importlib
import logging
from collections.abc import Callable, Iterator

import dask.config
import pytest
from distributed import LocalCluster

from blocktime.scenarios.sweeps import cluster as module
from tests.patience import LIMIT_S


@pytest.fixture(scope="session", autouse=True)
def _patience() -> Iterator[None]:
    """On a busy machine a cluster of our own takes its time to start, to answer, and to replace a dead worker."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("ANSWERS_WITHIN_S", "WORKERS_WITHIN_S", "WORKERS_RETURN_WITHIN_S"):
            patch.setattr(module, limit, float(LIMIT_S))
        yield


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], list[str]]]:
    """What Dask's and asyncio's loggers and everything else wrote since the test began."""
    importlib.import_module("distributed")
    records: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: records.append(record.getMessage())
    loggers = [logging.getLogger(name) for name in ("asyncio", "distributed", "distributed.client", "tornado")]
    for logger in loggers:
        logger.addHandler(handler)

    def everything() -> list[str]:
        gc.collect()  # tasks that nobody waited for complain when they are collected
        return records + capfd.readouterr().err.splitlines()

    yield everything
    for logger in loggers:
        logger.removeHandler(handler)


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Address of a Dask scheduler with two worker processes, which start again when they die."""
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1d"}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=0,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            scheduler_kwargs={"allowed_failures": 0},
        ) as scheduler,
    ):
        yield scheduler.scheduler_address
