"""Where the model and the documents disagree: which numbers, and whether the prose is about just those.

A section of docs/differences.md that stands under a title of the third level holds a table ``numbers: PATTERN; …`` of
the numbers that it is about, by patterns of their ids, and three statements in bold: cause, who is likely right, and
what would settle it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from blocktime.validation.case import Cell
from blocktime.validation.compare import Comparison
from blocktime.validation.validate import Validation
from blocktime.validation.verdict_tally import by_mechanism, case_of, groups, is_as_printed
from blocktime.validation.words import (
    FIT_ALONE,
    NOTHING,
    WORDS,
    measured_text,
    number_text,
    quantity_text,
    spread_text,
    tolerance_text,
)
from tools.markdown_tables import anchor, paragraph, table, together

LARGE: Final = 0.10
"""A relative error that is told whatever the tolerance."""
ROUNDING: Final = 1e-5
"""Relative; what was left out is kept with six digits."""
STATEMENTS: Final = ("Cause.", "Likely right: ", "What would settle it.")
RIGHT: Final = ("the document", "the model", "neither", "both", "open")
SECTION: Final = re.compile(r"^### (?P<title>.+)\n(?P<body>(?:(?!^#{1,3} ).*\n?)*)", re.MULTILINE)
ABOUT: Final = re.compile(r"<!-- generated: numbers:\s(?P<patterns>.+?) -->", re.DOTALL)
SAID: Final = re.compile(r"\*\*Likely right: (?P<who>[a-z ]+)")


@dataclass(frozen=True, slots=True)
class DisagreementProse:
    """What is said by hand about some disagreements."""

    title: str
    patterns: tuple[str, ...]
    likely_right: str
    missing: tuple[str, ...]
    """Statements that it does not make."""


def sections_of(text: str) -> list[DisagreementProse]:
    """The sections of docs/differences.md that are about disagreements."""
    sections = []
    for section in SECTION.finditer(text):
        about = ABOUT.search(section["body"])
        if about:
            match = SAID.search(section["body"])
            missing = (statement for statement in STATEMENTS if f"**{statement}" not in section["body"])
            sections.append(
                DisagreementProse(
                    section["title"],
                    tuple(_split(about["patterns"])),
                    match["who"].strip() if match else "",
                    tuple(missing),
                )
            )
    return sections


def _split(patterns: str) -> list[str]:
    return [text.strip() for text in patterns.split(";")]


def errors_of(comparison: Comparison) -> list[float]:
    """The relative errors in sample, out of sample, and with its block size left out, as far as there are any."""
    every = (comparison.relative_error, comparison.out_of_sample_error, comparison.without_its_block_size_error)
    return [error for error in every if error is not None]


def disagrees(comparison: Comparison) -> bool:
    """Whether it is off by more than its tolerance or by more than 10 %, in sample or out of sample, or fits alone."""
    if not comparison.compared:
        return False
    if comparison.left_out.why:
        return True
    allowed = LARGE if comparison.tolerance is None else min(LARGE, comparison.tolerance + ROUNDING)
    return comparison.verdict != "within" or any(abs(error) > allowed for error in errors_of(comparison))


def disagreements(numbers: Iterable[Comparison]) -> list[Comparison]:
    """Those that are to be explained."""
    return [comparison for comparison in numbers if disagrees(comparison)]


def about(patterns: Sequence[str], numbers: Iterable[Comparison]) -> list[Comparison]:
    """Those of *numbers* whose id one of *patterns* has."""
    return [
        comparison for comparison in numbers if any(fnmatchcase(comparison.number.id, pattern) for pattern in patterns)
    ]


def problems(text: str, validation: Validation) -> list[str]:
    """What is wrong between prose and numbers, a sentence each.

    A disagreement without prose, or with two; prose about numbers that agree by now; a statement that is not made.
    """
    off = disagreements(validation.numbers)
    sections = sections_of(text)
    texts = []
    for comparison in off:
        titles = [section.title for section in sections if about(section.patterns, [comparison])]
        if not titles:
            errors = ", ".join(f"{100 * error:+.1f} %" for error in errors_of(comparison)) or WORDS[comparison.verdict]
            texts.append(f"{comparison.number.id} disagrees ({errors}), and no section is about it")
        elif len(titles) > 1:
            texts.append(f"{comparison.number.id}: sections {' and '.join(map(repr, titles))}; wanted one")
    for section in sections:
        for pattern in section.patterns:
            if not about([pattern], off):
                known = about([pattern], validation.numbers)
                state = "names a number that agrees" if known else "names no number"
                texts.append(f"section {section.title!r}: {pattern} {state}; wanted a disagreement")
        for statement in section.missing:
            texts.append(f"section {section.title!r}: does not say **{statement.strip()}**")
        if section.likely_right and section.likely_right not in RIGHT:
            known_words = ", ".join(RIGHT)
            texts.append(
                f"section {section.title!r}: likely right: got {section.likely_right!r}; wanted one of {known_words}"
            )
    return texts


def _by_chance(comparison: Comparison) -> bool:
    return comparison.number.path.startswith("transactions.")


def predicted_text(comparison: Comparison, predicted: float | None) -> str:
    """A prediction in four digits, or in three where chance has a part in it; counts whole."""
    if predicted is None or abs(predicted - round(predicted)) < ROUNDING:
        return number_text(predicted)
    return number_text(float(f"{predicted:.{3 if _by_chance(comparison) else 4}g}"))


def error_text(comparison: Comparison, error: float | None) -> str:
    """An error in percent, to a tenth, or whole where chance has a part in it."""
    if error is None:
        return NOTHING
    if is_as_printed(error):
        return "0"
    percent = f"{100 * error:+.{0 if _by_chance(comparison) else 1}f}"
    return f"{percent if float(percent) else percent[1:]} %"


CELLS: Final[dict[str, Callable[[Comparison], str]]] = {
    "number": lambda it: f"{it.number.where}: {quantity_text(it)}",
    "use": lambda it: it.number.mark,
    "printed": measured_text,
    "predicted": lambda it: predicted_text(it, it.predicted),
    "in sample": lambda it: error_text(it, it.in_sample_error),
    "out of sample": lambda it: FIT_ALONE if it.fit_alone else error_text(it, it.out_of_sample_error),
    "without its block size": lambda it: error_text(it, it.without_its_block_size_error),
    "tolerance": tolerance_text,
    "spread": spread_text,
    "verdict": lambda it: WORDS[it.verdict],
    "fits": lambda it: together(it.number.fits, ": "),
}
"""Head of a column -> what it says of a comparison."""
HEADS: Final = tuple(CELLS)[:-1]
OF_FITS: Final = (
    "number", "printed", "in sample", "out of sample", "without its block size", "tolerance", "spread", "fits"
)  # fmt: skip
"""Columns of the numbers that constants were fitted to, which are out of sample without their row."""


def _rows(heads: Sequence[str], comparisons: Iterable[Comparison]) -> list[list[str]]:
    return [[CELLS[head](comparison) for head in heads] for comparison in comparisons]


def numbers_table(patterns: str, validation: Validation) -> str:
    """The disagreements that a section is about, with what their spread was worked out from."""
    comparisons = about(_split(patterns), disagreements(validation.numbers))
    spreads = dict.fromkeys(
        comparison.number.spread_from for comparison in comparisons if comparison.number.spread_from
    )
    text = table(HEADS, _rows(HEADS, comparisons)) if comparisons else "Nothing disagrees here."
    return "\n\n".join([text, *(paragraph(f"Spread: {spread.removesuffix('.')}.") for spread in spreads)])


def contents(text: str, validation: Validation) -> str:
    """The sections, with their numbers, the largest error, and who is likely right."""
    off = disagreements(validation.numbers)
    rows = []
    for section in sections_of(text):
        comparisons = about(section.patterns, off)
        largest = max(
            ((error, comparison) for comparison in comparisons for error in errors_of(comparison)),
            key=lambda pair: abs(pair[0]),
            default=None,
        )
        rows.append(
            [
                ", ".join(sorted({it.number.document.removeprefix("document ") for it in comparisons})),
                f"[{section.title}]({anchor(section.title)})",
                str(len(comparisons)),
                error_text(largest[1], largest[0]) if largest else NOTHING,
                ", ".join(dict.fromkeys(WORDS[comparison.verdict] for comparison in comparisons)),
                section.likely_right,
            ]
        )
    return table(("document", "disagreement", "numbers", "largest error", "verdict", "likely right"), rows)


def summary(validation: Validation) -> str:
    """What the comparison comes to."""
    counted = validation.summary()
    compared = [comparison for comparison in validation.numbers if comparison.compared]
    off = disagreements(compared)
    alone = [comparison for comparison in compared if comparison.fit_alone]
    rows = [
        ("printed numbers on file", f"{counted['printed_numbers']:,}"),
        ("of these compared with the model", f"{counted['compared']:,}"),
        ("of these calibrate constants", f"{sum(comparison.in_sample for comparison in compared):,}"),
        ("constants and inputs fitted", f"{counted['fitted_constants']:,}"),
        ("fitted numbers that alone determine their constant (no evidence)", f"{len(alone):,}"),
        ("of these test the model", f"{sum(not comparison.in_sample for comparison in compared):,}"),
        ("median error in sample", _percent(counted["in_sample_median_error"])),
        ("median error out of sample", _percent(counted["held_out_median_error"])),
        ("median error of times, in sample", _percent(counted["times_in_sample_median_error"])),
        ("median error of times, out of sample", _percent(counted["times_out_of_sample_median_error"])),
        ("outside their tolerance, and not a known gap", f"{counted['failed']:,}"),
        ("known gaps", f"{counted['known_gaps']:,}"),
        ("disagreements below: known gaps, and errors above the tolerance or 10 %", f"{len(off):,}"),
    ]
    return table(("quantity", "count"), rows)


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"


def fits_table(validation: Validation) -> str:
    """Every number that constants were fitted to, with what the model says of it without it."""
    fits = [comparison for comparison in validation.numbers if comparison.in_sample]
    head_texts = {"out of sample": "without its row"}
    return "\n\n".join(
        table([case, *(head_texts.get(head, head) for head in OF_FITS[1:])], _rows(OF_FITS, comparisons))
        for case, comparisons in groups(fits, case_of)
    )


def mechanism_table(validation: Validation) -> str:
    """How many printed numbers are about each mechanism, and how far the model is off."""
    rows = [
        [
            tally.name,
            f"{tally.fits:,}",
            f"{tally.tests:,}",
            f"{tally.within:,}",
            f"{tally.known_gaps:,}",
            f"{tally.failed:,}",
            _percent(tally.in_sample_median_error),
            _percent(tally.held_out_median_error),
        ]
        for tally in by_mechanism(validation.numbers)
    ]
    heads = (
        "mechanism", "fit", "test", "within tolerance", "known gaps", "fail",
        "median error in sample", "median error out of sample",
    )  # fmt: skip
    return table(heads, rows)


def doubts_table(validation: Validation) -> str:
    """What the cases doubt of what is printed."""
    rows = [
        [
            case.source.document.removeprefix("document "),
            f"{doubt.table}: {', '.join(doubt.columns)}",
            ", ".join(f"{key} {_cells(value)}" for key, value in doubt.where.items()),
            doubt.says,
        ]
        for case in validation.cases
        for doubt in case.doubt
    ]
    return table(("document", "printed", "where", "doubt"), sorted(rows, key=lambda row: row[0]))


def _cells(value: Cell | list[Cell]) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)
