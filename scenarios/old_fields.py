"""Fields of earlier releases: what stands for them now, so that an old file is read with a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class OldField(NamedTuple):
    """What became of a field."""

    new: str
    """The field that takes its value; empty where none does."""
    why: str


OLD_FIELDS: Final[dict[str, OldField]] = {
    "host.update_row_s": OldField("host.change_block_s", "an updated row costs what any change to a block does"),
    "host.delete_row_s": OldField("", "a deleted row costs host.change_block_s, as an updated one does"),
    "host.log_file_sync_s": OldField(
        "", "a commit waits for the log's write, and then host.commit_overhead_s until its session runs"
    ),
}


def with_new_fields(sections: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """*sections* with new fields for old ones, and a sentence for each; what a file says of a new field stays."""
    changed, notes = dict(sections), []
    for path, (new, why) in OLD_FIELDS.items():
        section, _, name = path.partition(".")
        fields = changed.get(section)
        if not isinstance(fields, Mapping) or name not in fields:
            continue
        others = {field: value for field, value in fields.items() if field != name}
        _, _, new_name = new.partition(".")
        if new and new_name not in others:
            others[new_name] = fields[name]
        changed[section] = others
        notes.append(f"{path} is {f'now {new}' if new else 'no longer read'}: {why}")
    return changed, tuple(notes)
