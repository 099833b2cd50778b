"""Pages to take away, made from templates: self-contained, without scripts, without network."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from click import unstyle

from blocktime.app.charts import svg
from blocktime.app.charts.drawing import Figure

if TYPE_CHECKING:
    from jinja2 import Environment

BEGIN: Final = '<!doctype html>\n<html lang="en">'
OF_OURS: Final = " – Blocktime</title>"
"""How the title of each page ends."""
MOST_BEFORE_TITLE: Final = 10_000


@cache
def _templates() -> Environment:
    """The templates beside this file; each text that they place is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=StrictUndefined, finalize=_plain,
    )  # fmt: skip

    def drawn(figure: Figure, says: str = "") -> str:
        return Markup(svg.drawn(figure, says))  # the writer of figures escapes their texts

    made.filters |= {"drawn": drawn, "json": data_text}
    return made


def _plain(value: Any) -> Any:
    return unstyle(value) if type(value) is str and "\x1b" in value else value


def page(template: str, **values: Any) -> str:
    """A whole page from *template*, which needs a title, a heading and what made the page."""
    return _templates().get_template(f"{template}.html").render(**values)


def is_of_ours(path: Path) -> bool:
    """Whether a file is a page that was made here, which a later one may replace."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(MOST_BEFORE_TITLE)
    except OSError:
        return False
    return head.startswith(BEGIN) and OF_OURS in head


def data_text(value: Any, indent: str = "") -> str:
    """*value* as JSON whose innermost lists and tables stand in a line each."""
    if not isinstance(value, dict | list) or not any(isinstance(part, dict | list) and part for part in _inside(value)):
        return json.dumps(value, ensure_ascii=False)
    deeper = f"{indent}  "
    if isinstance(value, dict):
        lines = [f"{json.dumps(name, ensure_ascii=False)}: {data_text(part, deeper)}" for name, part in value.items()]
    else:
        lines = [data_text(part, deeper) for part in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n" + ",\n".join(f"{deeper}{line}" for line in lines) + f"\n{indent}{end}"


def _inside(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value
