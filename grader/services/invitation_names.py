"""The names under which candidates are invited: read from a list, and told apart where they look alike."""

from __future__ import annotations

import csv
import io
from typing import Final

from grader.services.interview_settings import UnusableSettings, tidy_line
from grader.store.interview_models import LABEL_LENGTH

LIST_BYTES_MAX: Final = 256 << 10
LABEL_WORDS: Final = ("candidate", "name", "label")  # a first line that is one of these names the column


def read_names(data: bytes | str) -> list[str]:
    """Return the names of a list: the lines of a text, or the first column of a CSV file.

    A text whose first cell is a word for that column is CSV as well.

    Raises:
        UnusableSettings: it cannot be read, is too long, or one of the names cannot be used.
    """
    text = data if isinstance(data, str) else _decoded(data)
    if len(text) > LIST_BYTES_MAX:
        raise UnusableSettings("The list is too long; invite at most a thousand candidates at once.", "names")
    is_headed = text.strip().partition("\n")[0].split(_delimiter(text))[0].strip(' "\r').casefold() in LABEL_WORDS
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
