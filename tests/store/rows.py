"""Rows that tests need, each made by a plain function."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

from grader.store.base import Mode
from grader.store.models import Attempt, Package, Submission, User

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def is_ours(table: str) -> bool:
    """Whether the models are to say what a table is like: those of the migrations and of the queue are others'."""
    return not table.startswith(("alembic_", "procrastinate_"))


def minutes_later(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def make_candidate(session: Session, name: str = "Ada") -> User:
    candidate = User(name=name, name_key=name.casefold(), created_at=NOON)
    session.add(candidate)
    session.flush()
    return candidate


def make_package(session: Session, sha256: str = "a" * 64, slug: str = "tiny") -> Package:
    package = Package(sha256=sha256, slug=slug, title="Tiny", archive=b"", created_at=NOON)
    session.add(package)
    session.flush()
    return package


def make_attempt(session: Session, candidate: User, package: Package, variant: str = "only") -> Attempt:
    attempt = Attempt(candidate=candidate, package=package, variant=variant, mode=Mode.PRACTICE, started_at=NOON)
    session.add(attempt)
    session.flush()
    return attempt


def make_submission(session: Session, attempt: Attempt, ordinal: int = 1, source: bytes = b"pass\n") -> Submission:
    submission = Submission(attempt=attempt, ordinal=ordinal, source=source, created_at=minutes_later(ordinal))
    session.add(submission)
    session.flush()
    return submission
