"""The documents' generated parts: tables between two marks, made anew from what the program knows, and their freshness.

A part stands between ``<!-- generated: NAME -->`` or ``<!-- generated: NAME: OF -->`` and ``<!-- end -->``. What stands
around it is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from blocktime.model.errors import SpecError
from blocktime.model.unmodelled import subjects
from blocktime.scenarios.uncertainty.model_error import path_of_model_error
from blocktime.validation.validate import Validation, validate
from tools.assistant_transcript import transcript
from tools.constant_tables import catalog_tables, correlation_table, fitted_table, prior_table
from tools.differences import contents, doubts_table, fits_table, mechanism_table, numbers_table, problems, summary
from tools.field_lists import field_list
from tools.fit_model_error import text_of as model_error_text
from tools.law_tables import formula, law_tables
from tools.markdown_tables import item
from tools.python_names import python_names

Maker = Callable[[str], str]

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs"
DIFFERENCES: Final = FOLDER / "differences.md"
MODEL: Final = tuple(sorted(FOLDER.glob("model/*.md")))
FIELDS: Final = FOLDER / "fields.md"
PYTHON: Final = FOLDER / "python.md"
ASSISTANT: Final = FOLDER / "assistant.md"

PART: Final = re.compile(
    r"(?P<begin><!-- generated: (?P<name>[a-z ]+)(?::\s(?P<of>[^>]*))? -->\n)(?P<body>.*?)(?P<end><!-- end -->)",
    re.DOTALL,
)
MARK: Final = re.compile(r"^<!-- (?:generated|end)\b[^>]*>?", re.MULTILINE)


def filled(text: str, makers: Mapping[str, Maker], place: str) -> str:
    """*text* with every generated part made anew.

    Raises SpecError for a mark without its end, and for a part that nobody makes.
    """
    whole = [mark for part in PART.finditer(text) for mark in (part["begin"].rstrip(), part["end"])]
    for mark in MARK.findall(text):
        if mark not in whole:
            raise SpecError(f"{place}: {mark}: wanted <!-- generated: NAME --> … <!-- end -->, one after another")

    def made(part: re.Match[str]) -> str:
        name, of = part["name"], part["of"] or ""
        if name not in makers:
            raise SpecError(f"{place}: generated: got {name!r}; wanted one of {', '.join(sorted(makers))}")
        return f"{part['begin']}\n{makers[name](of).strip()}\n\n{part['end']}"

    return PART.sub(made, text)


def fresh_documents(validation: Validation) -> dict[Path, str]:
    """Each document as it should be."""
    texts = {path: path.read_text("utf-8") for path in (DIFFERENCES, *MODEL, FIELDS, PYTHON, ASSISTANT)}
    makers: dict[str, Maker] = {
        "summary": lambda _: summary(validation),
        "contents": lambda _: contents(texts[DIFFERENCES], validation),
        "numbers": lambda of: numbers_table(of, validation),
        "mechanisms": lambda _: mechanism_table(validation),
        "doubts": lambda _: doubts_table(validation),
        "fits": lambda _: fits_table(validation),
        "fitted": lambda of: fitted_table(validation, of),
        "priors": lambda _: prior_table(validation),
        "catalog": catalog_tables,
        "correlations": lambda _: correlation_table(),
        "laws": law_tables,
        "formula": formula,
        "fields": field_list,
        "python": python_names,
        "assistant": lambda _: transcript(),
        "not modelled": lambda _: "\n".join(item(f"{subject.name}: {subject.nearest}") for subject in subjects()),
    }
    return {path: filled(text, makers, f"docs/{path.relative_to(FOLDER)}") for path, text in texts.items()}


def main(arguments: Sequence[str] = ()) -> int:
    """Write the documents' generated parts; 1 where a disagreement has no prose, or prose no disagreement."""
    if arguments:
        sys.stderr.write(f"python3 dev.py docs takes no arguments, got {' '.join(arguments)}\n")
        return 2
    validation = validate()
    files = {**fresh_documents(validation), path_of_model_error(): model_error_text(validation.numbers)}
    for path, text in files.items():
        if text != path.read_text("utf-8"):
            beside = path.with_name(f"{path.name}.new")
            beside.write_text(text, "utf-8")
            beside.replace(path)
            sys.stdout.write(f"written: {path.parent.name}/{path.name}\n")
    texts = problems(DIFFERENCES.read_text("utf-8"), validation)
    sys.stderr.writelines(f"docs/{DIFFERENCES.name}: {text}\n" for text in texts)
    return int(bool(texts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
