"""Calls of an assistant with their answers, made by the client of the protocol's own package."""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mcp.client import Client
from mcp_types import TextContent

import blocktime
from blocktime.app.command.assistant import server_of
from tools.markdown_tables import WIDTH

Call = tuple[str, Mapping[str, Any]]
REPORT: Final = "awr.txt"
"""A report in the folder of the server, as the model writes it of `tpc-b`."""
CALLS: Final[Sequence[Call]] = (
    ("run", {"scenario": "oltp-nvme"}),
    ("compare", {"scenario": "full-scan-nvme", "change": {"tablespace.block_size_bytes": "16K"}}),
    ("explain", {"topic": "full-scan-nvme", "part": "io"}),
    ("read_measurements", {"files": REPORT}),
    ("compare", {"scenario": REPORT, "change": {"instance.buffer_cache_bytes": "32M"}}),
    ("sweep", {"scenario": "full-scan-nvme", "vary": {"workload.users": [1, 2, 4, 8]}}),
    ("run", {"scenario": "../private.toml"}),
)


def transcript() -> str:
    """Each of the calls, and its answer."""
    with TemporaryDirectory() as folder:
        Path(folder, REPORT).write_text(blocktime.run("tpc-b").report("awr"), encoding="utf-8")
        answers = asyncio.run(_answers(Path(folder)))
    calls = (f"> {tool} {json.dumps(arguments)}" for tool, arguments in CALLS)
    lines = ([call, "", *answer.splitlines()] for call, answer in zip(calls, answers, strict=True))
    texts = ("\n".join(chain.from_iterable(wrap(line, WIDTH) for line in each)) for each in lines)
    return "\n\n".join(f"```text\n{text}\n```" for text in texts)


def wrap(line: str, width: int) -> list[str]:
    """*line* as it stands where it fits, or else in several."""
    return textwrap.wrap(line, width, subsequent_indent="  ") if len(line) > width else [line]


async def _answers(folder: Path) -> list[str]:
    async with Client(server_of(folder)) as client:
        results = [await client.call_tool(tool, dict(arguments)) for tool, arguments in CALLS]
    return ["\n".join(part.text for part in result.content if isinstance(part, TextContent)) for result in results]
