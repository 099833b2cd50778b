"""A control is moved: what that costs the server by the test client, and when a browser has painted what it changes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from streamlit import config
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, local_script_runner

from blocktime.app.session.what_if_state import GROUPS
from blocktime.app.what_if.what_if_controls import key_of
from tests.patience import LIMIT_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ENTRY: Final = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
MOVED: Final = "table.pctfree_percent"
MOVED_LABEL: Final = "PCTFREE"
FLAGS: Final = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
"""Of the browser, as the tests start it."""
REFERENCE: Final = """
import streamlit as st

st.set_page_config(layout="wide")
values = [st.sidebar.slider(f"Slider {n}", 0, 99, 0, key=f"slider{n}", help="help") for n in range(4)]
st.metric("Elapsed", f"{100 + sum(values)} s")
st.plotly_chart(
    {"data": [{"type": "bar", "x": list("abcdefgh"), "y": [1 + sum(values) + n for n in range(8)]}],
     "layout": {"height": 300}},
    key="chart",
)
"""
"""The page that the browser's figures are held against: four sliders, a number and a chart."""


def empty_page(sliders: int) -> str:
    """The script of a page of sliders alone."""
    return f"import streamlit as st\n\nfor n in range({sliders}):\n    st.slider(str(n), 0, 99, 0, key=str(n))\n"


def controls_of(app: AppTest) -> int:
    """How many controls the sidebar has: what a reader can set, not the buttons."""
    side = app.sidebar
    kinds = ("slider", "select_slider", "selectbox", "text_input", "toggle", "segmented_control")
    return sum(len(side.get(kind)) for kind in kinds)


def part_of(app: AppTest, path: str) -> list[str]:
    """The part of the page in which the control of *path* stands, as a browser names it."""
    groups = app.session_state[GROUPS].items()
    group = next(name for name, rows in groups if path in (row.control.path for row in rows))
    return app._fragment_storage.resolve_target(key_of(group))


@contextmanager
def as_a_browser_asks(app: AppTest, path: str, part: list[str] | None = None) -> Iterator[None]:
    """Runs that the control of *path* asks for: a browser names the part of the page that it stands in.

    The test client asks for the whole page.
    """
    part = part or part_of(app, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id_queue=part))
        yield


@contextmanager
def as_a_server_runs() -> Iterator[None]:
    """Runs whose script is compiled once, as a server keeps it; the test client compiles it for every run."""
    kept = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "ScriptCache", lambda: kept)
        yield


@dataclass(frozen=True)
class Reruns:
    """CPU seconds of each rerun by the test client, all pages in turns."""

    empty: Sequence[float]
    fresh: Sequence[float]
    cached: Sequence[float]
    controls: int


@as_a_server_runs()
def reruns(moves: int, **query: str) -> Reruns:
    """Move a slider so often on the page to values never seen, on it to values seen before, and on an empty page."""
    config.set_option("browser.gatherUsageStats", False)  # as the page is served
    app = _opened(AppTest.from_file(str(ENTRY), default_timeout=LIMIT_S), query)
    controls = controls_of(app)
    bare = _opened(AppTest.from_string(empty_page(controls), default_timeout=LIMIT_S), {})
    values = range(1, moves + 1)
    empty, fresh, cached = [], [], []
    for value in (90, 91):  # warms what is loaded with the first move
        with as_a_browser_asks(app, MOVED):
            _cpu_of_move(app, MOVED, value)
        _cpu_of_move(bare, "0", value)
    for value in values:
        with as_a_browser_asks(app, MOVED):
            fresh.append(_cpu_of_move(app, MOVED, value))
        empty.append(_cpu_of_move(bare, "0", value))
    for value in reversed(values[:-1]):
        with as_a_browser_asks(app, MOVED):
            cached.append(_cpu_of_move(app, MOVED, value))
        empty.append(_cpu_of_move(bare, "0", value))
    return Reruns(empty, fresh, cached, controls)


def _opened(app: AppTest, query: dict[str, str]) -> AppTest:
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def _cpu_of_move(app: AppTest, key: str, value: int) -> float:
    slider = app.slider(key).set_value(value)
    begin = time.process_time()
    slider.run()
    took = time.process_time() - begin
    assert not app.exception
    return took


WATCH: Final = """([slider, label]) => {
  const look = () => {
    const number = [...document.querySelectorAll('[data-testid=stMetric], .st-key-numbers tr')]
      .find(e => e.innerText.trim().startsWith(label))?.innerText;
    const chart = document.querySelector('[data-testid=stPlotlyChart] .barlayer')?.innerHTML;
    return [number, chart];
  };
  const before = look();
  window.watched = {};
  const began = event => {
    const start = performance.now();
    slider.removeEventListener('keydown', began, true);
    const frame = () => {
      const now = look();
      for (const [n, name] of ['number', 'chart'].entries())
        if (!(name in window.watched) && now[n] && now[n] !== before[n])
          window.watched[name] = performance.now() - start;
      if (Object.keys(window.watched).length < 2) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  slider.addEventListener('keydown', began, true);
}"""
"""From the key press to the first frame that has a new number, and a new chart; milliseconds."""


class Watched:
    """A page in the browser whose slider is moved by keyboard."""

    def __init__(self, browser: Browser, address: str, slider: str, metric: str = "Elapsed") -> None:
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        context.set_default_timeout(1000 * LIMIT_S)
        self.page: Page = context.new_page()
        self.page.goto(address)
        self._metric = metric
        self._slider = self.page.get_by_role("slider", name=slider).first
        self._slider.wait_for()
        self.page.locator("[data-testid=stPlotlyChart] .barlayer .point").first.wait_for()

    def move(self, key: str) -> dict[str, float]:
        """Milliseconds until the number and the chart are painted, and until both are."""
        self.page.bring_to_front()
        self._slider.focus()
        self._rest()
        self.page.evaluate(WATCH, [self._slider.element_handle(), self._metric])
        self._slider.press(key)
        self.page.wait_for_function("() => Object.keys(window.watched).length === 2")
        found: dict[str, Any] = self.page.evaluate("window.watched")
        return {**found, "both": max(found.values())}

    def _rest(self) -> None:
        self.page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
        )
        self.page.wait_for_timeout(150)

    def close(self) -> None:
        """Close its window."""
        self.page.context.close()


def in_turns(pages: dict[str, Watched], keys: Sequence[str]) -> dict[str, list[dict[str, float]]]:
    """Each key on each page, one page after the other, so that noise hits all."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in pages}
    for key in keys:
        for name, page in pages.items():
            found[name].append(page.move(key))
    return found


def there_and_back(moves: int) -> Iterator[str]:
    """So many keys: half of them to the right, to values never seen, then to the left."""
    for move in range(moves):
        yield "ArrowRight" if move < moves // 2 else "ArrowLeft"
