"""Replies that are kept for a key of the caller's: a request that is sent again gets the same answer."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.store import token_queries as queries
from grader.store.interview_models import IdempotentReply
from grader.store.models import User

KEPT: Final = timedelta(days=7)
_KEY: Final = re.compile(r"[\x21-\x7e]{1,200}")


class KeyUsed(UserError):
    """A key came with another request before."""

    status = 422

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key came with another body before; use a new key for a new request.")


@dataclass(frozen=True)
class Asked:
    """A request that may come again: whose it is, what it asks, and its key."""

    user: User
    route: str
    key: str
    body_sha256: str

    @classmethod
    def of(cls, user: User, route: str, key: str, body: bytes) -> Asked:
        """Return what makes a request the same as another one.

        Raises:
            UserError: the key cannot be one.
        """
        if not _KEY.fullmatch(key):
            raise UserError("An Idempotency-Key has 1 to 200 visible ASCII characters; a UUID is a good one.")
        return cls(user, route, key, hashlib.sha256(body).hexdigest())


def earlier(session: Session, asked: Asked) -> tuple[int, bytes] | None:
    """Return status and body of the answer that was given before; None where there was none.

    Raises:
        KeyUsed: the key came with another body.
    """
    found = queries.reply_of(session, asked.user, asked.route, asked.key)
    if found is None:
        return None
    if found.body_sha256 != asked.body_sha256:
        raise KeyUsed
    return found.status, found.reply


def keep(session: Session, asked: Asked, status: int, reply: bytes, now: datetime) -> None:
    """Keep an answer in the transaction of what it tells."""
    queries.delete_replies_before(session, now - KEPT)
    session.add(
        IdempotentReply(
            user_id=asked.user.id,
            route=asked.route,
            key=asked.key,
            body_sha256=asked.body_sha256,
            status=status,
            reply=reply,
            created_at=now,
        )
    )
    session.flush()
