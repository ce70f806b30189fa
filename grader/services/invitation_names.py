"""The names under which candidates are invited: read from a list, and told apart where they look alike."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from grader.services.interview_settings import UnusableSettings, tidy_line
from grader.services.names import look_of
from grader.store.interview_models import LABEL_LENGTH

LIST_BYTES_MAX: Final = 256 << 10
# a first line that is one of these names the column
LABEL_WORDS: Final = frozenset(
    ["candidate", "name", "label", "full name", "fullname", "display name", "student", "student name", "email"]
)
PART_WORDS: Final = frozenset(["first name", "given name", "last name", "family name", "surname"])


@dataclass(frozen=True)
class Alike:
    """A name that can be taken for another one of the same interview."""

    name: str
    other: str
    place: int  # the first character that differs, from 1
    character: str  # what the name has there, in words


def alike(names: Sequence[str], known: Sequence[str]) -> tuple[Alike, ...]:
    """Return which of some names look like one before them, or like a known one."""
    looks = {look_of(name): name for name in reversed(known)}
    found = []
    for name in names:
        other = looks.setdefault(look_of(name), name)
        if other != name:
            found.append(_apart(name, other))
    return tuple(found)


def _apart(name: str, other: str) -> Alike:
    pairs = enumerate(zip_longest(name, other), start=1)
    place, (character, _) = next((place, pair) for place, pair in pairs if pair[0] != pair[1])
    word = unicodedata.name(character, f"U+{ord(character):04X}") if character else "nothing any more"
    return Alike(name, other, place, word.lower())


def read_names(data: bytes | str) -> list[str]:
    """Return the names of a list: the lines of a text, or the first column of a CSV file.

    A text whose first cell is a word for that column is CSV as well.

    Raises:
        UnusableSettings: it cannot be read, is too long, or one of the names cannot be used or is spread over columns.
    """
    text = data if isinstance(data, str) else _decoded(data)
    if len(text) > LIST_BYTES_MAX:
        raise UnusableSettings("The list is too long; invite at most a thousand candidates at once.", "names")
    head = text.strip().partition("\n")[0].split(_delimiter(text))[0].strip(' "\r').casefold()
    head = head.replace("_", " ").replace("-", " ")
    if head in PART_WORDS:
        raise UnusableSettings("The list has names in several columns; write the whole name in the first one.", "names")
    is_headed = head in LABEL_WORDS
    is_table = isinstance(data, bytes) or is_headed
    lines = _first_column(text) if is_table else text.splitlines()
    cells = [(number, cell.strip()) for number, cell in enumerate(lines, start=1) if cell.strip()]
    if is_headed:
        cells = cells[1:]
    if not cells:
        raise UnusableSettings("Enter the name of a candidate, or several, one on each line.", "names")
    return [_name(cell, number, is_only=len(cells) == 1) for number, cell in cells]


def _first_column(text: str) -> list[str]:
    try:
        return [row[0] if row else "" for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text))]
    except csv.Error:
        raise UnusableSettings(
            "The list is no CSV file that can be read; write one name on each line.", "names"
        ) from None


def _decoded(data: bytes) -> str:
    if len(data) > LIST_BYTES_MAX:
        raise UnusableSettings("The file is too large; a list of names has at most 256 KiB.", "names")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnusableSettings("The file is no text in UTF-8; save it as CSV in UTF-8.", "names") from None


def _delimiter(text: str) -> str:
    """Return what stands between the columns: spreadsheets write commas, semicolons or tabs."""
    first = text.lstrip().partition("\n")[0]
    return max(",;\t", key=lambda one: first.count(one))


def _name(cell: str, number: int, *, is_only: bool) -> str:
    try:
        return tidy_line(cell, "name", LABEL_LENGTH, "names")
    except UnusableSettings as error:
        where = "" if is_only else f"Line {number}: "
        raise UnusableSettings(where + error.message, "names") from None
