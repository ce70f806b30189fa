"""Taking an interview: a candidate accepts an invitation, starts the clock, works, and may end before the time is over.

Opening a link does nothing. Before the start nothing is told of the problems but their number.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.grading.verdict import Verdict
from grader.report.visible import visible
from grader.services import audit, candidate_view, deadline, feedback, own_time, practice_lock
from grader.services.candidate_stage import Stage, stage_of
from grader.services.candidate_view import HandedIn
from grader.services.feedback import Feedback
from grader.services.packages import Packages
from grader.services.sessions import hash_of
from grader.services.time_changes import TimeChange, told_changes
from grader.store import taking_queries as queries
from grader.store.base import Mode
from grader.store.held import keep_user
from grader.store.interview_models import Interview, InterviewProblem, Invitation
from grader.store.models import Attempt, Submission, User
from grader.store.score_queries import scores_by_hand
from grader.wording import told_time

OWN_SHOWN: Final = 50  # invitations of one candidate


class InvitationEnded(NotFound):
    """A link was taken back, has expired, is somebody else's or never was; nobody learns which."""

    def __init__(self) -> None:
        super().__init__(
            "This link opens no interview, or not for you. If you have accepted it before, sign in with the account "
            "that you used then; otherwise ask the people who sent it for a new one."
        )


class NotOpen(UserError):
    """The interview is not in the state for this."""

    status = 409


@dataclass(frozen=True)
class Task:
    """A problem of an interview, as its candidate meets it after the start."""

    attempt: Attempt
    number: int  # from 1
    shown: Feedback
    left: int  # submissions
    submissions: tuple[HandedIn, ...]
    points: float | None  # None: nothing judged yet, or not shown
    by_hand: float | None  # set by a reviewer, beside them; None: not set, or not shown

    @property
    def last(self) -> HandedIn | None:
        """What was handed in last."""
        return self.submissions[-1] if self.submissions else None

    @property
    def best(self) -> HandedIn | None:
        """The newest with the best score, as far as points are shown, else with AC; the last one before a verdict."""
        judged = [one for one in reversed(self.submissions) if one.verdict not in (None, Verdict.JE)]
        return max(judged, key=lambda one: (one.score or 0.0, one.verdict is Verdict.AC), default=self.last)


@dataclass(frozen=True)
class Taking:
    """An interview that a candidate accepted; without tasks before the start."""

    invitation: Invitation
    interview: Interview
    stage: Stage
    problems: int
    seconds_left: int
    beside: Invitation | None  # what is under way and has one of the problems: while it is, this is not started
    changes: tuple[TimeChange, ...]  # of the time
    tasks: tuple[Task, ...]


def find(session: Session, token: str, candidate: User | None, now: datetime) -> Invitation:
    """Return the invitation with a token, which stays as it is.

    Args:
        session: asks the database.
        token: the link's.
        candidate: who is signed in; None: nobody.
        now: the time.

    Raises:
        InvitationEnded: it opens nothing, or not for them.
    """
    found = queries.invitation_with(session, hash_of(token))
    if found is None:
        raise InvitationEnded
    if found.user_id is None:
        if feedback.is_closed_to_all(found.interview, now):
            raise InvitationEnded
    elif candidate is None or found.user_id != candidate.id:
        raise InvitationEnded
    return found


def accept(session: Session, candidate: User, token: str, now: datetime) -> Invitation:
    """Bind an invitation to a candidate, for good; a second time changes nothing.

    A place of theirs in the interview that was taken back gives way to it; the audit log keeps whose that was.

    Raises:
        InvitationEnded: it opens nothing, or somebody else was faster.
        NotOpen: they interview there themselves, or have another place in it.
        NotFound: their account is gone.
    """
    found = find(session, token, candidate, now)
    if found.user_id is not None:
        return found
    keep_user(session, candidate.id)
    interview = queries.interview_locked(session, found.interview_id)  # nobody is made an interviewer meanwhile
    if feedback.is_closed_to_all(interview, now):
        raise InvitationEnded
    if queries.is_member(session, candidate, found.interview):
        raise NotOpen("You interview there yourself, so you cannot be its candidate; sign in with another account.")
    before = queries.let_go_of_revoked(session, found, candidate)
    if found.token_sha256 != hash_of(token):  # a lead made a new link meanwhile
        raise InvitationEnded
    accepted = queries.accept_invitation(session, found, candidate, now)
    if accepted is None:
        raise NotOpen("You have a place in this interview already; your interviews are listed on one page.")
    stored = queries.invitation_locked(session, found.id)
    if not accepted and stored.user_id != candidate.id:
        raise InvitationEnded
    if accepted:
        facts = {"instead_of": before} if before else {}
        audit.record(session, candidate, "invitation.accept", stored, now, stored.interview, **facts)
    return stored


def start(session: Session, candidate: User, public_id: str, packages: Packages, now: datetime) -> Invitation:
    """Start a candidate's clock and open the problems, once; a second time returns the same start.

    Raises:
        NotFound: they accepted no such invitation, or their account is gone.
        NotOpen: it opens later, or is closed, or they are taking another one with one of its problems.
    """
    keep_user(session, candidate.id)
    found = queries.invitation_of(session, candidate, public_id)
    interview = queries.interview_locked(session, found.interview_id)
    places = {place.id: place for place in queries.invitations_locked(session, candidate.id)}
    invitation = places.get(found.id)
    if invitation is None or invitation.revoked_at is not None:
        raise NotFound("There is no such interview, or it is not yours; your interviews are listed on one page.")
    if invitation.started_at is not None:
        return invitation
    _require_startable(session, invitation, interview, now)
    ends_at = now + timedelta(minutes=interview.minutes)
    invitation.started_at = now
    invitation.ends_at = ends_at if interview.closes_at is None else min(ends_at, interview.closes_at)
    for problem in interview.problems:
        session.add(_attempt(session, invitation, candidate, problem, packages, now))
    audit.record(session, candidate, "invitation.start", invitation, now, interview, problems=len(interview.problems))
    return invitation


def _require_startable(session: Session, invitation: Invitation, interview: Interview, now: datetime) -> None:
    stage = stage_of(invitation, interview, now)
    if stage is Stage.TOO_EARLY and interview.opens_at is not None:
        raise NotOpen(f"This interview opens at {told_time(interview.opens_at)}; start it then.")
    if stage is Stage.MISSED:
        raise NotOpen("This interview is closed, so it cannot be started any more; ask the people who invited you.")
    # each shows and hides what the other may not: verdicts, points, hints
    beside = queries.running_beside(session, invitation, now)
    if beside is not None and (end := own_time.end_of(beside)) is not None:
        raise NotOpen(
            f"You are taking “{visible(beside.interview.title, keep='')}” until {told_time(end)}, which has a problem "
            "of this interview too; finish it or end it early, then start this one."
        )


def _attempt(
    session: Session,
    invitation: Invitation,
    candidate: User,
    problem: InterviewProblem,
    packages: Packages,
    now: datetime,
) -> Attempt:
    variant = problem.variant
    if variant is None:
        variant = secrets.choice(sorted(packages.pinned(session, problem.package).spec.variants))
    return Attempt(
        candidate_id=candidate.id,
        package_id=problem.package_id,
        variant=variant,
        mode=Mode.INTERVIEW,
        started_at=now,
        hint_level=0,
        invitation_id=invitation.id,
        interview_problem_id=problem.id,
    )


def end(
    session: Session, candidate: User, public_id: str, packages: Packages, now: datetime
) -> tuple[Invitation, Sequence[Submission]]:
    """End a candidate's time before it is over, as they ask; return the drafts that are handed in with it.

    Raises:
        NotFound: they accepted no such invitation, or their account is gone.
        NotOpen: they have not started.
    """
    keep_user(session, candidate.id)
    found = queries.invitation_of(session, candidate, public_id)
    if found.started_at is None:
        raise NotOpen("You have not started this interview, so there is nothing to end.")
    ended_by = None if own_time.is_over(found, now) else candidate
    return found, deadline.close(session, found.id, packages, now, ended_by)


def taking(session: Session, candidate: User, public_id: str, now: datetime) -> Taking:
    """Return an interview as its candidate sees it now.

    Raises:
        NotFound: they accepted no such invitation.
    """
    invitation = queries.invitation_of(session, candidate, public_id)
    interview = invitation.interview
    stage = stage_of(invitation, interview, now)
    return Taking(
        invitation=invitation,
        interview=interview,
        stage=stage,
        problems=queries.number_of_problems(session, interview),
        seconds_left=own_time.seconds_left(invitation, now),
        beside=queries.running_beside(session, invitation, now) if stage is Stage.READY else None,
        changes=told_changes(session, invitation),
        tasks=_tasks(session, invitation, interview, now),
    )


def _tasks(session: Session, invitation: Invitation, interview: Interview, now: datetime) -> tuple[Task, ...]:
    attempts = queries.attempts_in(session, invitation)
    submissions = queries.submissions_of(session, attempts)
    by_hand = scores_by_hand(session, [attempt.id for attempt in attempts])
    closed = practice_lock.closed_slugs(session, attempts[0].candidate, now) if attempts else frozenset()
    tasks = []
    for number, attempt in enumerate(attempts, start=1):
        shown, own = feedback.visible(attempt, interview, invitation, now, closed), submissions[attempt.id]
        used = sum(not one.is_by_clock and one.verdict is not Verdict.JE for one in own)
        tasks.append(
            Task(
                attempt=attempt,
                number=number,
                shown=shown,
                left=max(0, interview.submissions_max - used),
                submissions=candidate_view.handed_in(own, shown),
                points=attempt.best_score if shown.points else None,
                by_hand=by_hand.get(attempt.id) if shown.by_hand else None,
            )
        )
    return tuple(tasks)


def own(session: Session, candidate: User, now: datetime) -> tuple[tuple[Invitation, Stage], ...]:
    """Return the interviews that a candidate accepted, newest first."""
    found = queries.invitations_of(session, candidate, OWN_SHOWN)
    return tuple((invitation, stage_of(invitation, invitation.interview, now)) for invitation in found)
