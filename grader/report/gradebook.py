"""Tables for a gradebook: one row a candidate, one column a problem, and who is missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from grader.report.result import number, safe_cell

_HANDED_IN, _MISSING, _EXTRA = "handed_in", "missing", "extra"
ROSTER_COLUMNS: Final = ("candidate", "status", "missing_problems")


def gradebook_csv(rows: Iterable[Mapping[str, str]], problems: Sequence[str], expected: Sequence[str] = ()) -> str:
    """Return the wide table: points by problem and their total.

    A cell is empty where nothing was handed in, and JE where we failed: that has no score and is in no total.

    Args:
        rows: of results.csv.
        expected: candidates who have a row in any case.
    """
    points: dict[str, dict[str, str]] = {candidate: {} for candidate in expected}
    for row in rows:
        points.setdefault(row["candidate"], {})[row["problem"]] = row["score"] or row["verdict"]
    lines = []
    for candidate in sorted(points):
        cells = [points[candidate].get(problem, "") for problem in problems]
        total = sum(float(text) for text in cells if text and text != "JE")
        lines.append([candidate, *cells, number(total)])
    return _csv(["candidate", *problems, "total"], lines)


def roster_csv(rows: Iterable[Mapping[str, str]], problems: Sequence[str], expected: Sequence[str]) -> str:
    """Return who of a roster handed in, who did not, and who is not on it."""
    handed_in: dict[str, set[str]] = {candidate: set() for candidate in expected}
    for row in rows:
        handed_in.setdefault(row["candidate"], set()).add(row["problem"])
    known = set(expected)
    lines = []
    for candidate in sorted(handed_in):
        status = _EXTRA if candidate not in known else _HANDED_IN if handed_in[candidate] else _MISSING
        lacking = [problem for problem in problems if problem not in handed_in[candidate]]
        lines.append([candidate, status, " ".join(lacking)])
    return _csv(ROSTER_COLUMNS, lines)


def _csv(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in columns])
    writer.writerows([safe_cell(text) for text in line] for line in lines)
    return buffer.getvalue()
