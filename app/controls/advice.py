"""What an answer says of single fields: warnings that name one, constants outside what they were measured at."""

from __future__ import annotations

import re

from blocktime.app.base.memo import by_object
from blocktime.app.controls.forms import in_words
from blocktime.model.provenance import show_times
from blocktime.model.results import RunResult
from blocktime.model.units import show_quantity


@by_object(4096)
def advice_on(path: str, result: RunResult) -> str:
    """What *result* has against the value of a field that is allowed all the same; empty where nothing is odd."""
    name = path.rpartition(".")[2]
    beyond = [extrapolation for extrapolation in result.extrapolated if extrapolation.quantity == name]
    texts = []
    if beyond:
        worst = max(beyond, key=lambda extrapolation: extrapolation.times or 0.0)
        count = len({extrapolation.constant for extrapolation in beyond})
        times = f"; this is {'up to ' * (count > 1)}{show_times(worst.times)} times beyond" if worst.times else ""
        who = "One constant was" if count == 1 else f"{count} constants were"
        texts.append(f"{who} measured at {show_quantity(name, worst.low, worst.high)}{times}")
    named = re.compile(rf"(?<![\w.]){re.escape(path)}(?![\w.])" + (rf"|\b{name}\b" if "_" in name else ""))
    texts += [warning for warning in result.warnings if named.search(warning)]
    return "; ".join(in_words(text) for text in texts)
