"""Transactions as plain text: what users see, the mean one like AWR's load profile, resources, kinds, policies."""

from __future__ import annotations

from collections.abc import Iterator

from click import style

from blocktime.app.base.lines import NAME_WIDTH, aligned, head, mean, wrapped
from blocktime.model.causes import FROM_CLIENT, SEQUENTIAL
from blocktime.model.demand.transactions import DATA, DBWR
from blocktime.model.results import BOUND, RunResult, TransactionStats
from blocktime.model.units import show_bytes, show_number, show_range, show_seconds

NAME = 12
KIND = 20
NUMBER = 11
NARROW = 68
"""Columns below which a table of transactions is set closer."""
MOST_BAR = 24


def answer_of(result: RunResult, stats: TransactionStats, where: str) -> str:
    """Throughput, the response and its largest parts, and the bottleneck."""
    tail = stats.response_percentiles.get("p95")
    if result.how == BOUND:
        least = (
            f"at most {tps(stats.per_s)} TPS; a transaction takes at least {show_seconds(stats.response_s)}"
        )
        return f"Bounds, not simulated: {least}{where}. {saturation(stats)}."
    takes = f"a transaction takes {show_seconds(stats.response_s)}"
    takes += f" (p95 {show_seconds(tail)})" if tail is not None else ""
    return f"{tps(stats.per_s)} TPS; {takes}{where}. {saturation(stats, beside=bool(result.programs))}."


def tps(per_s: float) -> str:
    """Transactions a second."""
    return show_number(per_s, 3)


def saturation(stats: TransactionStats, *, beside: bool = False) -> str:
    """The bottleneck, how busy it is, and its ceiling: of the transactions alone where others are beside them."""
    busy = stats.utilisation.get(stats.bottleneck)
    used = f", {100 * busy:.0f} % utilised" if busy is not None and not beside else ""
    ceiling = f"ceiling {tps(stats.saturation_per_s)} TPS"
    if stats.saturation_users is not None:
        ceiling += f", reached at {_users(stats.saturation_users)}"
    text = f"{stats.bottleneck}{used}; {ceiling}"
    if beside:
        taken = f"; the transactions take {100 * busy:.0f} % of it now" if busy is not None else ""
        return f"Bottleneck without the other programs: {text}{taken}"
    if stats.without_disk:
        unknown = "The disk has no known limit"
        if stats.bottleneck.startswith((DATA, DBWR)):
            return f"{unknown}, so the load at which it saturates is unknown"
        return f"{unknown}; bottleneck of the other resources: {text}"
    return f"Bottleneck: {text}"


def active_sessions(result: RunResult) -> float:
    """Average active sessions: DB time a second, the idle wait for the client left out."""
    stats, idle = result.transactions, result.time.wait.get(FROM_CLIENT)
    busy_s = result.time.elapsed_s - (idle.total_s if idle else 0.0)
    return max(0.0, busy_s) * stats.per_s if stats else 0.0


def _users(count: float) -> str:
    return "one user" if count < 1.5 else f"about {count:,.0f} users"


def transaction_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Throughput, response, what is under way, and how many transactions the figures are of."""
    stats = result.transactions
    if stats is None:
        return
    yield head("Transactions")
    interval, confidence = stats.response_interval, ""
    if interval is not None:
        confidence = f"{100 * interval.confidence:.0f} % confidence"
    through = f"{mean(stats.per_s)} transactions/s (TPS)"
    if stats.per_s_low is not None and stats.per_s_high is not None:
        through += f", {mean(stats.per_s_low)} to {mean(stats.per_s_high)}{f' with {confidence}' if confidence else ''}"
    yield from wrapped(through, width, first=f"{'throughput':<{NAME}}")
    takes = f"mean {show_seconds(stats.response_s)}"
    if interval is not None:
        takes += f", {show_range(max(0.0, interval.low_s), interval.high_s)} with {confidence}"
    yield from wrapped(takes, width, first=f"{'response':<{NAME}}")
    if stats.response_percentiles:
        shares = [f"{name} {show_seconds(took)}" for name, took in stats.response_percentiles.items()]
        yield from wrapped(", ".join(shares), width, first=" " * NAME)
    yield f"{'active':<{NAME}}{show_number(active_sessions(result), 3)} average active sessions (AAS)"
    if stats.measured is not None:
        left_out = f", after {stats.warm_up:,} of warm-up" if stats.warm_up else ""
        yield from wrapped(f"{stats.measured:,} transactions{left_out}", width, first=f"{'measured':<{NAME}}")


def resource_lines(result: RunResult, width: int = 80, bar: str = "█") -> Iterator[str]:
    """How busy each resource is, the busiest first, and where the knee is."""
    stats = result.transactions
    if stats is None:
        return
    yield head("Resources")
    yield f"{'resource':<{KIND}}{'% busy':>{NUMBER}}"
    room = max(0, min(MOST_BAR, width - KIND - NUMBER - 4))
    for name, share in sorted(stats.utilisation.items(), key=lambda item: -item[1]):
        if stats.without_disk and name.startswith((DATA, DBWR)):
            yield f"{name:<{KIND}}{'unknown':>{NUMBER}}"
            continue
        letters = style(bar * round(room * share), fg="blue") if round(room * share) else ""
        yield f"{name:<{KIND}}{100 * share:>{NUMBER}.1f}  {letters}".rstrip()
    yield from wrapped(saturation(stats, beside=bool(result.programs)), width)
    yield from wrapped(util_sentence(result), width)


def util_sentence(result: RunResult) -> str:
    """Why iostat's %util is not how busy the data disk is; empty where the two are within 10 percentage points."""
    stats, disk = result.transactions, result.device.get("disk")
    servers = stats.utilisation.get("data disk", 0.0) if stats else 0.0
    if stats is None or disk is None or stats.without_disk:
        return ""
    if disk.utilisation_fraction <= servers + 0.1:
        return ""
    taken = f"{100 * servers:.0f} % of its capacity is used"
    if result.programs:
        taken = f"the transactions use {100 * servers:.0f} % of its capacity"
    return (
        f"iostat's %util is {100 * disk.utilisation_fraction:.0f} %: the time in which the data disk had at least "
        f"one request. It serves several at once, so {taken}."
    )


def percent(fraction: float) -> str:
    """A share in percent; one that rounds to nothing says that there is some."""
    return "< 0.1" if 0 < fraction < 0.0005 else f"{100 * fraction + 0.0:.1f}"


def times_of(count: float) -> str:
    """How often something comes in one transaction; what is rare keeps its first digits."""
    if count >= 100:
        return f"{count:,.0f}"
    return f"{count:.2f}" if count >= 1 else show_number(count, 2) if count >= 0.0001 else "< 0.0001"


def load_lines(result: RunResult) -> Iterator[str]:
    """AWR's load profile: gets, reads and writes per second and per transaction, and hits."""
    stats, gets, io = result.transactions, result.logical_io, result.physical_io
    if stats is None or gets is None:
        return
    yield head("Load profile")
    widths = (NAME_WIDTH, 14, 18)
    yield from aligned(("", "per second", "per transaction"), widths)
    logs = stats.log_writes_per_s / stats.per_s if stats.per_s else 0.0
    for name, each in (
        ("transactions", 1.0),
        ("logical reads (buffer gets)", gets.consistent_gets + gets.current_gets),
        ("  consistent gets", gets.consistent_gets),
        ("  current gets", gets.current_gets),
        ("blocks read", io.read_blocks),
        ("read requests", io.read_requests),
        ("blocks written by DBWR", io.write_requests),
        ("redo writes", logs),
    ):
        if each:
            yield from aligned((name, mean(each * stats.per_s), mean(each)), widths)
    means: dict[str, str] = {}
    if result.cache is not None:
        means["cache hit ratio, % of gets"] = f"{100 * result.cache.hit_fraction:.2f}"
    if stats.commits_per_log_write > 0:
        means["commits per redo write"] = f"{stats.commits_per_log_write:.2f}"
    if io.read_requests and io.read_blocks > io.read_requests * 1.0001:
        means["mean read"] = show_bytes(round(io.read_bytes / io.read_requests))
    for name, shown in means.items():
        yield from aligned((name, "", shown), widths)


def intervals_left_out(result: RunResult) -> RunResult:
    """*result* with one line for each device: a run of transactions takes too many intervals to print."""
    device = {name: stats.model_copy(update={"lines": []}) for name, stats in result.device.items()}
    return result.model_copy(update={"device": device})


def on_await_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Why await is not what a transaction waits for a read."""
    read = result.time.wait.get(SEQUENTIAL)
    disk = result.device.get("disk")
    if result.transactions is None or read is None or disk is None or not disk.writes_per_s:
        return
    each_s = read.total_s / read.waits
    if disk.await_s is not None and disk.await_s > 1.2 * each_s:
        yield from wrapped(
            f"await ({show_seconds(disk.await_s)}) is the mean of all requests. It includes DBWR's writes, which "
            f"come in bursts and which no session waits for. A session waits {show_seconds(each_s)} for a read.",
            width,
        )


def kind_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Each kind of the mix; nothing where there is one alone."""
    stats = result.transactions
    if stats is None or len(stats.kinds) < 2:
        return
    yield head("Kinds of transactions")
    timed = any("p95" in kind.response_percentiles for kind in stats.kinds)
    close = width < NARROW
    name, rate, took_for, gets, read = (15, 7, 10, 8, 12) if close else (KIND, 8, NUMBER, 9, 13)
    widths = (name, rate, took_for, took_for if timed else 0, gets, read)
    yield from aligned(("kind", "TPS", "response", "p95" if timed else "", "gets", "blocks read"), widths)
    for kind in stats.kinds:
        late = kind.response_percentiles.get("p95")
        cells = (
            kind.name, tps(kind.per_s), show_seconds(kind.response_s), "" if late is None else show_seconds(late),
            mean(kind.consistent_gets + kind.current_gets), mean(round(kind.read_blocks, 2)),
        )  # fmt: skip
        yield from aligned(cells, widths)


def policy_lines(result: RunResult, width: int = 80) -> Iterator[str]:
    """Hits of other replacement policies on references drawn alike."""
    stats = result.transactions
    if stats is None or not stats.policies:
        return
    yield head("Replacement in the buffer cache")
    widths = (NAME_WIDTH, NUMBER, NUMBER)
    yield from aligned(("policy", "% hits", "% misses"), widths)
    own = {} if result.cache is None else {"this run": result.cache.hit_fraction}
    for name, share in (stats.policies | own).items():
        yield from aligned((name, f"{100 * share:.2f}", f"{100 * (1 - share):.2f}"), widths)
    yield from wrapped(
        "Share of all gets. The first three policies replay the same sample of this run's references; differences of "
        "a few tenths of a percent are chance.",
        width,
    )
