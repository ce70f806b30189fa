"""Invitations as interviewers handle them: who is invited, their links, more time, the end of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.services import audit, own_time
from grader.services.audit import Fact
from grader.services.candidate_stage import State, state_of
from grader.services.feedback import are_answers_out, told_at_the_end
from grader.services.interview_settings import UnusableSettings, whole_number
from grader.services.invitation_names import Alike, alike
from grader.services.refusals import NotNow
from grader.services.sessions import hash_of, new_token
from grader.store import interview_queries, invitation_queries, review_queries, taking_queries
from grader.store.base import storable
from grader.store.held import keep_user
from grader.store.interview_models import Interview, Invitation, Part
from grader.store.models import User
from grader.store.time_models import EarlyEnd, Extension
from grader.store.time_queries import is_ended_early
from grader.wording import told_time

INVITATIONS_MAX: Final = 1000  # of one interview
EXTENSION_MAX: Final = 24 * 60  # minutes
REASON_LENGTH: Final = 200


@dataclass(frozen=True)
class Invited:
    """A new link, which is told this once."""

    label: str
    token: str


@dataclass(frozen=True)
class Invitations:
    """What came of a list of names: a link for each, but for those that are invited already or stand twice in it."""

    made: tuple[Invited, ...]
    left_out: tuple[str, ...]
    alike: tuple[Alike, ...]  # among them and those that were invited before


def invite(session: Session, user: User, public_id: str, names: Sequence[str], now: datetime) -> Invitations:
    """Invite candidates; a link for each is told once.

    Args:
        session: stores the invitations.
        user: a lead of the interview.
        public_id: the interview's.
        names: as `invitation_names.read_names` returns them.
        now: the time.

    Raises:
        NotFound: the user leads no such interview.
        NotNow: nobody can start it any more.
        UnusableSettings: they are too many.
    """
    interview = interview_queries.interview_of(session, user, public_id, Part.LEAD, lock=True)
    require_startable(interview, now)
    made: list[Invited] = []
    before = invitation_queries.labels_in(session, interview)
    known = {_key(label) for label in before}
    left_out = []
    for name in names:
        if _key(name) in known:
            left_out.append(name)
            continue
        known.add(_key(name))
        token = new_token()
        session.add(Invitation(interview_id=interview.id, label=name, token_sha256=hash_of(token), created_at=now))
        made.append(Invited(name, token))
    if len(known) > INVITATIONS_MAX:
        raise UnusableSettings(
            f"An interview has at most {INVITATIONS_MAX} candidates; copy it and invite the others there.", "names"
        )
    if made:
        audit.record(session, user, "invitation.make", interview, now, interview, number=len(made))
    return Invitations(tuple(made), tuple(left_out), alike([one.label for one in made], before))


def _key(label: str) -> str:
    return label.casefold()


def renew(session: Session, user: User, public_id: str, invitation_id: str, now: datetime) -> Invited:
    """Make a new link for a candidate, which ends the old one; one who was revoked is invited again.

    Raises:
        NotFound: the user leads no such interview, or it has no such candidate.
        NotNow: the candidate needs no link any more, or nobody can start.
    """
    interview, invitation = _locked(session, user, public_id, invitation_id)
    require_startable(interview, now)
    if invitation.accepted_at is not None and invitation.revoked_at is None:
        raise NotNow(
            f"{invitation.label} has accepted already and needs no link: signed in, they find the interview again."
        )
    token = new_token()
    invitation.token_sha256 = hash_of(token)
    if invitation.revoked_at is not None:
        invitation.revoked_at = invitation.user_id = invitation.accepted_at = None
    audit.record(session, user, "invitation.renew", invitation, now, interview)
    return Invited(invitation.label, token)


def revoke(session: Session, user: User, public_id: str, invitation_id: str, now: datetime) -> None:
    """Take an invitation back, whose link and acceptance then are worth nothing.

    Raises:
        NotFound: the user leads no such interview, or it has no such candidate.
        NotNow: the candidate has started.
    """
    interview, invitation = _locked(session, user, public_id, invitation_id)
    if invitation.started_at is not None:
        raise NotNow(f"{invitation.label} has started, so the invitation stays; end their time instead.")
    if invitation.revoked_at is not None:
        return
    invitation.revoked_at = now
    audit.record(session, user, "invitation.revoke", invitation, now, interview)


def extend(
    session: Session,
    user: User,
    public_id: str,
    invitation_id: str,
    minutes: str,
    reason: str,
    now: datetime,
    *,
    is_confirmed: bool = False,
) -> Extension:
    """Give a candidate more time; who has ended goes on from now.

    Args:
        minutes: as they were typed.
        reason: why; reviewers read it.
        is_confirmed: whether the user knows what the candidate could read since their time was over; then the reason
            says so.

    Raises:
        NotFound: the user leads no such interview, or it has no such candidate.
        NotNow: the candidate has not started or deleted the account, results or answers are out, the interview is
            archived or closes before, or their time is over and they are taking another one with one of its problems.
        UnusableSettings: the minutes or the reason cannot be used, or a confirmation is missing.
    """
    interview, invitation = _locked(session, user, public_id, invitation_id)
    number = whole_number(minutes, "minutes", 1, EXTENSION_MAX, "minutes")
    why = _reason(reason)
    ends_at = _later_end(invitation, interview, timedelta(minutes=number), now)
    is_over = own_time.is_over(invitation, now)
    told = _told_before(session, invitation, interview, now, is_confirmed=is_confirmed) if is_over else ""
    why += f" ({told.capitalize()} could be read before.)" if told else ""
    invitation.ends_at, invitation.ended_at = ends_at, None
    extension = Extension(invitation_id=invitation.id, user_id=user.id, minutes=number, reason=why, created_at=now)
    session.add(extension)
    facts: dict[str, Fact] = {"minutes": number, "reopened": is_over} | ({"told_before": told} if told else {})
    audit.record(session, user, "invitation.extend", invitation, now, interview, **facts)
    return extension


def _later_end(invitation: Invitation, interview: Interview, more: timedelta, now: datetime) -> datetime:
    """Return when a candidate's time ends with more of it."""
    before = own_time.end_of(invitation)
    if before is None:
        raise NotNow(f"{invitation.label} has not started yet; their time begins when they do.")
    _require_extendable(invitation, interview, now)
    ends_at = (now if own_time.is_over(invitation, now) else before) + more
    if interview.closes_at is not None and ends_at > interview.closes_at:
        raise NotNow(
            f"The interview closes at {told_time(interview.closes_at)}, before that time would be over; "
            "change its window first."
        )
    return ends_at


def _told_before(
    session: Session, invitation: Invitation, interview: Interview, now: datetime, *, is_confirmed: bool
) -> str:
    """Make sure that a candidate whose time was over may go on; return what they could read since."""
    if review_queries.is_reviewed(session, invitation):
        raise NotNow(
            f"What {invitation.label} handed in is reviewed or scored by hand already, and that would stand whatever "
            "they add; nobody gets more time then."
        )
    _require_nothing_beside(session, invitation, now)
    told = told_at_the_end(interview)
    if not is_confirmed:
        raise UnusableSettings(f"Since their time was over they can read {told}; confirm that below.", "confirmed")
    return told


def _require_nothing_beside(session: Session, invitation: Invitation, now: datetime) -> None:
    beside = taking_queries.running_beside(session, invitation, now)
    if beside is not None and beside.ends_at is not None:
        raise NotNow(
            f"{invitation.label} is taking another interview with one of these problems until "
            f"{told_time(beside.ends_at)}; give more time when that is over."
        )


def _require_extendable(invitation: Invitation, interview: Interview, now: datetime) -> None:
    if invitation.user is not None and invitation.user.is_former:
        raise NotNow(f"The account of {invitation.label} is deleted, so nobody could go on; invite them again instead.")
    if interview.released_at is not None:
        raise NotNow("The results are released, so nobody gets more time any more.")
    if are_answers_out(interview, now):
        raise NotNow("Nobody can start any more, so candidates can read the answers, and nobody gets more time.")
    if interview.archived_at is not None:
        raise NotNow("This interview is archived; take it out of the archive to give more time.")


def end_early(
    session: Session, user: User, public_id: str, invitation_id: str, reason: str, now: datetime, *, is_told: bool
) -> None:
    """End a candidate's time now; their drafts are handed in as at any end.

    Args:
        session: stores the end.
        user: who ends it.
        public_id: the interview's.
        invitation_id: the candidate's.
        reason: why; reviewers read it.
        now: the time.
        is_told: whether the candidate reads the reason as well.

    Raises:
        NotFound: the user leads no such interview, or it has no such candidate.
        NotNow: the candidate is not under way.
        UnusableSettings: the reason cannot be used.
    """
    interview, invitation = _locked(session, user, public_id, invitation_id)
    why = _reason(reason)
    if state_of(invitation, interview, now) is not State.STARTED or is_ended_early(session, invitation):
        raise NotNow(f"{invitation.label} is not under way, so there is no time to end.")
    invitation.ends_at = now  # what follows is done by who watches the clock
    session.add(EarlyEnd(invitation_id=invitation.id, user_id=user.id, reason=why, is_told=is_told, created_at=now))
    audit.record(session, user, "invitation.end", invitation, now, interview, reason=why, told=is_told)


def with_tokens(session: Session, interview: Interview, tokens: Iterable[str]) -> list[Invited]:
    """Return those of some tokens that still open this interview, each with its candidate."""
    hashes = {hash_of(token): token for token in tokens}
    found = invitation_queries.invitations_with(session, interview, list(hashes))
    return [Invited(found[one].label, token) for one, token in hashes.items() if one in found]


def require_startable(interview: Interview, now: datetime) -> None:
    """Make sure that somebody who is invited now can start.

    Raises:
        NotNow: the interview is archived, released or closed.
    """
    if interview.archived_at is not None:
        raise NotNow("This interview is archived; take it out of the archive to invite candidates.")
    if interview.released_at is not None:
        raise NotNow("The results are released, so nobody can start any more; copy the interview to invite others.")
    if interview.closes_at is not None and interview.closes_at <= now:
        raise NotNow("This interview is closed; change its window to invite candidates.")


def _reason(text: str) -> str:
    text = storable(text.strip())
    if not text:
        raise UnusableSettings("Write down why; the reason stays with the candidate's record.", "reason")
    if len(text) > REASON_LENGTH:
        raise UnusableSettings(f"The reason has more than {REASON_LENGTH} characters; shorten it.", "reason")
    return text


def _locked(session: Session, user: User, public_id: str, invitation_id: str) -> tuple[Interview, Invitation]:
    keep_user(session, user.id)
    interview = interview_queries.interview_of(session, user, public_id, Part.LEAD, lock=True)
    candidate = invitation_queries.invitation_in(session, interview, invitation_id).user_id
    if candidate is not None:  # which stays, for the interview is locked
        taking_queries.invitations_locked(session, candidate)
    return interview, invitation_queries.invitation_in(session, interview, invitation_id, lock=True)
