"""Text packed for an address: compressed, in letters that need no escape there, and unpacked within a limit."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Final

from blocktime.model.errors import SpecError
from blocktime.scenarios.load import LARGEST_FILE_BYTES

LONGEST: Final = 30_000
"""Characters of packed text; servers refuse requests of 64 KiB and more, headers and all."""
LARGEST_BYTES: Final = LARGEST_FILE_BYTES
"""Of the text that it stands for, however few characters stand for it."""


def pack(text: str) -> str:
    """*text* as an address holds it; raises :class:`SpecError` where it is too long for one."""
    content = text.encode()
    if len(content) > LARGEST_BYTES:
        raise SpecError(f"it has {len(content):,} bytes; a link holds at most {LARGEST_BYTES:,}")
    packed = base64.urlsafe_b64encode(zlib.compress(content, 9)).decode().rstrip("=")
    if len(packed) > LONGEST:
        raise SpecError(f"it takes {len(packed):,} characters of a link, compressed; a link has room for {LONGEST:,}")
    return packed


def unpack(packed: str) -> str:
    """The text that :func:`pack` made *packed* of; raises :class:`SpecError` where none did."""
    if len(packed) > LONGEST:
        raise SpecError(f"it has {len(packed):,} characters; a link holds at most {LONGEST:,}")
    try:
        content = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        reader = zlib.decompressobj()
        unpacked = reader.decompress(content, LARGEST_BYTES + 1)
        if len(unpacked) > LARGEST_BYTES:
            raise SpecError(f"it has more than {LARGEST_BYTES:,} bytes, unpacked")
        if not reader.eof or reader.unused_data:
            raise SpecError("it is not whole; was the link cut off?")
        return unpacked.decode()
    except (binascii.Error, zlib.error, ValueError):
        raise SpecError("it cannot be unpacked; was the link cut off or changed?") from None
