"""Text as Markdown shows it."""

import pytest

from blocktime.app.base.markdown import plain, sentence


def test_plain_takes_markdown_its_meaning() -> None:
    assert plain("SQL*Net [$x$] _y_") == r"SQL\*Net \[\$x\$\] \_y\_"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("www.attacker.example", "www\u2060.attacker.example"),
        ("(WWW.attacker.example)", "(WWW\u2060.attacker.example)"),
        ("x@y.example", "x@\u2060y.example"),
        ("x@_y.example", "x@\u2060\\_y.example"),
        ("https://a.example", "https:\u2060//a.example"),
        (":material/home: :red[x]", ":\u2060material/home: :\u2060red\\[x\\]"),
    ],
)
def test_no_link_and_no_picture_is_made_of_a_text(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("slow\n\n# BIG", "slow # BIG"),
        ("a\r\nb\u2028c", "a b c"),
        ("# BIG", r"\# BIG"),
        ("> said", r"\> said"),
        ("- one", r"\- one"),
        ("---", r"\---"),
        ("12. one", r"12\. one"),
        ("    code", " code"),
        ("-1.5 % of 2.5 s", "-1.5 % of 2.5 s"),
        ("<b>R&D &lt;", r"\<b>R&D \&lt;"),
        ("25\u202f%", "25\u202f%"),
    ],
)
def test_a_text_stays_a_line_of_its_paragraph(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_sentence_has_a_capital_and_an_end() -> None:
    assert [sentence(text) for text in ("reads fell", "Done.", "")] == ["Reads fell.", "Done.", ""]
    assert sentence("trying a few …") == "Trying a few …"
    assert sentence("host.memory_bytes has no effect") == "host.memory_bytes has no effect."
