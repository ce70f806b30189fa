"""Everything that the page of one review shows: for interviewers, so nothing is held back but colleagues' drafts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.grading.contract import is_compared
from grader.grading.verdict import Verdict
from grader.problems.loader import Problem
from grader.report import review_pictures
from grader.report.between import FAULTS_FROM, between_sentences, compare_judgements
from grader.report.review_pictures import Pictures
from grader.report.sample_outputs import SampleOutputs, from_json
from grader.report.stage_strip import why_no_stages
from grader.report.visible import beginning
from grader.services.earlier_package import (
    EarlierAnswer,
    PointsGiven,
    Ticked,
    Version,
    earlier_answers,
    points_given,
    ticked,
    versions_had,
)
from grader.services.packages import Packages
from grader.services.review_questions import QuestionShown, questions_shown
from grader.services.review_timeline import Event, timeline
from grader.store import evidence_queries, queries
from grader.store import review_queries as reviews
from grader.store.interview_models import Part, Review, ScoreOverride
from grader.store.models import GroupResult, Submission, User
from grader.store.review_queries import CaseShown, Reviewed

PRINTS_SHOWN: Final = 2_000  # characters of one case


@dataclass(frozen=True)
class FindingShown:
    """What judging found: a sentence, stages with their states, faults with what they do."""

    sentence: str
    method: str
    stages: tuple[tuple[str, str], ...]
    faults: tuple[tuple[str, str], ...]
    is_looked_up: bool = True  # False: known faults were not looked up
    is_due: bool = False  # whether it is made again on its own


@dataclass(frozen=True)
class EvidenceShown:
    """A submission's evidence record: whether it was asked for, made, and what is drawn of it."""

    is_asked: bool = False
    is_made: bool = False
    is_downloadable: bool = False
    is_of_other_package: bool = False
    is_kept: bool = False  # from before: making it anew failed
    made_at: datetime | None = None
    pictures: Pictures | None = None


@dataclass(frozen=True)
class SubmissionShown:
    """One submission in full."""

    submission: Submission
    source: str
    left_out: int  # bytes of it that are not shown
    finding: FindingShown
    groups: Sequence[GroupResult]
    cases: Sequence[CaseShown]
    outputs: tuple[SampleOutputs, ...]  # of samples, and of secret cases once there is evidence
    between: tuple[str, ...]
    evidence: EvidenceShown

    @property
    def is_compared(self) -> bool:
        """Whether anything of it could be compared with known faults."""
        return is_compared(self.submission.verdict, (case.reason for case in self.cases))

    @property
    def why_no_stages(self) -> str:
        """One sentence on why its finding has no stages; empty where that needs none."""
        reasons, found = [case.reason for case in self.cases], self.finding
        return why_no_stages(self.submission.verdict, reasons, is_looked_up=found.is_looked_up, is_due=found.is_due)


@dataclass(frozen=True)
class ReviewShown:
    """Another interviewer's finished review."""

    name: str
    review: Review
    points: PointsGiven
    private_note: str | None  # None: not for the one who asks


@dataclass(frozen=True)
class ReviewPage:
    """The page."""

    reviewed: Reviewed
    problem: Problem
    versions: tuple[Version, ...]  # that the attempt has had, the one of now first
    submissions: Sequence[Submission]
    shown: SubmissionShown | None  # None: nothing was handed in
    events: tuple[Event, ...]
    questions: tuple[QuestionShown, ...]
    earlier_answers: tuple[EarlierAnswer, ...]
    own: Review | None
    own_points: PointsGiven | None
    colleagues: tuple[ReviewShown, ...]
    waiting_colleagues: int  # reviews that open once the own one is finished
    overrides: Sequence[ScoreOverride]
    claimed_by: str | None

    @property
    def _final_points(self) -> PointsGiven | None:
        """The own review's points once it is finished: by the rubric of that time."""
        return self.own_points if self.own is not None and self.own.finished_at is not None else None

    @property
    def points_given(self) -> int:
        """How many points of the rubric the own review has."""
        final = self._final_points
        return len(final.points) if final else sum(len(question.given) for question in self.questions)

    @property
    def points_offered(self) -> int:
        """How many points the rubric has."""
        final = self._final_points
        return final.offered if final else sum(len(question.rubric) for question in self.questions)

    @property
    def earlier_points(self) -> tuple[str, ...]:
        """The own review's points that the rubric does not have any more."""
        known = {(question.id, sentence) for question in self.questions for sentence in question.rubric}
        return tuple(point[1] for point in self.own_points.points if point not in known) if self.own_points else ()

    @property
    def points_stored(self) -> tuple[str, ...]:
        """The points that the own review has, as its form names them."""
        return tuple(f"{question.id}:{position}" for question in self.questions for position in sorted(question.given))

    def ticked(self, points: Sequence[str], package: str = "", left: Sequence[str] = ()) -> Ticked:
        """Return what a form had ticked, by the rubric of the package that it was made for; empty: the one of now.

        What it went on with from rubrics of before (`left`) is told with it.
        """
        return ticked(self.versions, package, points, left)

    @property
    def score(self) -> float | None:
        """The score that counts."""
        by_hand = self.overrides[0].score if self.overrides else None
        return self.reviewed.attempt.points if by_hand is None else by_hand


def review_page(
    session: Session, user: User, reviewed: Reviewed, packages: Packages, ordinal: int | None
) -> ReviewPage:
    """Return the page of an attempt.

    Args:
        session: asks the database.
        user: who reviews.
        reviewed: the attempt.
        packages: knows its problem, as it is pinned, and the versions of before.
        ordinal: the submission to show; None: the newest.

    Raises:
        NotFound: there is no such submission.
    """
    attempt, problem = reviewed.attempt, packages.pinned(session, reviewed.package)
    versions = versions_had(session, attempt, packages)
    submissions = queries.submissions_in(session, attempt)
    answers = queries.answers_in(session, attempt)
    own = reviews.own_review(session, user, attempt)
    may_see = _may_see_colleagues(reviewed, own)
    own_points = points_given(versions, own) if own else None
    others = reviews.finished_reviews(session, user, attempt) if may_see else ()
    number = ordinal or (submissions[-1].ordinal if submissions else None)
    return ReviewPage(
        reviewed=reviewed,
        problem=problem,
        versions=versions,
        submissions=submissions,
        shown=submission_shown(session, reviewed, number) if number else None,
        events=timeline(session, reviewed, submissions, answers),
        questions=questions_shown(problem, versions, answers, own_points),
        earlier_answers=earlier_answers(versions, answers),
        own=own,
        own_points=own_points,
        colleagues=tuple(_other(review, points_given(versions, review), reviewed) for review in others),
        waiting_colleagues=0 if may_see else reviews.number_finished(session, user, attempt),
        overrides=reviews.overrides_of(session, attempt),
        claimed_by=reviews.name_of(session, attempt.claimed_by_id),
    )


def _may_see_colleagues(reviewed: Reviewed, own: Review | None) -> bool:
    """Whether the own review is final, before which colleagues' stay closed; an admin who only reads writes none."""
    return reviewed.part is None or (own is not None and own.finished_at is not None)


def _other(review: Review, points: PointsGiven, reviewed: Reviewed) -> ReviewShown:
    reads_all = reviewed.part in (None, Part.LEAD)
    return ReviewShown(review.user.name, review, points, review.private_note if reads_all else None)


def submission_shown(session: Session, reviewed: Reviewed, ordinal: int) -> SubmissionShown:
    """Return one submission of an attempt in full.

    Raises:
        NotFound: it has none of that number.
    """
    found = reviews.submission_in(
        session,
        reviewed.attempt,
        ordinal,
        Submission.source,
        Submission.judgement,
        Submission.sample_outputs,
    )
    result: dict[str, Any] = json.loads(found.judgement) if found.judgement else {}
    evidence = evidence_shown(session, reviewed, found)
    source, left_out = beginning(found.source)
    outputs = from_json(found.sample_outputs) if found.sample_outputs and found.verdict is not Verdict.JE else ()
    return SubmissionShown(
        submission=found,
        source=source,
        left_out=left_out,
        finding=_finding(session, found, result),
        groups=reviews.groups_in(session, found),
        cases=reviews.cases_in(session, found, PRINTS_SHOWN),
        outputs=outputs + (evidence.pictures.outputs if evidence.pictures else ()),
        between=_between(session, found, result),
        evidence=evidence,
    )


def evidence_shown(session: Session, reviewed: Reviewed, submission: Submission) -> EvidenceShown:
    """Return how far a submission's evidence record is, and what is drawn of it."""
    found = evidence_queries.record_of(session, submission)
    if found is None:
        return EvidenceShown()
    if found.made_at is None:
        return EvidenceShown(is_asked=True)
    is_there = found.pictures is not None
    shown = EvidenceShown(
        is_asked=True,
        is_made=True,
        is_downloadable=is_there,
        is_kept=found.made_at == found.made_before_at,
        made_at=found.made_at,
    )
    drawn = review_pictures.from_json(found.pictures) if found.pictures is not None else None
    return replace(shown, pictures=drawn, is_of_other_package=found.package_sha256 != reviewed.package.sha256)


def _finding(session: Session, submission: Submission, result: dict[str, Any]) -> FindingShown:
    found = result.get("finding")
    if found is None:
        return FindingShown(submission.message or "", "none", (), ())
    said = reviews.fault_sentences(session, submission)
    return FindingShown(
        sentence=found["sentence"],
        method=found["method"],
        stages=tuple((item["name"], item["status"]) for item in found["stages"]),
        faults=tuple((fault, said.get(fault, "")) for fault in found["faults"]),
        is_looked_up=found.get("looked_up", True),
        is_due=bool(submission.is_finding_due),
    )


def _between(session: Session, submission: Submission, result: dict[str, Any]) -> tuple[str, ...]:
    before = queries.judged_before(session, submission)
    if before is None or not result or submission.verdict is Verdict.JE:
        return ()
    try:
        return between_sentences(compare_judgements(json.loads(before), result), FAULTS_FROM)
    except UserError:  # another release wrote one of them in another form
        return ()
