"""Benchmarks are in files named bench_*.py; they are marked, and only ``python3 dev.py benchmark`` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Collect bench_*.py too; one named on the command line is collected anyway."""
    if file_path.match("bench_*.py") and not parent.session.isinitpath(file_path):
        return pytest.Module.from_parent(parent, path=file_path)
    return None
