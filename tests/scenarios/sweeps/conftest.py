"""What tests of executors share."""

from __future__ import annotations

import gc
import importlib
import logging
from collections.abc import Callable, Iterator

import pytest


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
