"""What is left out is predicted by the others, the file of it is fresh, and no column mixes the two kinds of error."""

import json

import pytest

from blocktime.validation import case_names, load_case
from blocktime.validation.fit import is_counted
from blocktime.validation.leave_out import block_size_of, compared_of, every_left_out, text_of
from blocktime.validation.out_of_sample import LeftOut, every_known, left_out_of
from tests.whole import WHOLE

LATER = () if WHOLE else ("savvinov_logical_io", "magni_exp_imp")
"""Cases with so many numbers, or such long imports, that it takes a minute to leave each out."""
SMOOTH = [name for name in case_names() if name not in LATER and not any(map(is_counted, compared_of(load_case(name))))]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", SMOOTH)
def test_leaving_out_again_gives_the_file(case: str) -> None:
    """A case whose events are counted takes minutes; `blocktime calibrate --write` does those."""
    ((_, found),) = every_left_out([case])
    known = {name: one for name, one in every_known().items() if name.startswith(f"{case}:")}
    assert set(known) == set(found)
    for name, one in found.items():
        for field in ("without_its_row", "without_its_block_size"):
            value, before = getattr(one, field), getattr(known[name], field)
            assert (value is None) == (before is None), (name, field)
            if value is not None:
                assert value == pytest.approx(before, rel=0.02, abs=1e-9), (name, field)
        assert one.why == known[name].why


def test_every_number_that_fits_is_left_out_or_says_why_not() -> None:
    for name in case_names():
        for number in compared_of(load_case(name)):
            one = left_out_of(number.id)
            if number.fits:
                assert (one.without_its_row is None) == bool(one.why), number.id
            else:
                assert one.without_its_row is None, number.id


def test_every_number_left_out_with_its_block_size_has_one_of_several() -> None:
    numbers = {number.id: number for name in case_names() for number in compared_of(load_case(name))}
    sizes = {name: {block_size_of(number) for number in compared_of(load_case(name))} for name in case_names()}
    assert set(every_known()) <= set(numbers)
    for identity, one in every_known().items():
        if one.without_its_block_size is not None:
            assert len(sizes[numbers[identity].case]) > 1


def test_a_row_left_out_is_predicted_by_the_rows_beside_it() -> None:
    """Where a constant has one number alone, nothing is foretold: 660 s of document 002."""
    alone = left_out_of("rahn_pctfree:updates:16384,10:update_time")
    assert alone.without_its_row is None
    assert alone.why == "nothing else determines host/rahn-10204: itl_entry_s"
    near = left_out_of("rahn_pctfree:updates:4096,10:update_time").without_its_row
    assert near == pytest.approx(26.71, rel=0.05)
    assert near != pytest.approx(26.71, rel=1e-4)


def test_the_file_is_sorted_and_leaves_out_what_is_not_known() -> None:
    found = {"b:t:r:c": LeftOut(without_its_row=1.2345678), "a:t:r:c": LeftOut(why="nothing else determines x")}
    assert [*json.loads(text_of(found))] == ["a:t:r:c", "b:t:r:c"]
    assert json.loads(text_of(found))["b:t:r:c"] == {"without_its_row": 1.23457}
