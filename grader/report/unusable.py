"""What was handed in and has no result, as it is told wherever results are: it cannot be judged, or it waits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from grader.report.visible import visible

Reasons = Mapping[tuple[str, str], str]  # why, by candidate and problem; a problem "" is any


Keys = Collection[tuple[str, str]]  # candidate and problem


@dataclass(frozen=True)
class Unjudged:
    """One of them, of a candidate who is known from elsewhere. Its words are not trusted."""

    problem: str  # "" where nobody knows
    why: str | None = None  # the end of a sentence; None: nothing is wrong with it, the batch was stopped before it

    @property
    def name(self) -> str:
        """What it is called, made visible."""
        return visible(self.problem, keep="") or "A submission"

    @property
    def state(self) -> str:
        """What it is, in two or three words."""
        return "not judged" if self.why else "not judged yet"

    @property
    def sentence(self) -> str:
        """Why it has no result, made visible."""
        if self.why is None:
            return "The batch was stopped before it; it is judged once the batch goes on."
        return f"It cannot be judged: it {visible(self.why, keep='')}."


def unjudged_of(unusable: Reasons, waiting: Keys) -> list[tuple[str, Unjudged]]:
    """Return candidate and submission of all that has no result, sorted by candidate and problem."""
    every = {**dict.fromkeys(waiting), **unusable}
    return [
        (candidate, Unjudged(problem, why)) for (candidate, problem), why in sorted(every.items(), key=lambda it: it[0])
    ]
