"""What the model says of a number that its constants were not fitted to, as `blocktime calibrate --write` found it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Predictions of one number by constants fitted without it, in its printed unit."""

    without_its_row: float | None = None
    """All numbers of its row of the printed table left out."""
    without_its_block_size: float | None = None
    """All numbers of the document at its block size left out."""
    why: str = ""
    """Why a number that fits has no such prediction."""


def path_of_left_out() -> Path:
    """The file that holds them."""
    return Path(__file__).with_name("left_out.json")


@cache
def every_known() -> dict[str, LeftOut]:
    """All of them, by number."""
    document = json.loads(path_of_left_out().read_text("utf-8"))
    return {identity: LeftOut(**fields) for identity, fields in document.items()}


def left_out_of(identity: str) -> LeftOut:
    """What was predicted of the number *identity* (case:table:row:column) without it; empty where nothing was."""
    return every_known().get(identity, LeftOut())
