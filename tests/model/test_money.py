"""What a workload costs: linear in prices, nothing for nothing, the same by both engines, and used within the whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.model import calculate, simulate
from blocktime.model.closing import check_books
from blocktime.model.errors import BooksDoNotBalance
from blocktime.model.money_books import money_of
from blocktime.model.results import Money, RunResult, TransactionStats
from blocktime.model.spec import (
    Delete,
    Disk,
    FullScan,
    Host,
    IndexRangeScan,
    Insert,
    Prices,
    ReadStream,
    Stream,
    System,
    Table,
    Transactions,
    Update,
    Workload,
    WriteStream,
)

PRICES = {
    "licence_per_processor": 47_500.0, "core_per_hour": 0.05, "storage_per_gb_month": 0.1,
    "storage_per_iops_month": 0.005,
}  # fmt: skip
AMOUNTS = ("licence", "support", "infrastructure", "storage", "total", "machine", "used_per_hour", "machine_per_hour",
           "per_million_logical_io")  # fmt: skip
WORK: list[Workload] = [
    FullScan(), IndexRangeScan(), Update(growth_bytes=2), Insert(rows=2000), Delete(),
    WriteStream(count=50), ReadStream(count=50, pattern="random"),
]  # fmt: skip


def with_prices(times: float = 1.0, **more: float | str) -> System:
    book = {name: times * amount for name, amount in PRICES.items()}
    return System(table=Table(rows=20_000), prices=Prices(currency="EUR", **{**book, **more}))  # type: ignore[arg-type]


def cost(system: System, work: Workload) -> Money:
    found = calculate(system, work).money
    assert found is not None
    return found


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.kind)
def test_every_kind_of_work_has_its_cost(work: Workload) -> None:
    system = with_prices()
    played = simulate(system, work)
    laws = [] if isinstance(work, Stream) else [calculate(system, work)]
    for result in (*laws, played):
        money = result.money
        assert (money.currency, money.per, money.per_transaction) == ("EUR", "run", None)
        assert money.cpu_core_hours == pytest.approx(result.time.cpu_s / 3600)
        assert money.takes_s == pytest.approx(result.time.elapsed_s)
        assert 0 < money.total <= money.machine
        assert money.used_cores <= money.machine_cores == 4
        assert money.storage_bytes > 0
        assert {"oracle-price-list", "oracle-core-factor"} <= set(result.sources)
    for law in laws:
        assert law.money.total == pytest.approx(played.money.total if played.money else 0, rel=0.25)


def test_without_a_currency_there_is_no_money() -> None:
    assert calculate(System(), FullScan()).money is None
    assert "oracle-price-list" not in calculate(System(), FullScan()).sources


@given(st.floats(0, 1000))
def test_costs_are_linear_in_the_prices(times: float) -> None:
    once, often = cost(with_prices(), FullScan()), cost(with_prices(times), FullScan())
    for name in AMOUNTS:
        assert getattr(often, name) == pytest.approx(times * getattr(once, name)), name
    assert often.cpu_core_hours == once.cpu_core_hours


def test_no_prices_cost_nothing() -> None:
    found = cost(with_prices(0), FullScan())
    assert not any(getattr(found, name) for name in AMOUNTS)


def test_a_million_gets_cost_their_cpu_with_their_rows() -> None:
    result = calculate(with_prices(), FullScan())
    gets = result.logical_io.consistent_gets / 1e6 * (result.money.per_million_logical_io or 0)
    cpu_s = result.time.cpu["buffer gets"] + result.time.cpu["row access"]
    assert gets == pytest.approx(cpu_s / 3600 * result.money.core_per_hour)


def test_a_stream_has_no_gets() -> None:
    found = simulate(with_prices(), WriteStream(count=50)).money
    assert found is not None
    assert found.per_million_logical_io is None
    assert found.storage_bytes == 50 * 8192


def test_all_users_are_paid_for() -> None:
    alone, eight = cost(with_prices(), FullScan()), cost(with_prices(), FullScan(users=8))
    # cores that are busy at once run at 88 % of the speed of one at worst, two of them as fast
    least = 8 * alone.cpu_core_hours
    assert least * (1 - 1e-9) < eight.cpu_core_hours < least / 0.88
    assert eight.used_cores <= 4


def test_a_machine_takes_whole_licences() -> None:
    """Three cores at 0.5 need two licences, where four do too."""
    system = with_prices(core_per_hour=0, storage_per_gb_month=0, storage_per_iops_month=0)
    three, four = (cost(system.model_copy(update={"host": Host(cpus=cpus)}), FullScan()) for cpus in (3, 4))
    assert three.machine_licences == four.machine_licences == 2
    assert three.machine_per_hour == four.machine_per_hour == pytest.approx(4 * four.core_per_hour)


def test_storage_is_what_is_paid_for() -> None:
    given = cost(with_prices(storage_bytes=2**40, storage_iops=5000), FullScan())
    assert given.storage * 3600 / given.takes_s == pytest.approx((1024 * 0.1 + 5000 * 0.005) / 730)
    flat = with_prices(storage_bytes=0, storage_iops=0).model_copy(update={"disk": Disk(volume_per_month=146.0)})
    assert cost(flat, FullScan()).storage * 3600 / cost(flat, FullScan()).takes_s == pytest.approx(146 / 730)
    limited = with_prices().model_copy(update={"disk": Disk(iops_limit=3000)})
    assert cost(limited, FullScan()).storage_iops == 3000


def of_transactions(cpu_s: float, per_s: float) -> RunResult:
    """A result whose times are those of the mean transaction."""
    base = calculate(System(), FullScan())
    time = base.time.model_copy(
        update={
            "cpu_s": cpu_s, "cpu": {"buffer gets": cpu_s}, "elapsed_s": cpu_s, "wait": {}, "unaccounted_s": 0.0,
            "unaccounted": {},
        }
    )  # fmt: skip
    stats = TransactionStats(
        per_s=per_s, response_s=cpu_s, under_way=per_s * cpu_s, utilisation={}, bottleneck="processors",
        saturation_per_s=4 / cpu_s, log_writes_per_s=per_s, commits_per_log_write=1, written_blocks_per_s=0, kinds=[],
    )  # fmt: skip
    return base.model_copy(update={"time": time, "transactions": stats, "segment": None})


def test_a_transaction_costs_its_cpu_and_its_share_of_an_hour() -> None:
    money = money_of(with_prices(), Transactions(), of_transactions(cpu_s=0.01, per_s=100))
    assert money.per == "transaction"
    assert money.per_transaction == money.total
    assert money.used_per_hour == pytest.approx(money.total * 360_000)
    assert money.used_cores == pytest.approx(1)
    assert money.storage_bytes == Transactions().data_bytes


def test_threads_of_a_core_share_its_price() -> None:
    """Eight threads are busy on four cores: four cores are paid."""
    money = money_of(with_prices(), Transactions(), of_transactions(cpu_s=0.08, per_s=100))
    assert money.used_cores == pytest.approx(4)


def test_work_that_takes_no_time_has_no_cost() -> None:
    assert money_of(with_prices(), Transactions(), of_transactions(cpu_s=0.01, per_s=0)) is None


@pytest.mark.parametrize("field", ["total", "used_per_hour", "machine", "used_cores"])
def test_books_that_do_not_sum_are_refused(field: str) -> None:
    result = calculate(with_prices(), FullScan())
    wrong = result.money.model_copy(update={field: getattr(result.money, field) + 1})
    with pytest.raises(BooksDoNotBalance, match="money"):
        check_books(result.model_copy(update={"money": wrong}))


def test_an_amount_below_nothing_is_refused() -> None:
    result = calculate(with_prices(), FullScan())
    amounts = {"licence": -result.money.support, "support": 2 * result.money.support + result.money.licence}
    with pytest.raises(BooksDoNotBalance, match="negative"):
        check_books(result.model_copy(update={"money": result.money.model_copy(update=amounts)}))


@pytest.mark.parametrize("engine", [calculate, simulate])
def test_without_a_price_list_an_answer_has_no_costs(engine: Callable[..., RunResult]) -> None:
    assert engine(System(table=Table(rows=1000)), FullScan()).money is None
