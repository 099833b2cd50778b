"""``blocktime list``: what can be named."""

from __future__ import annotations

from collections.abc import Iterator

import click

from blocktime.app.base.lines import parted
from blocktime.app.base.output import one_line, print_answer, width_of_terminal
from blocktime.app.command.list_text import LISTS, Named, as_data, kinds_with, lines_of, names_of
from blocktime.app.command.options import AS_JSON, quietly
from blocktime.model.errors import SpecError


@click.command("list")
@click.argument("what", required=False, metavar="[" + "|".join(LISTS) + "]")
@click.argument("name", required=False, metavar="[NAME]")
@AS_JSON
@quietly("Print names only.")
def list_names(what: str | None, name: str | None, as_json: bool, quiet: bool) -> None:
    """List scenarios, sweeps and catalog entries with their sources; with a NAME, show its contents.

    A NAME alone is enough: blocktime list nvme.
    """
    if what is not None and (name is not None or what not in LISTS):
        _list_one(what, name, as_json, quiet)
        return
    names = {kind: names_of(kind) for kind in LISTS if what in (None, kind)}
    keys = ("name", "title", "source")
    print_answer(
        as_json,
        quiet,
        lambda: {kind: [dict(zip(keys, entry, strict=True)) for entry in entries] for kind, entries in names.items()},
        lambda: (name for entries in names.values() for name, _, _ in entries),
        lambda: _lists(names, headed=what is None),
    )


def _lists(names: dict[str, list[Named]], headed: bool) -> Iterator[str]:
    """Every name with its title and source, each kind under a head where there are several."""
    longest = max((len(name) for entries in names.values() for name, _, _ in entries), default=0)
    for place, (kind, entries) in enumerate(names.items()):
        if headed:
            yield from [*([""] if place else []), click.style(kind, bold=True)]
        for name, title, source in entries:
            text = f"{name:<{longest}}  {title}{f' [{source}]' if source else ''}"
            yield f"  {text}" if headed else text


def _list_one(what: str, name: str | None, as_json: bool, quiet: bool) -> None:
    """One named thing, or those of one name: of the kind *what* where *name* follows it, else *what* is the name."""
    if name is None:
        kind, name = None, one_line(what)
    elif what in LISTS:
        kind, name = what, one_line(name)
    else:
        raise SpecError(f"list: got {one_line(what)[:60]!r}; allowed before a name are {', '.join(LISTS)}")
    kinds = kinds_with(name, kind)
    width = width_of_terminal()
    print_answer(
        as_json,
        quiet,
        lambda: [as_data(kind, name) for kind in kinds],
        lambda: [name],
        lambda: parted(lines_of(kind, name, width) for kind in kinds),
    )
