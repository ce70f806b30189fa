"""Makes untrusted text harmless to read: control, bidirectional and invisible characters become visible escapes."""

from __future__ import annotations

import unicodedata
from typing import Final

SOURCE_SHOWN: Final = 16 << 10  # bytes; colouring a megabyte would keep everybody else waiting for seconds
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# letters, marks and a symbol by their category, and nothing to be seen: joiner, fillers, vowels, empty Braille
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def visible(text: str, keep: str = "\n\t") -> str:
    """Return text in which every character shows, those of `keep` excepted.

    Line ends of other systems become newlines; escapes are written as Python writes them.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return "".join(
        character
        if character in keep or (unicodedata.category(character) not in _HIDDEN and character not in _BLANK)
        else character.encode("unicode_escape").decode()
        for character in text
    )


def beginning(source: bytes) -> tuple[str, int]:
    """Return as much of a source as a page colours, and the number of bytes after it."""
    return source[:SOURCE_SHOWN].decode("utf-8", "replace"), max(0, len(source) - SOURCE_SHOWN)
