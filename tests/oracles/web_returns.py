"""How long a row of document 000 is: WEB_RETURNS of TPC-DS at scale factor 100, drawn again from public ranges.

The document prints the columns and the size of the flat file, but no AVG_ROW_LEN. The table is made by a public
generator [tpc-ds], so the mean stored bytes of each column follow from the range of its values and the stored form of
NUMBER. The mean of the whole row decides how many blocks a scan reads; ``scenarios/library/rahn-full-scan.toml`` holds
the means, and a test compares them with what is drawn here. The printed size of the flat file, which nothing here was
fitted to, is the check: the same draws, written as text, must be as long.

Assumed of the columns:

* a surrogate key is uniform over the rows of the table it points to at this scale factor; a date key over the days of
  the benchmark's sales and returns; a time key over the seconds of a day;
* prices follow the benchmark's pricing rules as far as they are known: a wholesale cost of 1.00 to 100.00, marked up by
  0 to 200 %, discounted by 0 to 100 %; shipping of 0 to 50 % of the list price; a tax of 0 to 9 %; a fee of 0.50 to
  100.00; of the returned amount a share is refunded in cash, of the rest a share is charged back, the remainder is
  credited;
* of the quantity sold (1 to 100) any part is returned;
* in 9 % of the rows each column that may be NULL is NULL with probability one half, in the others none.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

ROWS: Final = 400_000
SEED: Final = 1

NULL_ROWS_FRACTION: Final = 0.09
NULL_IN_SUCH_A_ROW_FRACTION: Final = 0.5
NEVER_NULL: Final = ("WR_ITEM_SK", "WR_ORDER_NUMBER")

# Smallest and largest value of each key and count, both included.
KEYS: Final[dict[str, tuple[int, int]]] = {
    "WR_RETURNED_DATE_SK": (2_450_820, 2_452_929),
    "WR_RETURNED_TIME_SK": (0, 86_399),
    "WR_ITEM_SK": (1, 204_000),
    "WR_REFUNDED_CUSTOMER_SK": (1, 2_000_000),
    "WR_REFUNDED_CDEMO_SK": (1, 1_920_800),
    "WR_REFUNDED_HDEMO_SK": (1, 7_200),
    "WR_REFUNDED_ADDR_SK": (1, 1_000_000),
    "WR_RETURNING_CUSTOMER_SK": (1, 2_000_000),
    "WR_RETURNING_CDEMO_SK": (1, 1_920_800),
    "WR_RETURNING_HDEMO_SK": (1, 7_200),
    "WR_RETURNING_ADDR_SK": (1, 1_000_000),
    "WR_WEB_PAGE_SK": (1, 2_040),
    "WR_REASON_SK": (1, 55),
    "WR_ORDER_NUMBER": (1, 6_000_000),
}


CENTS: Final = 100
DELIMITER_CHARACTERS: Final = 1
NEWLINE_CHARACTERS: Final = 1
POINT_AND_CENTS_CHARACTERS: Final = 3

MOST_PAIRS: Final = 10
PAIR: Final = 100


@dataclass(frozen=True, slots=True)
class Drawn:
    """Columns of drawn rows: values (amounts in cents), where they are NULL, and which are amounts."""

    values: dict[str, Integers]
    null: dict[str, Flags]
    amounts: frozenset[str]

    @property
    def rows(self) -> int:
        """How many rows were drawn."""
        return len(next(iter(self.values.values())))


def stored_bytes(values: Integers) -> Integers:
    """Data bytes of NUMBERs that are not negative: an exponent byte and one per base-100 pair, outer zeros dropped.

    Amounts are given in cents: their pairs are aligned to the decimal point already, and the exponent is free.
    """
    pairs = np.zeros(values.shape, dtype=np.int64)
    left = values
    for _ in range(MOST_PAIRS):
        left, last = np.divmod(left, PAIR)
        pairs += (pairs > 0) | (last > 0)  # zeros at the end are dropped
        pairs -= (left == 0) & (last == 0) & (pairs > 0)  # and so are those in front
    return 1 + pairs


def written_characters(values: Integers, amount: bool) -> Integers:
    """Characters of a value in the flat file: its digits, and for an amount the point and two digits of cents."""
    whole = values // CENTS if amount else values
    digits = np.floor(np.log10(np.maximum(whole, 1))).astype(np.int64) + 1
    return digits + (POINT_AND_CENTS_CHARACTERS if amount else 0)


def _amounts(random: np.random.Generator, rows: int, returned: Integers) -> dict[str, Integers]:
    """The nine amounts in cents, by the rules of the benchmark as far as they are known."""

    def share(low: int, high: int) -> Numbers:
        return random.integers(low, high + 1, rows) / 100

    def rounded(cents: Numbers) -> Integers:
        return np.round(cents).astype(np.int64)

    wholesale = random.integers(100, 10_001, rows)
    list_price = rounded(wholesale * (1 + share(0, 200)))
    sales_price = rounded(list_price * (1 - share(0, 100)))
    shipping = rounded(list_price * share(0, 50))
    amount = returned * sales_price
    tax = rounded(amount * share(0, 9))
    fee = random.integers(50, 10_001, rows)
    ship_cost = returned * shipping
    cash = rounded(amount * share(0, 100))
    charge = rounded((amount - cash) * share(1, 100))
    return {
        "WR_RETURN_AMT": amount,
        "WR_RETURN_TAX": tax,
        "WR_RETURN_AMT_INC_TAX": amount + tax,
        "WR_FEE": fee,
        "WR_RETURN_SHIP_COST": ship_cost,
        "WR_REFUNDED_CASH": cash,
        "WR_REVERSED_CHARGE": charge,
        "WR_ACCOUNT_CREDIT": amount - cash - charge,
        "WR_NET_LOSS": amount + tax + ship_cost + fee - cash,
    }


def draw(rows: int = ROWS, seed: int = SEED) -> Drawn:
    """*rows* rows of the table; the same ones for the same seed."""
    random = np.random.default_rng(seed)
    values: dict[str, Integers] = {name: random.integers(low, high + 1, rows) for name, (low, high) in KEYS.items()}
    sold = random.integers(1, 101, rows)
    returned = random.integers(0, 2**30, rows) % sold + 1
    values["WR_RETURN_QUANTITY"] = returned
    amounts = _amounts(random, rows, returned)
    values |= amounts
    with_nulls = random.random(rows) < NULL_ROWS_FRACTION
    null = {
        name: with_nulls & (random.random(rows) < NULL_IN_SUCH_A_ROW_FRACTION)
        if name not in NEVER_NULL
        else np.zeros(rows, dtype=np.bool_)
        for name in values
    }
    return Drawn(values, null, frozenset(amounts))
