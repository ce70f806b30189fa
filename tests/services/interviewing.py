"""Interviews, interviewers and candidates that tests need, made by plain functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Engine, select

from grader.services import accounts, interviews, invitations
from grader.services.interview_settings import Chosen, Settings
from grader.services.invitations import Invited
from grader.services.packages import Packages
from grader.services.sessions import hash_of
from grader.store.base import Mode
from grader.store.interview_models import Interview, InterviewProblem, Invitation
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.services.made import NOON
from tests.services.tiny_package import SLUG


def make_interviewer(engine: Engine, name: str, *, is_admin: bool = False) -> User:
    with write_session(engine) as session:
        return accounts.add(session, name, None, NOON, is_interviewer=not is_admin, is_admin=is_admin)


def make_settings(packages: Packages, **changes: object) -> Settings:
    """Return the settings of an interview of an hour with the tiny package's first variant."""
    settings = Settings("Spring round", (Chosen(packages.named(SLUG).sha256, "only"),), submissions_max=5)
    return replace(settings, **changes)  # type: ignore[arg-type]


def make_interview(engine: Engine, packages: Packages, lead: User, **changes: object) -> Interview:
    with write_session(engine) as session:
        return interviews.create(session, lead, make_settings(packages, **changes), packages, NOON)


def make_invitations(engine: Engine, lead: User, interview: Interview, *names: str) -> list[Invited]:
    with write_session(engine) as session:
        return list(invitations.invite(session, lead, interview.public_id, names, NOON).made)


def invitation_with(engine: Engine, token: str) -> Invitation:
    with read_session(engine) as session:
        return session.scalars(select(Invitation).filter_by(token_sha256=hash_of(token))).one()


def begin(engine: Engine, token: str, candidate: User, now: datetime, minutes: int = 60) -> Attempt:
    """Let a candidate accept an invitation and start, and return the attempt on its first problem."""
    with write_session(engine) as session:
        invitation = session.scalars(select(Invitation).filter_by(token_sha256=hash_of(token))).one()
        invitation.user_id, invitation.accepted_at, invitation.started_at = candidate.id, NOON, now
        invitation.ends_at = now + timedelta(minutes=minutes)
        row = session.scalars(select(InterviewProblem).filter_by(interview_id=invitation.interview_id)).first()
        assert row is not None
        attempt = Attempt(
            candidate_id=candidate.id,
            package_id=row.package_id,
            variant="only",
            mode=Mode.INTERVIEW,
            started_at=now,
            invitation_id=invitation.id,
            interview_problem_id=row.id,
        )
        session.add(attempt)
        return attempt
