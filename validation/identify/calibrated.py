"""The file of a system, fitted to the figures that it was made from: what they leave over, with the catalog's priors.

Each constant has a prior: its interval in the catalog, or a wide one. Figures and priors together give
each constant's interval, and which of them the figures cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any, Final

from blocktime.model.engine import answer
from blocktime.model.errors import SpecError
from blocktime.scenarios import Scenario, from_mapping
from blocktime.scenarios.measured import CPU, READ_REQUESTS, TRANSACTIONS, as_modelled, at
from blocktime.scenarios.uncertainty.constants import knowledge_of
from blocktime.scenarios.uncertainty.model_error import OTHER_WORK, WITHIN, model_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OPEN: Final = (
    "disk.overhead_s", "disk.write_overhead_s", "disk.iops_limit", "workload.mix.0.cpu_s", "workload.think_s",
)  # fmt: skip
"""Fields that a report gives only together with others, or as a bound."""
RATES: Final = (TRANSACTIONS, READ_REQUESTS, CPU)
WIDE: Final = 0.3
"""Standard deviation of the logarithm where the catalog does not say how sure a field is."""
AGREES: Final = 0.01
"""Standard deviation of the logarithm of a count or rate, beside its digits."""
LEAST_CORRELATION: Final = 0.01
MOVES: Final = 1e-3
"""Change of a figure's logarithm by that of a field, below which the field moves no figure."""
STEP: Final = 0.2
"""Of the logarithm, for slopes: runs with one seed differ by less chance than by so large a step."""
PASSES: Final = 3
FARTHEST: Final = 1.0
"""Of the logarithm, in one pass."""
LEAST_LEARNED: Final = 0.1
"""Share of a prior's variance that the figures have to take for a field to count as told by them."""
APART: Final = 0.8
"""Correlation from which on two fields cannot be told apart."""


@dataclass(frozen=True, slots=True)
class FieldFit:
    """One field: before, after, its 95 % interval, and how much of its variance the figures took."""

    path: str
    before: float
    value: float
    low: float
    high: float
    learned_fraction: float

    @property
    def is_learned(self) -> bool:
        """Whether the figures say anything of it."""
        return self.learned_fraction >= LEAST_LEARNED


@dataclass(frozen=True, slots=True)
class SystemFit:
    """All fields, their correlations, and how far off the figures are before and after."""

    fields: tuple[FieldFit, ...]
    correlations: Mapping[tuple[str, str], float]
    off: Mapping[str, tuple[float, float]]
    """Figure -> how far off, before and after."""

    @property
    def says(self) -> list[str]:
        """What the figures do not tell, a sentence each."""
        texts = [
            f"the figures cannot tell {text} from {other} (correlation {value:+.2f})"
            for (text, other), value in self.correlations.items()
            if abs(value) >= APART
        ]
        if silent := [field.path for field in self.fields if not field.is_learned]:
            texts.append(f"the figures say nothing of {', '.join(silent)}: they keep their values and intervals")
        return texts


def fitted(content: Mapping[str, Any], name: str, progress: Callable[[int, int], None] | None = None) -> SystemFit:
    """The fields of the system whose file has this *content*, by weighted least squares on logarithms with priors.

    Raises :class:`SpecError` for a file without figures of an interval.
    """
    import numpy as np

    system = from_mapping(content, name)
    if not system.compared or not system.workload.mixed:
        raise SpecError(f"{name}: has no measured figures of transactions; blocktime measure --out writes such a file")
    if system.workload.beside:
        raise SpecError(f"{name}: workload.beside: transactions are fitted alone; leave the other programs out")
    priors = dict(_priors(content, system))
    paths = list(priors)
    start = np.array([log(priors[path][0]) for path in paths])
    precision = np.diag([1 / priors[path][1] ** 2 for path in paths])
    system = system.model_copy(update={"compared": tuple(figure for figure in system.compared if figure.share)})
    measured = np.array([log(compared.value) for compared in system.compared])
    # NOTE: a mean wait is as far off as the model is on published times, a rate and the CPU follow from the books
    waits_sd = model_error().sd_of(OTHER_WORK)
    waits = ((AGREES if figure.name in RATES else waits_sd) for figure in system.compared)
    printed = (log(max(figure.high / figure.low, 1.0)) / 2 / WITHIN for figure in system.compared)
    weight = np.array([1 / (model**2 + print_sd**2) for model, print_sd in zip(waits, printed, strict=True)])
    modelled = _Modelled(content, system, paths, progress)
    at, first = start.copy(), modelled(start)
    now = first
    for _ in range(PASSES):
        slopes = np.column_stack([(modelled(at + STEP * unit) - now) / STEP for unit in np.eye(len(paths))])
        together = slopes.T @ (weight[:, None] * slopes) + precision
        wanted = slopes.T @ (weight * (measured - now)) - precision @ (at - start)
        at = at + np.clip(np.linalg.solve(together, wanted), -FARTHEST, FARTHEST)
        now = modelled(at)
    covariance = np.linalg.inv(together)
    sd = np.sqrt(np.diag(covariance))
    fields = [
        _field_fit(path, priors[path], float(at[place]), float(sd[place]))
        for place, path in enumerate(paths)
        if not path.startswith("host.") or np.abs(slopes[:, place]).max() >= MOVES
    ]
    paths_of_fields = {field.path for field in fields}
    correlations = {
        (paths[place], paths[other]): float(covariance[place, other] / sd[place] / sd[other])
        for place in range(len(paths))
        for other in range(place)
        if paths[place] in paths_of_fields and paths[other] in paths_of_fields
    }
    off = {
        compared.name: (exp(float(was - there)) - 1, exp(float(is_now - there)) - 1)
        for compared, was, is_now, there in zip(system.compared, first, now, measured, strict=True)
    }
    return SystemFit(tuple(fields), correlations, off)


class _Modelled:
    """The logarithms of a system's figures as the model has them, for logarithms of its fields."""

    def __init__(
        self, content: Mapping[str, Any], system: Scenario, paths: Sequence[str],
        progress: Callable[[int, int], None] | None,
    ) -> None:  # fmt: skip
        self._content, self._system, self._paths, self._progress = content, system, paths, progress
        self._done, self._steps = 0, PASSES * (len(paths) + 1) + 1

    def __call__(self, logs: Floats) -> Floats:
        import numpy as np

        self._done += 1
        if self._progress is not None:
            self._progress(min(self._done, self._steps), self._steps)
        values = dict(zip(self._paths, np.exp(logs).tolist(), strict=True))
        scenario = from_mapping(with_values(self._content, values), self._system.name)
        compared = self._system.compared
        rows = as_modelled(compared, answer(scenario.system, scenario.workload))
        modelled = {row.measured.name: row.modelled for row in rows}
        return np.array([log(max(modelled.get(figure.name, figure.value), 1e-12)) for figure in compared])


def _field_fit(path: str, prior: tuple[float, float], log_value: float, log_sd: float) -> FieldFit:
    """A fitted field beside its *prior*, a value and the standard deviation of its logarithm."""
    value, prior_sd = prior
    learned = 1 - (log_sd / prior_sd) ** 2
    middle, spread = exp(log_value) if learned >= LEAST_LEARNED else value, exp(WITHIN * log_sd)
    return FieldFit(path, value, middle, middle / spread, middle * spread, learned)


def _priors(content: Mapping[str, Any], system: Scenario) -> Iterator[tuple[str, tuple[float, float]]]:
    """Field -> its value, and the standard deviation of its logarithm."""
    for path in OPEN:
        if value := at(content, path):
            # NOTE: what the file says of them holds for the other fields as they are, and follows from the same figures
            yield path, (value, WIDE)
    for uncertain in knowledge_of(system).uncertain:
        path = uncertain.fields[0]
        fitted = uncertain.name.startswith("scenario/")  # to the figures that are fitted to again
        if (
            path.startswith("host.")
            and not fitted
            and uncertain.constant.value > 0
            and (sd := _sd((uncertain.low, uncertain.high)))
        ):
            yield path, (uncertain.constant.value, sd)


def _sd(interval: Sequence[float] | None) -> float | None:
    if not interval or interval[0] <= 0 or interval[1] <= interval[0]:
        return None
    return log(interval[1] / interval[0]) / 2 / WITHIN


def with_values(content: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, Any]:
    """The same content with these *values* at their paths."""
    document = deepcopy(dict(content))
    for path, value in values.items():
        put(document, path, value)
    return document


def put(content: Any, path: str, value: float) -> None:
    """Set the field at *path*; a section that is not there is made."""
    *names, last = path.split(".")
    node = content
    for name in names:
        node = node[int(name)] if isinstance(node, list) else node.setdefault(name, {})
    node[last] = value


def write_into(document: Any, fit: SystemFit, source: str) -> None:
    """Put values, intervals and correlations into a file's content, ``[[measured.known]]`` and ``correlation``."""
    known = document["measured"].setdefault("known", [])
    for field in fit.fields:
        if field.is_learned:
            put(document, field.path, field.value)
        entry = next((row for row in known if row["field"] == field.path), None)
        if entry is None:
            if not field.is_learned:
                continue
            entry = {"field": field.path}
            known.append(entry)
            entry = known[-1]
        if field.is_learned:
            entry["how"], entry["source"] = "fitted", source
        entry["interval"] = [field.low, field.high]
    document["measured"]["correlation"] = [
        {"fields": list(pair), "value": round(value, 4)}
        for pair, value in fit.correlations.items()
        if abs(value) >= LEAST_CORRELATION
    ]
