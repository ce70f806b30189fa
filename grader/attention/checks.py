"""What is checked at each arrow of the audit: shape first, then finiteness, then meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from grader.attention.figures import figure, figures, shape_text
from grader.attention.inputs import H_LAST, NAMES, WORKED, Y_LAST, FloatArray, Inputs
from grader.attention.trace import Trace, follow, readable
from grader.wording import part_of

ROW_SUM_TOLERANCE: Final = 1e-6
_RTOL: Final = 1e-9  # a product taken again may be rounded otherwise
_HALF_DIGIT: Final = 0.0005  # the stated rows have three decimals
SYMBOLS: Final[Mapping[str, str]] = {"x": "X", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O"}


@dataclass(frozen=True)
class Check:
    """One demand on one object, and the numbers that decide it."""

    name: str
    demand: str
    holds: bool
    evidence: str
    numbers: tuple[float, ...] = ()


def agree(one: FloatArray | None, other: FloatArray | None) -> bool:
    """Whether two objects are the same within rounding; NaN and infinities must stand in the same places."""
    if one is None or other is None or one.shape != other.shape:
        return False
    size = np.abs(other[np.isfinite(other)]).max(initial=0.0)
    return bool(np.allclose(one, other, rtol=_RTOL, atol=_RTOL * 1e-3 * size, equal_nan=True))


def contract_of(inputs: Inputs) -> dict[str, tuple[int, int]]:
    """Return the shape that the contract gives each matrix, with the sizes that most of them speak for."""
    named = inputs.named()
    widths = [named["x"].shape[1], *(named[name].shape[0] for name in ("w_q", "w_k", "w_v")), named["w_o"].shape[1]]
    width = max(widths, key=widths.count)
    key_size, value_size = named["w_q"].shape[1], named["w_v"].shape[1]
    return {
        "x": (len(named["x"]), width),
        "w_q": (width, key_size),
        "w_k": (width, key_size),
        "w_v": (width, value_size),
        "w_o": (value_size, width),
    }


def checks_of_inputs(traced: Trace) -> tuple[Check, ...]:
    """Return what the contract demands of the matrices before anything is computed."""
    named, contract = traced.inputs.named(), contract_of(traced.inputs)
    shapes = {name: named[name].shape for name in NAMES}
    apart = [
        f"{SYMBOLS[name]} is {shape_text(shape)} instead of {shape_text(contract[name])}"
        for name, shape in shapes.items()
        if shape != contract[name]
    ]
    fitting = ", ".join(f"{SYMBOLS[name]} {shape_text(shape)}" for name, shape in shapes.items())
    sizes = tuple(float(size) for shape in shapes.values() for size in shape)
    bad = {SYMBOLS[name]: int((~np.isfinite(matrix)).sum()) for name, matrix in named.items()}
    found = ", ".join(f"{count} in {symbol}" for symbol, count in bad.items() if count)
    return (
        Check("contract", "the matrices fit each other", not apart, ", ".join(apart) or fitting, sizes),
        Check(
            "finite",
            "every number is finite",
            not found,
            f"not finite: {found}" if found else "all are",
            (float(sum(bad.values())),),
        ),
    )


def checks_of(traced: Trace, stage: str) -> tuple[Check, ...]:
    """Return the checks of one stage, none where it was never reached."""
    value = traced.value(stage)
    if value is None:
        if traced.stopped_at != stage:
            return ()
        return (Check("product", "the two factors fit each other", False, traced.obstacle),)
    found = [_shape(traced, stage, value), _finite(stage, value)]
    found += _MEANING.get(stage, _nothing)(traced, value)
    return tuple(found)


def expected_shape(traced: Trace, stage: str) -> tuple[int, int]:
    """Return the shape that the contract gives a stage for these inputs."""
    contract = contract_of(traced.inputs)
    tokens, width = contract["x"]
    widths = {
        "queries": contract["w_q"][1],
        "keys": contract["w_k"][1],
        "values": contract["w_v"][1],
        "mixed_values": contract["w_v"][1],
        "output": width,
    }
    return tokens, widths.get(stage, tokens)


_SHAPE_DEMANDS: Final[Mapping[str, str]] = {
    "queries": "shape (T, d_k)",
    "keys": "shape (T, d_k)",
    "values": "shape (T, d_v)",
    "scores": "shape (T, T), query by key",
    "masked_scores": "shape (T, T)",
    "weights": "shape (T, T)",
    "mixed_values": "shape (T, d_v)",
    "output": "shape (T, d_model): the output is as wide as the model",
}


def _shape(traced: Trace, stage: str, value: FloatArray) -> Check:
    expected = expected_shape(traced, stage)
    demand = _SHAPE_DEMANDS[stage]
    holds = value.shape == expected
    evidence = shape_text(value.shape) if holds else f"{shape_text(value.shape)} instead of {shape_text(expected)}"
    return Check("shape", demand, holds, evidence, tuple(map(float, value.shape)))


def _finite(stage: str, value: FloatArray) -> Check:
    bad = ~np.isfinite(value)
    if stage == "masked_scores":
        bad &= ~np.isneginf(value)
    demand = "finite apart from minus infinity" if stage == "masked_scores" else "every number is finite"
    if not bad.any():
        return Check("finite", demand, True, "all are", (0.0,))
    row, column = (int(index) + 1 for index in np.argwhere(bad)[0])
    first = f"the first is {value[row - 1, column - 1]} at ({row}, {column})"
    evidence = f"{part_of(int(bad.sum()), bad.size, 'is')} not, {first}"
    return Check("finite", demand, False, evidence, (float(bad.sum()), float(row), float(column)))


def _nothing(traced: Trace, value: FloatArray) -> Iterator[Check]:
    return iter(())


def _by_hand(stage: str, demand: str, recipe: str) -> Callable[[Trace, FloatArray], Iterator[Check]]:
    """Return a check that computes the stage again from the ones before, and shows one entry of it.

    Args:
        recipe: how an entry is computed; {i} is its row, {j} its column, {d} the key size.
    """

    def check(traced: Trace, value: FloatArray) -> Iterator[Check]:
        again = follow(traced, stage)
        if again is None or again.shape != value.shape:
            return  # the shape has said it
        holds = agree(value, again)
        i, j = _telling_entry(value, again, holds)
        size = int(traced.inputs.w_k.shape[1])
        text = f"{recipe.format(i=i + 1, j=j + 1, d=size)} = {figure(again[i, j])}"
        evidence = text if holds else f"{text}, but the trace has {figure(value[i, j])}"
        yield Check("by_hand", demand, holds, evidence, (i + 1.0, j + 1.0, float(again[i, j]), float(value[i, j])))

    return check


def _telling_entry(value: FloatArray, again: FloatArray, holds: bool) -> tuple[int, int]:
    """Return the last row's largest entry, or, where the two disagree, the place where they do most."""
    with np.errstate(all="ignore"):
        apart = np.abs(value - again) if not holds else np.abs(again)
    apart = np.where(np.isnan(apart), -1.0, apart)
    if holds:
        return len(value) - 1, int(np.argmax(apart[-1]))
    row, column = np.unravel_index(int(np.argmax(apart)), apart.shape)
    return int(row), int(column)


def _masked(traced: Trace, value: FloatArray) -> Iterator[Check]:
    """Yield what the mask must have done."""
    future = ~readable(value)
    left = int((~np.isneginf(value) & future).sum())
    total = int(future.sum())
    evidence = f"{part_of(left, total, 'is')} not" if left else _all(total)
    yield Check(
        "future_hidden", "scores of later keys are minus infinity", left == 0, evidence, (float(left), float(total))
    )
    counts = (~np.isneginf(value)).sum(axis=1)
    yield Check(
        "row_not_empty",
        "every query keeps at least one key",
        bool(counts.all()),
        f"keys for each query: {[int(count) for count in counts]}",
        tuple(map(float, counts)),
    )
    scores = traced.scores
    assert scores is not None
    same = agree(np.where(future, 0.0, value), np.where(future, 0.0, scores))
    changed = int((~np.isclose(value, scores, equal_nan=True) & ~future).sum())
    yield Check(
        "past_kept",
        "scores of own and earlier keys are as before",
        same,
        "all are" if same else f"{part_of(changed, value.size - total, 'is')} not",
        (float(changed),),
    )


def _weights(traced: Trace, value: FloatArray) -> Iterator[Check]:
    with np.errstate(all="ignore"):
        rows, columns = value.sum(axis=1), value.sum(axis=0)
    holds = bool((np.abs(rows - 1.0) <= ROW_SUM_TOLERANCE).all())
    evidence = f"row sums {figures(rows)}"
    if not holds:
        evidence += f", column sums {figures(columns)}"
    yield Check("row_sums", "every row sums to 1", holds, evidence, tuple(map(float, rows)))
    forbidden = value[~readable(value)]
    bad = forbidden[forbidden != 0]
    evidence = _forbidden(bad, len(forbidden)) if len(bad) else _all(len(forbidden))
    demand = "weights of later keys are exactly 0"
    yield Check("forbidden_zero", demand, not len(bad), evidence, (float(len(bad)), float(len(forbidden))))
    yield from _by_hand("weights", "each row is the softmax of that row of S+M", "softmax of row {i} at key {j}")(
        traced, value
    )


def _all(total: int) -> str:
    return part_of(total, total, "is") if total else "there are none"


def _forbidden(bad: FloatArray, total: int) -> str:
    largest = "NaN among them" if np.isnan(bad).any() else f"the largest is {figure(bad.max())}"
    return f"{part_of(len(bad), total, 'is')} not, {largest}"


def _mixed_values(traced: Trace, value: FloatArray) -> Iterator[Check]:
    demand = "row i is the sum of the values, weighted by row i of A"
    yield from _by_hand("mixed_values", demand, "row {i} of A times column {j} of V")(traced, value)
    yield from _last_row("h", H_LAST, traced, value)


def _output(traced: Trace, value: FloatArray) -> Iterator[Check]:
    yield from _by_hand("output", "Y is H times W_O", "row {i} of H times column {j} of W_O")(traced, value)
    yield from _last_row("y", Y_LAST, traced, value)


def _last_row(letter: str, stated: tuple[float, ...], traced: Trace, value: FloatArray) -> Iterator[Check]:
    """Yield the comparison with the stated row, which exists for the worked example alone."""
    if not traced.inputs.equals(WORKED) or value.shape != expected_shape(traced, "mixed_values"):
        return
    last = value[-1]
    with np.errstate(all="ignore"):
        holds = bool((np.abs(last - stated) <= _HALF_DIGIT).all())
    name = f"{letter}{len(value)}"
    yield Check("last_row", f"{name} is {figures(stated)}", holds, f"{name} = {figures(last)}", tuple(map(float, last)))


_MEANING: Final[Mapping[str, Callable[[Trace, FloatArray], Iterator[Check]]]] = {
    "queries": _by_hand("queries", "row i is token i times W_Q", "row {i} of X times column {j} of W_Q"),
    "keys": _by_hand("keys", "row i is token i times W_K", "row {i} of X times column {j} of W_K"),
    "values": _by_hand("values", "row i is token i times W_V", "row {i} of X times column {j} of W_V"),
    "scores": _by_hand(
        "scores",
        "entry (i, j) is query i times key j over the root of d_k",
        "query {i} times key {j} / sqrt({d})",
    ),
    "masked_scores": _masked,
    "weights": _weights,
    "mixed_values": _mixed_values,
    "output": _output,
}
