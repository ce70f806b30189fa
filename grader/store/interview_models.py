"""Tables of interviews: who set them up, who is invited, what reviewers say, rejudging; and the audit log."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.grading.verdict import Reason, Verdict
from grader.store.base import Base, Key, LongText, PublicId, ShortText, varchar

if TYPE_CHECKING:
    from grader.store.models import Package, User

TITLE_LENGTH: Final = 120
LABEL_LENGTH: Final = 120
ROUTE_LENGTH: Final = 200


class Shown(StrEnum):
    """When a candidate sees a part of the feedback."""

    AT_ONCE = "at once"
    AFTER_END = "after the end"  # of the own time
    WHEN_RELEASED = "when released"
    NEVER = "never"


class Part(StrEnum):
    """What an interviewer is in an interview."""

    LEAD = "lead"
    REVIEWER = "reviewer"


class Decision(StrEnum):
    """What a reviewer recommends."""

    YES = "yes"
    UNSURE = "unsure"
    NO = "no"


class Interview(Base):
    """What an interviewer sets up: problems, time, who is invited, and what candidates see."""

    __tablename__ = "interview"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    title: Mapped[str] = mapped_column(String(TITLE_LENGTH))
    created_at: Mapped[datetime]
    archived_at: Mapped[datetime | None]
    opens_at: Mapped[datetime | None]  # no start before
    closes_at: Mapped[datetime | None]  # no start and no submission after
    minutes: Mapped[int]  # from a candidate's start
    submissions_max: Mapped[int]  # for each problem
    hint_level: Mapped[int]
    verdicts: Mapped[Shown] = mapped_column(varchar(Shown, 16))
    points: Mapped[Shown] = mapped_column(varchar(Shown, 16))
    answers: Mapped[Shown] = mapped_column(varchar(Shown, 16))  # expected answers and the corrected source
    locks_practice: Mapped[bool]  # while it runs, its problems are closed for its candidates in practice
    released_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)  # grows with each change, so that none is lost

    problems: Mapped[list[InterviewProblem]] = relationship(order_by="InterviewProblem.position")
    members: Mapped[list[InterviewMember]] = relationship(order_by="InterviewMember.id")


class InterviewProblem(Base):
    """A problem of an interview, in order; variant None: each candidate is given one by lot."""

    __tablename__ = "interview_problem"
    __table_args__ = (UniqueConstraint("interview_id", "position"),)

    id: Mapped[Key]
    interview_id: Mapped[int] = mapped_column(ForeignKey("interview.id"))
    position: Mapped[int]
    package_id: Mapped[int] = mapped_column(ForeignKey("package.id"), index=True)
    variant: Mapped[ShortText | None]

    package: Mapped[Package] = relationship()


class InterviewMember(Base):
    """An interviewer of an interview."""

    __tablename__ = "interview_member"
    __table_args__ = (UniqueConstraint("interview_id", "user_id"),)

    id: Mapped[Key]
    interview_id: Mapped[int] = mapped_column(ForeignKey("interview.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    part: Mapped[Part] = mapped_column(varchar(Part, 16))

    user: Mapped[User] = relationship()


class Invitation(Base):
    """One candidate's place in an interview; the link's token is kept as its hash alone."""

    __tablename__ = "invitation"
    __table_args__ = (UniqueConstraint("interview_id", "user_id"),)

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    interview_id: Mapped[int] = mapped_column(ForeignKey("interview.id"))
    label: Mapped[str] = mapped_column(String(LABEL_LENGTH))  # the interviewer's name for the candidate
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"), index=True)  # who accepted it
    accepted_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    ends_at: Mapped[datetime | None] = mapped_column(index=True)  # set at the start; extensions move it
    ended_at: Mapped[datetime | None]  # ended early, or closed by the clock

    interview: Mapped[Interview] = relationship()
    user: Mapped[User | None] = relationship()


class Review(Base):
    """One interviewer's notes and decision on an attempt."""

    __tablename__ = "review"
    __table_args__ = (UniqueConstraint("attempt_id", "user_id"),)

    id: Mapped[Key]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    private_note: Mapped[LongText] = mapped_column(default="")
    shared_note: Mapped[LongText] = mapped_column(default="")
    decision: Mapped[Decision | None] = mapped_column(varchar(Decision, 16))
    updated_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]  # until then colleagues do not see it
    version: Mapped[int] = mapped_column(default=1)

    user: Mapped[User] = relationship()
    points: Mapped[list[RubricPoint]] = relationship(cascade="all, delete-orphan")


class RubricPoint(Base):
    """A point of a follow-up's rubric that a reviewer found in the candidate's answer."""

    __tablename__ = "rubric_point"
    __table_args__ = (UniqueConstraint("review_id", "question_id", "position"),)

    id: Mapped[Key]
    review_id: Mapped[int] = mapped_column(ForeignKey("review.id"))
    question_id: Mapped[str] = mapped_column(String(80))
    position: Mapped[int]


class ScoreOverride(Base):
    """A score set by hand beside the automatic one; the newest counts, None takes it back."""

    __tablename__ = "score_override"

    id: Mapped[Key]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    score: Mapped[float | None]
    reason: Mapped[LongText]
    created_at: Mapped[datetime]

    user: Mapped[User] = relationship()


class Rejudge(Base):
    """Attempts judged again with another version of their package: a preview first, then applied, perhaps undone."""

    __tablename__ = "rejudge"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    from_package_id: Mapped[int] = mapped_column(ForeignKey("package.id"))
    to_package_id: Mapped[int] = mapped_column(ForeignKey("package.id"))
    interview_id: Mapped[int | None] = mapped_column(ForeignKey("interview.id"), index=True)  # None: all attempts
    created_at: Mapped[datetime]
    apply_asked_at: Mapped[datetime | None]
    applied_at: Mapped[datetime | None]
    undo_asked_at: Mapped[datetime | None]
    undone_at: Mapped[datetime | None]
    moved_problems: Mapped[LongText] = mapped_column(default="[]")  # JSON: keys of interview problems moved with it

    user: Mapped[User] = relationship()
    from_package: Mapped[Package] = relationship(foreign_keys=[from_package_id])
    to_package: Mapped[Package] = relationship(foreign_keys=[to_package_id])
    interview: Mapped[Interview | None] = relationship()


class RejudgeItem(Base):
    """A submission of a rejudge: its new result, and after it was applied the old one."""

    __tablename__ = "rejudge_item"
    __table_args__ = (UniqueConstraint("rejudge_id", "submission_id"), Index("ix_rejudge_item_verdict", "verdict"))

    id: Mapped[Key]
    rejudge_id: Mapped[int] = mapped_column(ForeignKey("rejudge.id"))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), index=True)
    verdict: Mapped[Verdict | None]  # None: not judged yet
    reason: Mapped[Reason | None]
    score: Mapped[float | None]
    old_verdict: Mapped[Verdict | None]  # beside which the new one is shown; None: it had none
    old_score: Mapped[float | None]
    new_rows: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON: submission, cases, groups, faults
    old_rows: Mapped[LongText | None] = mapped_column(deferred=True)  # the same, as before it was applied


class RejudgedAttempt(Base):
    """An attempt that an applied rejudge has moved to the other version of its package."""

    __tablename__ = "rejudged_attempt"
    __table_args__ = (UniqueConstraint("rejudge_id", "attempt_id"),)

    id: Mapped[Key]
    rejudge_id: Mapped[int] = mapped_column(ForeignKey("rejudge.id"))
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"), index=True)


class PackageCheck(Base):
    """How an uploaded package stands: only one that was checked and accepted can be used."""

    __tablename__ = "package_check"

    id: Mapped[Key]
    package_id: Mapped[int] = mapped_column(ForeignKey("package.id"), unique=True)
    done: Mapped[int] = mapped_column(default=0)  # runs of the check that are over
    total: Mapped[int] = mapped_column(default=0)
    checked_at: Mapped[datetime | None]
    is_accepted: Mapped[bool] = mapped_column(default=False)
    report: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON; None: not checked yet
    retired_at: Mapped[datetime | None]  # then no interview takes it any more

    package: Mapped[Package] = relationship()


class IdempotentReply(Base):
    """What was answered to a request with an Idempotency-Key, so that a repeat gets the same."""

    __tablename__ = "idempotent_reply"
    __table_args__ = (UniqueConstraint("user_id", "route", "key"),)

    id: Mapped[Key]
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    route: Mapped[str] = mapped_column(String(ROUTE_LENGTH))
    key: Mapped[str] = mapped_column(String(200))
    body_sha256: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    reply: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(index=True)


class AuditEntry(Base):
    """One change of state: who, what, when. Written in the change's transaction; the database refuses to alter it."""

    __tablename__ = "audit_entry"

    id: Mapped[Key]
    at: Mapped[datetime] = mapped_column(index=True)
    actor: Mapped[str] = mapped_column(String(12), index=True)  # a user's public id; "" for the service itself
    action: Mapped[ShortText] = mapped_column(index=True)
    subject: Mapped[ShortText]  # kind and public id of what was changed
    interview_id: Mapped[int | None] = mapped_column(ForeignKey("interview.id"), index=True)
    detail: Mapped[LongText]  # JSON; never secrets, sources or answers


class RepeatedReading(Base):
    """How often what an entry tells was read again on its own, for which no other entry was made."""

    __tablename__ = "repeated_reading"

    id: Mapped[Key]
    entry_id: Mapped[int] = mapped_column(ForeignKey("audit_entry.id"), unique=True)
    times: Mapped[int]
    last_at: Mapped[datetime]
