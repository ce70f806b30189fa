"""A submission's result as the database keeps it: made from a judgement, read back, kept as JSON, written again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any, Final

from sqlalchemy.orm import Session

from grader.grading.verdict import CaseResult as Case
from grader.grading.verdict import GroupResult as Group
from grader.grading.verdict import Judgement
from grader.report.result import json_line, result
from grader.store import queries
from grader.store.base import Base, storable
from grader.store.models import CaseResult, GroupResult, Submission, SubmissionFault

Row = Mapping[str, Any]
_JUDGED_AT: Final = "judged_at"
COLUMNS: Final = (
    _JUDGED_AT,
    "verdict",
    "reason",
    "message",
    "detail",
    "score",
    "max_score",
    "import_prints",
    "first_wrong_stage",
    "judgement",
    "sample_outputs",
    "is_finding_due",
    "is_not_looked_up",
)
UNJUDGED: Final[Row] = dict.fromkeys(COLUMNS)
_GROUP: Final = ("position", "name", "points", "max_points", "verdict")
_CASE: Final = ("position", "name", "group", "visibility", "verdict", "reason", "message", "detail", "prints")
_FAULT: Final = ("position", "fault", "sentence")


@dataclass(frozen=True)
class ResultRows:
    """The columns of a submission that judging fills, and the rows beside it."""

    submission: Row
    groups: Sequence[Row]
    cases: Sequence[Row]
    faults: Sequence[Row]

    @classmethod
    def of(cls, judgement: Judgement, now: datetime, sample_outputs: str | None) -> ResultRows:
        """Return what is stored of a judgement."""
        failure, finding = judgement.failure, judgement.finding
        sentences = zip_longest(finding.faults, finding.fault_sentences, fillvalue="")
        return cls(
            submission={
                _JUDGED_AT: now,
                "verdict": judgement.verdict,
                "reason": judgement.reason,
                "message": storable(judgement.message),
                "detail": storable(failure.detail) if failure else None,
                "score": judgement.score,
                "max_score": judgement.max_score,
                "import_prints": storable(judgement.import_prints),
                "first_wrong_stage": finding.first_wrong_stage,
                "judgement": json_line(result(judgement)),
                "sample_outputs": sample_outputs,
                "is_finding_due": None if finding.is_looked_up else True,
                "is_not_looked_up": None if finding.is_looked_up else True,
            },
            groups=[_group_row(position, group) for position, group in enumerate(judgement.groups)],
            cases=[_case_row(position, case) for position, case in enumerate(judgement.cases)],
            faults=[
                {"position": position, "fault": fault, "sentence": storable(sentence)}
                for position, (fault, sentence) in enumerate(sentences)
            ],
        )

    @classmethod
    def stored(cls, submission: Submission) -> ResultRows:
        """Return what is stored of a submission."""
        return cls(
            _columns(submission, COLUMNS),
            [_columns(row, _GROUP) for row in submission.groups],
            [_columns(row, _CASE) for row in submission.cases],
            [_columns(row, _FAULT) for row in submission.faults],
        )

    @classmethod
    def from_json(cls, text: str) -> ResultRows:
        """Return what `to_json` wrote."""
        found = json.loads(text)
        submission = {**UNJUDGED, **found["submission"]}  # an earlier release knew fewer columns
        if submission[_JUDGED_AT] is not None:
            submission[_JUDGED_AT] = datetime.fromisoformat(submission[_JUDGED_AT])
        return cls(submission, found["groups"], found["cases"], found["faults"])

    def to_json(self) -> str:
        """Return everything as JSON."""
        judged_at = self.submission[_JUDGED_AT]
        submission = {**self.submission, _JUDGED_AT: judged_at.isoformat() if judged_at else None}
        rows = {"groups": self.groups, "cases": self.cases, "faults": self.faults}
        return json.dumps({"submission": submission, **{name: list(value) for name, value in rows.items()}})


def add_beside(session: Session, rows: Mapping[int, ResultRows]) -> None:
    """Insert the rows beside submissions, which have none; by the submissions' keys."""
    for table, name in _TABLES.items():
        queries.add_rows(
            session, table, [{"submission_id": key, **row} for key, each in rows.items() for row in getattr(each, name)]
        )


_TABLES: Final[Mapping[type[Base], str]] = {GroupResult: "groups", CaseResult: "cases", SubmissionFault: "faults"}


def _columns(row: Base, names: Sequence[str]) -> Row:
    return {name: getattr(row, name) for name in names}


def _group_row(position: int, group: Group) -> Row:
    return {
        "position": position,
        "name": group.name,
        "points": group.points,
        "max_points": group.max_points,
        "verdict": group.verdict,
    }


def _case_row(position: int, case: Case) -> Row:
    return {
        "position": position,
        "name": case.name,
        "group": case.group,
        "visibility": case.visibility,
        "verdict": case.verdict,
        "reason": case.failure.reason if case.failure else None,
        "message": storable(case.failure.message) if case.failure else None,
        "detail": storable(case.failure.detail) if case.failure else None,
        "prints": storable(case.prints),
    }
