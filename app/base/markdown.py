"""Text as Markdown shows it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

SIGNS: Final = re.compile(r"[\\$_*~`<\[\]]|&(?=#?\w+;)")
"""What Markdown, Streamlit's LaTeX and HTML begin with, wherever it stands."""
AT_THE_BEGIN: Final = re.compile(r"^( ?)(?:(?=[#>]|[-+](?:[ -]|$))|(\d{1,9})(?=[.)](?: |$)))")
"""What makes a heading, a quotation or a list of the line that it begins."""
LINKED: Final = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)", re.IGNORECASE)
"""Within an address or a :name: of a picture; a backslash would not do, as links are made after it is taken away."""
JOINER: Final = "\u2060"
"""Shows nothing and parts no word."""
BREAKS: Final = re.compile(r"[ \t\n\r\v\f\x1c-\x1f\x85\u2028\u2029]+")

FIELD: Final = re.compile(r"[a-z]+\.[a-z]|[a-z0-9]+(-[a-z0-9]+)+:")
"""What the dotted path of a field begins with."""


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """*text* in one line, without what Markdown would take for its own, links that it makes by itself among them."""
    escaped = SIGNS.sub(r"\\\g<0>", BREAKS.sub(" ", text))
    return LINKED.sub(JOINER, AT_THE_BEGIN.sub(r"\1\2\\", escaped))


def sentence(text: str) -> str:
    """*text* with a capital and a full stop; the path of a field and the name of a scenario stay as written."""
    if not text:
        return text
    first = text if FIELD.match(text) else text[0].upper() + text[1:]
    return first + ("" if text.endswith((".", ":", "!", "…")) else ".")
