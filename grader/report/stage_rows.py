"""What is said of each stage's numbers on a traced case; it never contradicts the state that the finding gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from grader.grading.stage_errors import StageError
from grader.report.numbers import measured

_LONG: Final = {
    "other_shape": "returned in another shape",
    "equal": "all agree",
    "open": "agrees wherever nothing is hidden",
    "shifted": "agrees up to a constant for each row",
    "scaled": "agrees up to one factor",
    "applied": "hides what it should",
    "other_form": "equal, in another form",
    "none": "not matched: nothing that it computes has these numbers",
}
_SHORT: Final = {
    "other_shape": "in another shape",
    "open": "agrees where nothing is hidden",
    "shifted": "up to a constant for each row",
    "scaled": "up to one factor",
    "applied": "applied",
    "other_form": "in another form",
    "none": "not matched",
}
_BY_WHAT_FOLLOWS: Final = ("right, for what follows from it is", "by what follows")
_RIGHT_ONCE: Final = ("right once; something else is used after it", "right once")
_IN_SPITE: Final = ("these numbers are there, though it is made from what is wrong", "there all the same")
_CLOSE: Final = ("agrees here as closely as is asked; the fault shows in what follows", "as close as is asked here")
_AGREES_HERE: Final = "all agree in this case"
_FOUND: Final = frozenset({"equal", "open", "shifted", "scaled", "applied", "other_form"})


def stage_facts(stages: Sequence[StageError], states: Mapping[str, str]) -> dict[str, str]:
    """Return for the stage strip what is known of each stage: its shape, and its largest error."""
    return {
        stage.stage: f"{_extents(stage.shape)} · {_fact(stage, states.get(stage.stage, 'not_seen'))}"
        for stage in stages
    }


def stage_row(stage: StageError, state: str) -> tuple[str, float | str | None]:
    """Return what is said of a stage instead of its worst numbers, empty where they are shown, and its error.

    Args:
        state: what the finding says of the stage.
    """
    if said := _against_its_state(stage, state):
        return said[0], None
    if stage.form == "returned":
        return "" if stage.error != 0 else "all agree" if state == "ok" else _AGREES_HERE, stage.error
    return _LONG[stage.form], stage.error


def _fact(stage: StageError, state: str) -> str:
    if said := _against_its_state(stage, state):
        return said[1]
    if stage.error is None or stage.form in ("open", "shifted", "scaled"):
        return _SHORT[stage.form]
    return "max error 0" if stage.error == 0 else f"max error {measured(stage.error, 3)}"


def _against_its_state(stage: StageError, state: str) -> tuple[str, str] | None:
    """Return what is said, in long and short, where a stage's numbers alone would say otherwise than its state."""
    if state == "ok":
        return _BY_WHAT_FOLLOWS if stage.form == "none" else None
    if state == "wrong" and stage.form == "returned" and stage.error == 0:
        return _CLOSE
    if stage.form in _FOUND:
        return {"wrong": _RIGHT_ONCE, "inherited": _IN_SPITE}.get(state)
    return None


def _extents(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "one number"
