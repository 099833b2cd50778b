"""What many tests of the validation share."""

import pytest

from blocktime.validation import Validation, validate


@pytest.fixture(scope="session")
def validation() -> Validation:
    """One comparison of every number, as its simulations take some seconds."""
    return validate()
