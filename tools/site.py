"""The documentation as a site: the documents as pages, with laws as formulas, pictures, a sample report and answers.

Zensical makes it; nothing of a page comes from another host.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

import blocktime as bt
from blocktime.app.charts.svg import drawn
from blocktime.app.controls import presets
from blocktime.app.mechanisms.lesson import lesson_of
from tools.documents import FOLDER, PART

ROOT: Final = FOLDER.parent
SITE: Final = ROOT / ".dev" / "site"
OF_ROOT: Final = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Documents of the top folder -> their pages."""
SYSTEM, VOLUME, ANOTHER = "oltp-nvme", "azure-p30", "azure-p60"
"""The sample report is of this system on a volume, moved to another one."""
REPORT_PAGE: Final = f"""# A sample report

A hundred users wait for a volume of 5,000 requests a second. What would {ANOTHER} change? The system is what the AWR
reports of a busy and of a quiet hour say of it: [open the report](report.html).

```text
blocktime measure busy.txt quiet.txt --out my.toml
blocktime compare my.toml --set disk.use={ANOTHER} --html report.html
```

The first command reads the AWR reports, the second writes this page.
[From an AWR report to a decision](measure/system.md) takes every step of it.

<iframe src="../report.html" title="The report" style="width:100%;height:70vh;border:1px solid #8888"></iframe>
"""
LINK: Final = re.compile(r"(?<!`)(!?)\[((?:[^\[\]`]|`[^`]*`)*)\]\(([^)\s]+)\)")
FORMULA: Final = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.MULTILINE | re.DOTALL)
LOOK: Final = """.law { overflow-x: auto; }
.md-nav__link--active { color: var(--md-default-fg-color) !important; }
.chart { --ink: var(--md-default-fg-color); --soft: var(--md-default-fg-color--light);
--line: var(--md-default-fg-color--lightest); --axis: var(--md-default-fg-color--lighter); }
"""
OF_CHARTS: Final = (".chart", ".key", "figcaption")
"""Rules of the reports' style that figures need."""


def pages() -> dict[str, str]:
    """Each page's text by its place in the site."""
    from_documents = {path: str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.md")}
    places = from_documents | {ROOT / name: page for name, page in OF_ROOT.items()}
    texts = {page: _page(path, page, places) for path, page in places.items()}
    notebooks = {f"notebooks/{path.stem}.md": _notebook(path) for path in sorted(FOLDER.glob("notebooks/*.ipynb"))}
    return texts | notebooks | {"questions.md": _questions(), "sample-report.md": REPORT_PAGE}


def _page(path: Path, page: str, places: Mapping[Path, str]) -> str:
    """A document with its links as they are in the site; what is no page of it, is a text without a link."""

    def link(found: re.Match[str]) -> str:
        mark, text, address = found.groups()
        if "://" in address:
            return found[0]
        file, _, anchor = address.partition("#")
        anchor = f"#{re.sub('-+', '-', anchor)}" if anchor else ""
        if not file:
            return f"[{text}]({anchor})"
        target = (path.parent / file).resolve()
        place = places.get(target)
        if place is None and target.suffix == ".ipynb":
            place = f"notebooks/{target.stem}.md"
        if place is None and target.is_relative_to(FOLDER) and target.suffix == ".png":
            place = str(target.relative_to(FOLDER))
        if place is None:
            return text
        near = os.path.relpath(place, PurePosixPath(page).parent)
        return f"{mark}[{text}]({near}{anchor})"

    def part(found: re.Match[str]) -> str:
        return found["body"] + (_picture(found["of"]) if found["name"] == "formula" else "")

    text = PART.sub(part, path.read_text("utf-8"))
    return LINK.sub(link, FORMULA.sub(_formula, text))


def _formula(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    return f'<div class="law" tabindex="0">{convert(found[1], display="block")}</div>'


def _picture(module: str) -> str:
    """The curves of the page about a mechanism, with its controls where they begin."""
    lesson = lesson_of(module)
    return "".join(f"\n{drawn(curve.figure, curve.says)}\n" for curve in lesson.answer(lesson.start).curves)


def _notebook(path: Path) -> str:
    """The cells of a notebook, each with what it printed or its value."""

    def cells() -> Iterator[str]:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
            for output in cell.get("outputs", ()):
                text = "".join(output.get("text") or output["data"]["text/plain"])
                yield f"```text\n{text.rstrip()}\n```"

    return "\n\n".join(cells()) + "\n"


def _questions() -> str:
    """The questions of the page, each with its answer in one sentence and how the command asks it."""
    texts = [
        "# Questions",
        "Each answer is what `blocktime compare` says of it; the page's first screen asks the same.",
    ]
    for question in presets.QUESTIONS:
        changes = dict(question.changes)
        command = " ".join(
            ["blocktime compare", question.scenario, *(f"--set {key}={value}" for key, value in changes.items())]
        )
        said = bt.compare(question.scenario, change=changes)
        texts += [f"## {question.title}", question.says, f"**{said.sentence}**", f"Why: {said.why[0]}."]
        texts.append(f"```text\n{command}\n```")
    return "\n\n".join(texts) + "\n"


def _sample() -> bt.AnswerComparison:
    """A system as the AWR reports of a busy and of a quiet hour describe it, and the same on another volume."""
    with TemporaryDirectory() as folder:
        files = []
        for hour, users in (("busy", 100), ("quiet", 10)):
            report = bt.run(SYSTEM, workload={"users": users, "think_s": "100ms"}, disk=VOLUME).report("awr")
            files.append(Path(folder) / f"{hour}.txt")
            files[-1].write_text(report, "utf-8")
        return bt.compare(bt.measure(files), disk=ANOTHER)


def build(folder: Path = SITE) -> None:
    """Make the site in *folder*; raises CalledProcessError with what Zensical printed where it can't."""
    with TemporaryDirectory() as place:
        work = Path(place)
        shutil.copytree(FOLDER, work / "docs", ignore=shutil.ignore_patterns("*.md", "*.ipynb"))
        for name, text in pages().items():
            (work / "docs" / name).parent.mkdir(exist_ok=True)
            (work / "docs" / name).write_text(text, "utf-8")
        (work / "docs" / "report.html").write_text(_sample().to_html(), "utf-8")
        shutil.copy(ROOT / "app" / "session" / "mark.svg", work / "docs" / "mark.svg")
        report = (ROOT / "app" / "reports" / "templates" / "page.html").read_text("utf-8").splitlines()
        rules = [line for line in report if line.startswith(OF_CHARTS)]
        (work / "docs" / "site.css").write_text("\n".join([*rules, LOOK]), "utf-8")
        shutil.copy(Path(__file__).with_suffix(".toml"), work / "zensical.toml")
        command = [sys.executable, "-m", "zensical", "build", "--clean"]
        subprocess.run(command, cwd=work, check=True, capture_output=True, text=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(work / "site", folder)


if __name__ == "__main__":
    build()
    sys.stdout.write(f"written: {SITE.relative_to(ROOT)}/index.html\n")
