"""Every printed number against the model, the worst first: what fits, what tests; and the fitted constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final

import streamlit as st

from blocktime.app.answer.page_elements import captioned, tabs
from blocktime.app.charts import validation_charts
from blocktime.app.session.navigation import EVIDENCE_ABOUT
from blocktime.model.errors import BlocktimeError
from blocktime.model.units import show_number
from blocktime.model.version import blocktime_version
from blocktime.validation import Case, Comparison, Validation, validate, words
from blocktime.validation.fitted_constants import FittedConstant
from blocktime.validation.verdict_tally import case_of, mechanism_of

ORDER: Final = ("fails", "gap_closed", "known_gap", "within", "descriptive")
TABS: Final = ("By mechanism", "By age", "By document", "Numbers", "Constants")
IN_PERCENT: Final = ("In sample", "Out of sample", "Without its block size")


def rows_of(numbers: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Table rows, the worst first; errors in percent, in sample and out of sample apart."""
    rows = []
    for comparison in sorted(numbers, key=lambda each: (-abs(each.relative_error or 0.0), ORDER.index(each.verdict))):
        text = comparison.left_out.why if comparison.fit_alone else ""
        rows.append(
            {
                "Verdict": words.verdict_text(comparison),
                "Case": comparison.number.case,
                "Where": comparison.number.where,
                "Quantity": words.quantity_text(comparison),
                "Measured": words.measured_text(comparison),
                "Predicted": words.number_text(comparison.predicted),
                "In sample": _percent(comparison.in_sample_error),
                "Out of sample": _percent(comparison.out_of_sample_error),
                "Without its block size": _percent(comparison.without_its_block_size_error),
                "Tolerance": words.tolerance_text(comparison) if comparison.compared else "",
                "Spread": words.spread_text(comparison),
                "Use": words.FIT_ALONE if comparison.fit_alone else comparison.number.mark,
                "Mechanism": comparison.number.mechanism,
                "Note": "; ".join(part for part in (text, comparison.note) if part),
            }
        )
    return rows


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def constants_of(constants: Iterable[FittedConstant]) -> list[dict[str, Any]]:
    """The fitted constants as rows of a table."""
    return [
        {
            "Constant": constant.name,
            "Value": words.value_text(constant),
            "95 % interval": words.interval_text(constant),
            "Fitted to": ", ".join(constant.fitted_to),
            "Numbers": len(constant.fitted_to),
            "Explains": "one number: a fit" if constant.only_a_fit else "",
            "Range": ", ".join(
                f"{name} {show_number(low, 10)} to {show_number(high, 10)}"
                for name, (low, high) in constant.range.items()
            ),
            "Source": constant.source,
            "Note": constant.note,
        }
        for constant in constants
    ]


def sentence_of(summary: Mapping[str, Any]) -> str:
    """How far times that nothing was fitted to are off, and how many numbers are outside of what was declared."""
    off = words.size_text(summary["times_out_of_sample_median_error"])
    return (
        f"Half of the times that no constant was fitted to are within {off}; {summary['failed']:,} of "
        f"{summary['compared']:,} compared numbers fail, {summary['known_gaps']:,} are known gaps."
    )


def details_of(summary: Mapping[str, Any]) -> str:
    """The other counts and medians."""
    return (
        f"{summary['printed_numbers']:,} printed numbers: {summary['compared']:,} compared, "
        f"{summary['descriptive']:,} descriptive, which nothing predicts. {summary['fitted_constants']:,} constants "
        f"are fitted. Median error {words.size_text(summary['in_sample_median_error'])} in sample, "
        f"{words.size_text(summary['held_out_median_error'])} out of sample."
    )


@st.cache_data(max_entries=2, show_spinner="Comparing every printed number with the model …")
def _evidence(version: str) -> Validation:
    del version  # part of the key: another version has other evidence
    return validate()


def page() -> None:
    """Draw the page."""
    try:
        validation = _evidence(blocktime_version())
    except BlocktimeError as error:
        st.error(f"The evidence cannot be computed: {error}")
        return
    with st.container(key="sentence"):
        top = st.empty()
    details = st.empty()
    st.caption(
        "Each number is quoted as published. It either calibrates a constant or tests the model, never both. Its "
        "tolerance was declared before the comparison. In sample: error of a number that constants were fitted to. "
        "Out of sample: error of a number that tests the model, or of a fitted number predicted without its row."
    )
    numbers = _chosen(validation)
    summary = replace(validation, numbers=numbers).summary()
    top.markdown(f"### {sentence_of(summary)}")
    details.caption(details_of(summary))
    if len(numbers) < len(validation.numbers):
        st.caption(f"All on this page is of the {len(numbers):,} numbers chosen above, of {len(validation.numbers):,}.")
    # Another session may be importing pandas just now, and plotly stumbles over one that is half there.
    import_module("pandas")
    tabs("evidence_tab", {title: partial(_tab, title, numbers, validation) for title in TABS})


def choices_of(cases: Iterable[Case]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """What can be chosen of the documents: each as a whole, and its cases where it has several; title and cases."""
    together: dict[str, list[str]] = {}
    authors: dict[str, str] = {}
    for case in cases:
        together.setdefault(case.source.document, []).append(case.name)
        authors[case.source.document] = case.source.author
    choices: dict[str, tuple[str, tuple[str, ...]]] = {}
    for document, names in sorted(together.items()):
        author = authors[document]
        if len(names) > 1:
            choices[document] = (f"{author}: all {len(names)} cases", tuple(names))
        choices |= {name: (f"{author}: {name}", (name,)) for name in names}
    return choices


def _chosen(validation: Validation) -> list[Comparison]:
    """The numbers that the filters above them let through; a filter that is empty lets all through."""
    choices = choices_of(validation.cases)
    verdicts = sorted({comparison.verdict for comparison in validation.numbers}, key=ORDER.index)
    mechanisms = sorted({mechanism_of(comparison) for comparison in validation.numbers if comparison.compared})
    first, second, third = st.columns([1.2, 1.2, 1])
    chosen = first.multiselect(
        "Documents", list(choices), key="evidence_cases", format_func=lambda name: choices[name][0], placeholder="all",
        help="A document as a whole, or one of its cases",
    )  # fmt: skip
    cases = {case for name in chosen for case in choices[name][1]}
    about = second.multiselect("Mechanisms", mechanisms, key=EVIDENCE_ABOUT, placeholder="all")
    judged = third.pills(
        "Verdicts", verdicts, selection_mode="multi", key="verdicts", format_func=words.WORDS.__getitem__
    )
    return [
        comparison
        for comparison in validation.numbers
        if (not cases or comparison.number.case in cases)
        and (not about or mechanism_of(comparison) in about)
        and (not judged or comparison.verdict in judged)
    ]


def _tab(title: str, numbers: Sequence[Comparison], validation: Validation) -> None:
    compared = [comparison for comparison in numbers if comparison.compared]
    if title == "Numbers":
        rows = rows_of(numbers)
        st.dataframe(
            rows, hide_index=True, height=460, key="evidence", placeholder="",
            alt=f"{len(rows)} printed numbers with the model's prediction and verdict, the worst first",
            column_config={
                "Verdict": st.column_config.TextColumn(help=words.JUDGES),
                **{name: st.column_config.NumberColumn(format="%+.2f %%") for name in IN_PERCENT},
            },
        )  # fmt: skip
        st.caption(words.JUDGES)
    elif title == "Constants":
        chosen = {comparison.number.id for comparison in numbers}
        _constants([constant for constant in validation.constants if chosen & set(constant.fitted_to)])
    elif not validation_charts.points_of(compared):
        st.caption("Nothing among these is predicted.")
    else:
        years = {case.name: case.source.year for case in validation.cases}
        ways: dict[str, Callable[[Comparison], str]] = {
            "By mechanism": mechanism_of, "By document": case_of,
            "By age": lambda each: str(years[each.number.case] or "no year"),
        }  # fmt: skip
        captioned(f"evidence_{title[3:]}", *validation_charts.residuals(compared, ways[title]))


def _constants(constants: Sequence[FittedConstant]) -> None:
    rows = constants_of(constants)
    alone = sum(constant.only_a_fit for constant in constants)
    st.caption(
        f"{len(rows)} constants are fitted to these numbers; {alone} of them explain one number each: "
        "a fit, and no evidence."
    )
    st.dataframe(
        rows, hide_index=True, height=460, key="evidence_constants",
        column_config={"Fitted to": st.column_config.TextColumn(width="medium")},
        alt=f"{len(rows)} fitted constants with value, interval and the numbers that made them",
    )  # fmt: skip
