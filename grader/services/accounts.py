"""Who practises: a name, and a signed cookie that alone opens what belongs to it."""

from __future__ import annotations

import unicodedata
from datetime import datetime

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.report.visible import visible
from grader.store import queries
from grader.store.models import NAME_LENGTH, User


def register(session: Session, name: str, now: datetime) -> User:
    """Return a new candidate; an equal name is somebody else all the same.

    Raises:
        UserError: the name is empty, too long or has characters that do not show.
    """
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise UserError("Enter a name first; any will do, and only you and the people who run this service see it.")
    if len(name) > NAME_LENGTH:
        raise UserError(f"The name has {len(name)} characters; shorten it to {NAME_LENGTH}.")
    if visible(name, keep="") != name:
        raise UserError("The name has characters that do not show; type it again without them.")
    user = User(name=name, name_key=name.casefold(), created_at=now)
    session.add(user)
    session.flush()
    return user


def recognise(session: Session, public_id: str | None) -> User | None:
    """Return the candidate that a cookie's content names."""
    return queries.candidate_of(session, public_id) if public_id else None
