"""How far each traced stage of a submission is from the reference's, and where: for the page of who reviews it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from grader.grading.looks import Look
from grader.grading.observe import number
from grader.problems.cases import Array, Case

AGREES: Final = 1e-9  # beside the reference's size; less is rounding
_LOW: Final = 700.0  # below a row's largest number: as good as minus infinity
Floats = npt.NDArray[np.float64]
# returned: as it came back. Otherwise told by the submission's process: equal; equal where nothing is hidden; up to a
# constant for each row; up to one factor; a mask that is applied; in another form. none: in no form
Form = Literal["returned", "other_shape", "equal", "open", "shifted", "scaled", "applied", "other_form", "none"]


@dataclass(frozen=True)
class StageError:
    """One stage on one case: as it was returned, or by what the submission's process told, on which nothing rests.

    A stage is found in what was told by its numbers, so that a wrong one is known by what was returned alone.
    """

    stage: str
    shape: tuple[int, ...]  # the reference's
    line: int | None  # of the submission, that made it; None: it was returned, or not found
    error: float | str | None  # the largest one in that form, or its word; None: it cannot be measured
    index: tuple[int, ...] = ()  # where it is
    returned: float | str = 0.0
    expected: float | str = 0.0
    form: Form = "none"


@dataclass(frozen=True, eq=False)
class _Fit:
    """An array of a trace beside a stage: in which form it is the stage, and what is left between them."""

    form: Form
    errors: Floats | None
    array: Floats
    line: int | None


def traced_array(look: Look, name: str, right: Array) -> tuple[Array, int | None] | None:
    """Return what a submission computed as a stage, with its line; None where it was not found."""
    if fit := _fit(look, name, right):
        return fit.array, fit.line
    match = look.seen.matches.get(name)
    return _last(look, match.arrays, right) if match and match.form != "none" and match.arrays else None


def stage_errors(look: Look, right: Mapping[str, Array], returned: Mapping[str, Array]) -> tuple[StageError, ...]:
    """Return every stage of a traced case, in the reference's order.

    Args:
        look: the traced case.
        right: the reference's stages.
        returned: the stages that the submission returned: these are no claim, and known when they are wrong.
    """
    return tuple(
        _of_returned(look.case, name, array, returned[name]) if name in returned else _of_traced(look, name, array)
        for name, array in right.items()
    )


def _of_returned(case: Case, name: str, right: Array, mine: Array) -> StageError:
    if mine.shape != right.shape or mine.size == 0 or mine.dtype.kind not in "fiu":
        return StageError(name, right.shape, None, None, form="other_shape")
    mine, wanted = np.asarray(mine, np.float64), np.asarray(right, np.float64)
    errors = _returned_errors(mine, wanted, case)
    at = np.unravel_index(int(errors.argmax()), errors.shape)
    return StageError(
        name,
        right.shape,
        None,
        number(float(errors[at])),
        tuple(int(part) for part in at),
        number(float(mine[at])),
        number(float(wanted[at])),
        "returned",
    )


def _returned_errors(mine: Floats, wanted: Floats, case: Case) -> Floats:
    """Measure what is off by the case's tolerance alone where anything is, however small it is beside the largest."""
    rtol, atol = case.tolerance
    with np.errstate(all="ignore"):
        apart = np.nan_to_num(np.abs(mine - wanted), nan=np.inf, posinf=np.inf)
        is_off = (apart > atol + rtol * np.abs(wanted)) & (mine != wanted) & ~(np.isnan(mine) & np.isnan(wanted))
    return np.where(is_off, apart, 0.0) if is_off.any() else _errors(mine, wanted)


def _of_traced(look: Look, name: str, right: Array) -> StageError:
    fit = _fit(look, name, right)
    if fit is None:
        return StageError(name, right.shape, None, None)
    error = None if fit.errors is None else number(float(fit.errors.max(initial=0.0)))
    return StageError(name, right.shape, fit.line, error, form=fit.form)


def _fit(look: Look, name: str, right: Array) -> _Fit | None:
    """Return the array that a stage was found as: the one in the plainest form, and of these the last."""
    match = look.seen.matches.get(name)
    if match is None or match.form in ("none", "scrambled") or not match.arrays:
        return None
    if right.dtype.kind == "b":
        return _Fit("applied", None, *_last(look, match.arrays, right))
    arrays = look.trace.arrays
    wanted = np.asarray(right, np.float64)
    for form in _MEASURES:
        for key in reversed(match.arrays):
            if arrays[key].shape == right.shape and arrays[key].size:
                errors = _MEASURES[form](arrays[key], wanted)
                if errors is not None and _is_small(errors, wanted, look.seen.observed.tolerance):
                    return _Fit(form, errors, arrays[key], look.trace.lines.get(key))
    return _Fit("other_form", None, *_last(look, match.arrays, right))


def _last(look: Look, found: Sequence[int], right: Array) -> tuple[Floats, int | None]:
    """Return the last array of a stage's size; where it is in pieces, the last piece."""
    as_large = [key for key in found if look.trace.arrays[key].size == right.size]
    key = (as_large or found)[-1]
    return look.trace.arrays[key], look.trace.lines.get(key)


def _is_small(errors: Floats, wanted: Floats, tolerance: tuple[float, float]) -> bool:
    finite = np.abs(wanted[np.isfinite(wanted)])
    return float(errors.max(initial=0.0)) <= tolerance[0] * max(float(finite.max(initial=0.0)), 1e-12)


def _errors(mine: Floats, wanted: Floats) -> Floats:
    with np.errstate(all="ignore"):
        is_same = (mine == wanted) | (np.isnan(mine) & np.isnan(wanted))
        errors: npt.NDArray[Any] = np.where(is_same, 0.0, np.nan_to_num(np.abs(mine - wanted), nan=np.inf))
    finite = np.abs(wanted[np.isfinite(wanted)])
    return np.where(errors <= AGREES * max(1.0, float(finite.max(initial=0.0))), 0.0, errors)


def _open_errors(mine: Floats, wanted: Floats) -> Floats | None:
    """Measure where nothing is hidden; what is hidden must lie far below."""
    hidden = np.isneginf(wanted)
    if not hidden.any() or hidden.all(axis=-1).any():
        return None
    top = np.where(hidden, -np.inf, mine).max(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        is_low = ~hidden | (mine <= top - _LOW) | np.isneginf(mine)
    return np.where(hidden, 0.0, _errors(mine, np.where(hidden, mine, wanted))) if is_low.all() else None


def _shifted_errors(mine: Floats, wanted: Floats) -> Floats | None:
    """Measure after a constant is taken out of each row, which a softmax does not see."""
    hidden = np.isneginf(wanted)
    if mine.ndim == 0 or hidden.all(axis=-1).any():
        return None
    with np.errstate(all="ignore"):
        apart = np.where(hidden, -np.inf, mine - wanted).max(axis=-1, keepdims=True)
        moved = np.where(np.isneginf(mine), mine, mine - apart)
    return _open_errors(moved, wanted) if hidden.any() else _errors(moved, wanted)


def _scaled_errors(mine: Floats, wanted: Floats) -> Floats | None:
    """Measure after one factor is taken out: a scale that is divided by earlier or later."""
    if not np.isfinite(mine).all() or not np.isfinite(wanted).all():
        return None
    length = float((mine * wanted).sum())
    return _errors(mine * (float((wanted * wanted).sum()) / length), wanted) if length > 0 else None


_MEASURES: Final[Mapping[Form, Any]] = {
    "equal": _errors,
    "open": _open_errors,
    "shifted": _shifted_errors,
    "scaled": _scaled_errors,
}
