"""What all tables share: names of constraints, kinds of columns. Times are UTC."""

from __future__ import annotations

import base64
import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final

from sqlalchemy import (
    DateTime,
    Dialect,
    Double,
    Enum,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.orm import DeclarativeBase, mapped_column

from grader.grading.verdict import Reason, Verdict, Visibility

PUBLIC_ID_LENGTH: Final = 12


def new_public_id() -> str:
    """Return 12 random base32 characters in lower case: 60 bits."""
    return base64.b32encode(secrets.token_bytes(8)).decode().lower()[:PUBLIC_ID_LENGTH]


def storable(text: str) -> str:
    """Return text that every database keeps: PostgreSQL has no NUL, UTF-8 has no surrogates."""
    return text.replace("\0", "\u2400").encode("utf-8", "replace").decode()


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time in UTC, also where the database forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a time without a zone: it would silently be read as UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Mode(StrEnum):
    """What an attempt is part of."""

    PRACTICE = "practice"
    INTERVIEW = "interview"


def varchar(kind: type[StrEnum], length: int) -> Enum:
    """Store an enumeration as VARCHAR with its values, so that a new member needs no ALTER TYPE."""
    return Enum(kind, native_enum=False, length=length, values_callable=lambda members: [m.value for m in members])


class Base(DeclarativeBase):
    """Base of all tables, with names for every constraint."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime(),
        bytes: LargeBinary(),
        float: Double(),
        Verdict: varchar(Verdict, 3),
        Reason: varchar(Reason, 40),
        Mode: varchar(Mode, 16),
        Visibility: String(6),
    }


Key = Annotated[int, mapped_column(primary_key=True)]
PublicId = Annotated[str, mapped_column(String(PUBLIC_ID_LENGTH), unique=True, default=new_public_id)]
ShortText = Annotated[str, mapped_column(String(100))]
LongText = Annotated[str, mapped_column(Text)]
