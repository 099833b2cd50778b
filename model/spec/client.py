"""The client: its program and the network to it."""

from typing import Annotated

from pydantic import Field

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import (
    GENERAL,
    MAXIMUM_ROWS,
    ORACLE,
    Rate,
    Real,
    Seconds,
    Size,
    Whole,
    setting,
)
from blocktime.model.units import MIB


class Client(Frozen):
    """The client program and the network to it."""

    round_trip_s: Seconds = setting(
        0.2e-3, "Network round trip, with the time the client takes to answer", GENERAL, ge=0, le=100
    )
    row_s: Seconds = setting(0.4e-6, "Time the client takes per row", GENERAL, ge=0, le=10)
    column_s: Seconds = setting(60e-9, "Time the client takes per column value", GENERAL, ge=0, le=1)
    file_bytes_per_s: Rate = setting(
        200.0 * MIB,
        "Rate at which imp and exp move bytes between their file and the network",
        GENERAL,
        ge=1,
        le=1e12,
    )
    first_fetch_rows: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, "Rows of the first fetch call: 1 in SQL*Plus; the array size if not set", GENERAL
    )
    call_trips: Whole = setting(
        2,
        "Round trips of a statement besides its fetch calls: parse and execute",
        GENERAL,
        ge=0,
        le=100,
    )
    sdu_bytes: Size = setting(8192, "Session data unit (SDU)", ORACLE, ge=512, le=2 * MIB)
    message_send_s: Seconds = setting(2e-6, "Time of a SQL*Net message to client", "rahn-mbrc", ge=0, le=10)
    more_data_send_s: Seconds = setting(
        25e-6, "Time of a SQL*Net more data to client", "rahn-mbrc", ge=0, le=10
    )
    send_cpu_fraction: Real = setting(
        0.56, "Share of the time of sends that is CPU, counted in both by a trace", "rahn-mbrc", ge=0, le=1
    )
