"""Questions about what changed a candidate's time."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.store.interview_models import Invitation
from grader.store.models import User
from grader.store.time_models import EarlyEnd, Extension


def extensions_of(session: Session, invitation: Invitation) -> Sequence[tuple[Extension, str]]:
    """Return what time a candidate was given besides, oldest first, each with the name of who gave it."""
    statement = (
        select(Extension, User.name)
        .join(User, User.id == Extension.user_id)
        .where(Extension.invitation_id == invitation.id)
        .order_by(Extension.id)
    )
    return [(extension, name) for extension, name in session.execute(statement)]


def is_ended_early(session: Session, invitation: Invitation) -> bool:
    """Return whether the end of a candidate's time is one that somebody set.

    Who waited for them to do so has an older time, by which it would not be over yet.
    """
    set_by_hand = select(EarlyEnd.id).where(
        EarlyEnd.invitation_id == invitation.id, EarlyEnd.created_at == invitation.ends_at
    )
    return session.scalar(set_by_hand.limit(1)) is not None


def early_ends_of(session: Session, invitation: Invitation) -> Sequence[tuple[EarlyEnd, str]]:
    """Return when a candidate's time was ended before it was over, oldest first, each with the name of who did."""
    statement = (
        select(EarlyEnd, User.name)
        .join(User, User.id == EarlyEnd.user_id)
        .where(EarlyEnd.invitation_id == invitation.id)
        .order_by(EarlyEnd.id)
    )
    return [(early_end, name) for early_end, name in session.execute(statement)]
