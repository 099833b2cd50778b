"""Intervals on reports of known systems: ``python -m tests.validation.identify.known_systems [SYSTEMS]``.

The program writes AWR reports of systems whose fields are known, each under two loads. The first report of a system
predicts the second, and the other way round: how many figures lie within their interval, and how wide that is.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from blocktime.app.reports.measuring import document_of, read_file
from blocktime.app.reports.written import written
from blocktime.model.errors import BlocktimeError
from blocktime.scenarios import load, run
from blocktime.scenarios.load import to_mapping
from blocktime.validation.identify.against import FigurePrediction, against
from blocktime.validation.instruments import Keep, Reading

SMALL = ("instance.buffer_cache_bytes=256M", "workload.data_bytes=3500M", "workload.transactions=4000")


def settings_of(chance: random.Random) -> tuple[list[str], tuple[int, int]]:
    """A system, and the users of two intervals."""
    disk = chance.choice([["azure-p30"], ["azure-p40"], ["ebs-gp3"], ["nvme"], ["ssd-sata"], ["array-cached"]])[0]
    settings = [
        *SMALL, f"disk.use={disk}", f"workload.think_s={chance.choice([0.02, 0.1, 0.5])}",
        f"workload.hot_gets_percent={chance.choice([80, 84, 90])}", f"host.cpus={chance.choice([4, 8, 16])}",
        f"workload.mix.0.gets={chance.choice([60, 100, 200])}",
        f"workload.mix.0.changed_blocks={chance.choice([2, 5, 10])}",
    ]  # fmt: skip
    users = chance.choice([(6, 12), (10, 30), (16, 24), (30, 50)])
    return settings, users


def reports_of(settings: list[str], users: tuple[int, int], folder: Path) -> list[list[Reading]]:
    """The reports of both intervals, as read."""
    readings = []
    for count in users:
        scenario = load("oltp-nvme", [*settings, f"workload.users={count}"]).model_copy(update={"seed": count})
        path = folder / f"awr-{count}.txt"
        path.write_text(written(run(scenario), "awr", scenario), encoding="utf-8")
        readings.append(read_file(path, path.name, Keep()))
    return readings


def predictions(systems: int, seed: int = 1) -> Iterator[FigurePrediction]:
    """The figures of each second interval as its first one predicts them, and the other way round."""
    chance = random.Random(seed)
    for _ in range(systems):
        settings, users = settings_of(chance)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            try:
                pair = reports_of(settings, users, folder)
                for first, second in (pair, pair[::-1]):
                    (folder / "my.toml").write_text(document_of(first).text, encoding="utf-8")
                    system = load(str(folder / "my.toml"))
                    yield from against(system, to_mapping(system), second).figures
            except BlocktimeError as refusal:
                print(f"left out: {' '.join(settings)}: {refusal}", file=sys.stderr)


def main() -> None:
    """Print how many figures lie within their intervals, and the median width of these."""
    figures = list(predictions(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
    covered = sum(figure.covered for figure in figures)
    widths = [figure.high / figure.low - 1 for figure in figures if figure.low > 0]
    if not figures:
        return
    print(f"{covered} of {len(figures)} figures, {covered / len(figures):.1%}, lie within their 95 % interval")
    print(f"median width, high over low: {median(widths):+.0%}")
    off = sorted((figure.row.off_fraction, figure.row.measured.name) for figure in figures if not figure.covered)
    for fraction, name in [*off[:4], *off[-4:]]:
        print(f"not covered: {name} {fraction:+.1%}")


if __name__ == "__main__":
    main()
