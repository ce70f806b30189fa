"""The order of reasoning by which a traced attention layer's first wrong stage is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from grader.grading.attention_invariants import behind_weights
from grader.grading.attention_trace import STAGES, Seen, is_linear, is_near, views_like
from grader.grading.stand_ins import StandIns

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


def decide(seen: Seen, stand_ins: StandIns) -> str | None:
    """Return the first wrong stage of a traced call, None where nothing can be told.

    A step that raised tells by its operands. Otherwise the returned pair halves the search: where the output follows
    from the returned weights, the fault lies at or before them; where the weights are right, it lies behind them. A
    stage that nothing stands for was never computed: then the next one has its turn.
    """
    layer = seen.layer
    if seen.trace.has_raised:
        return _raised(seen)
    weights_right = is_near(layer.weights, layer.stages["weights"])
    output_right = is_near(layer.y, layer.stages["output"])
    if weights_right:
        only_zeros = output_right and layer.weights is not None and bool(layer.weights[layer.forbidden].any())
        return "masked_scores" if only_zeros else None if output_right else _after_weights(seen, stand_ins)
    is_blind = not layer.stages["output"].any()  # an output of zeros follows from any weights
    if seen.has("weights") or (output_right and not is_blind):
        return "weights"  # right once, and something else was returned
    follows = layer.weights is not None and is_near(layer.y, layer.output_of(layer.weights))
    if not follows and _are_values_wrong(seen, stand_ins):
        return _earlier(_upstream(seen, stand_ins), "values")
    return _upstream(seen, stand_ins)


def _are_values_wrong(seen: Seen, stand_ins: StandIns) -> bool:
    """Whether the output, undone through the weights that were returned, comes from values that are others."""
    layer = seen.layer
    if _is_scrambled_or_bare(seen, stand_ins, "values", "w_v"):
        return True
    if seen.has("values") and not _is_consumed_altered(seen, "values", "weights"):
        return False
    if layer.y is None or layer.weights is None:
        return False
    return behind_weights(layer, layer.y, layer.weights) == "values"


def _is_scrambled_or_bare(seen: Seen, stand_ins: StandIns, stage: str, matrix: str) -> bool:
    """Whether a projection's numbers are in a wrong order, or something is taken for it without its matrix."""
    return seen.matches[stage].form == "scrambled" or (not seen.uses(matrix) and stand_ins.has(stage))


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


def _after_weights(seen: Seen, stand_ins: StandIns) -> str:
    """The weights are right and the output is not: the values, the mixing, or the projection behind them."""
    layer = seen.layer
    if seen.has("mixed_values") or seen.matches["mixed_values"].form == "pre":
        return "output"
    if layer.y is not None and is_linear(layer.merged(layer.stages["mixed_values"]), layer.y):
        return "output"
    if _is_scrambled_or_bare(seen, stand_ins, "values", "w_v"):
        return "values"
    if not seen.has("values"):
        return next((stage for stage in ("values", "mixed_values") if stand_ins.has(stage)), "output")
    return "values" if _is_consumed_altered(seen, "values", "weights") else "mixed_values"


def _upstream(seen: Seen, stand_ins: StandIns) -> str | None:
    """The fault lies at or before the weights."""
    if seen.has("weights") or seen.has("masked_scores"):
        return "weights"
    if seen.has("scores"):
        if _is_key_by_query(seen) or _is_altered(seen):
            return "scores"
        if stand_ins.has("masked_scores") or _is_made_anew(seen):
            return "masked_scores"
        return "weights" if stand_ins.has("weights") else None
    for stage, matrix in (("queries", "w_q"), ("keys", "w_k")):
        if _is_scrambled_or_bare(seen, stand_ins, stage, matrix):
            return stage
    by_product = _by_product(seen)
    if by_product is not None:
        return by_product
    if seen.has("queries", "keys"):
        if _are_keys_left_out(seen):
            return "masked_scores"
        if altered := _altered_before_product(seen):
            return altered
    return _first_stood_for(seen, stand_ins)


def _first_stood_for(seen: Seen, stand_ins: StandIns) -> str | None:
    """Return the first stage up to the weights that something stands for; None where both projections are unclear."""
    if _meet_unsplit(seen):
        return "queries"
    unseen = [stage for stage in ("queries", "keys") if not seen.has(stage) and stand_ins.has(stage)]
    if unseen:
        return unseen[0] if seen.has("queries") or seen.has("keys") else None
    return next((stage for stage in ("scores", "masked_scores", "weights") if stand_ins.has(stage)), None)


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
    forbidden, views = seen.layer.forbidden, _other_boards(seen)
    right = seen.layer.stages["scores"][~forbidden]
    open_ones = [view for view in views if np.isfinite(view).all()]
    for view in views:
        allowed = view[~forbidden]
        if not _is_hidden(view, forbidden) or not np.isfinite(allowed).all() or _is_close(allowed, right):
            continue
        if any(_is_close(other[~forbidden], allowed) and other is not view for other in open_ones):
            return True
    return False


def _is_made_anew(seen: Seen) -> bool:
    """Whether scores that are right where keys are allowed were computed beside the right ones."""
    allowed = ~seen.layer.forbidden
    right = seen.layer.stages["scores"][allowed]
    return any(_is_close(view[allowed], right) for view in _other_boards(seen))


def _other_boards(seen: Seen) -> list[Floats]:
    """Return the arrays of the scores' size that are not the scores."""
    scores, found = seen.layer.stages["scores"], seen.matches["scores"].arrays
    others = [number for number in seen.observed.of_size(scores.size) if number not in found]
    return [view for number in others[:BOARDS_MAX] for view in views_like(seen.observed.arrays[number], scores.shape)]


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


def _meet_unsplit(seen: Seen) -> bool:
    """Whether queries and keys are right up to their heads, and meet before they are split."""
    queries, keys = seen.matches["queries"], seen.matches["keys"]
    return queries.form == keys.form == "pre" and any(
        set(queries.arrays) & set(event.operands) and set(keys.arrays) & set(event.operands)
        for event in seen.trace.events
    )


def _altered_before_product(seen: Seen) -> str | None:
    """Return queries or keys where one of them meets something else than the other, though both were there."""
    for stage, partner in (("queries", "keys"), ("keys", "queries")):
        if _is_consumed_altered(seen, stage, partner):
            return stage
    return None
