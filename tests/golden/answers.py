"""The library's answers as numbers and texts in files: ``python -m tests.golden.answers`` writes them again."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from blocktime.model.results import EXACT_SUM, RunResult
from blocktime.scenarios import library, load, run
from tests.golden.texts import played, write_texts

FOLDER: Final = Path(__file__).parent / "answers"
SEEDS: Final = (1, 2, 3)
LEFT_OUT: Final = frozenset(
    {
        "version",
        "sources",
        "constants",
        "extrapolated",
        "warnings",
        "notes",
        "lines",
        "runs",
        "seed",
        "how",
        "blocks",
        "method",
        "played_by",
    }
)
"""Parts of a result that are not its numbers or have a table of their own, and the long: lines over time, blocks."""
DIGITS: Final = 12

Numbers = dict[str, float | int | str]


def numbers_of(result: RunResult) -> Numbers:
    """The numbers and choices of *result* under their paths, floats to twelve digits."""
    return dict(_flat("", result.model_dump(mode="json", exclude_none=True)))


def _flat(path: str, value: Any) -> Iterator[tuple[str, float | int | str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in LEFT_OUT:
                yield from _flat(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _flat(f"{path}[{place}]", inner)
    elif isinstance(value, float):
        yield path, float(f"{value:.{DIGITS}g}")
    else:
        yield path, value


def answered(name: str, seed: int) -> Numbers:
    """The library scenario's answer: a run with *seed*, or an exact sum, which has none."""
    return numbers_of(played(name, seed=seed))


def answers_of(name: str) -> dict[str, Numbers]:
    """An exact sum under its name, or a run of each seed."""
    first = run(load(name), seed=SEEDS[0])
    if first.method == EXACT_SUM:
        return {EXACT_SUM: numbers_of(first)}
    return {f"seed {seed}": answered(name, seed) for seed in SEEDS}


def frozen(name: str) -> dict[str, Numbers]:
    """The answers on file."""
    found: dict[str, Numbers] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def elapsed_s(name: str) -> float:
    """Elapsed time of an answer on file, which a test of its own holds against the program: seconds."""
    return float(next(iter(frozen(name).values()))["time.elapsed_s"])


def write(names: Sequence[str]) -> None:
    """Freeze the answers of *names* as they are now, in numbers and in words."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        text = json.dumps(answers_of(name), indent=1, sort_keys=True)
        (FOLDER / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        write_texts([name])
        print(name, flush=True)


if __name__ == "__main__":
    write(sys.argv[1:] or sorted(library()))
