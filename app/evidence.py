"""Every printed number against the model: fits first declared, misses first shown."""

from __future__ import annotations

import json
from typing import Any, Final

import streamlit as st

from model.books import blocktime_version
from model.errors import BlocktimeError

ORDER: Final = ("fails", "gap_closed", "known_gap", "within", "descriptive")
COLUMNS: Final = {
    "verdict": "Verdict", "case": "Case", "where": "Where", "quantity": "Quantity", "unit": "Unit",
    "measured": "Measured", "predicted": "Predicted", "off": "Off by", "tolerance": "Tolerance", "role": "Role",
    "note": "Note",
}  # fmt: skip


def rows_of(numbers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Table rows, misses first; a share as percent, and whether the number fits constants or tests the model."""
    rank = {verdict: place for place, verdict in enumerate(ORDER)}
    rows = []
    for number in sorted(numbers, key=lambda one: rank.get(one.get("verdict", ""), len(ORDER))):
        row = dict(number)
        row["verdict"] = str(row.get("verdict", "")).replace("_", " ")
        row["role"] = "fits" if row.pop("in_sample", False) else "tests"
        off, tolerance = row.pop("relative_error", None), row.get("tolerance")
        row["off"] = "" if off is None else f"{off:+.2%}"
        row["tolerance"] = "" if tolerance is None else f"± {tolerance:.2%}"
        where = row.get("where")
        row["where"] = where if isinstance(where, str) else json.dumps(where or {}, ensure_ascii=False)
        for key in ("measured", "predicted"):
            row[key] = _number(row.get(key))
        rows.append({title: row.get(key) for key, title in COLUMNS.items()})
    return rows


def _number(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, int | float) and abs(value) < 1e6 else (
        f"{value:,.0f}" if isinstance(value, int | float) else str(value or "")
    )  # fmt: skip


def summary_of(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary as labels and values."""

    def share(key: str) -> str:
        return f"{summary[key]:.2%}" if summary.get(key) is not None else "—"

    return [
        ("Printed numbers", f"{summary.get('printed_numbers', 0):,}"),
        ("Compared", f"{summary.get('compared', 0):,}"),
        ("Fitted constants", f"{summary.get('fitted_constants', 0):,}"),
        ("Median error, tests", share("held_out_median_error")),
        ("Median error, fits", share("in_sample_median_error")),
        ("Fail", f"{summary.get('failed', 0):,}"),
        ("Known gaps", f"{summary.get('known_gaps', 0):,}"),
    ]


@st.cache_data(max_entries=2, show_spinner="Comparing every printed number with the model …")
def _evidence(version: str) -> dict[str, Any]:
    del version  # part of the key: another version has other evidence
    from validation import validate

    found: Any = validate().to_json()
    answer: dict[str, Any] = json.loads(found) if isinstance(found, str) else found
    return answer


def page() -> None:
    """Draw the page."""
    st.markdown("### Measured against predicted")
    st.caption(
        "Numbers exactly as their authors printed them. A number either fits a constant or tests the model, never "
        "both; its tolerance was declared before the comparison."
    )
    try:
        found = _evidence(blocktime_version())
    except ImportError:
        st.warning("The validation is not part of this installation, so there is nothing to compare.")
        return
    except BlocktimeError as error:
        st.error(f"The evidence cannot be computed: {error}")
        return
    shown = summary_of(found["summary"])
    for column, (label, value) in zip(st.columns(len(shown)), shown, strict=True):
        column.metric(label, value)
    numbers = found["numbers"]
    verdicts = sorted({str(number["verdict"]) for number in numbers}, key=lambda v: (v not in ORDER, v))
    wanted = st.pills(
        "Verdicts",
        verdicts,
        selection_mode="multi",
        key="verdicts",
        format_func=lambda v: v.replace("_", " "),
    )
    rows = rows_of([number for number in numbers if not wanted or number["verdict"] in wanted])
    st.dataframe(
        rows, hide_index=True, height=460, key="evidence",
        alt=f"{len(rows)} printed numbers with the model's prediction and verdict, misses first",
    )  # fmt: skip
