"""Tables of a batch that workers judge. Its rows are gone as soon as its command has the results, or is gone itself."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from grader.store.base import Base, Key, LongText
from grader.store.models import Package

FINDING_LENGTH: Final = 8


class BatchRun(Base):
    """One call of the command, and how it wants its sources judged."""

    __tablename__ = "batch_run"

    id: Mapped[Key]
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime] = mapped_column(index=True)  # a sign of life of the command
    finding: Mapped[str] = mapped_column(String(FINDING_LENGTH))  # full or fast
    has_evidence: Mapped[bool]  # records are made of what is not accepted


class BatchSource(Base):
    """One source of a batch; judged_at is None until it has its result."""

    __tablename__ = "batch_source"
    __table_args__ = (
        UniqueConstraint("batch_run_id", "ordinal"),
        Index(
            "ix_batch_source_unjudged",
            "batch_run_id",
            sqlite_where=text("judged_at IS NULL"),
            postgresql_where=text("judged_at IS NULL"),
        ),
    )

    id: Mapped[Key]
    batch_run_id: Mapped[int] = mapped_column(ForeignKey("batch_run.id"))
    ordinal: Mapped[int]  # from 1; what the command knows it by
    package_id: Mapped[int] = mapped_column(ForeignKey("package.id"), index=True)
    source: Mapped[bytes] = mapped_column(deferred=True)
    judged_at: Mapped[datetime | None]
    result: Mapped[LongText | None] = mapped_column(deferred=True)  # JSON: the result object, without the candidate
    evidence: Mapped[LongText | None] = mapped_column(deferred=True)  # the text of its record
    trouble: Mapped[LongText | None]  # for the operator

    package: Mapped[Package] = relationship()
    run: Mapped[BatchRun] = relationship()
