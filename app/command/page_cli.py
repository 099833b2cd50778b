"""``blocktime app``: the page in the browser."""

from __future__ import annotations

import click

from blocktime.app.command import serve


@click.command("app")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on; default: any free port.")
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
def what_if(port: int | None, browser: bool) -> int:
    """Open the what-if page in the browser."""
    return serve.serve(port, browser)
