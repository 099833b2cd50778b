"""A field that is said to have no effect in a scenario moves no figure of its answer."""

import json
from typing import Any

import pytest

from blocktime.scenarios import from_mapping
from blocktime.scenarios.idle import why_idle
from blocktime.scenarios.unread import is_unread
from tests.scenarios.every_field import BASES, all_changed, answer, bases_of, fields_of, moves
from tests.scenarios.test_every_field import figures, some

STATISTICS = ("clustering_factor", "distinct_keys")
"""Of the index, as the data dictionary has them; they stand in an answer that does not use them."""


def used_figures(text: str | None) -> str:
    """An answer's figures without the statistics that are repeated from the scenario."""
    data: dict[str, Any] = json.loads(text or "{}")
    index = data.get("index") or {}
    return figures(json.dumps(data | {"index": {key: index[key] for key in index if key not in STATISTICS}}))


@pytest.mark.parametrize("kind", BASES)
def test_a_field_without_effect_moves_no_figure(kind: str) -> None:
    for data in some(kind, bases_of(kind), 6):
        scenario = from_mapping(data)
        idle = [
            (path, schema) for path, schema in fields_of(kind) if not is_unread(kind, path) and why_idle(path, scenario)
        ]
        changed, names = all_changed(data, idle)
        if used_figures(answer(changed)) != used_figures(answer(data)):
            moving = [path for path, schema in idle if moves(data, path, schema)]
            pytest.fail(f"{kind}: {', '.join(moving or names)}")
