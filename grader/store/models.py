"""Tables of the service. Integer keys stay inside, `public_id` stands in addresses."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.grading.verdict import Reason, Verdict, Visibility
from grader.store import time_models  # noqa: F401 - its tables belong to the same schema
from grader.store.base import Base, Key, LongText, Mode, PublicId, ShortText
from grader.store.interview_models import Interview, InterviewProblem, Invitation

NAME_LENGTH: Final = 60  # of a user's name
NAME_KEY_LENGTH: Final = 180  # folding a letter's case can make three of it
NAME_LOOK_LENGTH: Final = 240  # a letter and three marks
PASSWORD_HASH_LENGTH: Final = 255
QUESTION_ID_LENGTH: Final = 80
HINT_LEVEL_FIRST: Final = 1  # practice starts with the stage named


class Package(Base):
    """A problem package that an attempt used, kept as an archive for as long as attempts name it."""

    __tablename__ = "package"

    id: Mapped[Key]
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    slug: Mapped[ShortText] = mapped_column(index=True)
    title: Mapped[str] = mapped_column(String(400))
    archive: Mapped[bytes] = mapped_column(deferred=True)
    created_at: Mapped[datetime]
    uploaded_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"))  # None: from the folder


FORMER: Final = "\x01"  # begins the folded name of an account that is deleted; no name that is given holds it


class User(Base):
    """Someone with an account. Everybody may practise; further rights are switches."""

    __tablename__ = "user_account"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_KEY_LENGTH), unique=True)  # what signing in looks a name up by
    name_look: Mapped[str | None] = mapped_column(
        String(NAME_LOOK_LENGTH), index=True, unique=True
    )  # one for names that can be taken for each other; None where they were given before that was refused
    password_hash: Mapped[str | None] = mapped_column(String(PASSWORD_HASH_LENGTH))  # None: only a link opens it
    is_interviewer: Mapped[bool] = mapped_column(default=False)
    is_admin: Mapped[bool] = mapped_column(default=False)
    epoch: Mapped[int] = mapped_column(default=1)  # grows with each change of rights or password: older sessions end
    created_at: Mapped[datetime]

    @property
    def is_former(self) -> bool:
        """Whether the account is deleted and only stands for its owner in records of others."""
        return self.name_key.startswith(FORMER)


class Attempt(Base):
    """One candidate's session on one problem; it pins the package."""

    __tablename__ = "attempt"
    __table_args__ = (UniqueConstraint("invitation_id", "interview_problem_id"),)

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    candidate_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    package_id: Mapped[int] = mapped_column(ForeignKey("package.id"), index=True)
    variant: Mapped[ShortText]
    mode: Mapped[Mode]
    started_at: Mapped[datetime]
    solved_at: Mapped[datetime | None]  # when the first accepted source was handed in
    given_up_at: Mapped[datetime | None]
    best_score: Mapped[float | None]  # None until something has been judged; hints are not taken off
    hint_level: Mapped[int] = mapped_column(default=HINT_LEVEL_FIRST)  # the highest level that was opened
    hint_cost: Mapped[float] = mapped_column(default=0.0)  # points that opened levels take off, once each
    diagnosed_stage: Mapped[ShortText | None]  # named by the candidate before the first submission
    diagnosed_at: Mapped[datetime | None]
    draft: Mapped[bytes | None] = mapped_column(deferred=True)  # what the editor held last
    draft_saved_at: Mapped[datetime | None]
    invitation_id: Mapped[int | None] = mapped_column(ForeignKey("invitation.id"))  # None: practice
    interview_problem_id: Mapped[int | None] = mapped_column(ForeignKey("interview_problem.id"), index=True)
    claimed_by_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"))  # who reviews it
    claimed_at: Mapped[datetime | None]

    candidate: Mapped[User] = relationship(foreign_keys=[candidate_id])
    package: Mapped[Package] = relationship()
    invitation: Mapped[Invitation | None] = relationship()
    interview_problem: Mapped[InterviewProblem | None] = relationship()

    @property
    def interview(self) -> Interview | None:
        """The interview that it is part of; None: practice."""
        return self.invitation.interview if self.invitation else None

    @property
    def points(self) -> float | None:
        """What counts: the best score less what hints cost, 0 at least; None until something has been judged."""
        return None if self.best_score is None else max(0.0, self.best_score - self.hint_cost)

    @property
    def is_over(self) -> bool:
        """Whether it is solved or given up, which opens everything in practice; an interview has its own rules."""
        return self.mode is Mode.PRACTICE and (self.solved_at is not None or self.given_up_at is not None)


class Submission(Base):
    """One source handed in; verdict is None until it is judged."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("attempt_id", "ordinal"),
        Index("ix_submission_course", "attempt_id", "ordinal", "verdict"),  # what is counted without reading sources
        Index(
            "ix_submission_unjudged",
            "id",
            sqlite_where=text("verdict IS NULL"),
            postgresql_where=text("verdict IS NULL"),
        ),
        Index(
            "ix_submission_finding_due",
            "id",
            sqlite_where=text("is_finding_due IS NOT NULL"),
            postgresql_where=text("is_finding_due IS NOT NULL"),
        ),
    )

    id: Mapped[Key]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"))
    ordinal: Mapped[int]  # from 1 within the attempt
    source: Mapped[bytes] = mapped_column(deferred=True)
    created_at: Mapped[datetime]
    is_by_clock: Mapped[bool] = mapped_column(default=False)  # the draft, handed in when the time was over
    judged_at: Mapped[datetime | None]
    verdict: Mapped[Verdict | None]
    reason: Mapped[Reason | None]
    message: Mapped[LongText | None]  # for the candidate
    detail: Mapped[LongText | None]  # never for the candidate
    score: Mapped[float | None]  # None for JE
    max_score: Mapped[float | None]
    import_prints: Mapped[LongText | None]  # what the source printed while it was imported
    first_wrong_stage: Mapped[ShortText | None]
    judgement: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON: the whole result, never for the candidate
    sample_outputs: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON: what it returned for the samples
    is_finding_due: Mapped[bool | None]  # what it was compared with was not there yet; None: nothing is due
    is_not_looked_up: Mapped[bool | None]  # whether a known fault returns the same; None: it was, or none could

    attempt: Mapped[Attempt] = relationship()
    cases: Mapped[list[CaseResult]] = relationship(order_by="CaseResult.position")
    groups: Mapped[list[GroupResult]] = relationship(order_by="GroupResult.position")
    faults: Mapped[list[SubmissionFault]] = relationship(order_by="SubmissionFault.position")


class CaseResult(Base):
    """What one case came to; name, detail and prints of a secret case are not for the candidate."""

    __tablename__ = "case_result"
    __table_args__ = (UniqueConstraint("submission_id", "position"),)

    id: Mapped[Key]
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    position: Mapped[int]  # from 0, in judging order
    name: Mapped[ShortText]
    group: Mapped[ShortText]
    visibility: Mapped[Visibility]
    verdict: Mapped[Verdict | None]  # None: not reached
    reason: Mapped[Reason | None]
    message: Mapped[LongText | None]
    detail: Mapped[LongText | None]
    prints: Mapped[LongText]


class GroupResult(Base):
    """A group's points."""

    __tablename__ = "group_result"
    __table_args__ = (UniqueConstraint("submission_id", "position"),)

    id: Mapped[Key]
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    position: Mapped[int]
    name: Mapped[ShortText]
    points: Mapped[float]
    max_points: Mapped[float]
    verdict: Mapped[Verdict | None]


class SubmissionFault(Base):
    """A fault that a submission behaves like, as its finding says."""

    __tablename__ = "submission_fault"
    __table_args__ = (UniqueConstraint("submission_id", "position"),)

    id: Mapped[Key]
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    position: Mapped[int]
    fault: Mapped[ShortText] = mapped_column(index=True)
    sentence: Mapped[LongText]  # what it does, as the package says it; empty where only a pair is known


class SampleRun(Base):
    """A source that was run on the sample cases alone; it counts for nothing. An attempt keeps its last ones."""

    __tablename__ = "sample_run"
    __table_args__ = (
        UniqueConstraint("attempt_id", "ordinal"),
        Index(
            "ix_sample_run_unjudged",
            "id",
            sqlite_where=text("verdict IS NULL"),
            postgresql_where=text("verdict IS NULL"),
        ),
    )

    id: Mapped[Key]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"))
    ordinal: Mapped[int]  # from 1 within the attempt
    source: Mapped[bytes] = mapped_column(deferred=True)
    created_at: Mapped[datetime]
    judged_at: Mapped[datetime | None]
    verdict: Mapped[Verdict | None]
    reason: Mapped[Reason | None]
    message: Mapped[LongText | None]
    outcome: Mapped[LongText | None]  # JSON: verdict, values and prints of each sample case

    attempt: Mapped[Attempt] = relationship()


class EvidenceRecord(Base):
    """The evidence record of a submission, made when an interviewer asks for it; made_at None: it is being made."""

    __tablename__ = "evidence_record"
    __table_args__ = (
        Index(
            "ix_evidence_record_unmade",
            "id",
            sqlite_where=text("made_at IS NULL"),
            postgresql_where=text("made_at IS NULL"),
        ),
    )

    id: Mapped[Key]
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), unique=True)
    asked_at: Mapped[datetime]
    made_at: Mapped[datetime | None]
    made_before_at: Mapped[datetime | None]  # the record's own time since it is made anew; None: never, or it came
    package_sha256: Mapped[str] = mapped_column(String(64))  # what it was judged with
    record: Mapped[bytes | None] = mapped_column(deferred=True)  # compressed; None: it could not be made
    pictures: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON: what the review page draws of it

    submission: Mapped[Submission] = relationship()


class FollowUpAnswer(Base):
    """The candidate's own answer to a follow-up question; the text is written once and never changed."""

    __tablename__ = "follow_up_answer"
    __table_args__ = (UniqueConstraint("attempt_id", "question_id"),)

    id: Mapped[Key]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"))
    question_id: Mapped[str] = mapped_column(String(QUESTION_ID_LENGTH))
    question: Mapped[LongText | None]  # as it was put; None: an earlier release stored the answer
    text: Mapped[LongText]  # own words, or the number of a choice in the package of that time
    choice: Mapped[LongText | None]  # what that choice says, which is the same one wherever it stands later
    created_at: Mapped[datetime]
    rating: Mapped[int | None]  # the candidate's own, beside the expected answer: 1 missed it, 2 in part, 3 had it
    rated_at: Mapped[datetime | None]

    @property
    def is_choice(self) -> bool:
        """Whether it is a choice; own words are longer than its number."""
        return len(self.text) == 1 and self.text.isascii() and self.text.isdigit()
