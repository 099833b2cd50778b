"""The assistant's door, over standard input and by the client of the protocol's own package."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent, Tool

import blocktime as bt
from blocktime.app.command.assistant import MOST_BYTES, Assistant, short, size
from blocktime.model.errors import SpecError
from blocktime.scenarios.verdict import binding
from tests.patience import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = {"tablespace.block_size_bytes": "16K"}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "run": ("run", {"scenario": "tpc-b"}),
    "compare": ("compare", {"scenario": "full-scan-nvme", "change": BLOCKS}),
    "sweep": ("sweep", {"scenario": "full-scan-nvme", "vary": {"workload.users": [1, 2]}}),
    "read": ("read_measurements", {"files": "awr.txt"}),
    "measured": ("run", {"scenario": "awr.txt"}),
    "file": ("run", {"scenario": "mine.toml,workload.users=2"}),
    "whole": ("explain", {"topic": "tpc-b"}),
    "rest": ("explain", {"topic": "tpc-b", "begin": 20}),
    "part": ("explain", {"topic": "tpc-b", "part": "load"}),
    "why": ("explain", {"topic": "full-scan-nvme", "change": BLOCKS, "begin": 27}),
    "field": ("explain", {"topic": "disk.iops_limit"}),
    "entry": ("explain", {"topic": "nvme"}),
    "list": ("explain", {"topic": "scenarios"}),
}
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "above": ("run", {"scenario": "../secret.toml"}, "../secret.toml: is outside the folder that blocktime mcp was"),
    "root": ("read_measurements", {"files": ["awr.txt", "/etc/hosts"]}, "/etc/hosts: is outside the folder that"),
    "link": ("run", {"scenario": "link.toml"}, "link.toml: is outside the folder that blocktime mcp was started in"),
    "input": ("run", {"scenario": "-"}, "no scenario or file named "),
    "device": ("run", {"scenario": "/dev/stdin"}, "/dev/stdin: is outside the folder"),
    "field": ("run", {"scenario": "tpc-b", "change": {"disk.size": 1}}, "run: disk.size: there is no such field"),
    "part": ("explain", {"topic": "tpc-b", "part": "mood"}, "explain: part: got 'mood'; allowed are programs, "),
    "begin": ("explain", {"topic": "tpc-b", "begin": 1000}, "explain: begin: got 1000; allowed is a line from 1 to "),
    "both": ("compare", {"scenario": "tpc-b", "other": "tpc-c", "change": BLOCKS}, "compare: got several scenarios"),
}  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Tool], dict[str, CallToolResult], list[str]]:
    """The tools, the answers of one server to all calls, and the files in its folder afterwards."""
    outside = tmp_path_factory.mktemp("outside")
    folder = outside / "reports"
    folder.mkdir()
    (folder / "awr.txt").write_text(bt.run("tpc-b").report("awr"), encoding="utf-8")
    (folder / "mine.toml").write_text('base = "full-scan-nvme"\n[table]\nrows = 1000\n', encoding="utf-8")
    (outside / "secret.toml").write_text('base = "tpc-b"\n', encoding="utf-8")
    (folder / "link.toml").symlink_to(outside / "secret.toml")
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "blocktime", "mcp"], cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip

    async def ask() -> tuple[list[Tool], dict[str, CallToolResult]]:
        async with Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            calls = {**CALLS, **{f"not {name}": refused[:2] for name, refused in REFUSED.items()}}
            return tools, {name: await client.call_tool(tool, arguments) for name, (tool, arguments) in calls.items()}

    tools, answers = asyncio.run(asyncio.wait_for(ask(), LIMIT_S))
    return tools, answers, sorted(path.name for path in folder.iterdir())


def text_of(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


def test_five_tools_that_only_read(said: tuple[list[Tool], dict[str, CallToolResult], list[str]]) -> None:
    tools, _, files = said
    assert [tool.name for tool in tools] == ["read_measurements", "run", "compare", "sweep", "explain"]
    assert all(tool.annotations and tool.annotations.read_only_hint and tool.description for tool in tools)
    assert files == ["awr.txt", "link.toml", "mine.toml"]


def test_answers_are_short_and_those_of_the_functions(
    said: tuple[list[Tool], dict[str, CallToolResult], list[str]],
) -> None:
    _, answers, _ = said
    texts = {name: text_of(answers[name]) for name in CALLS}
    assert {name: text for name, text in texts.items() if answers[name].is_error} == {}
    assert {name: len(text.encode()) for name, text in texts.items() if len(text.encode()) > MOST_BYTES} == {}
    ran, compared = bt.run("tpc-b"), bt.compare("full-scan-nvme", change=BLOCKS)
    assert texts["run"].startswith(f"{ran.sentence}\nlimit: {binding(ran.run, ran.scenario)}.")
    assert texts["compare"].startswith(f"{compared.sentence}\nwhy: {compared.why[0]}\n")
    assert texts["measured"].splitlines()[0].startswith("9.76 TPS; a transaction takes 8.01 ms")
    assert texts["file"].startswith(bt.run("full-scan-nvme", table={"rows": 1000}, workload={"users": 2}).sentence)
    assert "users 1; most" in texts["sweep"].splitlines()[0]
    assert texts["read"].startswith("run, compare and sweep take these files as a scenario.\n")
    assert texts["part"].startswith("Load profile\n")
    assert compared.why[-1] in " ".join(texts["why"].split())
    assert texts["field"].startswith("field: disk.iops_limit\n")
    assert texts["entry"].startswith("nvme (disk)\n")


def test_a_page_begins_where_the_last_one_ended(said: tuple[list[Tool], dict[str, CallToolResult], list[str]]) -> None:
    whole, rest = (text_of(said[1][name]).splitlines() for name in ("whole", "rest"))
    assert whole[-1].startswith("more: the same with begin=")
    assert whole[19:-1] == rest[: len(whole) - 20]
    assert rest[-1] != whole[-1]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_one_sentence(
    said: tuple[list[Tool], dict[str, CallToolResult], list[str]], name: str
) -> None:
    answer = said[1][f"not {name}"]
    assert answer.is_error
    assert text_of(answer).startswith(REFUSED[name][2])
    assert "\n" not in text_of(answer)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", bt.library())
def test_every_scenario_has_a_short_answer(name: str, tmp_path: Path) -> None:
    answer = Assistant(tmp_path).run(name)
    result = bt.run(name)
    assert len(answer.encode()) <= MOST_BYTES
    assert answer.startswith(f"{result.sentence}\nlimit: {binding(result.run, result.scenario)}.")


def test_the_first_lines_are_never_cut() -> None:
    first = ["a" * MOST_BYTES, "limit"]
    assert short(first, ["more"], "how") == "\n".join([*first, "how"])
    text = short(["main"], ["b" * 700, "c" * 700, "d" * 700], "how")
    assert text == "\n".join(["main", "b" * 700, "c" * 700, "how"])
    assert size(text.splitlines()) == len(text)
    assert short(["main"], ["b"], "how", cut_alone=True) == "main\nb"


def test_a_sweep_has_a_limit(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="201 points are more than the 200"):
        Assistant(tmp_path).sweep("full-scan-nvme", ["table.rows=1000:2000:201"])
