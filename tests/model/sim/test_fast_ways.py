"""A fast way answers only what it reads: other fields off their neutral value are played by events."""

from blocktime.model.sim.fast import NEUTRAL, reads_all
from blocktime.model.spec import Disk, System


def test_neutral_values_are_those_of_fields() -> None:
    for path, value in NEUTRAL.items():
        section, name = path.split(".")
        part = getattr(System(), section)
        assert getattr(part, name) != value, "its default is neutral: leave it out"
        assert type(part).model_validate({**dict(part), name: value, "track_seek_s": None})


def test_what_is_not_read_must_be_neutral() -> None:
    assert not reads_all(frozenset(), System())
    neutral = System(disk=Disk(rotation_s=0, average_seek_s=0))
    assert reads_all(frozenset(), neutral)
    assert reads_all(frozenset({"disk.rotation_s", "disk.average_seek_s"}), System())
