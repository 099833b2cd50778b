"""What tests of executors share."""

import gc
import importlib
import logging
from collections.abc import Callable, Iterator

import pytest

from blocktime.scenarios.sweeps import cluster
from tests.patience import LIMIT_S


@pytest.fixture(scope="session", autouse=True)
def _patience() -> Iterator[None]:
    """On a busy machine a cluster of our own takes its time to start, to answer, and to replace a dead worker."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("ANSWERS_WITHIN_S", "WORKERS_WITHIN_S", "WORKERS_RETURN_WITHIN_S"):
            patch.setattr(cluster, limit, float(LIMIT_S))
        yield


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], list[str]]]:
    """What Dask's and asyncio's loggers and everything else wrote since the test began."""
    importlib.import_module("distributed")
    records: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: records.append(record.getMessage())
    loggers = [
        logging.getLogger(name) for name in ("asyncio", "distributed", "distributed.client", "tornado")
    ]
    for logger in loggers:
        logger.addHandler(handler)

    def everything() -> list[str]:
        gc.collect()  # tasks that nobody waited for complain when they are collected
        return records + capfd.readouterr().err.splitlines()

    yield everything
    for logger in loggers:
        logger.removeHandler(handler)
