"""The first page under Streamlit's test client, and its numbers: the elapsed time, and those of the table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from blocktime.model.units import show_seconds
from tests.answered import answered
from tests.patience import LIMIT_S

ENTRY = str(Path(__file__).parents[2] / "app" / "streamlit_app.py")

COLUMNS = {"Number", "Value"}, {"Number", "Baseline", "What-if", "Change"}
"""Of the table: where nothing has changed, and where something has."""


@dataclass(frozen=True)
class Shown:
    """A number as it is written, and what is said of its difference; the label of a line is Markdown."""

    label: str
    value: str
    delta: str = ""
    help: str = ""


def numbers(app: AppTest) -> list[Shown]:
    """Every number of the answer, in the order of the page."""
    found = [Shown(one.label, one.value, one.delta, one.help) for one in app.metric]
    for table in app.table:
        if set(table.value.columns) in COLUMNS:
            for row in table.value.to_dict("records"):
                value = row.get("What-if", row.get("Value"))
                found.append(Shown(row["Number"], _plain(value), _plain(row.get("Change", ""))))
    return found


def _plain(text: str) -> str:
    """The words of a cell."""
    return re.sub(r"^:\w+\[(.*)\]$", r"\1", text).replace("\\", "")


def says(app: AppTest, text: str) -> bool:
    """Whether a sentence of the page has *text*."""
    return any(text in one.value.replace("\\", "") for one in [*app.markdown, *app.caption, *app.info])


def elapsed(name: str, *settings: str) -> str:
    """The time of the scenario, as the page writes it."""
    return show_seconds(answered(name, *settings).time.elapsed_s)


def said_at_fields(app: AppTest) -> list[str]:
    """Why values are refused, as their fields say it."""
    return [one.value for one in app.caption if one.value.startswith(":red[:material/error:")]


def metric(app: AppTest, label: str) -> Shown:
    """The first number whose label begins so."""
    return next(one for one in numbers(app) if one.label.startswith(label))


def opened(query: Mapping[str, str], **state: Any) -> AppTest:
    """The program at that address, in a session that begins with *state*; it runs without a fault."""
    app = AppTest.from_file(ENTRY, default_timeout=LIMIT_S)
    for key, value in query.items():
        app.query_params[key] = value
    for key, value in state.items():
        app.session_state[key] = value
    app.run()
    assert not app.exception
    return app


def scan(**query: str) -> AppTest:
    """The page at that address; of the measured scan where it names no scenario."""
    return opened({"scenario": "rahn-full-scan", **query})


def tab_of(name: str, **query: str) -> AppTest:
    """The page at that address with one of its tabs open; nothing is complained of."""
    app = opened(query, tab=name)
    assert app.error.len == 0
    return app


def charts_among(keys: Sequence[str], app: AppTest) -> list[str]:
    """Those of *keys* that a chart of the page has, in their order."""
    found = [chart.proto.id for chart in app.get("plotly_chart")]
    return [key for key in keys if any(one.endswith(f"-{key}") for one in found)]
