"""Tables of what opens an account: browsers that are signed in, links, tokens of programs; and of tries that failed."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.store.base import Base, Key, PublicId, ShortText
from grader.store.models import NAME_KEY_LENGTH, User

DEVICE_LENGTH: Final = 60


class WebSession(Base):
    """A browser that is signed in; the cookie's token is kept as its hash alone."""

    __tablename__ = "web_session"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    epoch: Mapped[int]  # the user's when it began
    device: Mapped[str] = mapped_column(String(DEVICE_LENGTH))  # such as "Firefox on Linux", to tell sessions apart
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]  # coarse: written at most every few minutes
    expires_at: Mapped[datetime]

    user: Mapped[User] = relationship()


class SignInLink(Base):
    """A link that lets someone choose a password once; its token is kept as its hash alone."""

    __tablename__ = "sign_in_link"

    id: Mapped[Key]
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"), index=True)  # None: makes the first user
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    user: Mapped[User | None] = relationship()


class SignInFailure(Base):
    """How often signing in failed lately for one name from one network address."""

    __tablename__ = "sign_in_failure"
    __table_args__ = (UniqueConstraint("name_key", "address"),)

    id: Mapped[Key]
    name_key: Mapped[str] = mapped_column(String(NAME_KEY_LENGTH))
    address: Mapped[str] = mapped_column(String(45))  # IPv4, or the /64 of an IPv6
    count: Mapped[int]
    last_at: Mapped[datetime] = mapped_column(index=True)


class ApiToken(Base):
    """What a program shows instead of a password; kept as its hash alone."""

    __tablename__ = "api_token"

    id: Mapped[Key]
    public_id: Mapped[PublicId]
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    name: Mapped[ShortText]
    prefix: Mapped[str] = mapped_column(String(12))  # shown in lists, opens nothing
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[ShortText]  # words with a space between
    epoch: Mapped[int]  # the user's when it was made
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
