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

from blocktime.app.controls import own_files
from blocktime.app.reports.report_html import compare_page, run_page
from blocktime.app.session.taken import Download
from blocktime.app.text import rows
from blocktime.app.text.iostat_text import Measured, columns_of, value_of
from blocktime.app.text.profile import profile, wait_class
from blocktime.model.results import RunResult
from blocktime.scenarios import Scenario, to_mapping, to_toml
from blocktime.scenarios.compare import changes
from blocktime.scenarios.uncertainty import Difference

BY_A_SPREADSHEET: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the begin of a formula."""


@dataclass(frozen=True)
class PageAnswer:
    """The page's answer: baseline and what-if, and whether they differ."""

    name: str
    """Of the baseline; see :mod:`app.controls.own_files`."""
    base: Scenario
    other: Scenario
    before: RunResult
    after: RunResult
    changed: bool
    sure: tuple[Difference, ...] = ()
    """How sure their difference is, where the page says it."""

    @property
    def differs(self) -> bool:
        """Whether the what-if is another scenario than the baseline."""
        return (self.base.system, self.base.workload) != (self.other.system, self.other.workload)

    @property
    def stem(self) -> str:
        """What the files are called."""
        return own_files.label(self.name).removesuffix(".toml") + ("-what-if" if self.changed else "")


def downloads(shown: PageAnswer) -> Iterator[Download]:
    """Every file that the answer gives."""
    after, constants = shown.after, shown.other.system
    offers: list[tuple[str, str, str, str, str, Callable[[], str]]] = [
        ("toml", "Scenario (TOML)", ".toml", "application/toml",
         "For `blocktime run`, and to be opened on this page again", lambda: document(shown)),
        ("html", "Report (HTML)", "-report.html", "text/html",
         "One file with charts, tables and the scenario; opens without a network", lambda: report(shown)),
        ("profile", "Profile (CSV)", "-profile.csv", "text/csv",
         "Components of the response time, baseline beside what-if, in seconds", lambda: profile_table(shown)),
        ("iostat", "iostat (CSV)", "-iostat.csv", "text/csv",
         "Every line of iostat and the whole run, in iostat's units", lambda: iostat_table(after)),
        ("constants", "Constants (CSV)", "-constants.csv", "text/csv",
         "Each constant with value, interval, origin and the range it was fitted in",
         lambda: csv_text(rows.assumptions(constants, after))),
        ("json", "Result (JSON)", "-result.json", "application/json",
         "Every number, as `blocktime run --json` prints it", lambda: result(after)),
    ]  # fmt: skip
    if shown.differs:
        baseline = (
            "baseline",
            "Baseline (TOML)",
            "-baseline.toml",
            "application/toml",
            "What the what-if is compared with",
        )
        offers.insert(1, (*baseline, lambda: to_toml(shown.base)))
    for key, label, ending, kind, says, content in offers:
        if key != "iostat" or after.device:
            yield Download(key, label, f"{shown.stem}{ending}", kind, says, content)


def document(shown: PageAnswer) -> str:
    """The what-if as a scenario file that ``blocktime run`` takes."""
    import tomlkit

    mapping = to_mapping(shown.other)
    if own_files.is_own(shown.name):
        inferred = own_files.source(shown.name).data.get("inferred", [])
        kept = [warning_text for warning_text in inferred if not _is_set_again(warning_text, shown)]
        mapping = {**mapping, **({"inferred": kept} if kept else {})}
    return tomlkit.dumps(mapping)


def _is_set_again(inferred: Mapping[str, Any], shown: PageAnswer) -> bool:
    """Whether the what-if sets a field whose fitted value the file gave."""
    constant = shown.other.system.constants.get(inferred["field"])
    return constant is None or constant.how != "fitted"


def command_line(shown: PageAnswer) -> str:
    """What runs the downloaded scenario to the same numbers."""
    return shlex.join(["blocktime", "run", f"{shown.stem}.toml"])


def result(after: RunResult) -> str:
    """The what-if's result as ``blocktime run --json`` prints it."""
    return json.dumps(
        after.model_dump(mode="json", exclude_none=True), indent=2, allow_nan=False, ensure_ascii=False
    )


def report(shown: PageAnswer) -> str:
    """One self-contained page: of the run, or where something is changed of both runs and why they differ."""
    if not shown.differs:
        return run_page(shown.other, shown.after)
    both = (shown.base, shown.other), (shown.before, shown.after), ("baseline", "what-if")
    return compare_page(*both, shown.sure)


def profile_table(shown: PageAnswer) -> str:
    """The components in seconds, the largest of the what-if first, the whole last."""
    counted = {row.name: row for row in profile(shown.after)}
    lines: list[dict[str, object]] = []
    for change in sorted(changes(shown.before, shown.after), key=lambda change: -change.after_s):
        row = counted.get(change.name)
        lines.append(
            {
                "component": change.name, "wait class": wait_class(change.name), "baseline s": change.before_s,
                "what-if s": change.after_s, "difference s": change.change_s,
                "count": row.count if row else None, "each s": row.each_s if row else None,
            }
        )  # fmt: skip
    before, after = shown.before.time.elapsed_s, shown.after.time.elapsed_s
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
