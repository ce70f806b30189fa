"""One causal head in NumPy, step by step, as the contract says or with one step changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.attention.changes import Changes
from grader.attention.figures import shape_text
from grader.attention.inputs import FloatArray, Inputs

_HUGE: Final = 1e200


@dataclass(frozen=True)
class Stage:
    """One object of the audit."""

    name: str
    symbol: str
    formula: str  # as a terminal shows it
    tex: str
    shape: str
    meaning: str


STAGES: Final = (
    Stage("queries", "Q", "Q = X W_Q", r"Q = X W_Q", "(T, d_k)", "what each token asks for"),
    Stage("keys", "K", "K = X W_K", r"K = X W_K", "(T, d_k)", "what each token can be found by"),
    Stage("values", "V", "V = X W_V", r"V = X W_V", "(T, d_v)", "what each token hands on"),
    Stage(
        "scores",
        "S",
        "S = Q K^T / sqrt(d_k)",
        r"S = \frac{Q K^\top}{\sqrt{d_k}}",
        "(T, T)",
        "row: query, column: key; how well they match",
    ),
    Stage("masked_scores", "S+M", "S + M", r"S + M", "(T, T)", "minus infinity where a key lies in the future"),
    Stage(
        "weights",
        "A",
        "A = softmax(S + M)",
        r"A = \mathrm{softmax}(S + M)",
        "(T, T)",
        "each row shares out a total of 1 among the keys that the query may read",
    ),
    Stage("mixed_values", "H", "H = A V", r"H = A V", "(T, d_v)", "each query's weighted sum of values"),
    Stage("output", "Y", "Y = H W_O", r"Y = H W_O", "(T, d_model)", "led back to the width of the model"),
)


@dataclass(frozen=True, eq=False)
class Trace:
    """The intermediates of one head in audit order; None from the first that cannot be computed on.

    T tokens (queries and keys alike), d_model model width, d_k key size, d_v value size. The shapes are those of a
    sound head; a changed one may have others.
    """

    inputs: Inputs
    queries: FloatArray | None = None  # (T, d_k)
    keys: FloatArray | None = None  # (T, d_k)
    values: FloatArray | None = None  # (T, d_v)
    scores: FloatArray | None = None  # (T, T)  query by key
    masked_scores: FloatArray | None = None  # (T, T)  -inf where the key is later than the query
    weights: FloatArray | None = None  # (T, T)  each row a distribution over keys
    mixed_values: FloatArray | None = None  # (T, d_v)
    output: FloatArray | None = None  # (T, d_model)
    stopped_at: str | None = None  # the stage whose product does not exist
    obstacle: str = ""  # why

    def value(self, stage: str) -> FloatArray | None:
        """Return an intermediate by the name of its stage."""
        found: FloatArray | None = getattr(self, stage)
        return found


class _NoProduct(Exception):
    """Two matrices do not fit each other."""


Step = Callable[[Trace], FloatArray]


def trace(inputs: Inputs, changes: Changes | None = None) -> Trace:
    """Compute every intermediate of one head; infinities and shapes that do not fit are results here, not errors.

    Args:
        inputs: the matrices, of any shapes.
        changes: what to compute otherwise; None for a sound head.
    Source:
        Vaswani et al. 2017, arXiv:1706.03762, equation 1, with a causal mask and one head.
    """
    changes = changes or Changes()
    so_far = Trace(changed_inputs(inputs, changes))
    steps = {**SOUND, **_changed_steps(changes)}
    for stage in STAGES:
        try:
            found: dict[str, Any] = {stage.name: quietly(steps[stage.name], so_far)}
            so_far = replace(so_far, **found)
        except _NoProduct as obstacle:
            return replace(so_far, stopped_at=stage.name, obstacle=str(obstacle))
    return so_far


def follow(so_far: Trace, stage: str) -> FloatArray | None:
    """Return what a sound head makes of the stages before, None where it can make nothing of them."""
    try:
        return quietly(SOUND[stage], so_far)
    except _NoProduct:
        return None


def quietly(step: Step, so_far: Trace) -> FloatArray:
    """Take a step; overflow and 0/0 are what the lesson is about, so NumPy need not warn of them."""
    with np.errstate(all="ignore"):
        return step(so_far)


def _need(matrix: FloatArray | None) -> FloatArray:
    if matrix is None:
        raise _NoProduct("a factor is missing")
    return matrix


def _product(left: FloatArray | None, right: FloatArray | None, names: tuple[str, str]) -> FloatArray:
    left, right = _need(left), _need(right)
    if left.shape[1] != right.shape[0]:
        raise _NoProduct(
            f"{names[0]} {shape_text(left.shape)} times {names[1]} {shape_text(right.shape)} has no product"
        )
    return left @ right


def _scores(so_far: Trace, divisor: float | None = None) -> FloatArray:
    keys = _need(so_far.keys)
    return _product(so_far.queries, keys.T, ("Q", "K^T")) / (np.sqrt(keys.shape[1]) if divisor is None else divisor)


def _scores_of_features(so_far: Trace, divisor: float | None = None) -> FloatArray:
    queries, keys = _need(so_far.queries), _need(so_far.keys)
    return _product(queries.T, keys, ("Q^T", "K")) / (np.sqrt(keys.shape[1]) if divisor is None else divisor)


def readable(scores: FloatArray, *, itself: bool = True) -> NDArray[np.bool_]:
    """Return where query i (row) may read key j (column): its own and earlier ones.

    Scores of a wrong shape are held against their own diagonal.
    """
    return np.tri(len(scores), scores.shape[1], 0 if itself else -1, dtype=np.bool_)


def _masked(so_far: Trace, *, itself: bool = True) -> FloatArray:
    scores = _need(so_far.scores)
    return np.where(readable(scores, itself=itself), scores, -np.inf)


def _softmax(scores: FloatArray, axis: int = 1, *, stable: bool = True) -> FloatArray:
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True) if stable else scores)
    shares: FloatArray = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return shares


SOUND: Final[Mapping[str, Step]] = {
    "queries": lambda so_far: _product(so_far.inputs.x, so_far.inputs.w_q, ("X", "W_Q")),
    "keys": lambda so_far: _product(so_far.inputs.x, so_far.inputs.w_k, ("X", "W_K")),
    "values": lambda so_far: _product(so_far.inputs.x, so_far.inputs.w_v, ("X", "W_V")),
    "scores": _scores,
    "masked_scores": _masked,
    "weights": lambda so_far: _softmax(_need(so_far.masked_scores)),
    "mixed_values": lambda so_far: _product(so_far.weights, so_far.values, ("A", "V")),
    "output": lambda so_far: _product(so_far.mixed_values, so_far.inputs.w_o, ("H", "W_O")),
}


def _changed_steps(changes: Changes) -> dict[str, Step]:
    """Return the steps that differ from the sound ones."""
    steps: dict[str, Step] = {}
    if changes.axes != "query_by_key" or changes.scale != "sqrt_key_size":
        scores = _scores if changes.axes == "query_by_key" else _scores_of_features
        steps["scores"] = lambda so_far: scores(so_far, _divisor(so_far.inputs, changes.scale))
    if changes.mask == "strict":
        steps["masked_scores"] = lambda so_far: _masked(so_far, itself=False)
    elif changes.mask in ("late", "omitted"):
        steps["masked_scores"] = lambda so_far: _need(so_far.scores).copy()
    if changes.softmax_axis != "keys" or changes.softmax != "stable" or changes.mask == "late":
        steps["weights"] = lambda so_far: _changed_weights(so_far, changes)
    if changes.projection == "missing":
        steps["output"] = lambda so_far: _need(so_far.mixed_values).copy()
    elif changes.projection == "reversed":
        steps["output"] = lambda so_far: _product(so_far.mixed_values, so_far.inputs.w_o.T, ("H", "W_O^T"))
    return steps


def _divisor(inputs: Inputs, scale: str) -> float | None:
    width, size = inputs.w_k.shape
    return {"none": 1.0, "key_size": float(size), "sqrt_model_width": float(np.sqrt(width))}.get(scale)


def _changed_weights(so_far: Trace, changes: Changes) -> FloatArray:
    axis = 1 if changes.softmax_axis == "keys" else 0
    weights = _softmax(_need(so_far.masked_scores), axis, stable=changes.softmax == "stable")
    return np.where(readable(weights), weights, 0.0) if changes.mask == "late" else weights


def changed_inputs(inputs: Inputs, changes: Changes) -> Inputs:
    """Return the matrices that a changed head gets."""
    matrices = inputs.named()
    for name, change in _SIZES.get(changes.sizes, {}).items():
        matrices[name] = quietly_of(change, matrices[name])
    x = matrices["x"]
    if changes.inputs in ("thousandfold", "huge"):
        x = quietly_of(lambda tokens: tokens * (1000.0 if changes.inputs == "thousandfold" else _HUGE), x)
    elif changes.inputs in ("infinite", "not_a_number"):
        x = x.copy()
        x[-1, 0] = np.inf if changes.inputs == "infinite" else np.nan
    return Inputs(**{**matrices, "x": x})


def quietly_of(change: Callable[[FloatArray], FloatArray], matrix: FloatArray) -> FloatArray:
    """Change a matrix without a warning."""
    with np.errstate(all="ignore"):
        return change(matrix)


def _with_column(matrix: FloatArray) -> FloatArray:
    return np.hstack([matrix, matrix.sum(axis=1, keepdims=True)])


def _with_row(matrix: FloatArray) -> FloatArray:
    return np.vstack([matrix, np.ones(matrix.shape[1])])


def _with_feature(matrix: FloatArray) -> FloatArray:
    """Return a projection for tokens whose last feature is the sum of the others: it gives the same as before."""
    return np.vstack([matrix - 1.0, np.ones(matrix.shape[1])])


_SIZES: Final[Mapping[str, Mapping[str, Callable[[FloatArray], FloatArray]]]] = {
    "wider_model": {
        "x": _with_column,
        "w_q": _with_feature,
        "w_k": _with_feature,
        "w_v": _with_feature,
        "w_o": _with_column,
    },
    "x_too_wide": {"x": _with_column},
    "w_k_too_wide": {"w_k": _with_column},
    "w_o_too_tall": {"w_o": _with_row},
}
