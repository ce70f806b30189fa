"""Replies that are kept for a key of the caller's: a request that is sent again gets the same answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.store import token_queries as queries
from grader.store.held import keep_user
from grader.store.interview_models import ROUTE_LENGTH, IdempotentReply
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
        if len(route) > ROUTE_LENGTH:  # of nothing that there is, which whoever does it finds out
            route = hashlib.sha256(route.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(user, route, key, hashlib.sha256(body).hexdigest())


def once(session: Session, asked: Asked, now: datetime, do: Callable[[], tuple[int, bytes]]) -> tuple[int, bytes]:
    """Do what is asked, in the transaction that keeps its answer; asked again, give the answer of the first time.

    The key is taken before anything is done: of two requests at a time the second waits for the first one's end. What
    is forgotten of others comes last, for nobody is waited for after that.

    Args:
        session: stores the answer.
        asked: what is asked.
        now: the time.
        do: does it; returns status and body of the answer.

    Raises:
        KeyUsed: the key came with another body.
        NotFound: whoever asks is gone.
    """
    keep_user(session, asked.user.id)
    queries.delete_replies_before(session, now - KEPT, asked.user)
    row = IdempotentReply(
        user_id=asked.user.id,
        route=asked.route,
        key=asked.key,
        body_sha256=asked.body_sha256,
        status=0,
        reply=b"",
        created_at=now,
    )
    if queries.add_reply(session, row):
        row.status, row.reply = do()
        session.flush()
        queries.delete_replies_before(session, now - KEPT)
        return row.status, row.reply
    found = queries.reply_of(session, asked.user, asked.route, asked.key)
    if found.body_sha256 != asked.body_sha256:
        raise KeyUsed
    return found.status, found.reply
