"""The file of the model's own errors is what the measured cases say, and follows its rules."""

import tomllib
from dataclasses import replace
from itertools import combinations
from math import log, sqrt

import pytest

from blocktime.scenarios.uncertainty.model_error import model_error, path_of_model_error
from blocktime.validation import Comparison, Validation, validate
from tools.fit_model_error import groups_of, model_error_data, residuals_of, text_of

ROUNDED = 0.02
"""Machines round exponentials otherwise, and three digits are kept."""


@pytest.fixture(scope="module")
def statements() -> list[Comparison]:
    """The numbers of two documents, without chance."""
    return validate(["rahn_full_scan", "savvinov_logical_io"]).numbers


def test_the_file_is_fresh(validation: Validation) -> None:
    fresh, found = (model_error_data(validation.numbers), tomllib.loads(path_of_model_error().read_text("utf-8")))
    assert set(fresh) == set(found), "run `python3 dev.py docs`"
    for key, value in fresh.items():
        if isinstance(value, float):
            assert found[key] == pytest.approx(value, rel=ROUNDED), f"{key}: run `python3 dev.py docs`"
        elif key != "mechanism":
            assert found[key] == value, f"{key}: run `python3 dev.py docs`"
    for one, other in zip(found["mechanism"], fresh["mechanism"], strict=True):
        assert other == one | {"sd": pytest.approx(one["sd"], rel=ROUNDED)}


def test_nineteen_in_twenty_published_times_lie_within_the_model_error(validation: Validation) -> None:
    """The known gaps among them, and measurements as far apart as their source says."""
    known = model_error()
    inside = []
    for one in residuals_of(validation.numbers):
        noise = one.comparison.number.spread or 0.0
        sd = sqrt(known.sd_of(one.comparison.number.mechanism or "") ** 2 + noise**2)
        inside.append(abs(one.error) <= 1.96 * sd)
    assert len(inside) > 100
    assert sum(inside) / len(inside) >= 0.95


def test_nine_in_ten_published_ratios_lie_within_the_error_of_a_difference(validation: Validation) -> None:
    """Pairs in one printed column; most of those outside are one known gap with each of its neighbours."""
    known = model_error()
    inside = []
    for _, column in groups_of(residuals_of(validation.numbers)):
        for one, other in combinations(column, 2):
            correlation = known.correlations([one.predicted, other.predicted])[0, 1]
            sd = known.sd_of(one.comparison.number.mechanism or "")
            noise = sum((each.comparison.number.spread or 0.0) ** 2 for each in (one, other))
            apart = abs(one.error - other.error)
            inside.append(apart <= 1e-9 + 1.96 * sqrt(2 * sd**2 * (1 - correlation) + noise))
    assert len(inside) > 200
    assert sum(inside) / len(inside) >= 0.9


def test_waits_that_make_next_to_nothing_of_a_run_tell_nothing(statements: list[Comparison]) -> None:
    paths = {one.comparison.number.path for one in residuals_of(statements)}
    assert 'time.wait["SQL*Net message from client"].total_s' in paths
    assert 'time.wait["direct path read"].total_s' not in paths
    assert not [path for path in paths if path.endswith("max_s")]


def test_only_errors_out_of_sample_count(statements: list[Comparison]) -> None:
    found = residuals_of(statements)
    fits = [one for one in found if one.comparison.in_sample]
    assert fits
    assert all(one.error == log(1 + (one.comparison.out_of_sample_error or 0.0)) for one in found)
    alone = [replace(one.comparison, left_out=replace(one.comparison.left_out, without_its_row=None)) for one in fits]
    assert residuals_of(alone) == []


def test_a_mechanism_is_as_uncertain_as_its_documents_and_one_more(statements: list[Comparison]) -> None:
    data = model_error_data(statements)
    pooled = (data["pooled_sd"] / data["widening"]) ** 2
    squares = []
    for one in data["mechanism"]:
        sd = one["sd"] / data["widening"]
        square = (sd**2 * (one["documents"] + 1) - pooled) / one["documents"]
        squares.append(square)
        assert square >= -0.02 * pooled
    assert sum(squares) / len(squares) == pytest.approx(pooled, rel=0.05)


def test_the_file_can_be_read_back(statements: list[Comparison]) -> None:
    text = text_of(statements)
    assert tomllib.loads(text) == model_error_data(statements)
    assert all(len(line) <= 120 for line in text.splitlines() if line.startswith("#"))
