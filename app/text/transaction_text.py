"""Transactions as plain text: what users see, the mean one like AWR's load profile, resources, kinds."""

from __future__ import annotations

from blocktime.app.base.lines import NAME_WIDTH, mean
from blocktime.app.text.section import NOTHING, Bar, CellTable, Fact, Section
from blocktime.model.causes import FROM_CLIENT, SEQUENTIAL
from blocktime.model.demand.transaction_demand import DATA, DBWR
from blocktime.model.results import BOUND, RunResult, TransactionStats
from blocktime.model.units import show_bytes, show_number, show_range, show_seconds

NAME = 12
KIND = 20
NUMBER = 11
MOST_BAR = 24


def answer_of(result: RunResult, stats: TransactionStats, where: str) -> str:
    """Throughput, the response and its largest parts, and the bottleneck."""
    tail = stats.response_percentiles.get("p95")
    if result.how == BOUND:
        least = f"at most {tps(stats.per_s)} TPS; a transaction takes at least {show_seconds(stats.response_s)}"
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


def transaction_section(result: RunResult) -> Section:
    """Throughput, response, what is under way, and how many transactions the figures are of."""
    stats = result.transactions
    if stats is None:
        return NOTHING
    interval, confidence = stats.response_interval, ""
    if interval is not None:
        confidence = f"{100 * interval.confidence:.0f} % confidence"
    through = f"{mean(stats.per_s)} transactions/s (TPS)"
    if stats.per_s_low is not None and stats.per_s_high is not None:
        through += f", {mean(stats.per_s_low)} to {mean(stats.per_s_high)}{f' with {confidence}' if confidence else ''}"
    takes = f"mean {show_seconds(stats.response_s)}"
    if interval is not None:
        takes += f", {show_range(max(0.0, interval.low_s), interval.high_s)} with {confidence}"
    shares = ", ".join(f"{name} {show_seconds(took)}" for name, took in stats.response_percentiles.items())
    active = f"{show_number(active_sessions(result), 3)} average active sessions (AAS)"
    left_out = f", after {stats.warm_up:,} of warm-up" if stats.warm_up else ""
    counted = "" if stats.measured is None else f"{stats.measured:,} transactions{left_out}"
    facts = {"throughput": through, "response": takes, "": shares, "active": active, "measured": counted}
    return Section("Transactions", [Fact(name, text) for name, text in facts.items() if text], label=NAME)


def resource_section(result: RunResult) -> Section:
    """How busy each resource is, the busiest first, and where the knee is."""
    stats = result.transactions
    if stats is None:
        return NOTHING
    rows, bars = [("resource", "% busy")], []
    for name, share in sorted(stats.utilisation.items(), key=lambda item: -item[1]):
        is_unknown = stats.without_disk and name.startswith((DATA, DBWR))
        rows.append((name, "unknown" if is_unknown else f"{100 * share:.1f}"))
        bars.append(Bar(0.0 if is_unknown else share))
    notes = [saturation(stats, beside=bool(result.programs)), util_sentence(result)]
    return Section("Resources", [CellTable(rows, (KIND, NUMBER), bars=bars, longest=MOST_BAR)], [*filter(None, notes)])


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


def load_section(result: RunResult) -> Section:
    """AWR's load profile: gets, reads and writes per second and per transaction, and hits."""
    stats, gets, io = result.transactions, result.logical_io, result.physical_io
    if stats is None or gets is None:
        return NOTHING
    each_by_name = {
        "transactions": 1.0, "logical reads (buffer gets)": gets.consistent_gets + gets.current_gets,
        "  consistent gets": gets.consistent_gets, "  current gets": gets.current_gets, "blocks read": io.read_blocks,
        "read requests": io.read_requests, "blocks written by DBWR": io.write_requests,
        "redo writes": stats.log_writes_per_s / stats.per_s if stats.per_s else 0.0,
    }  # fmt: skip
    rows = [("", "per second", "per transaction")]
    rows += [(name, mean(each * stats.per_s), mean(each)) for name, each in each_by_name.items() if each]
    if result.cache is not None:
        rows.append(("cache hit ratio, % of gets", "", f"{100 * result.cache.hit_fraction:.2f}"))
    if stats.commits_per_log_write > 0:
        rows.append(("commits per redo write", "", f"{stats.commits_per_log_write:.2f}"))
    if io.read_requests and io.read_blocks > io.read_requests * 1.0001:
        rows.append(("mean read", "", show_bytes(round(io.read_bytes / io.read_requests))))
    return Section("Load profile", [CellTable(rows, (NAME_WIDTH, 14, 18))])


def intervals_left_out(result: RunResult) -> RunResult:
    """*result* with one line for each device: a run of transactions takes too many intervals to print."""
    device = {name: stats.model_copy(update={"lines": []}) for name, stats in result.device.items()}
    return result.model_copy(update={"device": device})


def await_notes(result: RunResult) -> list[str]:
    """Why await is not what a transaction waits for a read."""
    read = result.time.wait.get(SEQUENTIAL)
    disk = result.device.get("disk")
    if result.transactions is None or read is None or disk is None or not disk.writes_per_s:
        return []
    each_s = read.total_s / read.waits
    if disk.await_s is None or disk.await_s <= 1.2 * each_s:
        return []
    return [
        f"await ({show_seconds(disk.await_s)}) is the mean of all requests. It includes DBWR's writes, which "
        f"come in bursts and which no session waits for. A session waits {show_seconds(each_s)} for a read."
    ]


def kind_section(result: RunResult) -> Section:
    """Each kind of the mix; nothing where there is one alone."""
    stats = result.transactions
    if stats is None or len(stats.kinds) < 2:
        return NOTHING
    timed = any("p95" in kind.response_percentiles for kind in stats.kinds)
    rows = [("kind", "TPS", "response", *["p95"] * timed, "gets", "blocks read")]
    for kind in stats.kinds:
        late = kind.response_percentiles.get("p95")
        tail = ["" if late is None else show_seconds(late)] * timed
        gets, reads = mean(kind.consistent_gets + kind.current_gets), mean(round(kind.read_blocks, 2))
        rows.append((kind.name, tps(kind.per_s), show_seconds(kind.response_s), *tail, gets, reads))
    wide, narrow = ((KIND, 8, NUMBER, *[NUMBER] * timed, 9, 13), (15, 7, 10, *[10] * timed, 8, 12))
    return Section("Kinds of transactions", [CellTable(rows, wide, narrow)])
