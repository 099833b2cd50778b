"""Amounts and quantities in the words that a reader would pick."""

import pytest

from model.units import show_data, show_quantity


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [(0, "0 bytes"), (512, "512 bytes"), (8192, "8 KB"), (885 << 20, "885 MB"), (1.5 * 2**30, "1.5 GB"),
     (1023 << 20, "0.999 GB"), (3 << 40, "3 TB")],
)  # fmt: skip
def test_data_are_told_with_their_unit(size_bytes: float, shown: str) -> None:
    assert show_data(size_bytes) == shown


@pytest.mark.parametrize(
    ("name", "values", "shown"),
    [
        ("block_size_bytes", (16384,), "blocks of 16K"),
        ("block_size_bytes", (2048, 8192), "blocks of 2K to 8K"),
        ("block_size_bytes", (8192, 8192), "blocks of 8K"),
        ("row_bytes", (9, 110.5), "rows of 9 to 110.5 bytes"),
        ("read_bytes", (1_048_576, 1_048_600), "reads of 1,048,576 to 1,048,600 bytes"),
        ("columns", (1,), "1 column"),
        ("columns", (1, 24), "1 to 24 columns"),
        ("itl_entries", (169,), "169 ITL entries"),
        ("arraysize_rows", (15,), "array size 15"),
        ("some_other", (2.5,), "some other 2.5"),
    ],
)
def test_what_constants_are_fitted_over_is_said_in_words(
    name: str, values: tuple[float, ...], shown: str
) -> None:
    assert show_quantity(name, *values) == shown
