"""What figures determine of a scenario: fields with their lines and intervals, and what is compared with an answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from blocktime.model.errors import BlocktimeError
from blocktime.scenarios.measured import FORM, ComparedFigure
from blocktime.validation.instruments import Figure


class NotIdentified(BlocktimeError):
    """Figures that do not determine a system: one sentence says why, and what would."""


class RefusedReport(NotIdentified):
    """Files that are refused: an unknown kind of system, an idle hour, or several machines or hours."""


@dataclass(frozen=True, slots=True)
class KnownField:
    """One field that figures determine."""

    path: str
    value: Any
    source: str
    """File, section and line; the arithmetic where several figures make it."""
    interval: tuple[float, float] | None = None
    assumed: bool = False
    """Whether no figure says it: it is set so that it decides nothing."""


@dataclass(frozen=True, slots=True)
class ModelledHour:
    """One of several intervals of a system, as measured and as modelled."""

    file: str
    begins: str
    users: int
    per_s: float
    response_s: float
    modelled_per_s: float
    modelled_response_s: float


@dataclass(slots=True)
class IdentifiedScenario:
    """A system as far as reports determine it."""

    title: str
    base: str | None = None
    """The library's scenario that says what is not here."""
    known: list[KnownField] = field(default_factory=list)
    compared: list[ComparedFigure] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    """What is assumed, and what would make it surer: a sentence each."""
    hours: list[ModelledHour] = field(default_factory=list)
    """Of several intervals, each."""
    share: float = 1.0
    """Part of the disk's requests that are this database's."""

    def values(self) -> dict[str, Any]:
        """Fields that are filled in, with their values."""
        return {known.path: known.value for known in self.known}

    def put(self, path: str, value: Any, source: str, interval: tuple[float, float] | None = None) -> None:
        """Let a field have another value, or one at all."""
        self.known = [known for known in self.known if known.path != path]
        self.known.append(KnownField(path, value, source, interval))

    def lower(self, path: str, amount: float) -> None:
        """Take *amount* off the value of a field, which stays at least 0; does nothing where the field is not known."""
        for place, known in enumerate(self.known):
            if known.path == path:
                self.known[place] = replace(known, value=max(0.0, known.value - amount), interval=None)

    def sections(self) -> dict[str, Any]:
        """The scenario as the content of its file."""
        document: dict[str, Any] = {**({"base": self.base} if self.base else {}), "title": self.title}
        for known in self.known:
            *names, last = known.path.split(".")
            node = document
            for name in names:
                node = node.setdefault(name, {})
            node[last] = known.value
        work = document["workload"]
        if "mix" in work:
            work["mix"] = [work["mix"]["0"]]
        document["measured"] = {
            "form": FORM,
            "says": self.says,
            **({"share": self.share} if self.share < 1 else {}),
            "known": [
                {
                    "field": known.path,
                    "how": "assumed" if known.assumed else "measured",
                    "source": known.source,
                    **({"interval": list(known.interval)} if known.interval else {}),
                }
                for known in self.known
            ],
            "compared": [compared.model_dump() for compared in self.compared],
            **({"hour": [asdict(hour) for hour in self.hours]} if self.hours else {}),
        }
        return document


class ScenarioBuilder:
    """Fills in the fields of one scenario from the figures of one file."""

    def __init__(self, identified: IdentifiedScenario, file: str) -> None:
        self.found, self.file = identified, file

    def know(
        self, path: str, value: Any, source: str, *figures: Figure | None, interval: tuple[float, float] | None = None
    ) -> None:
        """A field that figures determine; without *interval* it is as wide as the digits of the *figures* leave it."""
        there = [figure for figure in figures if figure is not None]
        where = ", ".join(f"line {figure.line:,}" for figure in there)
        if interval is None and there and isinstance(value, int | float) and all(figure.value for figure in there):
            low = high = float(value)
            for figure in there:
                low, high = low * figure.low / figure.value, high * figure.high / figure.value
            interval = (low, high)
        text = f"{self.file}: {source}{', ' * bool(where)}{where}"
        self.found.known.append(KnownField(path, value, text, interval))

    def assume(self, path: str, value: Any, why: str) -> None:
        """A field that no figure determines."""
        self.found.known.append(KnownField(path, value, why, assumed=True))

    def add_compared(
        self, name: str, value: float, unit: str, figure: Figure | None, share: float = 1.0, *, given: bool = False
    ) -> None:
        """What *figure* says, in *unit*, of something that an answer says too; *given* where it was made to say so.

        The figure decides a *share* of the measured time.
        """
        if figure is None or not figure.value or not value:
            return
        low, high = value * figure.low / figure.value, value * figure.high / figure.value
        self.found.compared.append(
            ComparedFigure(
                name=name,
                value=value,
                unit=unit,
                low=low,
                high=high,
                file=self.file,
                line=figure.line,
                share=round(min(1.0, share), 4),
                given=given,
            )
        )
