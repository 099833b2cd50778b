"""``blocktime list``: what can be named."""

from __future__ import annotations

import click

from app.base.output import one_line, print_json, print_lines, width_of_terminal
from app.command.list_text import LISTS, as_data, kinds_with, lines_of, names_of
from model.errors import SpecError


@click.command("list")
@click.argument("what", required=False, metavar="[" + "|".join(LISTS) + "]")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--quiet", is_flag=True, help="Print names only.")
def list_names(what: str | None, name: str | None, as_json: bool, quiet: bool) -> None:
    """List scenarios, sweeps and catalog entries with their sources; with a NAME, show its contents.

    A NAME alone is enough: blocktime list nvme.
    """

    if what is not None and (name is not None or what not in LISTS):
        _list_one(what, name, as_json, quiet)
        return
    names = {kind: names_of(kind) for kind in LISTS if what in (None, kind)}
    if as_json:
        print_json(
            {
                kind: [{"name": name, "title": title, "source": source} for name, title, source in entries]
                for kind, entries in names.items()
            }
        )
        return
    if quiet:
        print_lines(name for entries in names.values() for name, _, _ in entries)
        return
    longest = max((len(name) for entries in names.values() for name, _, _ in entries), default=0)
    lines: list[str] = []
    for kind, entries in names.items():
        if what is None:
            lines += [*([""] if lines else []), click.style(kind, bold=True)]
        indent = "  " if what is None else ""
        lines += [
            f"{indent}{name:<{longest}}  {title}{f' [{source}]' if source else ''}"
            for name, title, source in entries
        ]
    print_lines(lines)


def _list_one(what: str, name: str | None, as_json: bool, quiet: bool) -> None:
    """One named thing, or those of one name: of the kind *what* where *name* follows it, else *what* is the name."""

    if name is None:
        kind, name = None, one_line(what)
    elif what in LISTS:
        kind, name = what, one_line(name)
    else:
        raise SpecError(f"list: got {one_line(what)[:60]!r}; allowed before a name are {', '.join(LISTS)}")
    kinds = kinds_with(name, kind)
    if as_json:
        print_json([as_data(kind, name) for kind in kinds])
    elif quiet:
        print_lines([name])
    else:
        width = width_of_terminal()
        print_lines(
            line
            for place, kind in enumerate(kinds)
            for line in (*([""] if place else []), *lines_of(kind, name, width))
        )
