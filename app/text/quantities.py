"""Every figure of an answer beside the components of its time: label, unit, how it is written, where it is read.

Cards, tables, the terminal and the files of a comparison take their figures from here, so that each has one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from blocktime.app.base.lines import mean
from blocktime.app.text.profile import UNCHANGED_S, by_class, io_wait_s, scale_of
from blocktime.app.text.transaction_text import times_of, tps
from blocktime.model.measures import QUANTITIES as REGISTER
from blocktime.model.measures import Better, Form, Measure
from blocktime.model.results import DeviceStats, ProgramStats, RunResult
from blocktime.model.units import MIB, show_amount, show_bytes, show_data, show_number, show_seconds, show_share
from blocktime.scenarios.why import next_to_nothing
from blocktime.scenarios.why_device import flushes, mean_request_bytes, requests
from blocktime.scenarios.why_money import many_of
from blocktime.scenarios.why_words import count

Read = Callable[[RunResult], float | None]
TOO_FEW: Final = "too few"


class Unit(NamedTuple):
    """How a quantity is written: in words of a sentence, and as a bare number under a heading that has the unit."""

    show: Callable[[float], str]
    word: str = ""
    """Of the bare number."""
    per: float = 1.0
    """How many of the bare number's unit make a second, a byte, or the whole."""


def number(value: float) -> str:
    """A number in four digits, of a large one all before the point; never a power of ten."""
    return show_number(value, 4)


def three_digits(value: float) -> str:
    """A number in three digits, of a large one all before the point."""
    return show_number(value, 3)


SECONDS: Final = Unit(show_seconds, "s")
MILLISECONDS: Final = Unit(show_seconds, "ms", 1000)
COUNT: Final = Unit(count)
MEAN: Final = Unit(mean)
EACH: Final = Unit(times_of)
TPS: Final = Unit(tps)
DATA: Final = Unit(show_data, "MB", 1 / MIB)
SIZE: Final = Unit(show_bytes, "KB", 1 / 1024)
BANDWIDTH: Final = Unit(
    lambda value: f"{three_digits(value / MIB)} MB/s" if value >= MIB / 10 or not value
    else f"{three_digits(1024 * value / MIB)} kB/s", "MB/s", 1 / MIB,
)  # fmt: skip
SHARE: Final = Unit(lambda value: f"{show_share(value, 1)}", "%", 100)
HIT_RATIO: Final = Unit(lambda value: f"{show_share(value, 2)}", "%", 100)


class Quantity(NamedTuple):
    """One figure of an answer."""

    label: str
    unit: Unit
    read: Read
    """In seconds, bytes, counts, or as a share of one; None where the answer has no such figure."""
    better: Better = "less"
    says: str = ""
    missing: str = ""
    """What stands in its place where an answer of the kind has no such figure."""
    is_whole: bool = False
    """Whether it is the time that the answer is about, which an interval may be known of."""

    def of(self, result: RunResult) -> float | None:
        """Its bare number, in the unit of its heading."""
        value = self.read(result)
        return None if value is None else self.unit.per * value

    @property
    def title(self) -> str:
        """Its label with the unit of the bare number."""
        word = self.unit.word
        return f"{self.label} ({word})" if word and "%" not in self.label else self.label

    @property
    def is_time(self) -> bool:
        """Whether it is a duration."""
        return self.unit.word in ("s", "ms")

    @property
    def heading(self) -> str:
        """Its label with its unit, where its cells do not have that themselves."""
        return self.label if self.is_time else self.title

    @property
    def name(self) -> str:
        """Its label, with the unit where a value as it is shown has none: a currency."""
        return self.title if self.unit.show is show_amount else self.label

    @property
    def is_share(self) -> bool:
        """Whether it differs by percentage points."""
        return self.unit.word == "%"

    def cell(self, value: float, largest: float = 0.0) -> str:
        """A bare number as a table shows it: a time in a unit of its own size, or as the *largest* beside it."""
        per = self.unit.per
        return show_seconds(value / per, largest / per) if self.is_time else number(value)

    def change(self, value: float, largest: float = 0.0) -> str:
        """A difference of bare numbers as a table shows it: of what is not a whole number, three digits."""
        return self.cell(value, largest) if self.is_time or value == int(value) else three_digits(value)


FORMS: Final[dict[Form, Unit]] = {
    "seconds": SECONDS, "milliseconds": MILLISECONDS, "count": COUNT, "mean": MEAN, "each": EACH, "rate": TPS,
    "data": DATA, "size": SIZE, "bandwidth": BANDWIDTH, "share": SHARE, "hit ratio": HIT_RATIO,
}  # fmt: skip


def _quantity(measure: Measure) -> Quantity:
    """A number of the register as cards and tables write it."""
    unit = FORMS[measure.form]
    return Quantity(
        measure.label, unit, measure.of, measure.better, measure.note, measure.missing,
        is_whole=measure.name == "elapsed_s",
    )  # fmt: skip


def _with_disk(name: str) -> Read:
    """The measure *name*, or None where the limit of the disk is not known."""
    read = REGISTER[name].of
    return lambda result: None if result.transactions is not None and result.transactions.without_disk else read(result)


def _blocks_before(result: RunResult) -> float | None:
    """Those that no statement changes stand under what they are afterwards."""
    return result.segment.blocks_before if result.segment and result.changes else None


QUANTITIES: Final[dict[str, Quantity]] = {
    name: _quantity(measure) for name, measure in REGISTER.items() if measure.label
}
"""Key -> quantity: those of the register that have a label, and some that follow from the components of time."""
QUANTITIES.update(
    {
        "io_wait_s": Quantity("User I/O wait", SECONDS, io_wait_s),
        "client_s": Quantity(
            "Client wait", SECONDS, lambda result: by_class(result)["Idle"], says="SQL*Net message from client"
        ),
        "segment_blocks": QUANTITIES["segment_blocks"]._replace(read=_blocks_before),
        **{name: QUANTITIES[name]._replace(read=_with_disk(name)) for name in ("saturation_per_s", "saturation_users")},
    }
)

PER_TRANSACTION: Final = (
    "consistent_gets", "current_gets", "read_requests", "read_bytes", "write_requests", "write_bytes",
)  # fmt: skip
"""What an answer has for one transaction, where it is about transactions."""


def _per_transaction(key: str) -> Quantity:
    quantity = QUANTITIES[key]
    label = f"{'DBWR w' if quantity.label == 'Writes' else quantity.label[0]}{quantity.label[1:]} per transaction"
    unit = EACH if quantity.unit is COUNT else quantity.unit
    return quantity._replace(label=label, unit=unit, read=_where(quantity.read, of_transactions=True))


def _where(read: Read, of_transactions: bool) -> Read:
    return lambda result: read(result) if bool(result.transactions) == of_transactions else None


QUANTITIES.update(
    {f"{key}_per_transaction": _per_transaction(key) for key in PER_TRANSACTION}
    | {
        key: QUANTITIES[key]._replace(read=_where(QUANTITIES[key].read, of_transactions=False))
        for key in PER_TRANSACTION
    }
)
QUANTITIES["gets_per_transaction"] = Quantity(
    "Gets per transaction", EACH, _where(REGISTER["gets"].of, of_transactions=True), says="consistent and current"
)

SEEN: Final = (
    "transactions_per_s", "calls", "calls_per_s", "bytes_per_s", "response_s", "response_p50_s", "response_p95_s",
    "response_p99_s", "response_max_s", "saturation_per_s", "saturation_users",
)  # fmt: skip
WORK: Final = (
    "consistent_gets", "current_gets", "gets_per_transaction", "consistent_gets_per_transaction",
    "current_gets_per_transaction", "hit_fraction", "fetch_calls", "read_requests", "read_requests_per_transaction",
    "read_bytes", "read_bytes_per_transaction", "largest_read_bytes", "write_requests",
    "write_requests_per_transaction", "write_bytes", "write_bytes_per_transaction", "commits_per_log_write",
    "rows_changed", "commits", "logged_bytes", "search_fraction", "migrated_rows", "rejected_probes",
    "itl_full_blocks", "segment_blocks", "segment_after_blocks", "segment_after_bytes", "optimizer_cost",
)  # fmt: skip


def counts(results: Sequence[RunResult]) -> list[Quantity]:
    """The figures of *results* beside their times, but for those that are nothing in all of them."""
    is_response = scale_of(results).whole == "response"
    seen = [QUANTITIES[key] for key in SEEN if not (is_response and key == "response_s")]
    quantities = [
        *seen, *_further_streams(results), *(QUANTITIES[key] for key in WORK), *_resources(results),
        *_devices(results),
    ]  # fmt: skip
    present = [quantity for quantity in quantities if any(quantity.of(result) for result in results)]
    return [*present, *_programs(results), *_money(results)]


def times(results: Sequence[RunResult]) -> list[Quantity]:
    """Elapsed time and what it is made of, in the unit that suits *results*."""
    scale = scale_of(results)
    unit = SECONDS if scale.per_s == 1 else MILLISECONDS
    label = scale.whole.capitalize()
    cpu = QUANTITIES["program_cpu_s" if any(result.streams for result in results) else "cpu_s"]
    longest = {
        event: max(result.time.wait[event].total_s for result in results if event in result.time.wait)
        for event in dict.fromkeys(event for result in results for event in result.time.wait)
    }
    waits = (
        Quantity(event, unit, partial(_waited_s, event=event), says="total wait time")
        for event in sorted(longest, key=lambda event: -longest[event])
    )
    quantities = [
        QUANTITIES["elapsed_s"]._replace(label=label), QUANTITIES["last_session_s"], cpu, *waits,
        QUANTITIES["unaccounted_s"]._replace(read=lambda result: _felt_s(result, result.time.unaccounted_s)),
    ]  # fmt: skip
    return [quantity._replace(unit=unit) for quantity in quantities if any(quantity.of(result) for result in results)]


def _waited_s(result: RunResult, event: str) -> float:
    return _felt_s(result, result.time.wait[event].total_s) if event in result.time.wait else 0.0


def _felt_s(result: RunResult, seconds: float) -> float:
    """*seconds*, nothing where they are too few to be told."""
    is_nothing = abs(seconds) < UNCHANGED_S if not result.transactions else next_to_nothing(result, seconds)
    return 0.0 if is_nothing else seconds


def _names(names: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for several in names for name in several))


def _further_streams(results: Sequence[RunResult]) -> Iterator[Quantity]:
    """The figures of the second stream and of those after it."""
    fields = ("calls", "calls_per_s", "bytes_per_s", "response_s")
    for place in range(1, max(len(result.streams or ()) for result in results)):
        for key in (*fields, *(f"response_{share}_s" for share in ("p50", "p95", "p99"))):
            quantity = QUANTITIES[key]
            read = partial(_of_a_stream, place=place, field=key)
            yield quantity._replace(label=f"{quantity.label}, stream {place + 1}", read=read)


def _of_a_stream(result: RunResult, place: int, field: str) -> float | None:
    """A field, or a percentile of the response, of one of several streams."""
    streams = result.streams or ()
    if place >= len(streams):
        return None
    if field.startswith("response_p"):
        return streams[place].response_percentiles.get(field.removeprefix("response_").removesuffix("_s"))
    return float(getattr(streams[place], field))


def _resources(results: Sequence[RunResult]) -> Iterator[Quantity]:
    def busy(result: RunResult, name: str) -> float | None:
        return result.transactions.utilisation.get(name) if result.transactions else None

    for name in _names(result.transactions.utilisation for result in results if result.transactions):
        read = partial(busy, name=name)
        yield Quantity(f"{name} % busy", SHARE, read, "neither", "share of its capacity")


FigureOfDevice = tuple[str, Unit, Callable[[DeviceStats], float | None], Better, str]


def _of_device(name: str, read: Callable[[DeviceStats], float | None]) -> FigureOfDevice:
    """A number of the register that each device has."""
    measure = REGISTER[name]
    return measure.label, FORMS[measure.form], read, measure.better, measure.note


OF_DEVICE: Final[dict[str, FigureOfDevice]] = {
    "throughput": (
        "throughput", BANDWIDTH, lambda d: d.read_bytes_per_s + d.written_bytes_per_s, "neither",
        "bytes read and written, over the run",
    ),
    "requests": ("requests", COUNT, lambda d: requests(d) if d.request_bytes else None, "less", "at the device"),
    "flushes": ("cache flushes", COUNT, lambda d: flushes(d) if d.request_bytes else None, "less",
                "requests without data"),
    "merged": ("merged", COUNT, lambda d: d.merged_reads + d.merged_writes, "neither",
               "requests merged into a waiting one"),
    "size": ("mean request", SIZE, lambda d: round(mean_request_bytes(d)) if d.request_bytes else None, "neither",
             "mean size of a request at the device"),
    "queue": _of_device("device_average_queue", attrgetter("average_queue")),
    "await": _of_device("device_await_s", attrgetter("await_s")),
    "util": _of_device("device_utilisation_fraction", attrgetter("utilisation_fraction")),
}  # fmt: skip
"""iostat's figures of a device: label, unit, where it is read, what is better, what it says."""


def of_first_device(key: str) -> Quantity:
    """A quantity of the first device, that of the data, which needs no name."""
    label, unit, read, better, says = OF_DEVICE[key]
    return Quantity(
        label.capitalize() if label.islower() and label != "await" else label, unit,
        lambda result: next((read(device) for device in result.device.values()), None), better, says,
    )  # fmt: skip


def _devices(results: Sequence[RunResult]) -> Iterator[Quantity]:
    def of_device(result: RunResult, name: str, read: Callable[[DeviceStats], float | None]) -> float | None:
        return read(result.device[name]) if name in result.device else None

    for name in _names(result.device for result in results):
        for label, unit, read, better, says in OF_DEVICE.values():
            yield Quantity(f"{name} {label}", unit, partial(of_device, name=name, read=read), better, says)


def _took_s(result: RunResult, name: str, alone: bool) -> float | None:
    program: ProgramStats | None = next((p for p in result.programs or () if p.name == name), None)
    return None if program is None else (program.alone if alone else program).took_s


def _programs(results: Sequence[RunResult]) -> Iterator[Quantity]:
    """What each program takes together with the others on its machine, and alone."""
    for name in _names([program.name for program in result.programs or ()] for result in results):
        for where, says in (("together", "with the others on its machine"), ("alone", "on the same machine by itself")):
            read = partial(_took_s, name=name, alone=where == "alone")
            yield Quantity(f"{name} {where}", SECONDS, read, says=says, missing=TOO_FEW)


def amount(field: str, label: str, currency: str, words: str, factor: float = 1, says: str = "") -> Quantity:
    """An amount of money, in one currency and of so much work; amounts of two currencies are not compared."""

    def read(result: RunResult) -> float | None:
        money = result.money
        if money is None or money.currency != currency or (words and many_of(money)[0] != words):
            return None
        return factor * float(getattr(money, field) if field else money.month["machine"])

    return Quantity(label, Unit(show_amount, currency), read, says=says)


def _money(results: Sequence[RunResult]) -> Iterator[Quantity]:
    kinds = dict.fromkeys((result.money.currency, *many_of(result.money)) for result in results if result.money)
    for currency in dict.fromkeys(currency for currency, *_ in kinds):
        yield amount("", "Whole machine for a month", currency, "", says="cores, memory, storage and licences")
    for currency, words, factor in kinds:
        for field, label, times_many, says in (
            ("total", f"Cost of {words}", factor, "licence, support, infrastructure and storage used"),
            ("machine", f"Whole machine for {words}", factor,
             "all cores with full licences, and the storage, for the same time"),
            ("used_per_hour", "Cost of an hour", 1, "used by an hour of such work"),
        ):  # fmt: skip
            yield amount(field, label, currency, words, times_many, says)
