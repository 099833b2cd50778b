"""Fitting is repeatable, touches what it must and nothing else, and follows the numbers it is given."""

from __future__ import annotations

import importlib
import math
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from model import catalog
from model.errors import SpecError
from scenarios import load, run
from scenarios.load import library_data
from validation import Runs, case_names, load_case, numbers_of

# The package's `calibrate` may be the function.
calibrate = importlib.import_module("validation.calibrate")

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("model/catalog", "scenarios/library")


@pytest.fixture(scope="module")
def fits() -> list[Any]:
    """Every case fitted once."""
    return list(calibrate.calibrate())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the files that fitting may change."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def files_of(root: Path) -> dict[str, bytes]:
    """Every file below the folders with its content."""
    return {
        str(file.relative_to(root)): file.read_bytes()
        for folder in FOLDERS
        for file in sorted((root / folder).rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }


def estimates(fits: list[Any]) -> dict[str, Any]:
    """Estimates of all fits by the name of their constant."""
    return {estimate.name: estimate for fit in fits for estimate in fit.estimates}


def numbers(value: Any) -> Iterator[float]:
    """Every number in a parsed file, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for below in value:
            yield from numbers(below)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


# --- estimates --------------------------------------------------------------------------------------------------------


def test_fitting_again_gives_the_committed_catalog(fits: list[Any]) -> None:
    found = estimates(fits)
    assert found
    for name, estimate in found.items():
        assert estimate.value == pytest.approx(estimate.before, rel=1e-3), name
        assert estimate.before == calibrate.value_of(name)


def test_every_fitted_constant_of_the_catalog_is_fitted(fits: list[Any]) -> None:
    found = estimates(fits)
    for kind in catalog.KINDS:
        for entry in catalog.entries(kind).values():
            for field, constant in entry.constants.items():
                if constant.how == "fitted":
                    name = f"{kind}/{entry.name}: {field}"
                    assert name in found or constant.same_as in found, name


def test_an_estimate_says_what_it_was_fitted_to(fits: list[Any]) -> None:
    marked = {number.id: number for case in case_names() for number in numbers_of(load_case(case))}
    for name, estimate in estimates(fits).items():
        assert estimate.fitted_to, name
        for identity in estimate.fitted_to:
            assert marked[identity].mark == "fits"
            assert name in marked[identity].fits
        assert all(low <= high for low, high in estimate.range.values())
        assert estimate.spread is None or 0 <= estimate.spread < estimate.value


def test_what_was_fitted_fits(fits: list[Any]) -> None:
    """As many constants as numbers meet them exactly, but where chance has a part; more leave a rest."""
    assert [fit.case for fit in fits] == sorted(
        (fit.case for fit in fits), key=lambda name: (name != "savvinov_logical_io", name)
    )
    for fit in fits:
        assert fit.unidentified == []
        assert all(math.isfinite(error) for error in fit.residuals.values())
        if fit.case == "magni_tpc":
            assert max(abs(error) for error in fit.residuals.values()) < 0.12  # 2 ms of 17
        elif len(fit.residuals) <= len(fit.estimates):
            assert max(abs(error) for error in fit.residuals.values()) < 1e-3
        assert max(abs(error) for error in fit.residuals.values()) < 0.15


def test_fitting_twice_is_the_same(fits: list[Any]) -> None:
    case = "rahn_full_scan"
    (again,) = calibrate.calibrate([case])
    (first,) = [fit for fit in fits if fit.case == case]
    names = [estimate.name for estimate in first.estimates]
    assert [estimate.name for estimate in again.estimates] == names
    once_more = calibrate.calibrate([case])[0]
    assert once_more.estimates == again.estimates
    assert once_more.residuals == again.residuals


def test_fitting_leaves_catalog_and_library_as_they_were() -> None:
    before = {kind: dict(catalog.entries(kind)) for kind in catalog.KINDS}
    library = repr(library_data("shallahamer-direct"))
    calibrate.calibrate(["shallahamer_direct_reads"])
    assert {kind: dict(catalog.entries(kind)) for kind in catalog.KINDS} == before
    assert repr(library_data("shallahamer-direct")) == library


def test_what_a_constant_was_fitted_to_lies_within_its_range(fits: list[Any]) -> None:
    """However it is rounded, the range holds the very runs that it is made of."""
    marked = {number.id: number for case in case_names() for number in numbers_of(load_case(case))}
    runs = Runs()
    for name, estimate in estimates(fits).items():
        field_name = name.split(": ")[1]
        for identity in estimate.fitted_to:
            outside = runs.result(marked[identity].pick).extrapolated
            assert not [one for one in outside if one.constant.endswith(f".{field_name}")], identity


def test_a_constant_that_the_numbers_do_not_determine_is_said_and_not_written(tree: Path) -> None:
    name = "host/rahn-10204: itl_entry_s"
    four_k = [
        replace(number, fits=(*number.fits, name))
        for number in numbers_of(load_case("rahn_pctfree"))
        if number.mark == "fits" and number.row.startswith("4096,")
    ]
    fit = calibrate.fit_to("rahn_pctfree", four_k, {})
    assert fit.unidentified == [f"the numbers do not determine {name}"]
    found = estimates([fit])
    assert [one.name for one in found.values() if not one.determined] == [name]
    assert (found[name].value, found[name].spread) == (calibrate.value_of(name), None)
    before = files_of(tree)["model/catalog/host/rahn-10204.toml"]
    calibrate.write([fit], root=tree)
    after = files_of(tree)["model/catalog/host/rahn-10204.toml"]
    entry = "itl_entry_s"
    assert tomllib.loads(after.decode())[entry] == tomllib.loads(before.decode())[entry]


def test_constants_that_the_numbers_cannot_tell_apart_are_named_together() -> None:
    names = ("host/rahn-10204: migrate_row_s", "host/rahn-10204: update_row_s")
    one = [
        replace(number, fits=names)
        for number in numbers_of(load_case("rahn_pctfree"))
        if number.id.endswith("4096,10:update_time")
    ]
    fit = calibrate.fit_to("rahn_pctfree", one, {})
    (sentence,) = fit.unidentified
    assert sentence.startswith("the numbers do not tell apart ")
    assert all(name in sentence for name in names)


# --- substituted ------------------------------------------------------------------------------------------------------

NAME = "host/savvinov-pc: line_miss_s"


def line_miss_s(scenario: str) -> float:
    """The constant as a scenario that uses the entry has it."""
    return load(scenario).system.host.line_miss_s


def test_substituted_reaches_the_scenarios_and_what_repeats_the_constant() -> None:
    before = line_miss_s("savvinov-lio-pc")
    elapsed = run(load("savvinov-lio-pc")).time.elapsed_s
    repeated = line_miss_s("rahn-full-scan")
    with calibrate.substituted({NAME: 5e-8}):
        assert line_miss_s("savvinov-lio-pc") == 5e-8
        assert line_miss_s("rahn-full-scan") == 5e-8
        assert calibrate.value_of(NAME) == 5e-8
        assert run(load("savvinov-lio-pc")).time.elapsed_s > elapsed
    assert line_miss_s("savvinov-lio-pc") == before
    assert line_miss_s("rahn-full-scan") == repeated
    assert run(load("savvinov-lio-pc")).time.elapsed_s == elapsed


def test_substituted_restores_after_an_error_and_inside_itself() -> None:
    before = line_miss_s("savvinov-lio-pc")

    def stumble() -> None:
        with calibrate.substituted({NAME: 5e-8}):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stumble()
    assert line_miss_s("savvinov-lio-pc") == before
    with calibrate.substituted({NAME: 5e-8}):
        with calibrate.substituted({NAME: 6e-8}):
            assert line_miss_s("savvinov-lio-pc") == 6e-8
        assert line_miss_s("savvinov-lio-pc") == 5e-8
    assert line_miss_s("savvinov-lio-pc") == before


def test_substituted_restores_two_fields_of_one_entry() -> None:
    other = "host/savvinov-pc: row_step_s"
    before = catalog.entry("host", "savvinov-pc")
    with calibrate.substituted({NAME: 5e-8, other: 6e-8}):
        host = load("savvinov-lio-pc").system.host
        assert (host.line_miss_s, host.row_step_s) == (5e-8, 6e-8)
    assert catalog.entry("host", "savvinov-pc") == before


def test_substituted_changes_a_field_of_a_scenario() -> None:
    name = "scenario/shallahamer-direct: table.rows"
    before = calibrate.value_of(name)
    with calibrate.substituted({name: 1000.4}):
        assert load("shallahamer-direct").system.table.rows == 1000
        assert load("shallahamer-async").system.table.rows == 1000
    assert calibrate.value_of(name) == before
    assert load("shallahamer-async").system.table.rows == before


def test_a_constant_that_the_catalog_does_not_hold_is_refused() -> None:
    with pytest.raises(SpecError, match="does not hold"):
        calibrate.value_of("host/savvinov-pc: between_calls_s")


# --- write ------------------------------------------------------------------------------------------------------------


def test_writing_changes_the_files_of_the_fitted_constants_alone(fits: list[Any], tree: Path) -> None:
    before = files_of(tree)
    written = calibrate.write(fits, root=tree)
    after = files_of(tree)
    assert set(after) == set(before), "a file was left behind or lost"
    expected = set()
    for name in estimates(fits):
        kind, entry, _ = calibrate._parts(name)
        if kind == "scenario":
            expected.add(f"scenarios/library/{entry}.toml")
        else:
            expected |= {f"model/catalog/{k}/{place}.toml" for k, place, _ in calibrate._places(name)}
    assert {str(path.relative_to(tree)) for path in written} == expected
    assert {name for name in before if after[name] != before[name]} <= expected
    assert files_of(ROOT) == before, "the checkout itself was touched"


def test_writing_what_stands_there_already_changes_no_meaning(fits: list[Any], tree: Path) -> None:
    before = {
        name: tomllib.loads(text.decode()) for name, text in files_of(tree).items() if name.endswith(".toml")
    }
    calibrate.write(fits, root=tree)
    for name, text in files_of(tree).items():
        if name.endswith(".toml"):
            after = tomllib.loads(text.decode())
            assert set(after) == set(before[name]), name
            for key, value in after.items():
                if isinstance(value, dict) and "value" in value:
                    old = before[name][key]
                    assert value["value"] == pytest.approx(old["value"], rel=1e-3), f"{name}: {key}"
                    assert set(value) == set(old), f"{name}: {key}"
                    assert (value["how"], value["source"]) == (old["how"], old["source"])
                else:
                    assert list(numbers(value)) == pytest.approx(list(numbers(before[name][key])), rel=1e-3)


def test_writing_twice_is_writing_once(fits: list[Any], tree: Path) -> None:
    calibrate.write(fits, root=tree)
    once = files_of(tree)
    calibrate.write(fits, root=tree)
    assert files_of(tree) == once


def test_one_estimate_goes_to_its_own_place_and_to_what_repeats_it(tree: Path) -> None:
    estimate = calibrate.Estimate(NAME, 2e-8, 1.6e-8, 1e-10, ["a:b:c:d"], {"row_bytes": (10.0, 20.0)})
    before = files_of(tree)
    calibrate.write([calibrate.Fit("a case", [estimate], {})], root=tree)
    after = files_of(tree)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {
        f"model/catalog/host/{name}.toml"
        for name in ("rahn-10204", "rahn-2008", "savvinov-pc", "shallahamer-2016")
    }
    own = tomllib.loads(after["model/catalog/host/savvinov-pc.toml"].decode())["line_miss_s"]
    assert own == {
        "value": 2e-8,
        "how": "fitted",
        "source": "savvinov-lio",
        "spread": 1e-10,
        "range": {"row_bytes": [10.0, 20.0]},
        "fitted_to": ["a:b:c:d"],
    }
    taken_over = tomllib.loads(after["model/catalog/host/rahn-2008.toml"].decode())["line_miss_s"]
    assert taken_over["value"] == 2e-8
    assert taken_over["how"] == "derived"
    assert "fitted_to" not in taken_over
    lines = before["model/catalog/host/savvinov-pc.toml"].splitlines()
    kept = after["model/catalog/host/savvinov-pc.toml"].splitlines()
    assert len([line for line in lines if line not in kept]) <= 4, "lines of other constants changed"


# --- what is printed decides ------------------------------------------------------------------------------------------


def test_a_wrong_printed_number_moves_its_constant(monkeypatch: pytest.MonkeyPatch, fits: list[Any]) -> None:
    """3 % more wait for the client are a slower client and less time between calls; what it does not touch stays."""
    case, column = "rahn_full_scan", "SQL*Net message from client"

    def planted(loaded: Any) -> list[Any]:
        return [
            replace(number, printed=1.03 * number.printed)
            if number.mark == "fits" and column in number.id
            else number
            for number in numbers_of(loaded)
        ]

    monkeypatch.setattr(calibrate, "numbers_of", planted)
    moved = estimates(calibrate.calibrate([case]))
    usual = estimates([fit for fit in fits if fit.case == case])
    assert set(moved) == set(usual)
    per_row = "client/rahn-proc: row_s"
    assert moved[per_row].value > 1.03 * usual[per_row].value
    assert (
        moved["host/rahn-2008: between_calls_s"].value < 0.7 * usual["host/rahn-2008: between_calls_s"].value
    )
    for name in (
        "client/rahn-proc: message_send_s",
        "host/rahn-2008: logical_io_s",
        "statistics/rahn-2008: block_cycles",
    ):
        assert moved[name].value == pytest.approx(usual[name].value, rel=1e-3), name


def test_a_number_that_only_tests_moves_nothing(monkeypatch: pytest.MonkeyPatch, fits: list[Any]) -> None:
    case = "shallahamer_direct_reads"

    def planted(loaded: Any) -> list[Any]:
        return [
            number if number.mark == "fits" else replace(number, printed=2 * number.printed)
            for number in numbers_of(loaded)
        ]

    monkeypatch.setattr(calibrate, "numbers_of", planted)
    moved = estimates(calibrate.calibrate([case]))
    for name, estimate in estimates([fit for fit in fits if fit.case == case]).items():
        assert moved[name].value == pytest.approx(estimate.value, rel=1e-3)
