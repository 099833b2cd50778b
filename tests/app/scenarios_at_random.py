"""Scenarios of the library with changes that the page's controls allow, and links that mean harm."""

from dataclasses import replace
from typing import Any, get_args

from hypothesis import strategies as st

from blocktime.app.controls import control_fields, forms, settings
from blocktime.app.controls.control_fields import Facts
from blocktime.app.controls.page_question import Moves, PageQuestion, opened
from blocktime.model.spec import WORKLOADS
from blocktime.scenarios import load
from tests.known_by_law import KNOWN

CONTROLS = sorted(
    {control.path for kind in WORKLOADS for controls in forms.groups_of(kind).values() for control in controls}
)


@st.composite
def changed(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """The name of a library scenario and changes that it takes."""
    name = draw(st.sampled_from(KNOWN))
    kind = load(name).workload.kind
    asked = {}
    for path in draw(st.lists(st.sampled_from(CONTROLS), max_size=6, unique=True)):
        field = control_fields.facts(path, kind)
        if field is not None:
            asked[path] = control_fields.text_of(field, control_fields.control_value(field, draw(values(field))))
    _, refused = settings.settle(name, asked)
    return name, {path: text for path, text in asked.items() if path not in refused}


@st.composite
def questions(draw: st.DrawFn) -> PageQuestion:
    """A question as it opens: some of its fields are set on both sides, the others by the change."""
    name, fields = draw(changed())
    shared = draw(st.sets(st.sampled_from(sorted(fields)))) if fields else set()
    _, refused = settings.settle(name, {path: fields[path] for path in shared})
    system_fields = {path: fields[path] for path in sorted(shared) if path not in refused}
    question = opened(name, {**fields, **system_fields}, system_fields)
    return replace(question, moves=draw(st.sampled_from(get_args(Moves))))


def values(field: Facts) -> st.SearchStrategy[Any]:
    """Values that a control of *field* may hold."""
    if field.kind in ("choice", "ladder"):
        return st.sampled_from(field.options)
    if field.kind == "flag":
        return st.booleans()
    if field.kind == "text":
        return st.sampled_from(["10.2.0.4", "11.1.0.6", "19.3.0.0", "2.6.18", "5.10"])
    low, high = field.low or 0, field.high if field.high is not None else 1e9
    if field.kind in ("whole", "size"):
        return st.integers(int(low), int(min(high, 1e9)))
    return st.floats(low, min(high, 1e9), exclude_min=field.open_below)


NASTY = [
    "1e400", "-1e400", "nan", "9" * 5000, "[" * 3000, "{a=" * 500, "{" + "a." * 3000 + "b=1}", "__import__('os')",
    "<script>window.hit=1</script>", "![x](https://example.org/x.png)", "$$x$$", "\x00",
    "\ud7ff", "1\n[disk]\nuse='nvme'",
    "../../../etc/passwd", "%00", "true", "16K", "", " ", "1979-05-27", "[[workload.mix]]", "[{name='<b>'}]",
]  # fmt: skip
PATHS = [
    *CONTROLS, "workload.kind", "workload.mix", "table.columns", "disk.use", "a.b", ".", "..", "a" * 500 + ".b",
    "a." * 200 + "b", "workload.mix.0.name", "table.rows.x", " . ", "host.use", "prices.use", "inferred.field",
]  # fmt: skip


def hostile() -> st.SearchStrategy[dict[str, str]]:
    """Addresses of any kind."""
    texts = st.text() | st.sampled_from(NASTY)
    fields_of = st.dictionaries(st.sampled_from(PATHS) | st.text().map(lambda text: f"table.{text}"), texts, max_size=5)
    others = st.dictionaries(
        st.sampled_from(["scenario", "s", "S", "v", "embed", "utm_source"]) | st.text(), texts, max_size=4
    )
    named = st.dictionaries(st.just("scenario"), st.sampled_from(KNOWN))
    return st.builds(
        lambda *parts: {key: text for part in parts for key, text in part.items()}, others, named, fields_of
    )
