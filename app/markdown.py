"""Text as Markdown shows it."""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """*text* without the signs that Markdown would take for its own, Streamlit's :names: of pictures among them."""
    return re.sub(r":(?=\S)", ":\u2060", re.sub(r"([\\$_*~`\[\]])", r"\\\1", text))


def sentence(text: str) -> str:
    """*text* with a capital and a full stop."""
    return text if not text else text[0].upper() + text[1:] + ("" if text.endswith((".", ":", "!")) else ".")
