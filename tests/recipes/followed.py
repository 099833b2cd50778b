"""Looks for one field of a scenario everywhere a reader meets it; prints what it finds, as JSON.

Run in a copy of the tree: ``python -m tests.recipes.followed PATH KIND SCENARIO WRONG VALUES WORD``.
"""

import json
import sys
from typing import Any

from streamlit.testing.v1 import AppTest

from blocktime.app.controls import control_fields, forms, more_fields
from blocktime.model.errors import SpecError
from blocktime.scenarios import load, run, sweep
from blocktime.scenarios.schema import schema_of
from blocktime.scenarios.synonyms import found
from tests.patience import LIMIT_S
from tools.documents import FIELDS, filled
from tools.field_lists import field_list

PAGE = """
from blocktime.app.controls import forms, widgets
from blocktime.scenarios import load

scenario = load({scenario!r})
control = forms.control_of({path!r}, {kind!r})
look = widgets.look(control, control.facts({kind!r}), scenario, scenario, False, False)
widgets.draw(control, look, print)
"""


def error_of(scenario: str, setting: str) -> str:
    """The sentence that refuses a setting."""
    try:
        load(scenario, [setting])
    except SpecError as error:
        return str(error)
    return ""


def look(path: str, kind: str, scenario: str, wrong: str, values: str, word: str) -> dict[str, Any]:
    """What page, help, schema, documents, errors, search and a sweep know of the field."""
    field = control_fields.facts(path, kind)
    assert field is not None
    app = AppTest.from_string(PAGE.format(path=path, kind=kind, scenario=scenario), default_timeout=LIMIT_S).run()
    assert not app.exception
    (drawn,) = [element for element in (*app.text_input, *app.selectbox) if element.key == path]
    schema = json.dumps(schema_of("scenario"))
    document = filled(FIELDS.read_text("utf-8"), {"fields": field_list}, "docs/fields.md")
    table = sweep(scenario, [f"{path}={values}"])
    return {
        "group": next(
            name for name, controls in forms.groups_of(kind).items() if path in [control.path for control in controls]
        ),
        "label": drawn.label,
        "help": drawn.help,
        "schema": f'"{path.rpartition(".")[2]}": {{' in schema and field.says in schema,
        "document": [line for line in document.splitlines() if line.startswith(f"- `{path}`")],
        "error": error_of(scenario, f"{path}={wrong}"),
        "meant": error_of(scenario, f"{word}=1"),
        "found": found(word, more_fields.searchable(kind).items()).fields,
        "elapsed_s": [float(value) for value in table["elapsed_s"]],
        "await_s": [
            next(iter(run(load(scenario, [f"{path}={value}"])).device.values())).await_s for value in values.split(",")
        ],
    }


if __name__ == "__main__":
    print(json.dumps(look(*sys.argv[1:])))
