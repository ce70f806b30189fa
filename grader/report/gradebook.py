"""Tables for a gradebook: one row a candidate, one column a problem, and who is missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from grader.report.result import number, safe_cell
from grader.report.unusable import Reasons

_HANDED_IN, _MISSING, _EXTRA, _UNUSABLE, _WAITING = "handed_in", "missing", "extra", "unusable", "not_judged_yet"
ROSTER_COLUMNS: Final = ("candidate", "status", "missing_problems", "unusable")
_NO_POINTS: Final = ("", "JE", _UNUSABLE, _WAITING)


def gradebook_csv(
    rows: Iterable[Mapping[str, str]],
    problems: Sequence[str],
    expected: Sequence[str] = (),
    unusable: Reasons = MappingProxyType({}),
    waiting: Collection[tuple[str, str]] = (),
) -> str:
    """Return the wide table: points by problem and their total.

    A cell is empty where nothing was handed in, `unusable` where what was cannot be judged, `not_judged_yet` where the
    batch was stopped before it, and JE where we failed: these have no score and are in no total.

    Args:
        rows: of results.csv.
        expected: candidates who have a row in any case.
        unusable: what was handed in and cannot be judged.
        waiting: candidate and problem of what was handed in and is not judged yet.
    """
    points: dict[str, dict[str, str]] = {candidate: {} for candidate in expected}
    for candidate, problem in unusable:
        for each in [problem] if problem else problems:
            points.setdefault(candidate, {})[each] = _UNUSABLE
    for candidate, problem in waiting:
        points.setdefault(candidate, {})[problem] = _WAITING
    for row in rows:
        points.setdefault(row["candidate"], {})[row["problem"]] = row["score"] or row["verdict"]
    lines = []
    for candidate in sorted(points):
        cells = [points[candidate].get(problem, "") for problem in problems]
        total = sum(float(text) for text in cells if text not in _NO_POINTS)
        lines.append([candidate, *cells, number(total)])
    return _csv(["candidate", *problems, "total"], lines)


def roster_csv(
    rows: Iterable[Mapping[str, str]],
    problems: Sequence[str],
    expected: Sequence[str],
    unusable: Reasons = MappingProxyType({}),
    waiting: Collection[tuple[str, str]] = (),
) -> str:
    """Return who of a roster handed in, who did not, whose files cannot be judged and why, and who is not on it.

    Who has handed in and has no result only because the batch was stopped is `not_judged_yet`, and misses nothing.
    """
    handed_in: dict[str, set[str]] = {candidate: set() for candidate in expected}
    for row in rows:
        handed_in.setdefault(row["candidate"], set()).add(row["problem"])
    known, whys = set(expected), dict[str, list[str]]()
    for (candidate, problem), why in sorted(unusable.items()):
        handed_in.setdefault(candidate, set())
        whys.setdefault(candidate, []).append(f"{problem} {why}" if problem else why)
    begun = {candidate for candidate, _ in waiting}
    lines = []
    for candidate in sorted({*handed_in, *begun}):
        absent = _WAITING if candidate in begun else _UNUSABLE if candidate in whys else _MISSING
        judged = handed_in.get(candidate, set())
        status = _EXTRA if candidate not in known else _HANDED_IN if judged else absent
        lacking = [problem for problem in problems if problem not in judged and (candidate, problem) not in waiting]
        lines.append([candidate, status, " ".join(lacking), "; ".join(whys.get(candidate, ()))])
    return _csv(ROSTER_COLUMNS, lines)


def _csv(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in columns])
    writer.writerows([safe_cell(text) for text in line] for line in lines)
    return buffer.getvalue()
