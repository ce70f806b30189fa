"""How far each traced stage of a submission is from the reference's, and where: for the page of who reviews it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.looks import Look
from grader.grading.observe import number
from grader.problems.cases import Array

AGREES: Final = 1e-9  # beside the reference's size; less is rounding
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StageError:
    """One stage on one case: as it was returned, or by what the submission's process told, on which nothing rests.

    A stage is found in what was told by its numbers, so that a wrong one is known by what was returned alone.
    """

    stage: str
    shape: tuple[int, ...]  # the reference's
    line: int | None  # of the submission, that made it; None: it was returned, or not found
    error: float | str | None  # the largest one, or its word; None: the stage was not found, or in another shape
    index: tuple[int, ...] = ()  # where it is
    returned: float | str = 0.0
    expected: float | str = 0.0


def traced_array(look: Look, name: str, right: Array) -> tuple[Array, int | None] | None:
    """Return what a submission computed as a stage, with its line; None where it was not found."""
    match = look.seen.matches.get(name)
    if match is None or match.form == "none" or not match.arrays:
        return None
    as_large = [key for key in match.arrays if look.trace.arrays[key].size == right.size]
    key = (as_large or match.arrays)[-1]  # in pieces: the last one
    return look.trace.arrays[key], look.trace.lines.get(key)


def stage_errors(look: Look, right: Mapping[str, Array], returned: Mapping[str, Array]) -> tuple[StageError, ...]:
    """Return every stage of a traced case, in the reference's order.

    Args:
        look: the traced case.
        right: the reference's stages.
        returned: the stages that the submission returned: these are no claim, and known when they are wrong.
    """
    return tuple(_error(look, name, array, returned.get(name)) for name, array in right.items())


def _error(look: Look, name: str, right: Array, returned: Array | None) -> StageError:
    found = (returned, None) if returned is not None else traced_array(look, name, right)
    if found is None:
        return StageError(name, right.shape, None, None)
    array, line = found
    if array is None or array.shape != right.shape or array.size == 0 or array.dtype.kind not in "fiu":
        return StageError(name, right.shape, line, None)
    mine, wanted = np.asarray(array, np.float64), np.asarray(right, np.float64)
    errors = _errors(mine, wanted)
    at = np.unravel_index(int(errors.argmax()), errors.shape)
    return StageError(
        name,
        right.shape,
        line,
        number(float(errors[at])),
        tuple(int(part) for part in at),
        number(float(mine[at])),
        number(float(wanted[at])),
    )


def _errors(mine: Floats, wanted: Floats) -> Floats:
    with np.errstate(all="ignore"):
        is_same = (mine == wanted) | (np.isnan(mine) & np.isnan(wanted))
        errors: npt.NDArray[Any] = np.where(is_same, 0.0, np.nan_to_num(np.abs(mine - wanted), nan=np.inf))
    finite = np.abs(wanted[np.isfinite(wanted)])
    return np.where(errors <= AGREES * max(1.0, float(finite.max(initial=0.0))), 0.0, errors)
