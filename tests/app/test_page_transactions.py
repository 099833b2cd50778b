"""The page of transactions: presets, every control to both ends, the tabs, and what is refused."""

import pytest
from streamlit.testing.v1 import AppTest

from blocktime.app.answer import answer
from blocktime.app.controls import forms
from blocktime.model.units import show_seconds
from blocktime.scenarios import load, run
from tests.answered import answered
from tests.app import page_numbers
from tests.app.page_numbers import metric, says

pytestmark = pytest.mark.usefixtures("simulated_at_once")

CONTROLS = [
    control for group, controls in forms.groups_of("transactions").items() for control in controls if group != "Prices"
]


def opened(name: str, tab: str = "", **query: str) -> AppTest:
    return page_numbers.opened({"scenario": name, **query}, **({"tab": tab} if tab else {}))


@pytest.mark.parametrize("name", ["tpc-b", "tpc-c"])
def test_a_preset_opens_with_its_figures(name: str) -> None:
    app, result = opened(name), answered(name)
    assert result.transactions
    assert app.error.len == 0
    assert metric(app, "Response").value == show_seconds(result.time.elapsed_s)
    assert metric(app, "TPS").value == f"{result.transactions.per_s:.3g}"
    assert metric(app, "p95").value == show_seconds(result.transactions.response_percentiles["p95"])
    assert says(app, f":gray-badge[{result.method}]")


def test_the_controls_are_those_that_play_a_part() -> None:
    paths = {control.path for control in CONTROLS}
    assert paths >= {
        "workload.users", "workload.think_s", "workload.rate_per_s", "instance.buffer_cache_bytes",
        "instance.db_keep_cache_bytes", "instance.db_recycle_cache_bytes", "workload.hot_pool", "workload.cold_pool",
        "workload.hot_data_percent", "workload.hot_gets_percent", "workload.data_bytes", "host.cpus",
        "host.threads_per_core", "host.smt_gain_percent", "disk.use", "instance.redo_disk", "workload.mix.0.gets",
        "workload.mix.0.changed_blocks", "workload.mix.0.calls", "instance.replacement.percent_hot",
    }  # fmt: skip
    assert paths >= {"instance.filesystemio_options", "host.io_path", "host.page_cache_hit_fraction"}
    assert not paths & {"table.rows", "index.clustering", "workload.arraysize_rows"}
    assert len(paths) == len(CONTROLS)


def test_a_single_kind_has_its_controls_and_several_have_none() -> None:
    assert opened("tpc-b").text_input("workload.mix.0.gets").value == "12"
    assert not [one for one in opened("tpc-c").text_input if one.key.startswith("workload.mix")]


def test_a_control_moves_the_figures_and_the_address() -> None:
    app = opened("tpc-b")
    app.text_input("workload.mix.0.gets").set_value("24").run()
    assert not app.exception
    assert app.query_params["workload.mix.0.gets"] == "24"
    found = answered("tpc-b", "workload.mix.0.gets=24")
    assert metric(app, "Response").value == show_seconds(found.time.elapsed_s)
    app.text_input("instance.buffer_cache_bytes").set_value("256M").run()
    assert any("hit ratio rose" in one.value for one in app.markdown)


def test_arrivals_replace_the_users() -> None:
    app = opened("tpc-b", **{"workload.rate_per_s": "50"})
    assert app.error.len == 0
    assert app.text_input("workload.users").disabled
    assert metric(app, "Users at saturation").value == "—"


@pytest.mark.sampled(9)
@pytest.mark.parametrize("tab", ["Transactions", "Load", "Cache", "Breakdown", "Device", "Assumptions"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"workload.users": "40", "instance.redo_disk": "data", "instance.buffer_cache_bytes": "32M"},
        {"workload.rate_per_s": "20"},
    ],
)
def test_every_tab_is_drawn(tab: str, changes: dict[str, str]) -> None:
    app = opened("tpc-c", tab, **changes)
    assert app.error.len == 0
    charted = {"Load": 4, "Cache": 2}.get(tab)
    if charted:
        assert len(app.get("plotly_chart")) == charted


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("workload.hot_pool", "keep", ("KEEP pool", "instance.db_keep_cache_bytes", "size")),
        ("workload.data_bytes", "100T", ("workload.data_bytes", "100T", "disk holds")),
        ("workload.rate_per_s", "500000", ("workload.rate_per_s", "500000", "transactions a second")),
    ],
)
def test_what_is_refused_is_one_sentence_on_the_page(path: str, text: str, words: tuple[str, ...]) -> None:
    app = opened("tpc-b", **{path: text})
    assert app.error.len == 1
    said = app.error[0].value.replace("\\", "")
    assert [word for word in words if word not in said] == []


def test_a_simulation_that_does_not_last_says_so_beside_its_method() -> None:
    short = ["instance.buffer_cache_bytes=20M", "workload.users=60", "workload.transactions=2000"]
    assert "DBWR does not keep up" in answer.badge(run(load("magni-tpcb-8k", short)))
    assert "DBWR" not in answer.badge(run(load("magni-tpcb-8k")))
