"""The pictures of README and docs: where each is taken, and the answers that it shows.

A picture holds the digest of its answers, so a test sees that it is out of date.
"""

import json
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from blocktime.scenarios import load, run
from blocktime.scenarios.sweeps.sweep import SweepBackend, sweep
from blocktime.validation import validate
from tests.golden.answers import numbers_of

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
DIGEST: Final = "Answers"
"""Name of the PNG's text with the digest."""
DIGITS: Final = 6
"""Of a number: other machines differ in later ones."""
NAMES: Final = ("scenario", "engine")
"""Words of an answer that no picture shows."""


@dataclass(frozen=True)
class Picture:
    """A page and the scenarios of the library that it answers, each with its settings."""

    address: str
    ready: str
    """Text that is there when the page is done."""
    scenarios: tuple[tuple[str, ...], ...] = ()
    sweep: str = ""
    press: str = ""
    """Button that is pressed first."""
    height: int = 720
    """Pixels, so that no chart is cut."""


PICTURES: Final = {
    "what-if": Picture(
        "/?scenario=full-scan-nvme&tablespace.block_size_bytes=16384",
        "Elapsed",
        (("full-scan-nvme",), ("full-scan-nvme", "tablespace.block_size_bytes=16K")),
    ),
    "programs": Picture(
        "/?scenario=batch-beside-users", "Times: how many times", (("batch-beside-users",),), height=740
    ),
    "row-migration": Picture("/mechanism-row-migration", "Open the scenario", (("rahn-pctfree-8k-10",),), height=920),
    "assm-search": Picture("/mechanism-assm-search", "Open the scenario", (("rahn-pctfree-16k-10",),), height=728),
    "evidence": Picture("/evidence", "printed", height=800),
    "sweep": Picture("/sweep?sweep=block-size-mbrc", "all answers are stored", sweep="block-size-mbrc", press="Run"),
}


def digest_of(picture: Picture, store: Path) -> str:
    """Digest of the answers that *picture* shows: those of its scenarios, of its sweep, or of every printed number."""
    answers: list[Any] = [
        {key: _rounded(value) for key, value in numbers_of(run(load(name, settings))).items() if key not in NAMES}
        for name, *settings in picture.scenarios
    ]
    if picture.sweep:
        table = sweep(picture.sweep, at=SweepBackend(workers=1, store=store))
        answers.append([_rounded(value) for value in table["elapsed_s"].tolist()])
    if not answers:
        answers = [[_rounded(number.predicted), number.verdict] for number in validate().numbers]
    return blake2b(json.dumps(answers, sort_keys=True).encode(), digest_size=16).hexdigest()


def _rounded(value: Any) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def held_digest(path: Path) -> str:
    """The digest that the picture *path* holds; nothing where it has none."""
    with Image.open(path) as image:
        return str(image.info.get(DIGEST, ""))


def hold_digest(path: Path, digest: str) -> None:
    """Write *digest* into the picture *path*."""
    with Image.open(path) as image:
        image.load()
        text = PngInfo()
        text.add_text(DIGEST, digest)
        image.save(path, pnginfo=text, optimize=True)
