"""Buffer cache: a small list step by step, the hit ratio over its size, and what reading into it costs a scan."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from blocktime.app.charts import drawing
from blocktime.app.mechanisms import printed_points
from blocktime.app.mechanisms.lesson import Chart, LessonAnswer, Values, lesson_of
from blocktime.app.mechanisms.lesson_scenarios import over
from blocktime.model.kernels.buffer_kernel import Buffers
from blocktime.model.laws import touch_count
from blocktime.model.laws.cache_misses import TouchRules
from blocktime.model.laws.hit_ratio import hot_share_groups, lru_hit_fraction
from blocktime.model.units import show_share

BUFFERS, STEP, HOT_REGION, HOT_DATA, HOT_GETS = (
    "buffers", "step", "instance.replacement.percent_hot", "workload.hot_data_percent", "workload.hot_gets_percent",
)  # fmt: skip
BLOCKS: Final = 40
"""Blocks of data in the picture."""
LONG: Final = 4000
"""References that are played for the hit ratio of the small cache."""
MANY: Final = 10_000
"""Blocks of data behind the curve."""
SEED: Final = 2004
SCANS: Final = (
    ("into the buffer cache", "shallahamer-buffered", "buffered", drawing.ORANGE, "solid"),
    ("direct path", "shallahamer-direct", "direct", drawing.BLUE, "dash"),
    ("direct, asynchronous", "shallahamer-async", "async", drawing.GREEN, "dot"),
)
SHARES: Final = tuple(step / 10 for step in range(11))


class CacheStep(NamedTuple):
    """The cache after a reference."""

    block: int
    hit: bool
    evicted: int | None
    cold: list[int]
    """The coldest first."""
    hot: list[int]
    counts: dict[int, int]
    hits: int
    references: int


def hot_blocks(values: Values) -> int:
    """Blocks of the picture's data that are wanted more."""
    return max(1, round(BLOCKS * float(values[HOT_DATA]) / 100))


def references(values: Values, count: int) -> list[int]:
    """Blocks that are referenced, by chance: the hot ones have the lowest numbers."""
    draws = np.random.default_rng(SEED)
    hot = hot_blocks(values)
    to_hot = draws.random(count) < values[HOT_GETS] / 100
    blocks: list[int] = np.where(to_hot, draws.integers(0, hot, count), draws.integers(hot, BLOCKS, count)).tolist()
    return blocks


def after(values: Values, steps: int) -> CacheStep:
    """The cache after so many references, each far enough from the last for its touch to count."""
    rules = TouchRules(percent_hot=values[HOT_REGION])
    cache = Buffers(int(values[BUFFERS]), rules)
    blocks = references(values, steps)
    before: set[int] = set()
    hits, hit = 0, False
    for rank, block in enumerate(blocks):
        if rank == steps - 1:
            before = set(cache.resident().tolist())
        hit = block in cache
        hits += hit
        cache.work([block], [False], None, rank * rules.touch_time_s)
    cold, hot = cache.regions()
    cached = [*cold, *hot]
    evicted = next(iter(before.difference(cached)), None)
    counts = {block: cache.touches(block) for block in cached}
    return CacheStep(blocks[-1] if blocks else -1, hit, evicted, cold, hot, counts, hits, steps)


def picture(values: Values) -> Chart:
    """The list from its cold end to its hot end, with the touches of each buffer."""
    step = after(values, int(values[STEP]))
    hot, size = hot_blocks(values), int(values[BUFFERS])
    places = {block: place for place, block in enumerate([*step.cold, *step.hot])}
    traces: list[dict[str, Any]] = []
    for name, colour, symbol, wanted in (
        ("hot block", drawing.ORANGE, "square", True),
        ("other block", drawing.BLUE, "circle", False),
    ):
        those = [block for block in places if (block < hot) == wanted]
        traces.append(_buffers(
            name, [places[block] for block in those], those, colour, symbol, {"color": "#ffffff", "size": 12},
            hovertext=[f"block {block}: {step.counts[block]} touches counted" for block in those],
            hovertemplate="%{hovertext}<extra></extra>",
        ))  # fmt: skip
    if step.block in places:
        ring = drawing.dots("just referenced", [places[step.block]], [0], drawing.CLEAR, "circle", 40)
        ring["marker"]["line"] = {"color": drawing.RED, "width": 3}
        traces.append(ring | {"hoverinfo": "skip", "cliponaxis": False})
    if step.evicted is not None:
        victim = _buffers("victim", [-1.3], [step.evicted], drawing.CLEAR, "square", {"size": 12},
                          hovertemplate=f"block {step.evicted} made room<extra></extra>")  # fmt: skip
        victim["marker"]["line"] = {"color": drawing.GREY, "width": 2}
        traces.append(victim)
    middle = len(step.cold) - 0.5
    layout = drawing.layout(
        190,
        drawing.axis("", range=[-2, size - 0.3], showticklabels=False, showgrid=False),
        drawing.axis("", range=[-1.1, 1.0], showticklabels=False, showgrid=False),
        (56, 14, 40, 4),
        shapes=[{"type": "line", "x0": middle, "x1": middle, "y0": -0.75, "y1": 0.75,
                 "line": {"color": drawing.OF_TEXT, "width": 2, "dash": "dash"}}],
        annotations=[
            *({"x": place, "y": -0.62, "text": str(step.counts[block]), "showarrow": False}
              for block, place in places.items()),
            {"x": middle, "y": 0.9, "text": "midpoint", "showarrow": False},
            {"x": -0.4, "y": 0.9, "text": "cold end", "showarrow": False, "xanchor": "left"},
            {"x": size - 0.6, "y": 0.9, "text": "hot end", "showarrow": False, "xanchor": "right"},
            {"x": -1.3, "y": -0.62, "text": "touches", "showarrow": False},
        ],
    )  # fmt: skip
    return Chart(drawing.figure(traces, layout), _said(step))


def _buffers(
    name: str, places: list[Any], blocks: list[int], colour: str, symbol: str, font: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """Buffers of one kind with the numbers of their blocks."""
    return drawing.dots(
        name, places or [None], [0] * len(places) or [None], colour, symbol, 30, mode="markers+text",
        text=[str(block) for block in blocks], textposition="middle center", textfont=font, cliponaxis=False, **more,
    )  # fmt: skip


def _said(step: CacheStep) -> str:
    if not step.references:
        return "The cache is empty; move the slider to the next step."
    if step.hit:
        what = f"block {step.block} is found: nothing moves, its touch counts"
    elif step.evicted is None:
        what = f"block {step.block} is read into a free buffer, at the midpoint"
    else:
        what = f"block {step.block} is read in at the midpoint, block {step.evicted} leaves from the cold end"
    share = step.hits / step.references
    return f"Reference {step.references}: {what}. {step.hits} of {step.references} were hits ({show_share(share)})."


@lru_cache(maxsize=256)
def ratios(hot_region: float, hot_data: float, hot_gets: float) -> tuple[list[float], list[float], list[float]]:
    """Room in percent of the data, and the hit ratio in percent by the touch-count law and by LRU."""
    popularity, blocks = hot_share_groups(MANY, hot_data / 100, hot_gets / 100)
    rules = TouchRules(percent_hot=hot_region)
    rooms = [*range(1, 100, 2), 99.9]
    touched = [
        100 * touch_count.hit_fraction(MANY * room / 100, popularity.tolist(), blocks.tolist(), rules) for room in rooms
    ]
    lru = 100 * np.asarray(lru_hit_fraction(np.array(rooms) * MANY / 100, popularity, blocks))
    return rooms, touched, lru.tolist()


def curve(values: Values) -> Chart:
    """Hit ratio over the cache's share of the data, and the small cache in the long run."""
    rooms, touched, lru = ratios(values[HOT_REGION], values[HOT_DATA], values[HOT_GETS])
    share = 100 * values[BUFFERS] / BLOCKS
    long_run = after(values, LONG)
    played = 100 * long_run.hits / long_run.references
    hover = "%{y:.1f} % with room for %{x:,.3~r} % of the data"
    traces = [
        drawing.line("touch count, law", rooms, touched, (drawing.ORANGE, "solid"), hover, width=3),
        drawing.line("LRU, Che's law", rooms, lru, (drawing.BLUE, "dash"), hover),
        drawing.line("no locality", [0, 100], [0, 100], (drawing.BROWN, "dot"), hover),
        drawing.now(share, played, f"this cache, {LONG:,} references: {played:.0f} %"),
    ]
    layout = drawing.layout(
        280,
        drawing.axis("buffers over blocks of data (%)", range=[0, 100]),
        drawing.axis("buffer cache hit ratio (%)", range=[0, 102]),
    )
    law = float(np.interp(share, rooms, touched))
    text = (
        f"The cache has room for {share:.0f} % of the data, and {values[HOT_GETS]:g} % of the gets go to "
        f"{values[HOT_DATA]:g} % of the data. The law gives {law:.0f} % hits; the cache above, of {values[BUFFERS]} "
        f"buffers, had {played:.0f} %. No document prints a hit ratio."
    )
    return Chart(drawing.figure(traces, layout), text)


def scan() -> Chart:
    """What reading into the cache costs a scan that would rather not."""
    traces: list[dict[str, Any]] = []
    points = printed_points.printed("shallahamer_direct_reads", "median", "elapsed_s")
    for name, scenario, way, colour, dash in SCANS:
        elapsed_s = over(scenario, (), "table.cached_fraction", SHARES)["elapsed_s"]
        traces.append(drawing.line(
            name, [100 * share for share in SHARES], elapsed_s, (colour, dash), "%{y:.2f} s, %{x:.0f} % cached"
        ))  # fmt: skip
        those = [point for point in points if point.row["way"] == way]
        traces += printed_points.traces(those, lambda _: 0.0, colour, name=f"{way}: ")
    layout = drawing.layout(
        250, drawing.axis("share of the table in the cache (%)", range=[-2, 100]),
        drawing.axis("s for the scan", rangemode="tozero"), top=52, shapes=[drawing.band(0, 100, opacity=0.4)],
        annotations=[drawing.note("extrapolated: measured at 0 % alone", 0.99, 0.03, xanchor="right",
                                  yanchor="bottom")],
    )  # fmt: skip
    text = (
        "Document 003's scan: medians of 31 runs from a table that is not cached. Each block read into the cache "
        "needs a buffer and a search for it. Direct path reads need neither, but cannot use cached blocks. A cached "
        "block splits the read around it, so a few of them make the buffered scan slower. The measured runs had "
        "nothing cached: beyond 0 %, on grey, the lines are the law's alone."
    )
    return Chart(drawing.figure(traces, layout), text)


def answer(values: Values) -> LessonAnswer:
    """Everything that the page shows."""
    step = after(values, int(values[STEP]))
    numbers = (
        ("Hits so far", f"{step.hits} of {step.references}"),
        ("Hot region", f"{len(step.hot)} of {values[BUFFERS]}"),
    )
    lesson = lesson_of("buffer_cache")
    charts = picture(values), (curve(values), scan())
    return LessonAnswer(*charts, numbers, lesson.scenario, lesson.settings(values))
