"""``blocktime schema``: what a file may hold, for editors."""

from __future__ import annotations

import click

from blocktime.app.base.output import print_json
from blocktime.scenarios.schema import schema_of
from blocktime.validation import Case


@click.command()
@click.argument("kind", metavar="scenario|sweep|case|result")
def schema(kind: str) -> None:
    """Print the JSON Schema of a file or a result, for editors."""
    print_json(Case.model_json_schema() if kind == "case" else schema_of(kind))
