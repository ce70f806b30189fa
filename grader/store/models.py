"""Tables of the service. Times are UTC; integer keys stay inside, `public_id` stands in addresses."""

from __future__ import annotations

import base64
import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final

from sqlalchemy import (
    DateTime,
    Dialect,
    Double,
    Enum,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from grader.grading.verdict import Reason, Verdict, Visibility

PUBLIC_ID_LENGTH: Final = 12
NAME_LENGTH: Final = 60  # of a candidate's name
QUESTION_ID_LENGTH: Final = 80


def new_public_id() -> str:
    """Return 12 random base32 characters in lower case: 60 bits."""
    return base64.b32encode(secrets.token_bytes(8)).decode().lower()[:PUBLIC_ID_LENGTH]


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time in UTC, also where the database forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a time without a zone: it would silently be read as UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Mode(StrEnum):
    """What an attempt is part of."""

    PRACTICE = "practice"


def _varchar(kind: type[StrEnum], length: int) -> Enum:
    """Store an enumeration as VARCHAR with its values, so that a new member needs no ALTER TYPE."""
    return Enum(kind, native_enum=False, length=length, values_callable=lambda members: [m.value for m in members])


class Base(DeclarativeBase):
    """Base of all tables, with names for every constraint."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime(),
        bytes: LargeBinary(),
        float: Double(),
        Verdict: _varchar(Verdict, 3),
        Reason: _varchar(Reason, 40),
        Mode: _varchar(Mode, 16),
        Visibility: String(6),
    }


Key = Annotated[int, mapped_column(primary_key=True)]
PublicId = Annotated[str, mapped_column(String(PUBLIC_ID_LENGTH), unique=True, default=new_public_id)]
ShortText = Annotated[str, mapped_column(String(100))]
LongText = Annotated[str, mapped_column(Text)]


class Package(Base):
    """A problem package that an attempt used, kept as an archive for as long as attempts name it."""

    __tablename__ = "package"

    id: Mapped[Key]
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    slug: Mapped[ShortText] = mapped_column(index=True)
    title: Mapped[str] = mapped_column(String(400))
    archive: Mapped[bytes] = mapped_column(deferred=True)
    created_at: Mapped[datetime]


class Candidate(Base):
    """Someone who practises; known by a signed cookie alone, so a name gives access to nothing."""

    __tablename__ = "candidate"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    created_at: Mapped[datetime]
    left_at: Mapped[datetime | None]  # from then on the cookie opens nothing


class Attempt(Base):
    """One candidate's session on one problem; it pins the package."""

    __tablename__ = "attempt"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"), index=True)
    package_id: Mapped[int] = mapped_column(ForeignKey("package.id"), index=True)
    variant: Mapped[ShortText]
    mode: Mapped[Mode]
    started_at: Mapped[datetime]
    solved_at: Mapped[datetime | None]  # when the first accepted source was handed in
    given_up_at: Mapped[datetime | None]
    best_score: Mapped[float | None]  # None until something has been judged

    candidate: Mapped[Candidate] = relationship()
    package: Mapped[Package] = relationship()

    @property
    def is_over(self) -> bool:
        """Whether it is solved or given up, which opens the follow-up questions."""
        return self.solved_at is not None or self.given_up_at is not None


class Submission(Base):
    """One source handed in; verdict is None until it is judged."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("attempt_id", "ordinal"),
        Index(
            "ix_submission_unjudged",
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
    message: Mapped[LongText | None]  # for the candidate
    detail: Mapped[LongText | None]  # never for the candidate
    score: Mapped[float | None]  # None for JE
    max_score: Mapped[float | None]
    import_prints: Mapped[LongText | None]  # what the source printed while it was imported
    judgement: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON: the whole result, never for the candidate

    attempt: Mapped[Attempt] = relationship()
    cases: Mapped[list[CaseResult]] = relationship(order_by="CaseResult.position")
    groups: Mapped[list[GroupResult]] = relationship(order_by="GroupResult.position")


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


class FollowUpAnswer(Base):
    """The candidate's own answer to a follow-up question; written once, never changed."""

    __tablename__ = "follow_up_answer"
    __table_args__ = (UniqueConstraint("attempt_id", "question_id"),)

    id: Mapped[Key]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"))
    question_id: Mapped[str] = mapped_column(String(QUESTION_ID_LENGTH))
    text: Mapped[LongText]
    created_at: Mapped[datetime]
