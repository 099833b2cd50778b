"""Why an answer differs, for every control at both ends: with counts, in the right direction, the main thing first."""

import re
from collections.abc import Iterator

import pytest

from blocktime.app.controls import control_fields, forms, settings
from blocktime.model.errors import BlocktimeError
from blocktime.model.units import parse_bytes, parse_seconds
from blocktime.scenarios import load, run
from blocktime.scenarios.forecast import forecast
from blocktime.scenarios.why import SAME_ELAPSED, why
from blocktime.scenarios.why_words import differs
from tests.whole import WHOLE

NAMES = (
    "rahn-full-scan", "index-range-scan", "rahn-pctfree-16k-10", "assm-uncommitted-delete", "magni-imp-4k", "magni-exp",
    "magni-dd-raw-10000", "shallahamer-direct", "tpc-b",
)  # fmt: skip
SHORT = {} if WHOLE else {name: {"table.rows": "100000"} for name in ("magni-imp-4k", "magni-exp")}
"""Scenario -> what makes its runs short, with and without the changes."""
MOST_S = 2.0
"""What a run may be expected to take where the tests are to be quick."""
NUMBER = r"[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?"
UNIT = r"(?: ?(ns|µs|ms|s|bytes|[KMGT]B?))?\b"
MOVED = re.compile(rf"(fell|rose|grew|shrank) from ({NUMBER}){UNIT}[^;]*? to ({NUMBER}){UNIT}")
SECONDS = {"d": 86400, "h": 3600, "min": 60, "s": 1}
DURATION = re.compile(r"\b[0-9]+ (?:d|h|min)(?: [0-9]+ (?:h|min|s))?\b")
SAVES = re.compile(r"which (saves|costs) \d|reading takes [\d,.]+ \S+ (less|more)|^the space search (fell|rose)")


def ends(name: str) -> Iterator[tuple[str, str]]:
    kind = load(name).workload.kind
    for controls in forms.groups_of(kind).values():
        for control in controls:
            field = control.facts(kind)
            assert field is not None
            known = [end for end in (field.low, field.high) if end is not None and not field.open_below]
            for value in (*field.options[:1], *field.options[-1:], *control.offers, *known):
                yield control.path, control_fields.as_text(value)


def in_seconds(text: str) -> str:
    """Durations such as "10 min 26 s" as "626 s"."""
    return DURATION.sub(
        lambda found: f"{sum(int(n) * SECONDS[u] for n, u in re.findall(r'([0-9]+) (d|h|min|s)', found[0]))} s", text
    )


def value(number: str, unit: str) -> float:
    plain = number.replace(",", "")
    if unit == "bytes":
        return float(plain)
    if unit[:1] in ("K", "M", "G", "T"):
        return parse_bytes(plain + unit[0])
    return parse_seconds(f"{plain} {unit}") if unit else float(plain)


@pytest.mark.parametrize("name", NAMES)
def test_every_reason_has_counts_and_the_right_direction(name: str) -> None:
    short = SHORT.get(name, {})
    base, _ = settings.settle(name, short)
    before = run(base)
    told = 0
    for path, text in ends(name):
        other, refused = settings.settle(name, short | {path: text})
        if refused:
            continue
        try:
            if not WHOLE and forecast(other.system, other.workload).seconds > MOST_S:
                continue
            after = run(other)
        except BlocktimeError:
            continue
        times = before.time.elapsed_s, after.time.elapsed_s
        if not differs(*times, SAME_ELAPSED):
            continue
        said = why(before, after, (base, other))
        where = f"{name} {path}={text}: {said}"
        assert said, where
        assert re.search(r"\d", said[0]), where
        for word, first, unit, second, other_unit in MOVED.findall(in_seconds(" ".join(said))):
            rose = value(second, other_unit) > value(first, unit)
            assert rose == (word in ("rose", "grew")), where
        main = SAVES.search(said[0])
        if main:
            assert ({"saves", "less", "fell"} & set(main.groups()) != set()) == (times[1] < times[0]), where
            told += 1
    assert told >= 3
