"""What every page to take away is made of: tables, lists, lines, figures; self-contained, no network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from click import unstyle

PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>
:root {{ color-scheme: light; }}
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1d2329; background: #fff; margin: 2rem auto; padding: 0 1rem;
       max-width: 66rem; }}
h1 {{ font-size: 1.6rem; margin-bottom: 0; }}
h2 {{ font-size: 1.1rem; margin: 2rem 0 .5rem; }}
.made {{ color: #5a646e; margin-top: .2rem; }}
.answer {{ font-size: 1.2rem; }}
.beyond {{ color: #9a5b00; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: right; padding: .15rem .8rem; border-bottom: 1px solid #e3e7ea; }}
th:first-child, td:first-child {{ text-align: left; padding-left: 0; }}
.wide td {{ white-space: nowrap; }}
tr.sum td {{ font-weight: 600; border-bottom: 0; }}
.key {{ margin-right: 1rem; white-space: nowrap; }}
.key i {{ display: inline-block; width: .8rem; height: .8rem; margin-right: .3rem; }}
pre {{ font: 13px/1.4 ui-monospace, monospace; overflow-x: auto; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
OF_OURS: Final = " – Blocktime"
"""How the title of each page ends."""
MOST_BEFORE_TITLE: Final = 10_000


def page(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page, with more of *style* in its head."""
    text = PAGE.format(title=escape(f"{title}{OF_OURS}"), body="\n".join(body))
    return text.replace("</head>", f"{style}</head>", 1) if style else text


def is_of_ours(path: Path) -> bool:
    """Whether a file is a page that was made here, which a later one may replace."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(MOST_BEFORE_TITLE)
    except OSError:
        return False
    return head.startswith(PAGE.partition("{title}")[0]) and f"{OF_OURS}</title>" in head


def table(rows: Iterable[Sequence[str]], kind: str = "", last: int = 0) -> str:
    """A table of plain cells, the first row its head, the *last* ones sums."""
    lines = [*rows]
    drawn = []
    for place, cells in enumerate(lines):
        cell = "th" if place == 0 else "td"
        sums = ' class="sum"' if place >= len(lines) - last else ""
        drawn.append(f"<tr{sums}>" + "".join(f"<{cell}>{escape(text)}</{cell}>" for text in cells) + "</tr>")
    return f'<table class="{kind}">' + "\n".join(drawn) + "</table>"


def bullets(items: Iterable[str], look: str = "") -> str:
    """A list of sentences."""
    return "<ul>" + "".join(f"<li{look}>{escape(item)}</li>" for item in items) + "</ul>"


def plot(figure: dict[str, Any], name: str, *, with_plotly: bool = True) -> str:
    """The figure, with plotly itself inlined where it is the first of its page."""
    from plotly.io import to_html

    html = to_html(
        figure, config={"displaylogo": False, "responsive": True}, include_plotlyjs=with_plotly, full_html=False,
        div_id=name, validate=False,
    )  # fmt: skip
    return str(html)


def plotted(title: str, drawn: tuple[dict[str, Any], str], name: str) -> Iterable[str]:
    """A figure that is not the first of its page, under its title and what it shows."""
    figure, finding = drawn
    yield f"<h2>{escape(title)}</h2><p>{escape(finding)}</p>"
    yield plot(figure, name, with_plotly=False)


def heading(title: str, made: str) -> str:
    """The title of a page, and what made it."""
    return f'<h1>{escape(title)}</h1>\n<p class="made">{escape(made)}</p>'


def section(lines: Iterable[str]) -> Iterable[str]:
    """Lines under their first one as a heading; nothing where there is no more."""
    title, *more = [*lines] or [""]
    if more:
        yield f"<h2>{escape(unstyle(title))}</h2>"
        yield pre(more)


def details(title: str, value: object) -> str:
    """*value* as JSON that opens on a click."""
    text = escape(json.dumps(value, indent=2, ensure_ascii=False))
    return f"<details><summary>{escape(title)}</summary><pre>{text}</pre></details>"


def pre(lines: Iterable[str]) -> str:
    return "<pre>" + escape("\n".join(unstyle(line) for line in lines)) + "</pre>"
