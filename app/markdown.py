"""Text as Markdown shows it."""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """*text* without the signs that Markdown would take for its own."""
    return re.sub(r"([\\$_*~`\[\]])", r"\\\1", text)


def sentence(text: str) -> str:
    """*text* with a capital and a full stop."""
    return text if not text else text[0].upper() + text[1:] + ("" if text.endswith((".", ":", "!")) else ".")
