"""What a submission returned for the samples, in numbers alone; what follows from them stands elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.weight_facts import weight_facts
from grader.report.heat_map import number_text
from grader.report.numbers import told_apart
from grader.report.sample_outputs import Mask, SampleOutputs
from grader.report.visible import visible
from grader.wording import all_of, part_of, plural

_WEIGHTS: Final = "weights"
_INSTEAD: Final = {
    "wrong_count": "Another number of results came back than the contract names",
    "wrong_type": "Something else than plain arrays of numbers came back",
    "bad_answer": "No result came back that can be read",
}
Array = npt.NDArray[Any]


def observed(samples: Sequence[SampleOutputs]) -> tuple[str, ...]:
    """Return sentences about what came back for samples; each names its sample where there are several."""
    return tuple(
        f"{sample.case}: {sentence}" if len(samples) > 1 else sentence
        for sample in samples
        for sentence in _sentences(sample, " on the sample")
    )


def observed_in(outputs: Sequence[SampleOutputs]) -> tuple[str, ...]:
    """As `observed`, of cases that may be secret: for interviewers."""
    return tuple(f"{visible(one.case, keep='')}: {sentence}" for one in outputs for sentence in _sentences(one, ""))


def _sentences(sample: SampleOutputs, where: str) -> Iterator[str]:
    if sample.raises is not None:
        return
    if sample.returned is None:
        if sample.instead is not None:
            yield _INSTEAD.get(sample.instead, f"{visible(sample.instead, keep='')} was raised") + f"{where}."
        return
    if len(sample.returned) != len(sample.names):
        told = f"{len(sample.returned)}; expected: {len(sample.names)}"
        yield f"Results that came back{' for the sample' if where else ''}: {told}."
        return
    for position, name in enumerate(sample.names):
        yield _compared(sample, position, name, where)
        mine, right = sample.values(position), sample.expected[position]
        if name == _WEIGHTS and mine is not None and mine.ndim >= 2 and mine.shape == right.shape and mine.size:
            yield from _weights(mine, sample.hidden(position))


def _compared(sample: SampleOutputs, position: int, name: str, where: str) -> str:
    right, mine = sample.expected[position], sample.returned[position] if sample.returned else None
    if mine is not None and mine.shape != right.shape:
        return f"{name}: shape {_shape(mine.shape)}{where} where {_shape(right.shape)} is expected."
    off = sample.off(position)
    values, wanted = sample.values(position), right.values
    if off is None or values is None or wanted is None:
        return f"{name}: too many numbers to be kept."
    if not off.any():
        return f"{name}: {all_of(off.size, 'number')} {plural(off.size, 'agrees')}{where}."
    return f"{name}: {part_of(int(off.sum()), off.size, 'is', 'number')} off{where}, {_worst(values, wanted, off)}."


def _worst(values: Array, wanted: Array, off: Mask) -> str:
    with np.errstate(all="ignore"):
        errors = np.abs(values.astype(np.float64) - wanted)
    errors = np.where(off, np.nan_to_num(errors, nan=np.inf), -1.0)
    at = np.unravel_index(int(errors.argmax()), errors.shape)
    index = f"[{', '.join(str(int(part)) for part in at)}]"
    mine, right = told_apart(float(values[at]), float(wanted[at]))
    return f"most of all {index}: {mine} in place of {right}"


def _weights(weights: Array, hidden: Mask | None) -> Iterator[str]:
    facts = weight_facts(weights, hidden)
    with np.errstate(all="ignore"):
        rows, columns = (weights.astype(np.float64).sum(axis=axis) for axis in (-1, -2))
    yield f"{part_of(facts.rows_of_one, facts.rows, 'is', 'row sum of the weights')} 1{_range(rows)}."
    if facts.rows_of_one < facts.rows:
        yield f"{part_of(facts.columns_of_one, facts.columns, 'is', 'column sum')} 1{_range(columns)}."
    if facts.hidden:
        kept = part_of(facts.hidden - facts.leaks, facts.hidden, "is", "weight of hidden keys")
        yield f"{kept} exactly 0."
    if facts.nonfinite:
        yield f"{part_of(facts.nonfinite, weights.size, 'is', 'weight')} not finite."


def _range(sums: Array) -> str:
    known = sums[~np.isnan(sums)]
    if not known.size:
        return ""
    return f"; they run from {number_text(float(known.min()), 3)} to {number_text(float(known.max()), 3)}"


def _shape(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
