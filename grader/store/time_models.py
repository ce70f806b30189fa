"""Tables of what changes a candidate's time: more of it, and its end before it was over."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.base import Base, Key, LongText


class Extension(Base):
    """More time for one candidate, and why."""

    __tablename__ = "extension"

    id: Mapped[Key]
    invitation_id: Mapped[int] = mapped_column(ForeignKey("invitation.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    minutes: Mapped[int]
    reason: Mapped[LongText]
    created_at: Mapped[datetime]


class EarlyEnd(Base):
    """A candidate's time that was ended before it was over: by an interviewer, or by the candidate without a reason."""

    __tablename__ = "early_end"

    id: Mapped[Key]
    invitation_id: Mapped[int] = mapped_column(ForeignKey("invitation.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    reason: Mapped[LongText]
    is_told: Mapped[bool]  # whether the candidate reads the reason
    created_at: Mapped[datetime]
