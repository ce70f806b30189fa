"""Who interviews: the leads and reviewers of an interview."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.report.visible import visible
from grader.services import audit
from grader.services.names import name_keys
from grader.store import account_queries
from grader.store import interview_queries as queries
from grader.store.interview_models import Interview, InterviewMember, Part
from grader.store.models import User
from grader.store.sitting_queries import is_candidate


class SitsHere(UserError):
    """Who takes an interview is none of its interviewers."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "They have accepted an invitation to this interview, and nobody interviews and sits the same one; choose "
            "somebody else, or revoke the invitation while they have not started."
        )


def set_part(session: Session, user: User, public_id: str, name: str, part: Part, now: datetime) -> None:
    """Make somebody an interviewer of an interview, or give them another part in it.

    Raises:
        NotFound: the user may not decide that.
        UserError: nobody who interviews has this name, or nobody would lead the interview any more.
        SitsHere: they are a candidate of the interview.
    """
    chosen = _held(session, name)  # users are held before interviews
    interview = _for_members(session, user, public_id)
    if chosen is None or not chosen.is_interviewer:
        raise UserError(
            f"Nobody who may interview is called {visible(name[:60], keep='')}; an admin gives people that right."
        )
    if is_candidate(session, chosen, interview):
        raise SitsHere
    member = _member(interview, chosen.public_id)
    if member is None:
        session.add(InterviewMember(interview_id=interview.id, user_id=chosen.id, part=part))
    else:
        if part is not Part.LEAD:
            _keep_a_lead(interview, member)
        member.part = part
    audit.record(session, user, "interview.member", interview, now, interview, user=chosen.public_id, part=part.value)


def remove(session: Session, user: User, public_id: str, member_id: str, now: datetime) -> None:
    """Take an interviewer off an interview; what they wrote stays.

    Raises:
        NotFound: the user may not decide that, or there is no such interviewer.
        UserError: nobody would lead the interview any more.
    """
    interview = _for_members(session, user, public_id)
    member = _member(interview, member_id)
    if member is None:
        raise NotFound("There is no such interviewer in this interview; its page shows all there are.")
    _keep_a_lead(interview, member)
    session.delete(member)
    audit.record(session, user, "interview.member-remove", interview, now, interview, user=member_id)


def _held(session: Session, name: str) -> User | None:
    """Return who has a name; they are neither deleted nor lose their rights meanwhile."""
    found = account_queries.user_named(session, *name_keys(name))
    return None if found is None else account_queries.user_locked(session, found.id)


def _for_members(session: Session, user: User, public_id: str) -> Interview:
    """Return an interview, locked, whose interviewers a user may choose: a lead, or an admin where leads are gone."""
    part = None if user.is_admin else Part.LEAD
    return queries.interview_of(session, user, public_id, part, lock=True)


def _member(interview: Interview, user_id: str) -> InterviewMember | None:
    return next((member for member in interview.members if member.user.public_id == user_id), None)


def _keep_a_lead(interview: Interview, leaving: InterviewMember) -> None:
    """Make sure that after somebody has left the leads there is one who still may interview."""
    if leaving.part is not Part.LEAD:
        return
    others = [member for member in interview.members if member.part is Part.LEAD and member is not leaving]
    if not any(member.user.is_interviewer for member in others):
        raise UserError("Somebody has to lead an interview; make another interviewer a lead first.")
