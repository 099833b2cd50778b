"""Text as Markdown shows it."""

from app.markdown import plain, sentence


def test_plain_takes_markdown_its_meaning() -> None:
    assert plain("SQL*Net [$x$] _y_") == r"SQL\*Net \[\$x\$\] \_y\_"


def test_a_sentence_has_a_capital_and_an_end() -> None:
    assert [sentence(text) for text in ("reads fell", "Done.", "")] == ["Reads fell.", "Done.", ""]
