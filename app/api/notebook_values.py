"""Answers for a caller in Python: numbers by name, a line as their text, and the report's top in a notebook."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from blocktime.app.charts import compare_charts
from blocktime.app.reports.html import page
from blocktime.app.reports.measuring import Document
from blocktime.app.reports.report_html import compare_page, profile_figure, run_page
from blocktime.app.reports.written import written
from blocktime.app.text.compare_text import ScenarioComparison, compared
from blocktime.app.text.profile_table import profile_section
from blocktime.app.text.text import answer, data_of
from blocktime.model.errors import UnknownName
from blocktime.model.extras import required
from blocktime.model.measures import MEASURES, measures_of
from blocktime.model.results import RunResult
from blocktime.model.units import unit_of
from blocktime.scenarios.load import source_in
from blocktime.scenarios.search.promises import Promise, promises_of
from blocktime.scenarios.spec import Scenario
from blocktime.scenarios.uncertainty import Difference
from blocktime.validation.instruments import Reading


@dataclass(frozen=True, repr=False)
class Result:
    """One answer: the scenario, all numbers of the run, and the sentence that says it."""

    scenario: Scenario
    run: RunResult
    """Everything that the command's ``--json`` has, as attributes."""

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        return answer(self.run)

    @cached_property
    def measures(self) -> dict[str, float]:
        """The numbers by name, in seconds, bytes, counts or shares of one."""
        return {name: float(value) for name, value in measures_of(self.run).items()}

    @property
    def promises(self) -> list[Promise]:
        """Whether it keeps each ``[[promise]]`` of the file; raises :class:`SpecError` for one that it cannot have."""
        return list(promises_of(self.scenario, self.run))

    @property
    def elapsed_s(self) -> float:
        """Elapsed seconds: of the whole run, or of a mean transaction."""
        return self.run.time.elapsed_s

    def __getitem__(self, name: str) -> float:
        """The number called *name*; raises :class:`UnknownName` where this answer has none."""
        if name not in self.measures:
            raise UnknownName("measure of this answer", name, [*self.measures])
        return self.measures[name]

    def to_dict(self) -> dict[str, Any]:
        """The answer as the command's ``--json`` prints it."""
        return data_of(self.run)

    def to_html(self) -> str:
        """The whole report as one page, without scripts and network."""
        return run_page(self.scenario, self.run)

    def report(self, form: str) -> str:
        """The report that a real system would write: awr, awr-html, tkprof, trace, iostat or fio."""
        return written(self.run, form, self.scenario)

    def __repr__(self) -> str:
        return f"<Result of {self.run.scenario}: {self.sentence}>"

    def _repr_html_(self) -> str:
        figure, section = profile_figure(self.run), profile_section(self.run)
        return page("cell", sentence=self.sentence, figure=figure, parts=[section], texts=self.run.warnings)


@dataclass(frozen=True, repr=False)
class AnswerComparison:
    """Several answers beside the first: what differs, and why."""

    results: tuple[Result, ...]
    titles: tuple[str, ...]
    sure: tuple[Difference, ...] = ()
    """How sure each difference is, where that was asked."""

    @cached_property
    def _compared(self) -> ScenarioComparison:
        runs, scenarios = [each.run for each in self.results], [each.scenario for each in self.results]
        return ScenarioComparison(runs, self.titles, scenarios, self.sure)

    @property
    def sentence(self) -> str:
        """What differs, in a sentence for each but the first."""
        return " ".join(self._compared.sentence(place) for place in range(1, len(self.results)))

    @property
    def why(self) -> list[str]:
        """Why the last differs from the first, the largest cause first."""
        return self.reasons(len(self.results) - 1)

    def reasons(self, place: int) -> list[str]:
        """Why the answer at *place* differs from the first."""
        return self._compared.reasons(place)

    def to_html(self) -> str:
        """The whole report as one page, without scripts and network."""
        return compare_page(self._compared.scenarios, self._compared.results, self.titles, self.sure)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.results)} answers: {self.sentence}>"

    def _repr_html_(self) -> str:
        titles = [title or each.run.scenario for title, each in zip(self.titles, self.results, strict=True)]
        figure, _ = compare_charts.bars(self._compared.results, self._compared.letters, titles)
        return page(
            "cell", sentence=self.sentence, figure=figure, parts=compared(self._compared)["side by side"],
            texts=self.why,
        )  # fmt: skip


@dataclass(frozen=True, repr=False)
class SweptTable:
    """The points of a sweep with their answers, by column."""

    name: str
    columns: Mapping[str, Any]
    """Name -> a list or an array: first what varies, then the numbers of the answers."""

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one: s, bytes, bytes/s."""
        return {name: unit for name in self.columns if (unit := unit_of(name))}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def to_pandas(self) -> Any:
        """The table as a data frame, whose ``attrs["units"]`` has the units and ``attrs["labels"]`` what columns say.

        Raises :class:`SpecError` where pandas is not installed.
        """
        pd: Any = required("pandas")

        frame = pd.DataFrame(dict(self.columns))
        frame.attrs = {
            "units": self.units,
            "labels": {name: MEASURES[name].says for name in self.columns if name in MEASURES},
        }
        return frame

    def __repr__(self) -> str:
        return f"<Sweep of {self.name}: {len(self):,} points, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        html: str = self.to_pandas()._repr_html_()
        return html


@dataclass(frozen=True, repr=False)
class MeasuredSystem:
    """What reports say of a system: their figures, and the scenario that they determine."""

    readings: tuple[Reading, ...]
    document: Document
    """The file that ``measure --out`` writes, and what it says."""

    @property
    def file(self) -> dict[str, Any]:
        """The content of that file, which :func:`run` and :func:`compare` take."""
        return tomllib.loads(self.document.text)

    @cached_property
    def scenario(self) -> Scenario:
        """The system as it was measured; raises :class:`SpecError` where the figures determine none."""
        return source_in(self.file, "system", "the measured system").scenario()

    @property
    def sentences(self) -> list[str]:
        """What is assumed and what would make it surer; why the figures determine no system where they do not."""
        identified = self.document.identified
        return [self.document.reason] if identified is None else list(identified.says)

    @property
    def figures(self) -> list[dict[str, Any]]:
        """Each figure with the report's file, its line, its unit and the interval that its printed digits leave."""
        return [{"file": reading.file, **asdict(figure)} for reading in self.readings for figure in reading.figures]

    def save(self, path: str | Path) -> None:
        """Write the file that ``measure --out`` writes."""
        Path(path).write_text(self.document.text, encoding="utf-8")

    def __repr__(self) -> str:
        title = self.document.identified.title if self.document.identified else self.document.reason
        return f"<Measured: {len(self.figures):,} figures of {len(self.readings)} reports; {title}>"
