"""How sure an answer is, as it is shown: text, JSON, HTML report, figures and the page's switch."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.answer import uncertainty_view
from blocktime.app.charts import uncertainty_charts
from blocktime.app.command.cli import main
from blocktime.app.text.uncertainty_text import (
    difference_sentence,
    interval_sentence,
    largest_sentence,
    percents,
    seconds,
    share_facts,
    uncertainty_section,
    what_it_holds,
)
from blocktime.model.catalog import constant_named
from blocktime.model.provenance import Constant
from blocktime.model.results import Contribution, Interval, RunResult, Uncertainty
from blocktime.scenarios import load, run
from blocktime.scenarios.uncertainty import Difference, constant_runs
from tests.app.page_numbers import opened, says
from tests.command_line import CommandLine

Captured = pytest.CaptureFixture[str]
SCAN = "savvinov-lio-pc"


def constant(share: float = 0.8, fitted_to: tuple[str, ...] = ("case:table:1:real",), note: str = "") -> Contribution:
    known = Constant(
        value=1e-5, name="host/some: call_s", how="fitted" if fitted_to else "assumed", source="some-source", note=note,
        interval=(8e-6, 1.3e-5), fitted_to=list(fitted_to),
    )  # fmt: skip
    return Contribution(constant=known, fields=["host.call_s"], variance_fraction=share)


def sure(low_s: float, high_s: float, **more: object) -> RunResult:
    """A scan that takes 318 ms or so, with an interval."""
    fields = {
        "elapsed": Interval(low_s=low_s, high_s=high_s, confidence=0.95), "contributions": [constant()],
        "uncertain_constants": ["a", "b", "c"], "known_constants": ["d", "e", "f", "g"],
        "draws": 1024, "seed": 1, **more,
    }  # fmt: skip
    return run(load(SCAN)).model_copy(update={"uncertainty": Uncertainty.model_validate(fields)})


def difference(low_s: float, high_s: float, *extrapolated: str) -> Difference:
    return Difference(
        change_s=(low_s + high_s) / 2, low_s=low_s, high_s=high_s, low_fraction=low_s / 10, high_fraction=high_s / 10,
        confidence=0.95, contributions=[], extrapolated_constants=list(extrapolated), draws=1024, seed=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("low_s", "high_s", "says"),
    [
        (124.58, 126.07, "124.6 to 126.1 s"),
        (546.99, 1955.4, "547 to 1,955 s"),
        (0.28753, 0.36113, "288 to 361 ms"),
        (0.0000042, 0.0000051, "4.20 to 5.10 µs"),
        (-0.2, 2.0, "-0.2 to 2.0 s"),
        (5.0, 5.0, "5.00 to 5.00 s"),
        (0.0, 0.0, "0.00 to 0.00 µs"),
    ],
)
def test_a_range_has_two_digits_of_its_width(low_s: float, high_s: float, says: str) -> None:
    assert seconds(low_s, high_s) == says


def test_shares_have_a_sign() -> None:
    assert percents(-0.012, 0.0081) == "-1.2 to +0.8 %"


@pytest.mark.parametrize(
    ("low_s", "high_s", "says"),
    [
        (-0.21, -0.03, "Sure: B takes less time than A, by 0.3 to 2.1 % (30 to 210 ms) with 95 % confidence."),
        (0.03, 0.21, "Sure: B takes more time than A, by 0.3 to 2.1 % (30 to 210 ms) with 95 % confidence."),
        (
            -0.12,
            0.08,
            "Not sure: B may take less time than A or more, -1.2 to +0.8 % (-120 to +80 ms) with 95 % confidence.",
        ),
        (0.0, 0.0, "Sure: B takes as long as A, whatever the constants are."),
    ],
)
def test_a_difference_says_whether_its_sign_is_sure(low_s: float, high_s: float, says: str) -> None:
    assert difference_sentence(difference(low_s, high_s)) == says


@pytest.mark.parametrize(("low_s", "high_s"), [(-0.21, -0.03), (0.03, 0.21), (-0.12, 0.08)])
def test_sure_is_not_said_of_what_is_extrapolated(low_s: float, high_s: float) -> None:
    said = difference_sentence(difference(low_s, high_s, "host/some: call_s"))
    assert not said.startswith("Sure")
    assert said.endswith("Extrapolated: 1 constant used outside the range of the measurements.")
    if low_s * high_s > 0:
        assert said.startswith("Likely: B takes ")


def test_an_answer_says_within_what_it_lies() -> None:
    takes = run(load(SCAN)).time.elapsed_s
    assert interval_sentence(sure(0.9 * takes, 1.2 * takes)).endswith("(-10 to +20 %) with 95 % confidence.")
    assert interval_sentence(run(load(SCAN))) == ""


def test_an_answer_says_what_its_interval_holds() -> None:
    held = " ".join(what_it_holds([sure(0.3, 0.4, extrapolated_constants=["a"], chance_s=0.1)]))
    assert held == (
        "The interval includes the model's own error on published numbers, 3 uncertain constants and chance. "
        "1 constant is used outside the range of the measurements. The interval is wider for that. "
        "4 constants have no interval and count as exact."
    )


def test_the_lines_name_the_largest_cause_and_what_is_left_out() -> None:
    text = " ".join(" ".join(uncertainty_section(sure(0.3, 0.4)).lines(80)).split())
    assert "80.0 % host/some: call_s: 10 µs, 8 µs to 13 µs, fitted [some-source]" in text
    assert "CPU of a database call of host/some: call_s causes 80 % of this uncertainty." in text
    assert "It was fitted to case:table:1:real. Measure yours and set host.call_s." in text
    assert "The interval is from 1,024 sets of constants, drawn with seed 1." in text
    assert "simulations" not in text
    by_runs = " ".join(" ".join(uncertainty_section(sure(0.3, 0.4, runs=33)).lines(80)).split())
    assert "33 simulations show how the time depends on the constants." in by_runs
    assert list(uncertainty_section(run(load(SCAN))).lines()) == []


def test_a_simulation_without_replications_says_that_chance_is_missing() -> None:
    result = sure(0.3, 0.4, runs=33).model_copy(update={"how": "simulation"})
    assert "does not include random variation" in " ".join(uncertainty_section(result).lines(400))
    found = result.uncertainty
    assert found is not None
    told = result.model_copy(update={"uncertainty": found.model_copy(update={"chance_s": 0.0})})
    assert "does not include random variation" not in " ".join(uncertainty_section(told).lines(400))


def test_the_largest_says_what_would_narrow_it() -> None:
    assert largest_sentence([]) == ""
    many = tuple(f"case:table:{row}:real" for row in range(5))
    assert "case:table:2:real and 2 more. Measure yours" in largest_sentence([constant(fitted_to=many)])
    assumed = largest_sentence([constant(fitted_to=(), note="nobody has measured it")])
    assert "It is an assumption (nobody has measured it). Measure yours and set host.call_s." in assumed
    assert "No single cause is large" in largest_sentence([constant(0.1)])
    assert "No single cause is large" not in largest_sentence([constant(0.3)])


def test_a_constant_of_the_catalog_is_told_in_plain_english() -> None:
    nvme = constant_named("disk/nvme: bandwidth_bytes_per_s")
    one = Contribution(constant=nvme, fields=["disk.bandwidth_bytes_per_s"], variance_fraction=0.55)
    assert largest_sentence([one]) == (
        "Transfer rate, in the outermost zone of NVMe solid-state disk causes 55 % of this uncertainty. It is a "
        "typical value (2 to 3.5 GB/s, depending on the drive). Measure yours and set disk.bandwidth_bytes_per_s."
    )


def test_the_models_own_error_is_a_cause_by_mechanism() -> None:
    said = largest_sentence([Contribution(mechanism="client", variance_fraction=0.7)])
    assert said.startswith("The model's own error for client causes 70 % of this uncertainty. Predictions of published")
    ((_, line, *_),) = share_facts([Contribution(mechanism="nothing printed", variance_fraction=0.7)])
    assert "no published time is about it" in line


def test_run_puts_it_into_text_json_and_report(capsys: Captured, blocktime: CommandLine, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    out = blocktime.prints("run", SCAN, "--uncertainty", "--html", str(page))
    assert "\nUncertainty\nIt takes " in out
    assert "<h2>Uncertainty</h2>" in page.read_text("utf-8")
    found = json.loads(blocktime.prints("run", SCAN, "--uncertainty", "--json"))["uncertainty"]
    assert found["elapsed"]["low_s"] < found["elapsed"]["high_s"]
    assert found["contributions"][0]["mechanism"] == "logical I/O"
    assert found["contributions"][1]["constant"]["name"].startswith("host/")
    assert found["draws"] == 4096
    assert main(["run", SCAN, "--uncertainty", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert "with 95 % confidence" in out
    assert err == ""


def test_an_interrupt_of_the_simulations_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(constant_runs, "simulate", interrupted)
    assert main(["run", "magni-pwrite-8", "--uncertainty"]) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err


def test_an_interval_over_budget_is_refused(monkeypatch: pytest.MonkeyPatch, blocktime: CommandLine) -> None:
    """The answer fits the budget, its interval does not."""
    check = constant_runs._check
    monkeypatch.setattr(constant_runs, "_check", lambda name, work, *rest: check(name, 10**13 + work, *rest))
    err = blocktime.refuses("run", "magni-pwrite-8", "--uncertainty")
    assert "magni-pwrite-8: the uncertainty takes about 2.8 hours for 19 simulations; the limit is 2 minutes" in err
    assert "or allow it by --max-est-exec-time 0" in err


def test_without_the_option_nothing_is_said_of_it(blocktime: CommandLine) -> None:
    assert "uncertainty" not in json.loads(blocktime.prints("run", SCAN, "--json"))
    assert "Uncertainty" not in blocktime.prints("compare", SCAN, "--set", "tablespace.block_size_bytes=16K")


def test_the_same_seed_gives_the_same_words(blocktime: CommandLine) -> None:
    said = []
    for seed in ("7", "7", "8"):
        said.append(json.loads(blocktime.prints("run", SCAN, "--uncertainty", "--json", "--seed", seed))["uncertainty"])
    assert said[0] == said[1]
    assert said[0]["elapsed"] != said[2]["elapsed"]


def test_compare_puts_it_into_text_json_and_report(blocktime: CommandLine, tmp_path: Path) -> None:
    asked = ["compare", SCAN, "--set", "table.rows=20000000", "--uncertainty"]
    page = tmp_path / "report.html"
    first, _, last = blocktime.prints(*asked, "--html", str(page)).partition("\nUncertainty\n")
    assert "\nSure: B takes more time than A, by " in first
    assert "Sure: " not in last
    assert "<h2>Uncertainty</h2>" in page.read_text("utf-8")
    found = json.loads(blocktime.prints(*asked, "--json"))
    change = found["differences"][0]
    assert change["uncertainty"]["sign"] == "more"
    assert change["uncertainty"]["sure"] is True
    assert change["uncertainty"]["low_s"] <= change["elapsed_change_s"] <= change["uncertainty"]["high_s"]
    assert all("uncertainty" in result for result in found["results"])
    out = blocktime.prints(*asked, "--quiet")
    assert [line.split(" takes ")[0] for line in out.splitlines()[1:]] == ["Sure: B"]
    assert out.startswith(change["sentence"])


def test_the_figures_show_the_interval_and_the_shares() -> None:
    before, after = sure(0.3, 0.4), sure(0.31, 0.33)
    figure, said = uncertainty_charts.intervals({"Baseline": before, "What-if": after})
    (trace,) = figure["data"]
    ends = [at + more for at, more in zip(trace["x"], trace["error_x"]["array"], strict=True)]
    assert ends == pytest.approx([400, 330])
    assert [at - less for at, less in zip(trace["x"], trace["error_x"]["arrayminus"], strict=True)] == pytest.approx(
        [300, 310]
    )
    assert "What-if: " in said
    figure, said = uncertainty_charts.shares([constant(0.8), constant(0.001)])
    assert figure["data"][0]["x"] == [80]
    assert said == "host/some: call_s causes 80 % of this uncertainty."


def switched_on(**query: str) -> AppTest:
    app = opened(query)
    assert not says(app, "with 95 % confidence")
    app.toggle(uncertainty_view.SWITCH).set_value(True).run()
    assert not app.exception
    return app


def test_the_page_shows_it_behind_a_switch() -> None:
    app = switched_on(scenario=SCAN)
    assert says(app, "with 95 % confidence")
    assert says(app, "The model's own error for logical I/O causes")
    assert says(app, "The interval includes the model's own error")


def test_the_page_shows_how_sure_a_change_is() -> None:
    app = switched_on(scenario=SCAN, **{"tablespace.block_size_bytes": "16384"})
    assert says(app, "Extrapolated: 1 constant used outside the range of the measurements.")
    assert not says(app, "Sure:")


def test_the_page_and_the_terminal_tell_one_interval(blocktime: CommandLine) -> None:
    """A stream that both simulate."""
    stream = "magni-pwrite-8"
    told = json.loads(blocktime.prints("run", stream, "--uncertainty", "--json"))
    assert told["how"] == "simulation"
    scenario = load(stream)
    propagated = uncertainty_view.uncertainty_of((scenario, scenario), (run(scenario),) * 2, "")
    assert propagated is not None
    before = propagated[0][0]
    assert before.uncertainty is not None
    own, told_as = before.uncertainty.contributions[0], told["uncertainty"]["contributions"][0]
    assert told_as["variance_fraction"] == pytest.approx(own.variance_fraction)
    ends = told["uncertainty"]["elapsed"]["high_s"] / told["time"]["elapsed_s"]
    assert ends == pytest.approx(before.uncertainty.elapsed.high_s / before.time.elapsed_s)
