"""Makes untrusted text harmless to read: control, bidirectional and invisible characters become visible escapes."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

SOURCE_SHOWN: Final = 16 << 10  # bytes; colouring a megabyte would keep everybody else waiting for seconds
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# letters, marks and a symbol by their category, and nothing to be seen: joiner, fillers, vowels, empty Braille
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# pictures that a joiner makes one of: a family, a flag; each may have a variation selector or a skin tone
_PICTURE: Final = (
    "[\u2194\u2195\u2600-\u27bf\u2b1b\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
    "[\ufe0f\U0001f3fb-\U0001f3ff]?"
)
JOINED_PICTURES: Final = re.compile(f"{_PICTURE}(?:\u200d{_PICTURE})+")


def visible(text: str, keep: str = "\n\t") -> str:
    """Return text in which every character shows, those of `keep` and joiners between pictures excepted.

    Line ends of other systems become newlines; escapes are written as Python writes them.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    shown, at = [], 0
    for joined in JOINED_PICTURES.finditer(text):
        pictures = joined[0].split("\u200d")
        is_whole = all(_escaped(picture, "") == picture for picture in pictures)  # none of them is still unassigned
        shown += [_escaped(text[at : joined.start()], keep), joined[0] if is_whole else _escaped(joined[0], keep)]
        at = joined.end()
    return "".join([*shown, _escaped(text[at:], keep)])


def _escaped(text: str, keep: str) -> str:
    return "".join(
        character
        if character in keep or (unicodedata.category(character) not in _HIDDEN and character not in _BLANK)
        else character.encode("unicode_escape").decode()
        for character in text
    )


def beginning(source: bytes) -> tuple[str, int]:
    """Return as much of a source as a page colours, and the number of bytes after it."""
    return source[:SOURCE_SHOWN].decode("utf-8", "replace"), max(0, len(source) - SOURCE_SHOWN)
