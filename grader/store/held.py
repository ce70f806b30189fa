"""Rows that a transaction holds until it ends, so that no other one changes them meanwhile.

All of them are taken in one order, in which nobody waits in a circle: users, interviews, attempts, submissions,
invitations; of one kind by key. What belongs to an account alone, as its sessions, comes after the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import ColumnElement, inspect, select
from sqlalchemy.orm import Session

from grader.errors import NotFound
from grader.store.base import Base
from grader.store.models import User

Row = TypeVar("Row", bound=Base)


def held(
    session: Session, table: type[Row], *conditions: ColumnElement[bool], for_removal: bool = False
) -> Sequence[Row]:
    """Return rows as they are once nobody else changes them, by key.

    They are locked without anything that is joined: PostgreSQL would put a row that it had to wait for beside what
    belonged to it before the wait. Who needs more of them reads it afterwards.

    Args:
        session: holds them.
        table: the rows' table.
        conditions: on columns of the table alone.
        for_removal: whether nobody may store what refers to them either.
    """
    statement = select(table).where(*conditions).order_by(*inspect(table).primary_key)
    statement = statement.with_for_update(key_share=not for_removal)
    return session.scalars(statement.execution_options(populate_existing=True)).all()


def keep_user(session: Session, key: int, *, alone: bool = False) -> None:
    """Make sure that an account is not deleted before this transaction ends.

    Who holds interviews, attempts or invitations and then stores what refers to their user does this first.

    Args:
        session: holds the account.
        key: the account's.
        alone: whether of those who say so one goes on at a time, as whoever stores what an account has once must.

    Raises:
        NotFound: it is deleted.
    """
    statement = select(User).filter_by(id=key).with_for_update(read=not alone, key_share=True)
    user = session.scalar(statement.execution_options(populate_existing=True))
    if user is None or user.is_former:
        raise NotFound("This account is gone, so nothing was done.")
