"""What interviewers take along of an interview: tables, results, evidence records; given piece by piece.

Whoever asks is looked up when the download begins, and the audit log says what was taken. A few attempts are read at a
time, each few in a session of their own: a slow reader holds no connection, and an export of any size little memory.
"""

from __future__ import annotations

import io
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.grading.contract import is_compared
from grader.report.result import csv_line, number
from grader.services import audit
from grader.services.candidate_stage import state_of
from grader.store import export_queries as queries
from grader.store import interview_queries
from grader.store.interview_models import Interview
from grader.store.models import User
from grader.store.score_queries import scores_by_hand
from grader.store.session import read_session, write_session
from grader.store.sitting_queries import require_none_sat
from grader.wording import iso_time

ATTEMPTS_AT_ONCE: Final = 10
LONG: Final = (
    "candidate",
    "invitation",
    "problem",
    "variant",
    "attempt",
    "attempt_started_at",
    "package_sha256",
    "automatic_score",
    "score_by_hand",
    "submission",
    "submitted_at",
    "by_clock",
    "verdict",
    "reason",
    "score",
    "max_score",
    "first_wrong_stage",
    "faults",
    "case",
    "group",
    "visibility",
    "case_verdict",
    "case_reason",
    "looked_up",
)
WIDE: Final = ("candidate", "invitation", "state", "started_at", "ends_at", "ended_at")
_ATTEMPT_COLUMNS: Final = 9
_CASE_COLUMNS: Final = 5


class Kind(StrEnum):
    """What can be taken along."""

    LONG = "long"
    WIDE = "wide"
    RESULTS = "results"
    EVIDENCE = "evidence"


@dataclass(frozen=True)
class Export:
    """A download: its name, what it is, and its pieces."""

    file_name: str
    content_type: str
    pieces: Iterator[str]


def export(engine: Engine, user: User, public_id: str, word: str, now: datetime) -> Export:
    """Begin a download of an interview.

    Args:
        engine: asks the database.
        user: who asks.
        public_id: the interview's.
        word: the kind.
        now: the time.

    Raises:
        NotFound: there is no such interview for this user at this moment.
        SatByReader: they sit one of its problems in another one, and the kind tells of cases or faults.
        UserError: there is no such kind.
    """
    with write_session(engine) as session:
        interview = interview_queries.interview_of(session, user, public_id)
        if word not in list(Kind):
            raise UserError("There is no such export; choose one from the page.")
        kind = Kind(word)
        if kind is not Kind.WIDE:
            require_none_sat(session, user, interview)
        audit.record(session, user, f"export.{kind}", interview, now, interview)
    pieces, ending, content_type = _KINDS[kind]
    return Export(f"{interview.public_id}-{kind}.{ending}", content_type, pieces(engine, interview, now))


def _long(engine: Engine, interview: Interview, _: datetime) -> Iterator[str]:
    """Give a line for each case of each submission; what has none has one line all the same."""
    yield csv_line(LONG)
    yield from _by_few(engine, interview, _long_lines)


def _long_lines(session: Session, keys: Sequence[int]) -> list[str]:
    submissions = _grouped(queries.submissions(session, keys), "attempt_id")
    cases = _grouped(queries.cases(session, keys), "submission_id")
    faults = _grouped(queries.faults(session, keys), "submission_id")
    by_hand = scores_by_hand(session, keys)
    buffer = io.StringIO()
    for attempt in queries.attempts(session, keys):
        own = _attempt_cells(attempt, by_hand)
        for submission in submissions[attempt.id]:
            handed_in = _submission_cells(submission, faults[submission.id])
            looked_up = _looked_up(submission, cases[submission.id])
            for case in cases[submission.id] or [None]:
                buffer.write(csv_line([*own, *handed_in, *_case_cells(case), looked_up]))
        if not submissions[attempt.id]:
            buffer.write(csv_line([*own, *[""] * (len(LONG) - _ATTEMPT_COLUMNS)]))
    return [buffer.getvalue()]


def _attempt_cells(attempt: Any, by_hand: Mapping[int, float]) -> list[str]:
    return [
        attempt.candidate,
        attempt.invitation,
        attempt.problem,
        attempt.variant,
        attempt.attempt,
        moment(attempt.started_at),
        attempt.package_sha256,
        number(_automatic(attempt)),
        number(by_hand.get(attempt.id)),
    ]


def _submission_cells(submission: Any, faults: Sequence[Any]) -> list[str]:
    return [
        str(submission.ordinal),
        moment(submission.created_at),
        "yes" if submission.is_by_clock else "no",
        submission.verdict or "",
        submission.reason or "",
        number(submission.score),
        number(submission.max_score),
        submission.first_wrong_stage or "",
        " ".join(row.fault for row in faults),
    ]


def _looked_up(submission: Any, cases: Sequence[Any]) -> str:
    """Return whether an empty cell of faults says something; nothing where there was nothing to compare."""
    if not is_compared(submission.verdict, (case.reason for case in cases)):
        return ""
    return "no" if submission.is_not_looked_up else "yes"


def _case_cells(case: Any) -> list[str]:
    if case is None:
        return [""] * _CASE_COLUMNS
    return [case.name, case.group, case.visibility, case.verdict or "", case.reason or ""]


def _wide(engine: Engine, interview: Interview, now: datetime) -> Iterator[str]:
    """Give a line for each candidate, columns for each problem: what counts, the automatic score, the one by hand.

    Where a candidate is has the words that pages and the API have for it.
    """
    problems = [(row.position, f"{place} {row.package.slug}") for place, row in enumerate(interview.problems, 1)]
    names = [f"{name}{kind}" for _, name in problems for kind in ("", " automatic", " by hand")]
    yield csv_line([*WIDE, *names, "total"])
    with read_session(engine) as session:
        by_hand = queries.scores_by_hand_in(session, interview)
        reached = {(row.invitation, row.position): _scores(row, by_hand) for row in queries.scores(session, interview)}
        candidates = queries.invited(session, interview)
    for row in candidates:
        scores = [reached.get((row.public_id, position), (None, None, None)) for position, _ in problems]
        points = [counts for counts, _, _ in scores if counts is not None]
        yield csv_line(
            [
                row.label,
                row.public_id,
                state_of(row, interview, now),
                moment(row.started_at),
                moment(row.ends_at),
                moment(row.ended_at),
            ]
            + [number(each) for columns in scores for each in columns]
            + [number(sum(points) if points else None)]
        )


def _scores(attempt: Any, by_hand: Mapping[int, float]) -> tuple[float | None, float | None, float | None]:
    """Return what counts, the automatic score, and the one set by hand, which counts where there is one."""
    automatic, own = _automatic(attempt), by_hand.get(attempt.id)
    return automatic if own is None else own, automatic, own


def _automatic(attempt: Any) -> float | None:
    """Return the best score less what hints cost."""
    return None if attempt.best_score is None else max(0.0, attempt.best_score - attempt.hint_cost)


def _results(engine: Engine, interview: Interview, _: datetime) -> Iterator[str]:
    """Give the object of `grade --json` for each judged submission, one in a line, with whose it is."""
    yield from _by_few(engine, interview, _result_lines)


def _result_lines(session: Session, keys: Sequence[int]) -> list[str]:
    found = {attempt.id: attempt for attempt in queries.attempts(session, keys)}
    by_attempt = _grouped(queries.judgements(session, keys), "attempt_id")
    by_hand = scores_by_hand(session, keys)
    lines = []
    for key, attempt in found.items():
        for row in by_attempt[key]:
            whose = {
                "candidate": attempt.candidate,
                "invitation": attempt.invitation,
                "attempt": attempt.attempt,
                "variant": attempt.variant,
                "submission": row.ordinal,
                "submitted_at": moment(row.created_at),
                "by_clock": row.is_by_clock,
                "attempt_score": _automatic(attempt),
                "attempt_score_by_hand": by_hand.get(key),
            }
            # the result is an object already; parsing it only to write it again would take most of the time
            lines.append(f"{json.dumps(whose)[:-1]}, {row.judgement.lstrip()[1:]}\n")
    return lines


def _evidence(engine: Engine, interview: Interview, _: datetime) -> Iterator[str]:
    """Give each evidence record that was made, one in a line, with whose it is."""
    with read_session(engine) as session:
        keys = queries.evidence_keys(session, interview)
    for key in keys:
        with read_session(engine) as session:
            row = queries.evidence(session, key)
        if row is not None:
            whose = {
                "candidate": row.candidate,
                "invitation": row.invitation,
                "attempt": row.attempt,
                "submission": row.ordinal,
            }
            # its line ends are none of its texts', in which they are escaped
            record = zlib.decompress(row.record).decode().replace("\n", "")
            yield f'{json.dumps(whose)[:-1]}, "record": {record}}}\n'


_CSV: Final = "text/csv; charset=utf-8"
_LINES: Final = "application/jsonl"
_KINDS: Final[dict[Kind, tuple[Callable[[Engine, Interview, datetime], Iterator[str]], str, str]]] = {
    Kind.LONG: (_long, "csv", _CSV),
    Kind.WIDE: (_wide, "csv", _CSV),
    Kind.RESULTS: (_results, "jsonl", _LINES),
    Kind.EVIDENCE: (_evidence, "jsonl", _LINES),
}


def _by_few(
    engine: Engine, interview: Interview, lines_of: Callable[[Session, Sequence[int]], list[str]]
) -> Iterator[str]:
    """Give the lines of an interview's attempts; those of a few are made before the reader gets the first of them."""
    with read_session(engine) as session:
        keys = queries.attempt_keys(session, interview)
    for start in range(0, len(keys), ATTEMPTS_AT_ONCE):
        with read_session(engine) as session:
            lines = lines_of(session, keys[start : start + ATTEMPTS_AT_ONCE])
        yield from lines


def _grouped(rows: Sequence[Any], column: str) -> defaultdict[int, list[Any]]:
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, column)].append(row)
    return found


def moment(value: datetime | None) -> str:
    """Return a time as text, nothing for none."""
    return "" if value is None else iso_time(value)
