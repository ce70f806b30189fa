"""Rules about scores: ordinary ones, high and low levels, levels far apart, forbidden keys that lead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from grader.grading.case_facts import CaseFacts
from grader.grading.lint_rule import HiddenSet, Rule, size
from grader.problems.cases import Array

EXP_RANGE: Final = 745.0  # exp of what lies further below 0 is 0
LEAD: Final = 1.1e3  # of "1200": beside it scores have differences of order 1
HIGH: Final = 750.0  # exp of what lies above is infinite
FAR_BELOW: Final = (-1e6, -2e5)  # below the usual fills
SHARED: Final = 7.0  # two keys this close share the weight: the smaller one gets at least a thousandth


@dataclass(frozen=True, eq=False)
class Scores:
    """A case's scores as the softmax meets them.

    The leading axes are those of items, heads and queries; K keys.
    """

    raw: Array  # (..., K) before the mask
    masked: Array  # (..., K) -inf where a key is forbidden

    @cached_property
    def allowed(self) -> Array:
        """(..., K) where a key may be read."""
        return np.isfinite(self.masked)

    @cached_property
    def levels(self) -> Array:
        """(...) the largest allowed score of each row, -inf where there is none."""
        return np.asarray(np.max(self.masked, axis=-1, initial=-np.inf))

    @cached_property
    def runners_up(self) -> Array:
        """(...) the second largest allowed score of each row, -inf where there is none."""
        if self.masked.shape[-1] < 2:
            return np.full(self.masked.shape[:-1], -np.inf)
        return np.partition(self.masked, -2, axis=-1)[..., -2]

    @cached_property
    def shared(self) -> Array:
        """(...) rows in which two keys share the weight."""
        return self.runners_up > self.levels - SHARED

    @cached_property
    def leads(self) -> Array:
        """By how much the best forbidden key leads the best allowed one, of the rows that have both."""
        return self._leads_of(~self.allowed)

    @cached_property
    def early_leads(self) -> Array:
        """As `leads`, of the forbidden keys that come before all allowed ones: those that have left a window."""
        return self._leads_of(~np.logical_or.accumulate(self.allowed, axis=-1))

    def _leads_of(self, keys: Array) -> Array:
        best = np.max(np.where(keys & np.isfinite(self.raw), self.raw, -np.inf), axis=-1, initial=-np.inf)
        both = np.isfinite(best) & np.isfinite(self.levels)
        return np.asarray(best[both] - self.levels[both])


def scores_of(facts: CaseFacts) -> Scores | None:
    """Return a case's scores: of the reference's stages, or of an input with that name."""
    stage = facts.stages.get("scores")
    raw = stage if stage is not None else facts.array("scores")
    if raw is None or raw.ndim == 0 or raw.size == 0:
        return None
    masked = facts.stages.get("masked_scores")
    masked = masked if masked is not None and masked.shape == raw.shape else raw
    return Scores(raw.astype(np.float64), np.where(np.isfinite(masked), masked.astype(np.float64), -np.inf))


def _of(holds: Callable[[Scores], bool]) -> Callable[[CaseFacts], bool]:
    """Return a test of a case from a test of its scores."""

    def test(facts: CaseFacts) -> bool:
        scores = scores_of(facts)
        return scores is not None and bool(holds(scores))

    return test


def _has_scores(hidden: HiddenSet) -> bool:
    return hidden.some(lambda facts: scores_of(facts) is not None)


def _is_ordinary(scores: Scores) -> bool:
    """Whether most rows of three keys or more spread their weight: none gets nine tenths."""
    rows = scores.allowed.sum(axis=-1) > 2
    if not rows.any():
        return False
    masked = scores.masked[rows]
    weights = np.exp(masked - masked.max(axis=-1, keepdims=True))
    largest = 1 / weights.sum(axis=-1)
    return float(np.mean(largest < 0.9)) > 0.5


def _spread(levels: Array, axis: int) -> float:
    """Return how far apart the finite levels along an axis lie at most."""
    finite = np.isfinite(levels)
    top = np.max(levels, axis=axis, initial=-np.inf, where=finite)
    bottom = np.min(levels, axis=axis, initial=np.inf, where=finite)
    both = np.isfinite(top) & np.isfinite(bottom)
    return float(np.max(top[both] - bottom[both], initial=0.0))


def _axis_of(facts: CaseFacts, role: str, scores: Scores) -> int | None:
    """Return the axis of the levels (..., T) on which a size lies: items come first, heads before the rows."""
    axes = scores.levels.ndim
    count = size(facts, role)
    axis = {"items": 0, "heads": axes - 2}[role]
    return axis if axes > 1 and 0 <= axis < axes - 1 and count and scores.levels.shape[axis] == count else None


def _parts_far_apart(role: str) -> Callable[[CaseFacts], bool]:
    def holds(facts: CaseFacts) -> bool:
        scores = scores_of(facts)
        axis = _axis_of(facts, role, scores) if scores else None
        return scores is not None and axis is not None and _spread(scores.levels, axis) > EXP_RANGE

    return holds


def _has_part(role: str) -> Callable[[HiddenSet], bool]:
    def on_axis(facts: CaseFacts) -> bool:
        scores = scores_of(facts)
        return scores is not None and _axis_of(facts, role, scores) is not None

    return lambda hidden: hidden.some(on_axis)


def _forbids(facts: CaseFacts) -> bool:
    scores = scores_of(facts)
    return scores is not None and scores.leads.size > 0


def _leads_by(low: float, high: float) -> Callable[[Scores], bool]:
    return lambda scores: bool(np.any((scores.leads >= low) & (scores.leads <= high)))


def _lead_rule(lead: str, low: float, high: float) -> Rule:
    """Return the rule that a forbidden key must lead by between `low` and `high`."""
    return Rule(
        f"forbidden-key-ahead-by-{lead}",
        f"there must be a case in which a forbidden key leads the allowed ones of its row by {lead}: late masks "
        "underflow, sentinels leak",
        f"add a case in which a forbidden key's score is {lead} above the rest",
        lambda hidden: hidden.some(_forbids),
        _of(_leads_by(low, high)),
        stages=("scores", "masked_scores"),
    )


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "scores-ordinary",
        "there must be a case whose softmax is not near one-hot: most rows share their weight among keys",
        "add a case with scores of order 1",
        _has_scores,
        _of(_is_ordinary),
        stages=("scores",),
    ),
    Rule(
        "scores-high",
        "there must be a case with rows in the thousands in which keys share the weight: exp needs the row's maximum, "
        "clipping makes ties",
        "add a case with scores of 3000 plus differences of order 1",
        _has_scores,
        _of(lambda scores: bool(np.any(scores.shared & (scores.levels > HIGH)))),
        stages=("scores",),
    ),
    Rule(
        "rows-far-apart",
        "there must be a case whose rows lie more than 745 apart, so that no common maximum serves them",
        "add a case with rows near 3000, 0 and -2000",
        _has_scores,
        _of(lambda scores: scores.levels.ndim > 0 and _spread(scores.levels, -1) > EXP_RANGE),
        stages=("scores",),
    ),
    Rule(
        "scores-far-below",
        "there must be a case with rows near -4e5 and differences of order 1: fills above them and maxima that start "
        "at 0 show",
        "add a case with scores of -4e5 plus differences of order 1",
        _has_scores,
        _of(
            lambda scores: bool(np.any(scores.shared & (scores.levels > FAR_BELOW[0]) & (scores.levels < FAR_BELOW[1])))
        ),
        stages=("scores",),
    ),
    Rule(
        "heads-far-apart",
        "there must be a case in which the scores of one head lie more than 745 above another's",
        "add a case with one head near 3000 and another near 0",
        _has_part("heads"),
        _parts_far_apart("heads"),
        stages=("scores",),
        concerns=lambda hidden: hidden.has("heads"),
    ),
    Rule(
        "items-far-apart",
        "there must be a case in which the scores of one item lie more than 745 above another's",
        "add a case with one item near 3000 and another near 0",
        _has_part("items"),
        _parts_far_apart("items"),
        stages=("scores",),
        concerns=lambda hidden: hidden.has("items"),
    ),
    _lead_rule("1200", LEAD, 1e4),
    _lead_rule("60000", 5.5e4, np.inf),
)
