"""Instant estimates of statements lie where the simulation does: random scenarios, each of which shows one law."""

import pytest

from validation.residuals import compare, play

READ_AHEAD = "a drive sends what it has read ahead faster than its medium passes it"
BURST = "a volume serves at its burst rate behind the page cache, too"


@pytest.mark.parametrize(
    ("name", "factor", "law"),
    [
        ("full_scan/20210", 1.06, READ_AHEAD),
        ("full_scan/20126", 1.02, READ_AHEAD),
        ("full_scan/20146", 1.2, BURST),
        ("delete/20211", 1.1, BURST),
        ("export/20145", 1.05, BURST),
    ],
)
def test_the_estimate_lies_where_the_simulation_does(name: str, factor: float, law: str) -> None:
    played = play(name)
    assert played is not None
    compared = compare(played)
    assert compared is not None
    assert 1 / factor <= compared.ratio <= factor, law
