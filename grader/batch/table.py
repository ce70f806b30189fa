"""Reads the CSV tables that people name: which file is whose, and who should have handed in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from grader.errors import UserError

BYTES_MAX: Final = 64 << 20
_OTHER_MARKS: Final = {";": "semicolons", "\t": "tabs"}


def rows_of(path: Path, columns: Sequence[str], more: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's line number and the wanted columns, without blanks around them; empty rows are left out.

    Args:
        more: columns that may be lacking; their cells are empty then.

    Raises:
        UserError: the file cannot be read, is no CSV, or lacks a column.
    """
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        head = [name.strip().lower() for name in next(reader, [])]
        if lacking := [name for name in columns if name not in head]:
            if other := next((name for mark, name in _OTHER_MARKS.items() if mark in "".join(head)), None):
                raise UserError(f"{path} is separated by {other}; save it as CSV with commas.")
            raise UserError(f"{path} has no column {lacking[0]}; its first line must name {', '.join(columns)}.")
        places = {name: head.index(name) if name in head else len(head) for name in (*columns, *more)}
        for row in reader:
            if any(cell.strip() for cell in row):
                row = row[: len(head)]  # a cell beyond the head belongs to no column
                cells = {name: row[place].strip() if place < len(row) else "" for name, place in places.items()}
                yield reader.line_num, cells
    except csv.Error as error:
        raise UserError(f"{path} is no CSV table (line {reader.line_num}: {error}); mend it.") from None


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(BYTES_MAX + 1)
        if len(data) > BYTES_MAX:
            raise UserError(f"{path} is larger than {BYTES_MAX >> 20} MiB; split it.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name a CSV table.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8; save it as UTF-8.") from None
