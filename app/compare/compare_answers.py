"""What several scenarios answer, all alike: by the law at once, by the simulation once it is played beside the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.session import engines
from app.session.wishes import Wishes, ask, played
from model.results import RunResult
from scenarios import Scenario

WISHES: Final = Wishes("compare")
"""What a comparison wants simulated."""


@dataclass(frozen=True)
class ComparedAnswers:
    """Answers in the order of their scenarios."""

    results: tuple[RunResult, ...]
    """Empty while only the simulation can answer one of them, and has not."""
    bound: bool = False
    """The law answers although somebody queues."""
    pending: bool = False
    """A simulation is under way that will replace the answers."""
    refused: str = ""
    """Why there is no simulation."""


def answered(scenarios: Sequence[Scenario]) -> ComparedAnswers:
    """Answers by the law; or each by the engine that fits, as soon as all that is to be simulated has been.

    Starts what there is to play in the background where it is quick or wanted, and cancels what was asked before.
    Raises a :class:`BlocktimeError` where the law has no answer.
    """
    laws = tuple(engines.law(scenario) for scenario in scenarios)
    queued = [
        (scenario, law) for scenario, law in zip(scenarios, laws, strict=True) if engines.queues(scenario)
    ]
    known = [played(scenario) for scenario, _ in queued]
    refused = next((played.refused for played in known if played is not None and played.refused), "")
    if all(known) and not refused:
        WISHES.play(())
        return ComparedAnswers(
            tuple(engines.best_known(scenario, law) for scenario, law in zip(scenarios, laws, strict=True))
        )
    at_once = all(engines.simulates_at_once(scenario, law) for scenario, law in queued)
    plays = WISHES.are_wanted(*scenarios) or (at_once and not WISHES.are_given_up(*scenarios))
    pending = WISHES.play([ask(scenario) for scenario, _ in queued] if plays and not refused else ())
    by_law = tuple(law for law in laws if law is not None)
    return ComparedAnswers(
        by_law if len(by_law) == len(laws) else (), bound=True, pending=pending, refused=refused
    )
