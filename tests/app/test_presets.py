"""Presets: questions in plain words, each of a scenario that exists and with changes that it takes."""

import pytest

from blocktime.app.controls import forms, presets, settings
from blocktime.app.controls.presets import Preset, source_of
from blocktime.app.what_if import gallery
from blocktime.model.catalog import KINDS, entries
from blocktime.scenarios import library, load

LONGEST = 42
"""Letters of a title that a control of the sidebar shows whole, about."""


@pytest.mark.parametrize("preset", list(presets.all_presets()), ids=lambda preset: preset.title)
def test_a_preset_is_a_library_scenario_with_changes_that_it_takes(preset: Preset) -> None:
    other, refused = settings.settle(preset.scenario, preset.changes)
    assert not refused
    assert (other.system, other.workload) != (load(preset.scenario).system, load(preset.scenario).workload) or (
        not preset.changes
    )
    assert len(preset.title) <= LONGEST or preset in presets.QUESTIONS  # which have a button as wide as they need
    assert presets.named(preset.key) is preset
    assert preset.picture in gallery.PICTURES


@pytest.mark.parametrize("preset", list(presets.all_presets()), ids=lambda preset: preset.title)
def test_a_preset_says_who_measured_it(preset: Preset) -> None:
    said = presets.source_of(preset.scenario)
    assert said
    assert said != library()[preset.scenario].source


def test_no_two_presets_look_alike() -> None:
    titles = [preset.title for preset in presets.all_presets()]
    assert len(set(titles)) == len(titles) == len(presets.BY_KEY)


def test_every_scenario_of_the_library_can_be_chosen_once() -> None:
    choices = presets.choices()
    assert len(set(choices)) == len(choices)
    assert {presets.named(key).scenario for key in choices} == set(library())
    assert set(library()) <= set(choices) | {preset.scenario for preset in presets.all_presets()}


def test_dd_through_the_file_system_is_the_one_that_was_measured() -> None:
    preset = next(one for one in presets.all_presets() if one.title == "dd: raw device or file system")
    other, _ = settings.settle(preset.scenario, preset.changes)
    measured = load("magni-dd-fs-10000")
    assert other.workload == measured.workload
    assert other.system.host == measured.system.host


@pytest.mark.parametrize("question", presets.QUESTIONS, ids=lambda question: question.title)
def test_a_question_names_controls_that_its_scenario_has(question: Preset) -> None:
    other, _ = settings.settle(question.scenario, question.changes)
    controls = forms.controls_of(question.controls, other.workload.kind)
    assert [control.path for control in controls] == list(question.controls)
    assert set(question.changes) <= set(question.controls)
    assert question.says
    assert presets.question(question.key) is question


def test_titles_name_machines_as_a_dba_would() -> None:
    titled = [entry.title for kind in KINDS for entry in entries(kind).values()]
    titled += [entry.title for entry in library().values()]
    titled += [source_of(name) for name in library()]
    assert not [title for title in titled if "document 00" in title or "machine A" in title]


@pytest.mark.parametrize("preset", list(presets.all_presets()), ids=lambda preset: preset.title)
def test_the_title_of_an_answer_names_each_change_that_its_preset_does_not_make(preset: Preset) -> None:
    shown, _ = settings.settle(preset.scenario, preset.changes)
    kind = shown.workload.kind
    fields = {control.path: control.facts(kind) for group in forms.groups_of(kind).values() for control in group}
    numbers = {path: field for path, field in fields.items() if field is not None and field.kind in ("whole", "size")}
    for path, field in numbers.items():
        title = presets.title_of_answer(preset.key, preset.scenario, {**preset.changes, path: str(field.low)})
        assert settings.change_words(path, str(field.low)) in title, path
    assert presets.title_of_answer(preset.key, preset.scenario, preset.changes) == preset.title


def test_a_title_of_many_changes_says_how_many_it_leaves_out() -> None:
    changes = {"table.rows": "100M", "tablespace.block_size_bytes": "16384", "disk.use": "ebs-gp3"}
    changes |= {"workload.users": "8", "host.cpus": "2", "instance.buffer_cache_bytes": "1G", "table.row_bytes": "90"}
    title = presets.title_of_answer("full-scan-nvme", "full-scan-nvme", changes)
    assert title.startswith(
        "Full scan of 50 million rows on NVMe, 19c, with Rows 100,000,000, Block size 16K, Disk ebs-gp3"
    )
    assert title.endswith("more changes")
    assert len(title) <= settings.LONGEST_TITLE
