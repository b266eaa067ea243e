"""What reading cards and reading tiles have in common."""

from __future__ import annotations

import re
from typing import Final

from laizi.errors import CardsError, ErrorReason

FULL_WIDTH: Final = {code + 0xFEE0: code for code in range(0x21, 0x7F)}
"""For str.translate: full-width forms become the plain ones, one character for one, so that positions stay."""

SEPARATORS: Final = re.compile(r"[\s,;、]+")
"""What may stand between two cards or tiles, in a text without full-width forms."""


def check_codes(source: object, noun: str) -> None:
    """Raise TypeError for what is no byte codes: neither text nor other values stand for cards or tiles."""
    if not isinstance(source, bytes | bytearray | memoryview):
        raise TypeError(f"{noun} are text or bytes, not {type(source).__name__}")


def check_size(size: int, noun: str, limit: int, empty: ErrorReason | None) -> None:
    """Raise CardsError: HAND_TOO_LARGE above ``limit``; the reason ``empty``, where there is one, for a size of 0."""
    if size > limit:
        raise CardsError(ErrorReason.HAND_TOO_LARGE, f"{size} {noun} given, at most {limit} allowed", limit=limit)
    if size == 0 and empty is not None:
        raise CardsError(empty, f"no {noun} given")
