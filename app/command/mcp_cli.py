"""``blocktime mcp``: the assistant's door."""

from __future__ import annotations

from pathlib import Path

import click

from blocktime.app.command.assistant import server_of


@click.command()
def mcp() -> None:
    """Serve the tools read_measurements, run, compare, sweep and explain to an assistant, over standard input.

    The tools read files of this folder alone, and write none. docs/assistant.md says how an assistant starts it.
    """
    server_of(Path.cwd()).run("stdio")
