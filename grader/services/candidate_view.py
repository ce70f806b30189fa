"""What a candidate sees of a submission: only the fields below, so a secret case cannot slip onto a page.

Secret cases are numbers within their group. Their names, prints, details and times stay in the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.grading.verdict import Reason, Verdict
from grader.report.visible import visible
from grader.store.models import CaseResult, GroupResult, Submission


@dataclass(frozen=True)
class CaseView:
    """A case within its group; verdict None: not reached."""

    label: str
    verdict: Verdict | None


@dataclass(frozen=True)
class GroupView:
    """A group's points, and the sentence of its first case that failed."""

    name: str
    points: float
    max_points: float
    verdict: Verdict | None
    sentence: str | None
    cases: tuple[CaseView, ...]

    @property
    def reached(self) -> bool:
        """Whether the run came to its first case."""
        return any(case.verdict is not None for case in self.cases)

    @property
    def passed(self) -> int:
        """How many of its cases are accepted."""
        return sum(case.verdict is Verdict.AC for case in self.cases)


@dataclass(frozen=True)
class PrintsView:
    """What the source printed, and when."""

    label: str
    text: str


@dataclass(frozen=True)
class SubmissionView:
    """One submission; verdict None: it is still being graded."""

    ordinal: int
    created_at: datetime
    verdict: Verdict | None
    reason: Reason | None
    message: str
    score: float | None
    max_score: float | None
    groups: tuple[GroupView, ...]
    prints: tuple[PrintsView, ...]


def view(submission: Submission) -> SubmissionView:
    """Return a candidate's view of a submission."""
    return SubmissionView(
        ordinal=submission.ordinal,
        created_at=submission.created_at,
        verdict=submission.verdict,
        reason=submission.reason,
        message=visible(submission.message or "", keep=""),
        score=submission.score,
        max_score=submission.max_score,
        groups=tuple(_group(group, submission.cases) for group in submission.groups),
        prints=_prints(submission),
    )


def _group(group: GroupResult, cases: Sequence[CaseResult]) -> GroupView:
    own = [case for case in cases if case.group == group.name]
    sentences = (case.message for case in own if case.message)
    return GroupView(
        name=group.name,
        points=group.points,
        max_points=group.max_points,
        verdict=group.verdict,
        sentence=visible(sentence, keep="") if (sentence := next(sentences, None)) else None,
        cases=tuple(
            CaseView(case.name if case.visibility == "sample" else f"case {number}", case.verdict)
            for number, case in enumerate(own, 1)
        ),
    )


def _prints(submission: Submission) -> tuple[PrintsView, ...]:
    found = [("while it was imported", submission.import_prints or "")]
    found += [(case.name, case.prints) for case in submission.cases if case.visibility == "sample"]
    return tuple(PrintsView(label, visible(text)) for label, text in found if text)
