"""Where the command's words go: the terminal, or a pipe that may close."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

NARROWEST, WIDEST = 72, 160
LONGEST_WORD: Final = 200
SEEN_AFTER_S: Final = 2.0
"""What takes longer is told, and its progress shown."""
REFRESH_S: Final = 0.5
_REPLACED: Final = "blocktime.replaced"
_STYLE: Final = r"(?:[0-4]|3[0-79]|9[0-7])"
_OBEYED: Final = re.compile(
    rf"(\x1b\[{_STYLE}(?:;{_STYLE})*m)|"  # bold and colours, our own among them: they hide nothing
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters, and letters that turn the direction of a line round."""


_STYLED: Final = re.compile(r"\x1b\[[;?0-9]*[a-zA-Z]")


def one_line(text: str) -> str:
    """*text* without line breaks and without characters that a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))


_INSTEAD: Final = {
    "µ": "u", "×": "x", "–": "-", "−": "-", "…": "...", "±": "+-", "≤": "<=", "≥": ">=", "→": "->", "·": "*",
}  # fmt: skip
"""What is written for letters that the terminal's encoding lacks: a unit or a sign must not be lost."""


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """The letters that an encoding lacks, as near as ASCII comes to them; a question mark for all others."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_INSTEAD.get(letter, "?") for letter in letters), error.end


def prepare_output() -> None:
    """Letters that the terminal's encoding lacks become others instead of an error."""
    codecs.register_error(_REPLACED, _replaced)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_REPLACED)


def forget_output() -> None:
    """Point standard output at nothing, so that leaving does not stumble over what could not be written."""
    if sys.stdout is not None:
        try:
            descriptor = sys.stdout.fileno()
        except (OSError, ValueError):
            return
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, descriptor)
        os.close(nothing)


def print_lines(lines: Iterable[str], err: bool = False) -> None:
    """Lines to standard output or error, in colour on a terminal or by FORCE_COLOR, and never by NO_COLOR.

    Titles and names come from anybody: what a terminal would obey in them is shown as a replacement character.
    """
    text = _OBEYED.sub(lambda match: match[1] or "\N{REPLACEMENT CHARACTER}", "\n".join(lines))
    stream = sys.stderr if err else sys.stdout
    if stream is not None:
        plain = os.environ.get("NO_COLOR") or not (os.environ.get("FORCE_COLOR") or stream.isatty())
        stream.write(f"{_STYLED.sub('', text) if plain else text}\n")
        stream.flush()


def say(sentence: str) -> None:
    """*sentence* on standard error, in one line and with words that end."""
    words = (word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}..." for word in sentence.split())
    print_lines([f"blocktime: {one_line(' '.join(words))}"], err=True)


def json_text(value: object) -> str:
    """*value* as JSON, with what a terminal would obey as escapes."""
    import json

    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_json(value: object) -> None:
    """*value* as JSON to standard output."""
    print_lines([json_text(value)])


def print_answer(
    as_json: bool,
    quiet: bool,
    data: Callable[[], object],
    short: Callable[[], Iterable[str]],
    lines: Callable[[], Iterable[str]],
) -> None:
    """An answer in the form that was asked for: as JSON, in a line or two, or whole."""
    if as_json:
        print_json(data())
    else:
        print_lines(short() if quiet else lines())


def width_of_terminal() -> int:
    """Columns to fill: those of the terminal or of COLUMNS, else 80."""
    from shutil import get_terminal_size

    return min(WIDEST, max(NARROWEST, get_terminal_size((80, 24)).columns))


def bar_letter() -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return "█" if encoding.lower().replace("-", "").startswith("utf") else "#"


def shows_progress(quiet: bool) -> bool:
    """Whether somebody looks at standard error."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


def show_progress(words: str) -> None:
    """*words* in place of the last line on standard error; nothing takes that away."""
    if sys.stderr is not None:
        sys.stderr.write(f"\r\x1b[K{one_line(words)}")
        sys.stderr.flush()


@contextmanager
def progress_to_terminal(
    quiet: bool, what: str, of: str, expected_s: float = 0.0
) -> Iterator[Callable[[int, int], None] | None]:
    """A line on standard error once two seconds have passed, to a terminal alone: *what* is done and how far it is.

    The block gets a function to call with how many are done, and how many there are *of*.
    """
    if not shows_progress(quiet):
        yield None
        return
    from threading import Event, Thread

    begin_s, ended, progress = monotonic(), Event(), [0, 0]

    def tell(done: int, whole: int) -> None:
        progress[:] = done, whole

    def show() -> None:
        pause_s = SEEN_AFTER_S
        while not ended.wait(pause_s):
            pause_s = REFRESH_S
            words = f"{what}: {monotonic() - begin_s:.0f} s"
            words += f" of about {expected_s:.0f}" * (expected_s > 0)
            words += f", {progress[0]} of {progress[1]} {of}" * (progress[1] > 1)
            show_progress(words)

    line = Thread(target=show, daemon=True)
    line.start()
    try:
        yield tell
    finally:
        ended.set()
        line.join()
        if monotonic() - begin_s >= SEEN_AFTER_S:
            show_progress("")
