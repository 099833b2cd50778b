"""Terminal, lines, Markdown and packing: what every other room writes with."""

from typing import Final

FIRST: Final = "full-scan-nvme"
"""The scenario that the page opens with; `dev.py app` answers it before."""
