"""Names the first wrong stage of an attention layer from one traced call; see `decide` for the order of reasoning.

Everything here follows from what the submission computed and returned on one case, compared with the reference's
stages on it. Where nothing follows, nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.seen import SeenStages
from grader.grading.stage_match import DOUBLE, ORDERS, Match, Pieces
from grader.grading.trace import Trace

STAGES: Final = ("queries", "keys", "values", "scores", "masked_scores", "weights", "mixed_values", "output")
MATRICES: Final = ("w_q", "w_k", "w_v", "w_o")
_FOLLOWS: Final = 1e-3  # rounding of single precision; another layer differs by far more
_LOW: Final = 700.0  # nats below a row's maximum: as good as minus infinity
_NEAR: Final = 1e-6
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layer:
    """A case of an attention layer as (item, head, query, ...) arrays: what is right, and what was returned."""

    stages: dict[
        str, Floats
    ]  # queries, keys (B,H,T,d), values, mixed_values (B,H,T,e), scores... (B,H,T,T), output (B,T,m)
    tokens: Floats  # (B, T, m)
    matrices: dict[str, Floats]  # w_q, w_k, w_v, w_o
    y: Floats | None  # returned, None where it has another shape
    weights: Floats | None

    @classmethod
    def of(cls, stages: dict[str, Any], arguments: dict[str, Any], returned: dict[str, Any]) -> Layer | None:
        """Make a layer of a case with or without axes of items and heads.

        None where the case is not of such a layer: its stages have other names, or do not follow from tokens x and one
        matrix each, as with shared key heads, rotated keys, biases or tokens of another source.
        """

        def lifted(array: Any, axes: int) -> Floats:
            lifted: Floats = np.asarray(array, np.float64)
            return lifted.reshape((1,) * (axes - lifted.ndim) + lifted.shape)

        if tuple(stages) != STAGES or not {"x", *MATRICES} <= set(arguments):
            return None
        full = {name: lifted(stages[name], 3 if name == "output" else 4) for name in STAGES}

        def fitting(name: str, right: Floats) -> Floats | None:
            array = returned.get(name)
            if array is None or array.dtype.kind != "f" or array.ndim > right.ndim:
                return None
            found = lifted(array, right.ndim)
            return found if found.shape == right.shape else None

        matrices = {name: np.asarray(arguments[name], np.float64) for name in MATRICES}
        y, weights = fitting("y", full["output"]), fitting("weights", full["weights"])
        layer = cls(full, lifted(arguments["x"], 3), matrices, y, weights)
        return layer if layer._follows() else None

    def _follows(self) -> bool:
        """Whether projections and output are those of the tokens and the matrices."""
        try:
            with np.errstate(all="ignore"):
                made = [self.tokens @ self.matrices[name] for name in MATRICES[:3]]
                pairs = list(zip(map(self.merged, map(self.stages.__getitem__, STAGES[:3])), made, strict=True))
                pairs.append((self.stages["output"], self.output_of(self.stages["weights"])))
        except ValueError:  # their shapes do not fit each other
            return False
        return all(
            right.shape == found.shape and np.allclose(right, found, _FOLLOWS, _FOLLOWS, equal_nan=True)
            for right, found in pairs
        )

    @cached_property
    def forbidden(self) -> npt.NDArray[np.bool_]:
        """(B,H,T,T), True where a key is hidden from a query."""
        return np.isneginf(self.stages["masked_scores"])

    def merged(self, heads: Floats) -> Floats:
        """Return (B,H,T,n) as (B,T,H*n)."""
        items, n_heads, tokens, width = heads.shape
        return heads.transpose(0, 2, 1, 3).reshape(items, tokens, n_heads * width)

    def output_of(self, weights: Floats) -> Floats:
        """Return what the rest of the layer makes of weights."""
        with np.errstate(all="ignore"):
            return self.merged(weights @ self.stages["values"]) @ self.matrices["w_o"]


def is_near(one: Floats | None, other: Floats) -> bool:
    """Whether two results are the same within what rounding explains."""
    if one is None or one.shape != other.shape or not np.isfinite(one).all():
        return False
    return bool(np.abs(one - other).max(initial=0.0) <= _NEAR * max(np.abs(other).max(initial=0.0), 1e-12))


def is_linear(inputs: Floats, outputs: Floats) -> bool:
    """Whether outputs are some matrix times inputs: with enough rows that is no accident."""
    rows = inputs.reshape(-1, inputs.shape[-1])
    wanted = outputs.reshape(-1, outputs.shape[-1])
    if len(rows) < rows.shape[1] + 3 or len(rows) != len(wanted) or not np.isfinite(wanted).all():
        return False
    matrix = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return float(np.abs(rows @ matrix - wanted).max()) <= 1e-7 * max(float(np.abs(wanted).max()), 1e-12)


class Seen(SeenStages):
    """Which stages of an attention layer a trace shows, and in which form."""

    def __init__(self, layer: Layer, trace: Trace, tolerance: tuple[float, float] = DOUBLE) -> None:
        super().__init__(trace, layer.stages, {"x": layer.tokens, **layer.matrices}, tolerance)
        self.layer = layer

    @cached_property
    def matches(self) -> dict[str, Match]:
        """Of each stage how it was found."""
        stages = self.layer.stages
        n_heads, width = stages["queries"].shape[1], stages["queries"].shape[3]
        heads = (1, 3) if n_heads > 1 else None
        roots = (1.0, width**-0.5, width**-0.25)
        find = self.observed.match
        found = {
            "queries": find(stages["queries"], roots, heads, (2,)),
            "keys": find(stages["keys"], roots, heads, (2,)),
            "values": find(stages["values"], (1.0,), heads, (2,)),
            "scores": find(stages["scores"], tokens=(2, 3)),
            "weights": find(stages["weights"], tokens=(2, 3)),
            "mixed_values": find(stages["mixed_values"], (1.0,), heads, (2,)),
            "output": find(stages["output"], tokens=(1,)),
        }
        if not found["scores"].is_right and self.allowed_scores.form == "whole":
            found["scores"] = Match("whole", tuple(self.allowed_scores.used))
        found["masked_scores"] = self._masked_match()
        return found

    def _masked_match(self) -> Match:
        exponentials = np.exp(self._shifted)
        if masked := (self._masked() or self.observed.whole(exponentials)):
            return Match("whole", tuple(masked))
        if self.allowed_scores.form == "whole" and self.layer.forbidden.any():
            return Match("whole", tuple(self.allowed_scores.used))
        return self.observed.match(exponentials, tokens=(2, 3))

    @cached_property
    def allowed_scores(self) -> Pieces:
        """The scores of allowed keys as they are found in rows and parts that hold no other ones."""
        target = np.where(self.layer.forbidden, np.nan, self.layer.stages["scores"])
        return Pieces(self.observed, target, None, (2, 3), zeros=False)

    @cached_property
    def _shifted(self) -> Floats:
        masked = self.layer.stages["masked_scores"]
        shifted: Floats = masked - masked.max(axis=-1, keepdims=True)
        return shifted

    def _masked(self) -> list[int]:
        """Return the arrays that are the scores with hidden keys far below, up to a constant for each row."""
        scores, forbidden = self.layer.stages["scores"], self.layer.forbidden
        if not forbidden.any():
            return []
        return [
            number
            for number in self.observed.of_size(scores.size)
            if self.observed.spend(ORDERS * scores.size)
            and any(
                _is_masked(view, scores, forbidden) for view in views_like(self.observed.arrays[number], scores.shape)
            )
        ]

    @property
    def is_blank(self) -> bool:
        """Whether no projection's matrix is used and no stage is there; tokens may be used for their shape alone."""
        return not any(map(self.uses, self.layer.matrices)) and not any(map(self.has, self.layer.stages))

    def has_any(self, target: Floats, *factors: float) -> bool:
        """Whether something else is there: a product, a transposed matrix."""
        return bool(self.observed.whole(target, factors or (1.0,)))

    def uses(self, matrix: str) -> bool:
        """Whether a projection's matrix, or a part of it, is an operand of anything; a copy is no use of it."""
        wanted = self.layer.matrices[matrix]
        numbers = set(self.observed.of_size(wanted.size)) | set(self.observed.match(wanted).arrays)
        parts = {number for number in numbers if self._is_part(number, wanted)}
        return any(
            event.kind == "raised" or (event.result >= 0 and not self._is_part(event.result, wanted))
            for event in self.trace.events
            if not parts.isdisjoint(event.operands)
        )

    def _is_part(self, number: int, wanted: Floats) -> bool:
        array = self.observed.arrays[number]
        return array.size <= wanted.size and bool(np.isin(array, wanted).all())


def views_like(array: Floats, shape: tuple[int, ...]) -> list[Floats]:
    """Return an array with its axes in every order that gives a shape, axes of length 1 aside."""
    own = [axis for axis, extent in enumerate(array.shape) if extent != 1]
    wanted = [extent for extent in shape if extent != 1]
    squeezed = array.reshape([array.shape[axis] for axis in own])
    if sorted(squeezed.shape) != sorted(wanted):
        return [array.reshape(shape)] if array.size == int(np.prod(shape)) and array.ndim < len(wanted) else []
    orders = (order for order in permutations(range(squeezed.ndim)) if [squeezed.shape[a] for a in order] == wanted)
    return [squeezed.transpose(order).reshape(shape) for order in orders]


def _is_masked(view: Floats, scores: Floats, forbidden: npt.NDArray[np.bool_]) -> bool:
    with np.errstate(all="ignore"):
        allowed = view - scores
        level = np.max(np.where(forbidden, -np.inf, allowed), axis=-1, keepdims=True)
        bound = 1e-9 * (np.abs(scores) + np.abs(np.nan_to_num(view, posinf=0.0, neginf=0.0)) + 1.0)
        is_constant = (np.abs(allowed - level) <= bound) | forbidden
        top = np.max(np.where(forbidden, -np.inf, view), axis=-1, keepdims=True)
        is_low = ~forbidden | (view <= top - _LOW) | np.isnan(view)
    return bool(is_constant.all() and is_low.all())
