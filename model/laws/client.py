"""Round trips, arrays and bytes between the server process and its client [rahn-mbrc]."""

from __future__ import annotations

from model.laws.numeric import Number, ceil_div, larger, smaller


def round_trips(fetches: Number, call_trips: Number) -> Number:
    """SQL*Net round trips of a statement: each fetch, and *call_trips* for parse and execute."""
    return fetches + call_trips


def more_data_messages(bytes_per_array: Number, sdu_bytes: Number) -> Number:
    """``SQL*Net more data to client`` messages for one array: the session data units beyond the first."""
    return larger(0, ceil_div(bytes_per_array, sdu_bytes) - 1)


def overlapped_s(server_s: Number, client_s: Number, array_bytes: Number, sdu_bytes: Number) -> Number:
    """Time in which server and client work at once: the client takes an array's first SDU in while the rest is made.

    The shorter of the two works, for the share of the array that is beyond the first session data unit. In [rahn-mbrc]
    the wait for the client falls where the server takes longer, by about this much.
    """
    beyond_first = larger(0, 1 - sdu_bytes / array_bytes)
    return smaller(server_s, client_s) * beyond_first


def full_arrays(rows: Number, arraysize_rows: Number) -> Number:
    """Fetch calls that return a whole array; the last one is as full as the rows leave it."""
    return rows // arraysize_rows


def last_array_rows(rows: Number, arraysize_rows: Number) -> Number:
    """Rows in the array after the full ones; 0 when they divide."""
    return smaller(arraysize_rows, rows - full_arrays(rows, arraysize_rows) * arraysize_rows)
