"""What was handed in and cannot be judged, as it is told wherever results are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.report.visible import visible

Reasons = Mapping[tuple[str, str], str]  # why, by candidate and problem; a problem "" is any


@dataclass(frozen=True)
class Unjudged:
    """One of them, of a candidate who is known from elsewhere. Its words are not trusted."""

    problem: str  # "" where nobody knows
    why: str  # the end of a sentence

    @property
    def name(self) -> str:
        """What it is called, made visible."""
        return visible(self.problem, keep="") or "A submission"

    @property
    def sentence(self) -> str:
        """Why it has no result, made visible."""
        return f"It cannot be judged: it {visible(self.why, keep='')}."
