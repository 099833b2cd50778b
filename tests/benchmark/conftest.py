"""Benchmarks are in files named bench_*.py; they are marked, and only ``python3 dev.py benchmark`` runs them.

Each report of a file's ``REPORTS`` is a test that prints it.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

LIMIT_S = 1200


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Collect bench_*.py too; one named on the command line is collected anyway."""
    if file_path.match("bench_*.py") and not parent.session.isinitpath(file_path):
        return pytest.Module.from_parent(parent, path=file_path)
    return None


def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> list[pytest.Function] | None:
    """A test for each report of a file."""
    if name != "REPORTS":
        return None
    items = [
        pytest.Function.from_parent(collector, name=f"report[{report}]", callobj=partial(told, measure))
        for report, measure in obj.items()
    ]
    for item in items:
        item.add_marker("benchmark")
        item.add_marker(pytest.mark.timeout(LIMIT_S))
    return items


def told(measure: Callable[[], list[Any]]) -> None:
    """Print the figures of a report, none of which is below 0."""
    figures = measure()
    print("\n" + "\n".join(map(str, figures)))
    assert all(figure.value >= 0 for figure in figures)
