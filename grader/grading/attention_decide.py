"""The order of reasoning by which a traced attention layer's first wrong stage is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from grader.grading.attention_invariants import behind_weights
from grader.grading.attention_trace import STAGES, Seen, is_linear, is_near, views_like

BOARDS_MAX: Final = 60  # arrays of the scores' size that are compared with each other
Floats = npt.NDArray[np.float64]
# which stage is computed from which arrays: where a step raised, what it used tells
_CONSUMERS: Final = (
    ({"weights", "values"}, "mixed_values"),
    ({"mixed_values"}, "output"),
    ({"w_o"}, "output"),
    ({"weights"}, "mixed_values"),
    ({"masked_scores"}, "weights"),
    ({"scores"}, "masked_scores"),
    ({"queries"}, "scores"),
    ({"keys"}, "scores"),
    ({"w_q"}, "queries"),
    ({"w_k"}, "keys"),
    ({"w_v"}, "values"),
    ({"values"}, "mixed_values"),
)


def decide(seen: Seen) -> str | None:
    """Return the first wrong stage of a traced call, None where nothing can be told.

    A step that raised tells by its operands. Otherwise the returned pair halves the search: where the output follows
    from the returned weights, the fault lies at or before them; where the weights are right, it lies behind them.
    """
    layer = seen.layer
    if seen.trace.has_raised:
        return _raised(seen)
    weights_right = is_near(layer.weights, layer.stages["weights"])
    output_right = is_near(layer.y, layer.stages["output"])
    if weights_right:
        only_zeros = output_right and layer.weights is not None and bool(layer.weights[layer.forbidden].any())
        return "masked_scores" if only_zeros else None if output_right else _after_weights(seen)
    if seen.has("weights", "output") and not output_right:
        return None  # all is computed as it should be, and something else is returned
    is_blind = not layer.stages["output"].any()  # an output of zeros follows from any weights
    if seen.has("weights") or (output_right and not is_blind):
        return "weights"  # right once, and something else was returned
    follows = layer.weights is not None and is_near(layer.y, layer.output_of(layer.weights))
    if not follows and _are_values_wrong(seen):
        return _earlier(_upstream(seen), "values")
    return _upstream(seen)


def _are_values_wrong(seen: Seen) -> bool:
    """Whether the output, undone through the weights that were returned, comes from values that are others."""
    layer = seen.layer
    if seen.matches["values"].form == "scrambled" or not seen.uses("w_v"):
        return True
    if seen.has("values") and not _is_consumed_altered(seen, "values", "weights"):
        return False
    if layer.y is None or layer.weights is None:
        return False
    return behind_weights(layer, layer.y, layer.weights) == "values"


def _is_consumed_altered(seen: Seen, stage: str, partner: str) -> bool:
    """Whether something else of a stage's size than the stage meets its partner, although the stage was there."""
    right, size = set(seen.matches[stage].arrays), seen.layer.stages[stage].size
    partners = set(seen.matches[partner].arrays)
    met = [
        set(event.operands)
        for event in seen.trace.events
        if event.kind in ("bin", "call") and partners & set(event.operands)
    ]
    others = {n for used in met for n in used - partners - right if seen.observed.arrays[n].size == size}
    return bool(others) and not any(used & right for used in met)


def _earlier(stage: str | None, other: str) -> str:
    return other if stage is None else min(stage, other, key=STAGES.index)


def _raised(seen: Seen) -> str | None:
    """Return the stage that the failing step was to compute, by what it used."""
    events = [event for event in seen.trace.events if event.kind == "raised"]
    if not events:
        return None
    used = set(events[0].operands)
    names = {stage for stage, match in seen.matches.items() if used & set(match.arrays)}
    for name, matrix in seen.layer.matrices.items():
        names |= {name} if used & set(seen.observed.whole(matrix)) else set()
    return next((stage for wanted, stage in _CONSUMERS if wanted <= names), None)


def _after_weights(seen: Seen) -> str:
    """The weights are right and the output is not: the values, the mixing, or the projection behind them."""
    layer = seen.layer
    if seen.has("mixed_values") or seen.matches["mixed_values"].form == "pre":
        return "output"
    if layer.y is not None and is_linear(layer.merged(layer.stages["mixed_values"]), layer.y):
        return "output"
    if seen.matches["values"].form == "scrambled" or not seen.uses("w_v"):
        return "values"
    if not seen.has("values"):
        return "values"
    return "values" if _is_consumed_altered(seen, "values", "weights") else "mixed_values"


def _upstream(seen: Seen) -> str | None:
    """The fault lies at or before the weights."""
    if seen.has("weights") or seen.has("masked_scores"):
        return "weights"
    if seen.has("scores"):
        return "scores" if _is_key_by_query(seen) or _is_altered(seen) else "masked_scores"
    for stage, matrix in (("queries", "w_q"), ("keys", "w_k")):
        if seen.matches[stage].form == "scrambled" or not seen.uses(matrix):
            return stage
    by_product = _by_product(seen)
    if by_product is not None:
        return by_product
    if seen.has("queries", "keys"):
        if _are_keys_left_out(seen):
            return "masked_scores"
        return _altered_before_product(seen) or "scores"
    if seen.has("queries"):
        return "keys"
    if seen.has("keys"):
        return "queries"
    return None


def _is_key_by_query(seen: Seen) -> bool:
    """Whether the scores are there turned only, and are normalised as if they were not."""
    layer = seen.layer
    scores = layer.stages["scores"]
    arrays = [seen.observed.arrays[number] for number in seen.matches["scores"].arrays]
    boards = [array.reshape(scores.shape) for array in arrays if array.size == scores.size]
    if len(boards) < len(arrays) or any(_is_close(board, scores) for board in boards) or layer.weights is None:
        return False
    return bool(np.allclose(layer.weights.sum(axis=-1), 1.0))


def _is_altered(seen: Seen) -> bool:
    """Whether what was masked is not the scores any more: they were changed after they had been right."""
    layer = seen.layer
    shape, forbidden = layer.stages["scores"].shape, layer.forbidden
    others = [n for n in seen.observed.of_size(layer.stages["scores"].size) if n not in seen.matches["scores"].arrays]
    views = [view for number in others[:BOARDS_MAX] for view in views_like(seen.observed.arrays[number], shape)]
    right = layer.stages["scores"][~forbidden]
    open_ones = [view for view in views if np.isfinite(view).all()]
    for view in views:
        allowed = view[~forbidden]
        if not _is_hidden(view, forbidden) or not np.isfinite(allowed).all() or _is_close(allowed, right):
            continue
        if any(_is_close(other[~forbidden], allowed) and other is not view for other in open_ones):
            return True
    return False


def _is_hidden(view: Floats, forbidden: npt.NDArray[np.bool_]) -> bool:
    if not forbidden.any():
        return False
    highest = np.max(view[forbidden])
    return bool(np.isneginf(highest) or highest < np.min(view[~forbidden]) - 700)


def _is_close(one: Floats, other: Floats) -> bool:
    return bool(np.allclose(one, other, rtol=1e-7, atol=1e-10 * max(float(np.abs(other).max(initial=0)), 1e-12)))


def _by_product(seen: Seen) -> str | None:
    """Name the stage by a product that was formed in place of queries times keys."""
    stages = seen.layer.stages
    queries, keys, values = stages["queries"], stages["keys"], stages["values"]
    root = queries.shape[-1] ** -0.5
    products: list[tuple[str, Callable[[], Floats]]] = [
        ("scores", lambda: queries @ keys.swapaxes(-1, -2)),
        ("queries", lambda: keys @ keys.swapaxes(-1, -2)),
        ("keys", lambda: queries @ queries.swapaxes(-1, -2)),
    ]
    if values.shape == queries.shape:
        products += [
            ("keys", lambda: queries @ values.swapaxes(-1, -2)),
            ("queries", lambda: values @ keys.swapaxes(-1, -2)),
        ]
    for stage, product in products:
        if seen.has_any(product(), 1.0, root):
            return stage
    return None


def _are_keys_left_out(seen: Seen) -> bool:
    """Whether some scores are there and those of certain pairs of query and key are not, in any head and item."""
    allowed = ~seen.layer.forbidden
    found = seen.allowed_scores.covered & allowed
    somewhere, everywhere = found.any(axis=(0, 1)), (found | ~allowed).all(axis=(0, 1))
    pairs = allowed.any(axis=(0, 1))
    return bool((somewhere & pairs).any() and (~somewhere & pairs).any() and (somewhere <= everywhere)[pairs].all())


def _altered_before_product(seen: Seen) -> str | None:
    """Return queries or keys where one of them meets something else than the other, though both were there."""
    for stage, partner in (("queries", "keys"), ("keys", "queries")):
        if _is_consumed_altered(seen, stage, partner):
            return stage
    return None
