"""What can be taken along from the page, made when asked: the scenario, the result, tables, a report."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

from blocktime.app.controls import settings, user_files
from blocktime.app.controls.page_question import PageQuestion
from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.app.session.download_buttons import Download
from blocktime.app.text import answer_rows
from blocktime.app.text.iostat_text import Measured, columns_of, value_of
from blocktime.app.text.profile import profile, wait_class
from blocktime.app.text.text import data_of
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, to_mapping
from blocktime.scenarios.spec import CHANGE
from blocktime.scenarios.uncertainty import Difference
from blocktime.scenarios.why import changes

BY_A_SPREADSHEET: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the begin of a formula."""


@dataclass(frozen=True)
class PageAnswer:
    """The page's answer: baseline and what-if."""

    question: PageQuestion
    base: Scenario
    other: Scenario
    before: RunResult
    after: RunResult
    sure: tuple[Difference, ...] = ()
    """How sure their difference is, where the page says it."""

    @property
    def differs(self) -> bool:
        """Whether the what-if is another scenario than the baseline."""
        return (self.base.system, self.base.workload) != (self.other.system, self.other.workload)

    @property
    def stem(self) -> str:
        """What the files are called."""
        return user_files.label(self.question.name).removesuffix(".toml") + ("-what-if" if self.question.change else "")


def downloads(page: PageAnswer) -> Iterator[Download]:
    """Every file that the answer gives."""
    after, constants = page.after, page.other.system
    offers: list[tuple[str, str, str, str, str, Callable[[], str]]] = [
        ("toml", "Scenario (TOML)", ".toml", "application/toml",
         "Both sides, for `blocktime compare` and `run`, and to be opened on this page again", lambda: document(page)),
        ("html", "Report (HTML)", "-report.html", "text/html",
         "One file with charts, tables and the scenario; opens without a network", lambda: report(page)),
        ("profile", "Profile (CSV)", "-profile.csv", "text/csv",
         "Components of the response time, baseline beside what-if, in seconds", lambda: profile_table(page)),
        ("iostat", "iostat (CSV)", "-iostat.csv", "text/csv",
         "Every line of iostat and the whole run, in iostat's units", lambda: iostat_table(after)),
        ("constants", "Constants (CSV)", "-constants.csv", "text/csv",
         "Each constant with value, interval, origin and the range it was fitted in",
         lambda: csv_text(answer_rows.assumptions(constants, after))),
        ("json", "Result (JSON)", "-result.json", "application/json",
         "Every number, as `blocktime run --json` prints it", lambda: result(after, page.other)),
    ]  # fmt: skip
    for key, label, ending, kind, says, content in offers:
        if key != "iostat" or after.device:
            yield Download(key, label, f"{page.stem}{ending}", kind, says, content)


def document(page: PageAnswer) -> str:
    """The question as a file: the system, and its change."""
    import tomlkit

    question = page.question
    mapping = to_mapping(page.base)
    mapping[CHANGE] = user_files.change_table([settings.setting(path, text) for path, text in question.change.items()])
    if user_files.is_user_file(question.name):
        inferred = user_files.source(question.name).data.get("inferred", [])
        warnings = [warning_text for warning_text in inferred if not _is_set_again(warning_text, page)]
        mapping = {**mapping, **({"inferred": warnings} if warnings else {})}
    return tomlkit.dumps(mapping)


def _is_set_again(inferred: Mapping[str, Any], page: PageAnswer) -> bool:
    """Whether the system sets a field whose fitted value the file gave."""
    constant = page.base.system.constants.get(inferred["field"])
    return constant is None or constant.how != "fitted"


def command_line(page: PageAnswer) -> str:
    """What runs the downloaded scenario to the same numbers."""
    return shlex.join(["blocktime", "compare" if page.question.change else "run", f"{page.stem}.toml"])


def result(after: RunResult, scenario: Scenario) -> str:
    """The what-if's result as ``blocktime run --json`` prints it."""
    return json.dumps(data_of(after, scenario), indent=2, allow_nan=False, ensure_ascii=False)


def report(page: PageAnswer) -> str:
    """One self-contained page: of the run, or where something is changed of both runs and why they differ."""
    if not page.differs:
        return run_page(page.other, page.after)
    both = (page.base, page.other), (page.before, page.after), ("baseline", "what-if")
    return compare_page(*both, page.sure)


def profile_table(page: PageAnswer) -> str:
    """The components in seconds, the largest of the what-if first, the whole last."""
    counted = {row.name: row for row in profile(page.after)}
    lines: list[dict[str, object]] = []
    for change in sorted(changes(page.before, page.after), key=lambda change: -change.after_s):
        row = counted.get(change.name)
        lines.append(
            {
                "component": change.name, "wait class": wait_class(change.name), "baseline s": change.before_s,
                "what-if s": change.after_s, "difference s": change.change_s,
                "count": row.count if row else None, "each s": row.each_s if row else None,
            }
        )  # fmt: skip
    before, after = page.before.time.elapsed_s, page.after.time.elapsed_s
    whole = {"component": "all", "baseline s": before, "what-if s": after, "difference s": after - before}
    return csv_text([*lines, whole])


def iostat_table(after: RunResult) -> str:
    """Every interval of every device and its whole run, in iostat's columns."""
    lines: list[dict[str, object]] = []
    columns = columns_of(after)
    for name, stats in after.device.items():
        for line in stats.lines:
            span = {"begin s": line.begin_s, "end s": line.begin_s + line.interval_s}
            lines.append({"device": name, **span, **_instrument(line, columns)})
        whole = {"begin s": "all", "end s": "all"}
        lines.append({"device": name, **whole, **_instrument(stats, columns)})
    return csv_text(lines)


def _instrument(measured: Measured, columns: Sequence[str]) -> dict[str, float | None]:
    """What iostat prints, with two more decimals than it prints."""
    columns_of_figures = {column: value_of(column, measured) for column in columns}
    return {column: None if isnan(value) else round(value, 4) for column, value in columns_of_figures.items()}


def csv_text(lines: Sequence[Mapping[str, object]], line_end: str = "\r\n") -> str:
    """Rows as CSV under the names of all of them; numbers in full, text that a spreadsheet would run quoted."""
    place = io.StringIO()
    names = list(dict.fromkeys(name for line in lines for name in line))
    writer = csv.writer(place, lineterminator=line_end)
    writer.writerow(names)
    writer.writerows([harmless(line.get(name)) for name in names] for line in lines)
    return place.getvalue()


def harmless(value: object) -> object:
    """*value*; text that a spreadsheet would run as a formula stands behind an apostrophe."""
    if isinstance(value, str) and value.startswith(BY_A_SPREADSHEET):
        return "'" + value
    return value
