"""Constants that nothing fits: how far they may be off, said in the catalog and not left to the reader."""

from blocktime.model.catalog import KINDS, entries
from blocktime.validation import case_names, load_case, numbers_of

CONSTANTS = [
    (f"{kind}/{name}: {field}", field, constant)
    for kind in KINDS
    for name, entry in entries(kind).items()
    for field, constant in entry.constants.items()
]
FITTED = {constant for name in case_names() for number in numbers_of(load_case(name)) for constant in number.fits}


def test_what_nobody_looked_up_says_how_far_it_may_be_off() -> None:
    """Nothing of a time of zero: a part that the device has not."""
    for where, field, constant in CONSTANTS:
        guessed = constant.how == "general knowledge" and not constant.same_as and constant.value
        if guessed and field.endswith("_s"):  # seconds, or bytes a second
            assert constant.interval is not None, f"{where}: no interval"
            assert constant.note, f"{where}: an interval without its reason"


def test_an_interval_holds_the_value_and_has_a_width() -> None:
    for where, _, constant in CONSTANTS:
        if constant.interval:
            low, high = constant.interval
            assert 0 < low <= constant.value <= high, where
            assert low < high, where


def test_a_repeated_constant_has_no_interval_of_its_own() -> None:
    """It follows the one that it repeats, but where it is fitted to further numbers."""
    own = [where for where, _, one in CONSTANTS if one.same_as and one.interval and one.how != "fitted"]
    assert not own


def test_every_constant_that_a_case_fits_is_fitted_in_the_catalog() -> None:
    fitted = {where for where, _, one in CONSTANTS if one.how == "fitted" and not one.same_as}
    assert fitted == {where for where in FITTED if not where.startswith("scenario/")}
