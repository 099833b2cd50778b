"""The numbers of the first page as the test client has them: the elapsed time, and those of the table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from streamlit.testing.v1 import AppTest

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


def metric(app: AppTest, label: str) -> Shown:
    """The first number whose label begins so."""
    return next(one for one in numbers(app) if one.label.startswith(label))
