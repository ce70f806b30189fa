"""Questions about scores that were set by hand beside automatic ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from grader.store.interview_models import ScoreOverride


def scores_by_hand(session: Session, attempts: Sequence[int] | Select[Any]) -> dict[int, float]:
    """Return the scores that were set by hand and not taken back, by the keys of the attempts that are asked for."""
    newest = (
        select(func.max(ScoreOverride.id))
        .where(ScoreOverride.attempt_id.in_(attempts))
        .group_by(ScoreOverride.attempt_id)
    )
    statement = select(ScoreOverride.attempt_id, ScoreOverride.score).where(ScoreOverride.id.in_(newest))
    return {key: score for key, score in session.execute(statement) if score is not None}
