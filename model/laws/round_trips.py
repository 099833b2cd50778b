"""Round trips, arrays and bytes between the server process and its client [rahn-mbrc]."""

from __future__ import annotations

from blocktime.model.laws.numeric import Number, ceil_div, larger, smaller


def round_trips(fetches: Number, call_trips: Number) -> Number:
    """SQL*Net round trips of a statement: each fetch, and *call_trips* for parse and execute."""
    return fetches + call_trips


def more_data_messages(bytes_per_array: Number, sdu_bytes: Number) -> Number:
    """``SQL*Net more data to client`` messages for one array: the session data units beyond the first."""
    return larger(0, ceil_div(bytes_per_array, sdu_bytes) - 1)


def line_s(sent_bytes: Number, round_trip_s: Number, bytes_per_s: Number | None, window_bytes: Number | None) -> Number:
    """Seconds that one call's bytes take beyond its round trip, on a line of limited rate and behind a TCP window.

    The line takes B/c. At most a window W is under way in a round trip, so B takes ceil(B/W) of them, the first of
    which is that of the call. The longer of the two counts [rfc-7323].
    """
    line = 0 if bytes_per_s is None else sent_bytes / bytes_per_s
    if window_bytes is None:
        return line
    return larger(line, larger(0, ceil_div(sent_bytes, window_bytes) - 1) * round_trip_s)


def overlapped_s(server_s: Number, client_s: Number, array_bytes: Number, sdu_bytes: Number) -> Number:
    """Time in which server and client both work: the client receives the first SDU while the server makes the rest.

    It is the shorter of the two times, for the share of the array beyond the first session data unit. In [rahn-mbrc]
    the wait for the client is shorter by about this time if the server takes longer.
    """
    beyond_first = larger(0, 1 - sdu_bytes / array_bytes)
    return smaller(server_s, client_s) * beyond_first


def full_arrays(rows: Number, arraysize_rows: Number) -> Number:
    """Fetch calls that return a full array; the last array has the remaining rows."""
    return rows // arraysize_rows


def last_array_rows(rows: Number, arraysize_rows: Number) -> Number:
    """Rows in the array after the full ones; 0 if no rows remain."""
    return smaller(arraysize_rows, rows - full_arrays(rows, arraysize_rows) * arraysize_rows)
