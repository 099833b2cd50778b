"""The client: its program and the network to it."""

from typing import Annotated, ClassVar

from pydantic import Field

from blocktime.model.provenance import Frozen
from blocktime.model.spec.fields import (
    GENERAL,
    MAXIMUM_ROWS,
    ORACLE,
    Declaration,
    Rate,
    Real,
    Seconds,
    Size,
    Whole,
    catalog_entry,
    setting,
)
from blocktime.model.spec.groups import SERVER, STATEMENTS, WORKLOAD
from blocktime.model.units import MIB


class Client(Frozen):
    """The client program and the network to it."""

    use: ClassVar[Declaration] = catalog_entry(SERVER.at(190, "Client"), WORKLOAD.at(190, "Client", *STATEMENTS))
    round_trip_s: Seconds = setting(0.2e-3, GENERAL, within=(0, 100))
    """Network round trip, with the time the client takes to answer."""
    line_bytes_per_s: Annotated[Rate, Field(ge=1, le=1e12)] | None = setting(
        None, GENERAL, WORKLOAD.at(130, "Bandwidth of the line", *STATEMENTS), words="network wan mbit"
    )
    """Rate of the line to the client: 20 Mbit/s are 2.5M. No limit if not set."""
    window_bytes: Annotated[Size, Field(ge=512, le=MIB * 1024)] | None = setting(
        None, "rfc-7323", WORKLOAD.at(140, "TCP window", *STATEMENTS), words="network wan tcp rwnd"
    )
    """Bytes that are under way to the client in one round trip, at most: TCP's window. No limit if not set."""
    row_s: Seconds = setting(0.4e-6, GENERAL, within=(0, 10))
    """Time the client takes per row."""
    column_s: Seconds = setting(60e-9, GENERAL, within=(0, 1))
    """Time the client takes per column value."""
    file_bytes_per_s: Rate = setting(200.0 * MIB, GENERAL, within=(1, 1e12))
    """Rate at which imp and exp move bytes between their file and the network."""
    first_fetch_rows: Annotated[Whole, Field(ge=1, le=MAXIMUM_ROWS)] | None = setting(
        None, GENERAL, WORKLOAD.at(100, "First fetch call", *STATEMENTS)
    )
    """Rows of the first fetch call: 1 in SQL*Plus; the array size if not set."""
    call_trips: Whole = setting(
        2, GENERAL, WORKLOAD.at(120, "Round trips besides fetches", *STATEMENTS), within=(0, 100)
    )
    """Round trips of a statement besides its fetch calls: parse and execute."""
    sdu_bytes: Size = setting(8192, ORACLE, within=(512, 2 * MIB))
    """Session data unit (SDU)."""
    message_send_s: Seconds = setting(2e-6, "rahn-mbrc", within=(0, 10))
    """Time of a SQL*Net message to client."""
    more_data_send_s: Seconds = setting(25e-6, "rahn-mbrc", within=(0, 10))
    """Time of a SQL*Net more data to client."""
    send_cpu_fraction: Real = setting(0.56, "rahn-mbrc", within=(0, 1))
    """Share of the time of sends that is CPU, counted in both by a trace."""
