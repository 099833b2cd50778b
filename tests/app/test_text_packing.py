"""Text packed for an address comes back as it was; what was not packed here is refused, however large it unpacks to."""

from __future__ import annotations

import base64
import zlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocktime.app.base.text_packing import LARGEST_BYTES, LONGEST, pack, unpack
from blocktime.model.errors import SpecError


def in_letters(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@given(st.text())
def test_what_is_packed_comes_back_and_needs_no_escape(text: str) -> None:
    packed = pack(text)
    assert unpack(packed) == text
    assert packed.replace("-", "").replace("_", "").isalnum()


@given(st.text())
def test_what_was_not_packed_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match=r"it (cannot|is not whole)"):
        unpack(text)


@given(st.binary())
def test_bytes_that_are_not_compressed_are_refused(content: bytes) -> None:
    with pytest.raises(SpecError, match=r"it (cannot|is not whole)"):
        unpack(in_letters(content))


@given(st.text(min_size=1), st.data())
def test_a_link_that_was_cut_off_is_refused(text: str, data: st.DataObject) -> None:
    packed = pack(text)
    with pytest.raises(SpecError, match="cut off"):
        unpack(packed[: data.draw(st.integers(0, len(packed) - 2))])


def test_text_behind_the_packed_one_is_refused() -> None:
    with pytest.raises(SpecError, match="not whole"):
        unpack(in_letters(zlib.compress(b"base = 'tpc-b'") + b"more"))


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = in_letters(zlib.compress(b" " * 20_000_000, 9))
    assert len(bomb) < LONGEST
    sizes: list[int] = []
    real = zlib.decompressobj

    class Watched:
        def __init__(self) -> None:
            self.reader = real()

        def decompress(self, content: bytes, most: int) -> bytes:
            found = self.reader.decompress(content, most)
            sizes.append(len(found))
            return found

    monkeypatch.setattr(zlib, "decompressobj", Watched)
    with pytest.raises(SpecError, match=f"more than {LARGEST_BYTES:,} bytes"):
        unpack(bomb)
    assert sizes == [LARGEST_BYTES + 1]


def test_what_no_link_has_room_for_is_refused() -> None:
    varied = f"{Random(1).getrandbits(400_000):x}"
    with pytest.raises(SpecError, match=r"takes [\d,]+ characters of a link, compressed; a link has room for"):
        pack(varied)
    with pytest.raises(SpecError, match="has 1,000,001 bytes"):
        pack(" " * (LARGEST_BYTES + 1))
    with pytest.raises(SpecError, match=f"it has {LONGEST + 1:,} characters"):
        unpack("x" * (LONGEST + 1))
