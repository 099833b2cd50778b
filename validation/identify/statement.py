"""A scenario of one statement of a SQL trace or TKPROF report: what plan, gets, fetch calls and waits determine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from blocktime.model.causes import DIRECT, FROM_CLIENT, MORE_DATA, SCATTERED, SEQUENTIAL, TO_CLIENT
from blocktime.model.units import show_seconds
from blocktime.scenarios.measured import CLIENT_WAIT, ELAPSED, FETCH_CALLS, GETS, READ_BLOCKS, READ_EACH
from blocktime.validation.identify.client_turns import Trips, cpu_prices, demand_by, prices_of, turns_of
from blocktime.validation.identify.fetches import CREATED_BY, equal_blocks, habit_of_calls, habit_of_sums, row_bytes_of
from blocktime.validation.identify.identified_scenario import (
    IdentifiedScenario,
    KnownField,
    NotIdentified,
    ScenarioBuilder,
)
from blocktime.validation.identify.plans import Statement, Step, plan_of, statements_in
from blocktime.validation.instruments import Figure, Reading

NO_READ: Final = ""
READ_EVENTS: Final = (SCATTERED, DIRECT, SEQUENTIAL)


BLOCK_BYTES: Final = 8192
USED_BYTES: Final = 0.9 * BLOCK_BYTES - 100
"""Of a block of 8K with PCTFREE 10."""
ROUNDS: Final = 6
GRAIN_S: Final = 0.05
"""Time of calls that TKPROF's hundredths tell within a tenth."""
NVME_BYTES_PER_S: Final = 2e9
IDLE_S: Final = 0.1
IDLE_TIMES: Final = 20.0
"""A wait for the client that takes so many times the mean of the others is its user's."""
READ_CALL_S: Final = 5e-6


def identify_statement(readings: Sequence[Reading], wanted: str) -> IdentifiedScenario:
    """The scenario of statement *wanted*, a SQL ID or its number in the first trace or TKPROF report of *readings*.

    Further traces of the same SQL ID tell the client's time a row from the network's round trip. Raises
    :class:`NotIdentified` where there is no such statement, or its figures do not determine one.
    """
    first, *others = statements_in(readings, wanted)
    kind, select, scan = plan_of(first)
    return WORKS[kind](first, others, select, scan).fill()


class _StatementBuilder(ScenarioBuilder):
    """Fills in the scenario of one statement."""

    kind: ClassVar[str]

    def __init__(self, first: Statement, others: list[Statement], select: str, scan: list[Step]) -> None:
        self.first, self.others, self.select, self.scan = first, others, select, scan
        super().__init__(
            IdentifiedScenario(f"{first.of} of {first.reading.title.partition(':')[0]}"), first.reading.file
        )
        count, fetches = first.call("exec", "count"), first.call("fetch", "count")
        if not fetches or not fetches.value:
            raise NotIdentified(f"{first.name} has no fetch calls: a scenario is made of a query")
        self.executions = max(1.0, count.value if count else 1.0)
        self.fetches = fetches.value / self.executions
        self.fetch_calls = first.reading.fetches.get(first.of)
        self.sequence = self.fetch_calls.typical() if self.fetch_calls else []

    def each(self, column: str, kind: str = "fetch") -> float:
        """A sum of its calls, of one execution."""
        figure = self.first.call(kind, column)
        return figure.value / self.executions if figure else 0.0

    def fill(self) -> IdentifiedScenario:
        """The whole scenario."""
        self.know("workload.kind", self.kind, "its row sources", *self._line_of_scan())
        if self.select == "count":
            self.know("workload.select", "count", "SORT AGGREGATE over its scan")
        self.fetching()
        self.segment()
        self.reads()
        self.client()
        self.compare()
        if self.executions > 1:
            self.found.says.append(
                f"the scenario is one of {self.executions:,.0f} executions, with their mean counts and times"
            )
        return self.found

    def _line_of_scan(self) -> Iterator[Figure]:
        yield from list(self.scan[-1].figures.values())[:1]

    def rows(self) -> float:
        """Rows that its scan returns in an execution."""
        figure = self.scan[0].figures.get("rows") or self.scan[0].figures.get("rows (avg)")
        returned = self.each("r")
        if self.select == "rows" and returned:
            return returned
        return figure.value if figure else returned

    def fetching(self) -> None:
        """Array size and the first fetch call."""
        rows, fetch = self.each("r"), self.first.call("fetch", "r")
        habit = (
            habit_of_calls([int(call[0]) for call in self.sequence])
            if self.sequence
            else habit_of_sums(rows, self.fetches)
        )
        source = "rows of its fetch calls" if self.sequence else f"{rows:,.0f} rows in {self.fetches:,.0f} calls"
        if self.select == "rows":
            between = (habit.least_rows, habit.most_rows)
            self.know("workload.arraysize_rows", habit.array_rows, source, fetch, interval=between)
        if habit.first_rows is not None:
            interval = (habit.first_rows, habit.first_rows)
            self.know("client.first_fetch_rows", habit.first_rows, source, fetch, interval=interval)

    def segment(self) -> None:
        """Rows and blocks of what it walks."""
        raise NotImplementedError

    def wanted(self) -> float:
        """Blocks that it wants, as far as its gets tell them."""
        raise NotImplementedError

    def not_read(self, event: str, waits: Figure, share: float, source: str) -> bool:
        """The share found in the cache, and how it reads; whether it waits for each of its reads."""
        raise NotImplementedError

    def reads(self) -> None:
        """What was found in the cache, sizes of reads, and how long they took."""
        blocks, disk = self.each("p"), self.first.call("fetch", "p")
        self.assume("disk.use", "nvme", "a device without positions")
        event = max(READ_EVENTS, key=lambda text: getattr(self.first.event(text, "total"), "value", 0.0))
        waits, total = self.first.event(event, "waits"), self.first.event(event, "total")
        if not blocks and disk is not None:
            self.not_read(NO_READ, disk, 1.0, "no block was read")
            return
        if waits is None or total is None or not waits.value:
            self.found.says.append("the waits for its reads are not listed: disk and sizes of reads are assumed")
            return
        wanted = self.wanted()
        source = f"{blocks:,.0f} blocks read of {wanted:,.0f} wanted"
        if not self.not_read(event, waits, round(max(0.0, 1 - blocks / wanted), 6), source):
            self.found.says.append("direct reads are waited for only where they are late: the disk is assumed")
            return
        size = self.first.event(event, "blocks")
        each_blocks = size.value / waits.value if size else blocks * self.executions / waits.value
        transfer_s = each_blocks * BLOCK_BYTES / NVME_BYTES_PER_S
        overhead_s = max(1e-6, total.value / waits.value - transfer_s - READ_CALL_S)
        self.know("disk.overhead_s", overhead_s, f"mean {event} less transfer and CPU of the call", total, waits)

    def parses(self) -> int:
        """Parse calls of an execution: 1, or 0 of a statement that is parsed once."""
        return int(self.each("count", "parse") > 0.5)

    def client(self) -> None:
        """Round trips, the client's turn, and what calls cost."""
        statements = [self.first, *self.others]
        turns = [turns_of(statement.reading.fetches.get(statement.of)) for statement in statements]
        waits, total = self.first.event(FROM_CLIENT, "waits"), self.first.event(FROM_CLIENT, "total")
        sent, more = self.first.event(TO_CLIENT, "total"), self.first.event(MORE_DATA, "total")
        if waits is None or total is None or not waits.value:
            self.found.says.append("the waits for the client are not listed: its round trip is an assumption")
            return
        if turns[0] is None:
            self._client_of_sums(waits, total)
        else:
            trips = round(turns[0].trips_before + self.parses())
            self.know(
                "client.call_trips", trips, "waits for the client before the first fetch call, an execution", waits
            )
        for name, event, figure in (("message_send_s", TO_CLIENT, sent), ("more_data_send_s", MORE_DATA, more)):
            count = self.first.event(event, "waits")
            if figure and count and count.value:
                self.know(f"client.{name}", figure.value / count.value, f"{event}: mean", figure, count)
        tripses = [turn for turn in turns if turn is not None]
        if turns[0] is not None:
            self._client_of_turns(tripses, waits)

    def _client_of_sums(self, waits: Figure, total: Figure) -> None:
        """TKPROF's sums hold what the client does between executions too; its longest wait may be its user's."""
        trips = max(0, round(waits.value / self.executions - self.fetches))
        self.know("client.call_trips", trips, "waits for the client beyond one a fetch call", waits)
        counted, total_s, idle_s = self.trips_of_sums(waits, total)
        largest = self.first.event(FROM_CLIENT, "max")
        rest = total_s - (largest.value if largest and not idle_s and self.executions == 1 and counted > 1 else 0.0)
        low, source = max(0.0, rest - 0.005) / counted, f"{FROM_CLIENT}: mean"
        if idle_s:
            source += f" without its longest wait, {show_seconds(idle_s)}"
            self.found.says.append(
                f"one wait of {show_seconds(idle_s)} for the client is no round trip: its user was idle, and the wait "
                "is left out"
            )
        elif self.executions > 1 and largest and largest.value >= IDLE_TIMES * total_s / counted:
            self.found.says.append(
                f"waits for the client of {self.executions:,.0f} executions hold what its users thought in between: "
                "the round trip is at most as long as its mean"
            )
            low = 0.0
        self.know("client.round_trip_s", total_s / counted, source, waits,
                  interval=(low, (total_s + total.high - total.value) / counted))  # fmt: skip
        for name in ("row_s", "column_s"):
            self.assume(f"client.{name}", 0.0, "one array size does not tell it from the round trip")
        called = [self.first.call(kind, "e") for kind in ("parse", "exec", "fetch")]
        inside = [
            figure
            for (of, name), figure in self.first.figures.items()
            if name == "total" and of.startswith(f"{self.first.of}, ") and not of.endswith(FROM_CLIENT)
        ]
        server_s = sum(figure.value for figure in called if figure) - sum(figure.value for figure in inside)
        if server_s > GRAIN_S:
            prices = cpu_prices(self.found, server_s / self.executions)
            self._cpu(prices, called[-1])
        else:
            self.found.says.append("the calls took less than TKPROF can tell: the CPU of the server is an assumption")

    def trips_of_sums(self, waits: Figure, total: Figure) -> tuple[float, float, float]:
        """Waits for the client that are round trips, their time, and the longest one where that is its user's.

        One that takes so many times the mean of the others is: no network makes such a wait.
        """
        largest = self.first.event(FROM_CLIENT, "max")
        if largest is None or waits.value <= 1:
            return waits.value, total.value, 0.0
        rest_s = max(0.0, total.value - largest.value)
        if largest.value < IDLE_S or largest.value < IDLE_TIMES * rest_s / (waits.value - 1):
            return waits.value, total.value, 0.0
        return waits.value - 1, rest_s, largest.value

    def _client_of_turns(self, turns: Sequence[Trips], waits: Figure) -> None:
        """The client's turns one by one, of one or several array sizes."""
        prices = prices_of(self.found, turns)
        files = "" if len(turns) == 1 else f" of {len(turns)} traces"
        sizes = ", ".join(f"{rows:,}" for rows in sorted({rows for turn in turns for rows in turn.sizes}))
        source = f"{FROM_CLIENT} behind fetch calls{files} of {sizes} rows"
        self.know("client.round_trip_s", prices.round_trip_s, source, waits, interval=prices.round_trip_between)
        self.assume("client.column_s", 0.0, "part of the client's time a row: one select list does not tell them apart")
        if prices.row_between is None:
            self.assume("client.row_s", 0.0, "one size of fetch calls does not tell it from the round trip")
            self.found.says.append(
                "a second trace with another array size tells the client's time a row from the network"
            )
        else:
            self.know("client.row_s", prices.row_s, source, waits, interval=prices.row_between)
        if len(turns) == 1 and prices.row_between is not None:
            self.found.says.append(
                "the client's time per row rests on one fetch call, the first or the last: before what-ifs of the "
                "array size, add a second trace with another one"
            )
        self.know("instance.sql_trace", True, "the session was traced")
        self.know("host.between_calls_s", turns[0].between_s, "between calls and waits, a fetch call", waits)
        self._cpu(prices.cpu, self.first.call("fetch", "e"))

    def _cpu(self, prices: dict[str, float], figure: Figure | None) -> None:
        """What the server's work costs: the figures tell the sum, and each price is scaled alike."""
        for name, price_s in prices.items():
            self.know(f"host.{name}", price_s, "scaled to the time of its calls less waits", figure)

    def compare(self) -> None:
        """What the file says and an answer says too."""
        number = self.executions
        counts = ((GETS, self.each("cr"), "gets", "cr"), (FETCH_CALLS, self.fetches, "count", "count"),
                  (READ_BLOCKS, self.each("p"), "blocks", "p"))  # fmt: skip
        for name, value, unit, column in counts:
            self.add_compared(name, value, unit, self.first.call("fetch", column), given=True)
        waits = self.first.event(FROM_CLIENT, "waits")
        turns = turns_of(self.fetch_calls)
        if turns is not None and waits is not None:
            trip_s = self.found.values().get("client.round_trip_s", 0.0)
            self.add_compared(ELAPSED, turns.span_s + trip_s * (1 + self.parses()), "s", waits)
            self.add_compared(CLIENT_WAIT, turns.mean_s, "s", waits, given=True)
        else:
            self._compare_sums(waits, self.first.event(FROM_CLIENT, "total"))
        elapsed_s = next((known.value for known in self.found.compared if known.name == ELAPSED), 0.0)
        for event in (SCATTERED, SEQUENTIAL):
            count, total = self.first.event(event, "waits"), self.first.event(event, "total")
            if count and total and count.value:
                share = total.value / number / elapsed_s if elapsed_s else 1.0
                self.add_compared(READ_EACH[event], total.value / count.value, "s", total, share, given=True)

    def _compare_sums(self, waits: Figure | None, total: Figure | None) -> None:
        """The elapsed time of TKPROF's calls with their round trips, and the mean trip."""
        called = [self.first.call(kind, "e") for kind in ("parse", "exec", "fetch")]
        calls_s = sum(figure.value for figure in called if figure) / self.executions
        counted, total_s, _ = self.trips_of_sums(waits, total) if waits and total else (0.0, 0.0, 0.0)
        elapsed_s, figure = calls_s + total_s / self.executions, called[-1]
        if figure is None or not elapsed_s:
            return
        half_s = sum(part.high - part.value for part in (*called, total) if part) / self.executions
        line = replace(figure, value=elapsed_s, low=max(0.0, elapsed_s - half_s), high=elapsed_s + half_s)
        self.add_compared(ELAPSED, elapsed_s, "s", line)
        if counted:
            share = total_s / self.executions / elapsed_s
            self.add_compared(CLIENT_WAIT, total_s / counted, "s", total, share, given=True)


class _FullScan(_StatementBuilder):
    """A table that is scanned."""

    kind = "full_scan"

    def segment(self) -> None:
        """Rows and blocks of a table that is scanned."""
        rows, gets = round(self.rows()), self.each("cr")
        query = self.first.call("fetch", "cr")
        if rows < 1 or gets < 1:
            raise NotIdentified(f"{self.first.name} returned {rows:,} rows with {gets:,.0f} gets: nothing to scan")
        self.know("table.rows", rows, "rows of its scan", *self._line_of_scan())
        self.found.says.append(
            "all rows that the scan visits are taken as returned: with a WHERE clause that drops some, set table.rows "
            "and workload.filter_fraction"
        )
        fitted = (
            equal_blocks([(int(call[0]), int(call[1])) for call in self.sequence]) if self.select == "rows" else None
        )
        row_bytes = row_bytes_of(fitted.rows) if fitted else None
        if fitted and row_bytes:
            source = f"every block holds {fitted.rows} rows: so the gets of {len(self.sequence):,} fetch calls fall"
            self.know("table.row_bytes", row_bytes, source, query)
            self.assume("table.created_by", CREATED_BY, "gets tell the blocks that hold rows")
            self.know(
                "workload.other_gets", fitted.other_gets, "gets of fetch calls beyond those of such blocks", query
            )
            return
        stops = max(0.0, self.fetches - 2) if self.select == "rows" else 0.0
        stops = min(stops, gets - 1)
        blocks = max(1, round((gets - stops) / (1 - stops / rows) if stops < rows else gets - stops))
        self.know(
            "table.blocks", blocks, "gets less the blocks that further fetch calls get again", query,
            interval=(max(1, blocks - round(stops * blocks / rows) - 1), blocks + 5),
        )  # fmt: skip
        if BLOCK_BYTES // 2 > (length := USED_BYTES * blocks / rows - 2) >= 3:
            self.know("table.row_bytes", float(f"{length:.4g}"), "nine tenths of its blocks over the rows", query)

    def wanted(self) -> float:
        """Blocks that it wants, as far as its gets tell them."""
        blocks = self.found.values().get("table.blocks")
        return float(blocks or max(1.0, self.each("cr") - max(0.0, self.fetches - 2)))

    def not_read(self, event: str, waits: Figure, share: float, source: str) -> bool:
        """The share found in the cache, and how it reads; whether it waits for each of its reads."""
        how = "always" if event == DIRECT else "never"
        source_of_how = source if event == NO_READ else f"it waits for {event}"
        self.know("instance.serial_direct_read", how, source_of_how, waits)
        self.know("table.cached_fraction", share, source, waits)
        if sizes := self.first.read_sizes(event):
            largest = f"blocks of the largest {event}"
            self.know("instance.db_file_multiblock_read_count", max(sizes), largest, waits)
        return event != DIRECT


class _RangeScan(_StatementBuilder):
    """A range of an index, and the rows of the table that it leads to."""

    kind = "index_range_scan"

    def segment(self) -> None:
        """Index and table of a range scan."""
        rows, gets = round(self.rows()), self.each("cr")
        if rows < 1:
            raise NotIdentified(f"{self.first.name} returned no rows: its range scan determines nothing")
        self.know("table.rows", rows, "rows of its range, the part of the table that it reads", *self._line_of_scan())
        self.assume("workload.selectivity_fraction", 1.0, "the rows of the range are all there is")
        index = self.scan[-1].figures.get("cr")
        if index is None:
            raise NotIdentified(f"{self.first.name}: its row sources do not tell the gets of the index")
        index_gets = index.value if len(self.scan) > 1 else gets
        further = max(0.0, self.fetches - 1) if self.select == "rows" else 0.0
        of_index = max(1.0, index_gets - further)
        levels = int(min(2, of_index - 1))
        self.assume("index.blevel", levels, "of its gets the leaves are known with the levels together")
        leaves = max(1, round(of_index - levels))
        self.know("index.leaf_blocks", leaves, "gets of the index less levels and further calls", index)
        if len(self.scan) == 1:
            self.know("workload.index_only", True, "no row source visits the table", index)
            return
        self.clustering(rows, gets - index_gets, self.scan[0].figures.get("cr"))

    def clustering(self, rows: int, table_gets: float, figure: Figure | None) -> None:
        """Clustering factor with which the model gets what was got of the table."""
        last = self.found.known
        factor = most = max(1, min(rows, round(table_gets)))
        wanted = self.each("cr")
        for _ in range(ROUNDS):
            self.found.known = [*last, KnownField("index.clustering_factor", factor, "")]
            off = round(float(demand_by(self.found)[0].gets) - wanted)
            factor = max(1, min(most, factor - off))
        self.found.known = last
        again = (max(1, round(table_gets - max(0.0, self.fetches - 1))), most)
        source = "gets of the table less blocks that further calls get again"
        self.know("index.clustering_factor", factor, source, figure, interval=again)

    def wanted(self) -> float:
        """Blocks that it wants, as far as its gets tell them."""
        known = self.found.values()
        parts = (known.get(f"index.{name}", 0) for name in ("blevel", "leaf_blocks", "clustering_factor"))
        return max(1.0, float(sum(parts)))

    def not_read(self, event: str, waits: Figure, share: float, source: str) -> bool:
        """The share found in the cache; whether it waits for each of its reads."""
        for part in ("table", "index"):
            self.know(f"{part}.cached_fraction", share, source, waits)
        return True


WORKS: Final[dict[str, type[_StatementBuilder]]] = {work.kind: work for work in (_FullScan, _RangeScan)}
