"""Fitting is repeatable, touches what it must and nothing else, and follows the numbers it is given."""

import math
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from blocktime.app.command.cli import commands
from blocktime.model import catalog
from blocktime.model.errors import SpecError
from blocktime.scenarios import load, run
from blocktime.scenarios.load import library_data
from blocktime.validation import Runs, case_names, constants_by_name, fit, load_case, numbers_of
from blocktime.validation import calibrate as calibrating
from blocktime.validation.calibrate import Calibration, calibrate
from blocktime.validation.case import Prior
from blocktime.validation.constants_by_name import is_whole, parts_of, places_of, substituted, value_of
from blocktime.validation.fit import NORMAL_95, Estimate, Fit, fit_to, is_counted, standard_error_of
from blocktime.validation.joint import Joint, joint_of
from blocktime.validation.write_catalog import correlations_text, write
from tests.whole import WHOLE

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("model/catalog", "scenarios/library")
LATER = () if WHOLE else ("magni_tpc", "magni_exp_imp")
"""Cases whose fits play transactions and imports for a minute."""


@pytest.fixture(scope="module")
def found() -> Calibration:
    """Every case fitted once, but those of LATER."""
    return calibrate([name for name in case_names() if name not in LATER])


@pytest.fixture(scope="module")
def fits(found: Calibration) -> list[Fit]:
    return found.fits


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


def estimates(fits: list[Fit]) -> dict[str, Any]:
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


def test_fitting_again_gives_the_committed_catalog(fits: list[Fit]) -> None:
    """Where events are counted, to a tenth of the interval: the counts move in jumps."""
    marked = {number.id: number for case in case_names() for number in numbers_of(load_case(case))}
    assert estimates(fits)
    for name, estimate in estimates(fits).items():
        assert estimate.before == value_of(name)
        assert estimate.interval is not None, name
        low, high = estimate.interval
        counted = any(is_counted(marked[identity]) for identity in estimate.fitted_to)
        allowed = 0.1 * (high - low) if counted and not is_whole(name) else 1e-3 * estimate.before
        assert abs(estimate.value - estimate.before) <= allowed, name


def test_intervals_and_correlations_are_those_of_the_committed_catalog(found: Calibration) -> None:
    counted = {
        name
        for case in case_names()
        for number in numbers_of(load_case(case))
        if number.fits and is_counted(number)
        for name in number.fits
    }
    written = tomllib.loads((ROOT / "model/catalog/correlations.toml").read_text("utf-8"))["pair"]
    fitted = set(estimates(found.fits))
    beside = {name for pair in written if not fitted.issuperset(pair["of"]) for name in pair["of"]}
    for name, estimate in estimates(found.fits).items():
        constant = constants_by_name.constant_of(name)
        if constant is not None:
            near = 0.3 if name in counted or (LATER and name in beside) else 0.05
            assert constant.interval == pytest.approx(estimate.interval, rel=near), name
            assert constant.fitted_to == estimate.fitted_to
            # a range is that of the values that were fitted with it, which may be a thousandth off
            assert constant.range == {key: pytest.approx(ends, rel=1e-3) for key, ends in estimate.range.items()}
    here = {frozenset((one, other)): value for one, other, value in found.joint.pairs(0.05)}
    for pair in written:
        by_others = LATER and beside & set(pair["of"])  # by the cases of LATER, or with them
        if not counted & set(pair["of"]) and not by_others:
            assert here[frozenset(pair["of"])] == pytest.approx(pair["correlation"], abs=0.05), pair
    strong = {names for names, value in here.items() if abs(value) > 0.2 and not counted & names}
    assert strong <= {frozenset(pair["of"]) for pair in written}


def test_every_fitted_constant_of_the_catalog_is_fitted(fits: list[Fit]) -> None:
    found = estimates(fits)
    for kind in catalog.KINDS:
        for entry in catalog.entries(kind).values():
            for field, constant in entry.constants.items():
                if constant.how == "fitted" and constant.fitted_to[0].partition(":")[0] not in LATER:
                    name = f"{kind}/{entry.name}: {field}"
                    assert name in found or constant.same_as in found, name


def test_an_estimate_says_what_it_was_fitted_to(fits: list[Fit]) -> None:
    marked = {number.id: number for case in case_names() for number in numbers_of(load_case(case))}
    for name, estimate in estimates(fits).items():
        assert estimate.fitted_to, name
        for identity in estimate.fitted_to:
            assert marked[identity].mark == "fits"
            assert name in marked[identity].fits
        assert all(low <= high for low, high in estimate.range.values())
        assert estimate.interval[0] < estimate.value < estimate.interval[1] or name.endswith(
            "table import:200mb,4k:real"
        )


def test_what_was_fitted_fits(fits: list[Fit]) -> None:
    """Within two standard errors of each number, or as many times that as they scatter."""
    assert [fit.case for fit in fits] == sorted(
        (fit.case for fit in fits), key=lambda name: (name != "savvinov_logical_io", name)
    )
    marked = {number.id: number for case in case_names() for number in numbers_of(load_case(case))}
    for one in fits:
        assert one.unidentified == []
        for identity, error in one.residuals.items():
            number = marked[identity]
            assert abs(error * number.printed) <= 2 * standard_error_of(number) * one.scatter, identity


def test_fitting_twice_is_the_same(fits: list[Fit]) -> None:
    case = "shallahamer_direct_reads"
    (again,) = calibrate([case]).fits
    (first,) = [one for one in fits if one.case == case]
    names = [estimate.name for estimate in first.estimates]
    assert [estimate.name for estimate in again.estimates] == names
    (once_more,) = calibrate([case]).fits
    assert once_more.estimates == again.estimates
    assert once_more.residuals == again.residuals


def test_what_a_constant_was_fitted_to_lies_within_its_range(fits: list[Fit]) -> None:
    """However it is rounded, the range holds the very runs that it is made of."""
    marked = {number.id: number for case in case_names() for number in numbers_of(load_case(case))}
    runs = Runs()
    for name, estimate in estimates(fits).items():
        field_name = name.split(": ")[1]
        for identity in estimate.fitted_to:
            outside = runs.result(marked[identity].pick).extrapolated
            assert not [one for one in outside if one.constant.endswith(f".{field_name}")], identity


def test_a_constant_that_the_numbers_do_not_determine_is_said_and_keeps_its_value() -> None:
    name = "host/rahn-10204: itl_entry_s"
    four_k = [
        replace(number, fits=(*number.fits, name))
        for number in numbers_of(load_case("rahn_pctfree"))
        if number.mark == "fits" and number.row.startswith("4096,")
    ]
    one = fit_to("rahn_pctfree", four_k, {})
    assert one.unidentified == [f"the numbers do not determine {name}"]
    found = estimates([one])
    assert [e.name for e in found.values() if not e.determined] == [name]
    assert found[name].value == value_of(name)


def test_nothing_is_written_where_a_constant_is_not_determined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the number at 16K nothing tells what an ITL entry costs: exit code 2 and one sentence."""
    case, name = "rahn_pctfree", "host/rahn-10204: itl_entry_s"

    def without_16k(loaded: Any) -> list[Any]:
        return [
            replace(number, mark="tests", fits=()) if name in number.fits
            else replace(number, fits=(*number.fits, name)) if number.row == "4096,10" and number.fits
            else number
            for number in numbers_of(loaded)
        ]  # fmt: skip

    monkeypatch.setattr(calibrating, "numbers_of", without_16k)
    before = files_of(ROOT)
    outcome = CliRunner().invoke(commands, ["calibrate", case, "--write"])
    assert isinstance(outcome.exception, SpecError)
    assert f"the numbers do not determine {name}; nothing is written" in str(outcome.exception)
    assert files_of(ROOT) == before


def test_a_fit_that_does_not_converge_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "MOST_TRIALS", 1)
    numbers = [replace(n, printed=3 * n.printed) for n in numbers_of(load_case("rahn_pctfree")) if n.mark == "fits"]
    with pytest.raises(SpecError, match="did not converge within 1 trials; nothing is written"):
        fit_to("rahn_pctfree", numbers, {})


def test_a_fit_that_does_not_converge_names_what_the_numbers_cannot_tell_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "MOST_TRIALS", 1)
    names = ("host/magni-dl585-2004: insert_row_s", "host/magni-dl585-2004: change_block_s")
    one = [
        replace(number, fits=names, printed=3 * number.printed)
        for number in numbers_of(load_case("magni_exp_imp"))
        if number.id.endswith("table import:200mb,4k:real")
    ]
    with pytest.raises(SpecError, match=r"the numbers cannot separate .*; nothing is written") as said:
        fit_to("magni_exp_imp", one, {})
    assert all(name in str(said.value) for name in names)


def test_constants_that_the_numbers_cannot_tell_apart_are_named_together() -> None:
    names = ("host/magni-dl585-2004: insert_row_s", "host/magni-dl585-2004: change_block_s")
    one = [
        replace(number, fits=names)
        for number in numbers_of(load_case("magni_exp_imp"))
        if number.id.endswith("table import:200mb,4k:real")
    ]
    (sentence,) = fit_to("magni_exp_imp", one, {}).unidentified
    assert sentence.startswith("the numbers cannot separate ")
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
    with substituted({NAME: 5e-8}):
        assert line_miss_s("savvinov-lio-pc") == 5e-8
        assert line_miss_s("rahn-full-scan") == 5e-8
        assert value_of(NAME) == 5e-8
        assert run(load("savvinov-lio-pc")).time.elapsed_s > elapsed
    assert line_miss_s("savvinov-lio-pc") == before
    assert line_miss_s("rahn-full-scan") == repeated
    assert run(load("savvinov-lio-pc")).time.elapsed_s == elapsed


def test_substituted_restores_after_an_error_and_inside_itself() -> None:
    before = line_miss_s("savvinov-lio-pc")

    def stumble() -> None:
        with substituted({NAME: 5e-8}):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stumble()
    assert line_miss_s("savvinov-lio-pc") == before
    with substituted({NAME: 5e-8}):
        with substituted({NAME: 6e-8}):
            assert line_miss_s("savvinov-lio-pc") == 6e-8
        assert line_miss_s("savvinov-lio-pc") == 5e-8
    assert line_miss_s("savvinov-lio-pc") == before


def test_substituted_restores_two_fields_of_one_entry() -> None:
    other = "host/savvinov-pc: row_step_s"
    before = catalog.entry("host", "savvinov-pc")
    with substituted({NAME: 5e-8, other: 6e-8}):
        host = load("savvinov-lio-pc").system.host
        assert (host.line_miss_s, host.row_step_s) == (5e-8, 6e-8)
    assert catalog.entry("host", "savvinov-pc") == before


def test_substituted_changes_a_field_of_a_scenario() -> None:
    name = "scenario/shallahamer-direct: table.rows"
    before = value_of(name)
    with substituted({name: 1000.4}):
        assert load("shallahamer-direct").system.table.rows == 1000
        assert load("shallahamer-async").system.table.rows == 1000
    assert value_of(name) == before
    assert load("shallahamer-async").system.table.rows == before


def test_a_constant_that_the_catalog_does_not_hold_is_refused() -> None:
    with pytest.raises(SpecError, match="does not hold"):
        value_of("host/savvinov-pc: between_calls_s")


# --- write ------------------------------------------------------------------------------------------------------------


def test_writing_changes_the_files_of_the_fitted_constants_alone(found: Calibration, tree: Path) -> None:
    before = files_of(tree)
    written = write(found, root=tree)
    after = files_of(tree)
    assert set(after) == set(before), "a file was left behind or lost"
    expected = {"model/catalog/correlations.toml"}
    for name in estimates(found.fits):
        kind, entry, _ = parts_of(name)
        if kind == "scenario":
            expected.add(f"scenarios/library/{entry}.toml")
        else:
            expected |= {f"model/catalog/{k}/{place}.toml" for k, place, _ in places_of(name)}
    assert {str(path.relative_to(tree)) for path in written} == expected
    assert {name for name in before if after[name] != before[name]} <= expected
    assert files_of(ROOT) == before, "the checkout itself was touched"


def test_writing_what_stands_there_already_changes_no_meaning(found: Calibration, tree: Path) -> None:
    before = {name: tomllib.loads(text.decode()) for name, text in files_of(tree).items() if name.endswith(".toml")}
    write(found, root=tree)
    for name, text in files_of(tree).items():
        if name.endswith(".toml") and "correlations" not in name:
            after = tomllib.loads(text.decode())
            assert set(after) == set(before[name]), name
            for key, value in after.items():
                if isinstance(value, dict) and "value" in value:
                    old = before[name][key]
                    assert value["value"] == pytest.approx(old["value"], rel=0.02), f"{name}: {key}"
                    assert set(value) == set(old), f"{name}: {key}"
                    assert (value["how"], value["source"]) == (old["how"], old["source"])
                else:  # how far a fit is sure of users and pauses hangs on chance
                    near = 0.7 if "tpc" in name else 0.05
                    assert list(numbers(value)) == pytest.approx(list(numbers(before[name][key])), rel=near)


def test_writing_twice_is_writing_once(found: Calibration, tree: Path) -> None:
    write(found, root=tree)
    once = files_of(tree)
    write(found, root=tree)
    assert files_of(tree) == once


def test_one_estimate_goes_to_its_own_place_and_to_what_repeats_it(tree: Path) -> None:
    estimate = Estimate(NAME, 2e-8, 1.6e-8, ["a:b:c:d"], {"row_bytes": (10.0, 20.0)}, interval=(1.9e-8, 2.1e-8))
    before = files_of(tree)
    write(Calibration([Fit("a case", [estimate], {})], Joint([NAME], np.array([[1e-4]]))), root=tree, whole=False)
    after = files_of(tree)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {
        f"model/catalog/host/{name}.toml"
        for name in (
            "altra-q80-30",
            "aws-r5-2xlarge",
            "aws-r5-4xlarge",
            "azure-e16s-v5",
            "azure-m64s",
            "cloud-arm-16-vcpu",
            "cloud-x86-16-vcpu",
            "epyc-9554",
            "linux-x86",
            "rahn-10204",
            "rahn-2008",
            "savvinov-pc",
            "shallahamer-2016",
            "xeon-6148-2s",
        )
    }
    own = tomllib.loads(after["model/catalog/host/savvinov-pc.toml"].decode())["line_miss_s"]
    assert own == {
        "value": 2e-8,
        "how": "fitted",
        "source": "savvinov-lio",
        "interval": [1.9e-8, 2.1e-8],
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


def test_a_wrong_printed_number_moves_its_constant(monkeypatch: pytest.MonkeyPatch, fits: list[Fit]) -> None:
    """3 % more wait for the client are a slower client and less time between calls; what it does not touch stays."""
    case, column = "rahn_full_scan", "SQL*Net message from client"

    def planted(loaded: Any) -> list[Any]:
        return [
            replace(number, printed=1.03 * number.printed) if number.mark == "fits" and column in number.id else number
            for number in numbers_of(loaded)
        ]

    monkeypatch.setattr(calibrating, "numbers_of", planted)
    moved = estimates(calibrate([case]).fits)
    usual = estimates([one for one in fits if one.case == case])
    assert set(moved) == set(usual)
    per_column = "client/rahn-proc: column_s"
    assert moved[per_column].value > 1.03 * usual[per_column].value
    assert moved["host/rahn-2008: between_calls_s"].value < 0.7 * usual["host/rahn-2008: between_calls_s"].value
    for name in (
        "client/rahn-proc: message_send_s",
        "host/rahn-2008: fetch_column_s",
        "statistics/rahn-2008: cpuspeed_hz",
    ):
        assert moved[name].value == pytest.approx(usual[name].value, rel=1e-3), name


def test_a_number_that_only_tests_moves_nothing(monkeypatch: pytest.MonkeyPatch, fits: list[Fit]) -> None:
    """Fitting leaves catalog and library as they were, too."""
    case = "shallahamer_direct_reads"
    before = {kind: dict(catalog.entries(kind)) for kind in catalog.KINDS}
    library = repr(library_data("shallahamer-direct"))

    def planted(loaded: Any) -> list[Any]:
        return [
            number if number.mark == "fits" else replace(number, printed=2 * number.printed)
            for number in numbers_of(loaded)
        ]

    monkeypatch.setattr(calibrating, "numbers_of", planted)
    moved = estimates(calibrate([case]).fits)
    for name, estimate in estimates([one for one in fits if one.case == case]).items():
        assert moved[name].value == pytest.approx(estimate.value, rel=1e-3)
    assert {kind: dict(catalog.entries(kind)) for kind in catalog.KINDS} == before
    assert repr(library_data("shallahamer-direct")) == library


# --- how sure ---------------------------------------------------------------------------------------------------------


def test_one_number_proportional_to_one_constant_passes_its_error_on() -> None:
    """The wait for a reap is the constant itself: its interval is that of the number."""
    name = "host/rahn-2008: reap_call_s"
    (number,) = [n for n in numbers_of(load_case("rahn_full_scan")) if name in n.fits]
    one = fit_to("rahn_full_scan", [number], {})
    with substituted({name: one.estimates[0].value}):
        joint = joint_of([one], [number], [])
    assert joint.standard_errors[name] == pytest.approx(standard_error_of(number) / number.printed, rel=0.01)
    low, high = joint.interval_of(name)
    assert high / low == pytest.approx(math.exp(2 * NORMAL_95 * joint.standard_errors[name]), rel=0.01)


def test_a_prior_pulls_as_far_as_it_is_sure() -> None:
    """A sure one holds the constant, a vague one leaves it to the number; one as sure as that meets it halfway."""
    name = "host/rahn-2008: reap_call_s"
    (number,) = [n for n in numbers_of(load_case("rahn_full_scan")) if name in n.fits]
    (free,) = fit_to("rahn_full_scan", [number], {}).estimates
    said = free.value * 1.05
    error = standard_error_of(number) / number.printed

    def with_prior(factor: float) -> float:
        prior = Prior(constant=name, value=said, factor=factor, source="a test", says="a test")
        return fit_to("rahn_full_scan", [number], {}, [prior]).estimates[0].value

    assert with_prior(1.0001) == pytest.approx(said, rel=1e-3)
    assert with_prior(100.0) == pytest.approx(free.value, rel=1e-3)
    assert with_prior(math.exp(NORMAL_95 * error)) == pytest.approx(math.sqrt(said * free.value), rel=2e-3)


def test_a_number_that_repeats_badly_weighs_less() -> None:
    """Three numbers of one constant: the mean goes to those whose repetitions lie close together."""
    name = "host/rahn-10204: change_block_s"
    rows = [
        replace(n, fits=(name,), spread=spread)
        for n in numbers_of(load_case("rahn_pctfree"))
        for row, spread in (("4096,35", 0.001), ("8192,35", 0.1))
        if (n.row, n.column) == (row, "update_time")
    ]
    one = fit_to("rahn_pctfree", rows, {})
    assert abs(one.residuals["rahn_pctfree:updates:4096,35:update_time"]) < 0.001
    assert abs(one.residuals["rahn_pctfree:updates:8192,35:update_time"]) > 0.08
    assert one.scatter == pytest.approx(1, abs=0.05)


def test_constants_told_from_one_sum_hang_together() -> None:
    """Two costs of one time: where one is larger the other must be smaller."""
    names = ("host/rahn-2008: fetch_column_s", "host/rahn-2008: fetch_row_s")
    numbers = [
        replace(n, fits=names)
        for n in numbers_of(load_case("rahn_full_scan"))
        if n.table == "fetch" and n.column == "cpu_s" and n.mark == "fits"
    ]
    one = Fit("rahn_full_scan", [Estimate(name, value_of(name), value_of(name), [], {}) for name in names], {})
    joint = joint_of([one], numbers, [])
    (pair,) = [value for a, b, value in joint.pairs(0.5) if {a, b} == set(names)]
    assert pair < -0.9
    assert "[[pair]]" in correlations_text(joint)


def test_joint_uncertainty_is_a_covariance(found: Calibration) -> None:
    values = np.linalg.eigvalsh(found.joint.covariance)
    assert values.min() > 0
    assert set(estimates(found.fits)) <= set(found.joint.names)


# --- all or nothing ---------------------------------------------------------------------------------------------------


def test_own_files_are_fitted_and_never_written(tmp_path: Path) -> None:
    """The catalog stands on the cases that come with the program alone."""
    own = tmp_path / "rahn_pctfree.toml"
    own.write_text((ROOT / "validation/measured/rahn_pctfree.toml").read_text("utf-8"), "utf-8")
    before = files_of(ROOT)
    outcome = CliRunner().invoke(commands, ["calibrate", str(own), "--write"])
    assert isinstance(outcome.exception, SpecError)
    assert "allowed are the cases that come with the program" in str(outcome.exception)
    assert files_of(ROOT) == before
    assert CliRunner().invoke(commands, ["calibrate", str(own), "--quiet"]).exit_code == 0


def test_an_interruption_while_files_are_written_leaves_them_as_they_were(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C before the first is renamed: nothing is changed and nothing left behind."""
    estimate = Estimate(NAME, 2e-8, 1.6e-8, ["a:b:c:d"], {}, interval=(1.9e-8, 2.1e-8))
    calibration = Calibration([Fit("a case", [estimate], {})], Joint([NAME], np.array([[1e-4]])))
    written: list[Path] = []
    usual = Path.write_text

    def interrupted(path: Path, text: str, encoding: str) -> int:
        written.append(path)
        if len(written) == 2:
            raise KeyboardInterrupt
        return usual(path, text, encoding)

    before = files_of(tree)
    monkeypatch.setattr(Path, "write_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(calibration, root=tree, whole=False)
    assert len(written) == 2
    assert files_of(tree) == before
