"""The worked audit: the trace, its checks, which one fails first, and what may be said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from grader.attention.changes import Changes
from grader.attention.checks import Check, agree, checks_of, checks_of_inputs, expected_shape
from grader.attention.figures import figure, figures, shape_text
from grader.attention.inputs import WORKED, FloatArray, Inputs
from grader.attention.symptoms import Symptom, symptom_of
from grader.attention.trace import STAGES, Stage, Trace, follow, readable, trace
from grader.wording import counted, part_of

Status = Literal["ok", "wrong", "inherited", "not_seen"]
INPUTS: Final = Stage("inputs", "X, W", "X, W_Q, W_K, W_V, W_O", r"X, W_Q, W_K, W_V, W_O", "", "what the head is given")


@dataclass(frozen=True, eq=False)
class Arrow:
    """One stage of the audit with what was found there.

    Status: wrong where a check fails that the stages before do not explain, inherited where they do, not_seen where
    the trace ended before.
    """

    stage: Stage
    status: Status
    value: FloatArray | None
    checks: tuple[Check, ...]


@dataclass(frozen=True, eq=False)
class Lesson:
    """One run of the audit."""

    changes: Changes
    is_worked_example: bool  # before the changes
    traced: Trace
    arrows: tuple[Arrow, ...]
    first: tuple[Arrow, Check] | None  # the check that fails first

    @property
    def symptom(self) -> Symptom | None:
        """What the first failing check most likely means."""
        return symptom_of(self.first[0].stage.name, self.first[1].name) if self.first else None


def audit(inputs: Inputs = WORKED, changes: Changes | None = None) -> Lesson:
    """Trace a head and check every arrow in audit order."""
    changes = changes or Changes()
    traced = trace(inputs, changes)
    sound = trace(traced.inputs)
    arrows: list[Arrow] = [_arrow_of_inputs(traced)]
    for stage in STAGES:
        is_first = all(arrow.status == "ok" for arrow in arrows)
        arrows.append(_arrow(stage, traced, sound, is_first=is_first))
    failing = ((arrow, check) for arrow in arrows for check in arrow.checks if not check.holds)
    return Lesson(changes, inputs.equals(WORKED), traced, tuple(arrows), next(failing, None))


def _arrow_of_inputs(traced: Trace) -> Arrow:
    checks = checks_of_inputs(traced)
    return Arrow(INPUTS, "ok" if all(check.holds for check in checks) else "wrong", None, checks)


def _arrow(stage: Stage, traced: Trace, sound: Trace, *, is_first: bool) -> Arrow:
    value, checks = traced.value(stage.name), checks_of(traced, stage.name)
    return Arrow(stage, _status(stage, traced, sound, checks, is_first=is_first), value, checks)


def _status(stage: Stage, traced: Trace, sound: Trace, checks: tuple[Check, ...], *, is_first: bool) -> Status:
    value = traced.value(stage.name)
    failing = any(not check.holds for check in checks)
    if value is None:
        return "wrong" if is_first and failing else "not_seen"
    if is_first:
        return "wrong" if failing else "ok"
    if not agree(value, follow(traced, stage.name)):
        return "wrong"  # a second place, which the first does not explain
    return "inherited" if failing or not agree(value, sound.value(stage.name)) else "ok"


def headline(lesson: Lesson) -> str:
    """Return in a sentence or two which check fails first, or that none does and why."""
    if lesson.first is not None:
        arrow, check = lesson.first
        return f"First failing check: {arrow.stage.name}, {check.demand}. Found: {check.evidence}."
    options = lesson.changes.options()
    if not options:
        return "Every check holds: shape and meaning agree at every arrow."
    hints = [option.unseen for option in options if option.unseen]
    return " ".join(["Every check holds with these numbers, in spite of the change.", *hints])


def aside(lesson: Lesson) -> str:
    """Return what the look at shapes and exceptions alone would have missed; empty where nothing fails."""
    if lesson.first is None:
        return ""
    names = [arrow.stage.name for arrow in lesson.arrows]
    place = names.index(lesson.first[0].stage.name)
    stopped = lesson.traced.stopped_at
    if stopped is not None:
        later = names.index(stopped) - place
        if later == 0:
            return ""
        distance = f"{counted(later, 'stage')} later, at {stopped}"
        return f"NumPy complains only {distance}: {lesson.traced.obstacle}."
    values = [(arrow.stage.name, arrow.value) for arrow in lesson.arrows if arrow.value is not None]
    has_shapes = all(value.shape == expected_shape(lesson.traced, name) for name, value in values)
    if has_shapes and np.isfinite(values[-1][1]).all():
        return "Every object has its shape, the output is finite, and the head is still wrong."
    return ""


@dataclass(frozen=True)
class Record:
    """What an audit leaves behind: what was seen, and apart from it what is only suspected or must not be concluded."""

    observed: tuple[str, ...]
    suspected: tuple[str, ...]


def record(lesson: Lesson) -> Record:
    """Return the evidence record of a run."""
    traced = lesson.traced
    shapes = [
        f"{arrow.stage.symbol} {shape_text(arrow.value.shape)}" for arrow in lesson.arrows if arrow.value is not None
    ]
    observed = [f"Shapes: {', '.join(shapes) or 'none, no product exists'}."]
    if traced.masked_scores is not None:
        hidden = int(np.isneginf(traced.masked_scores).sum())
        observed.append(f"Mask: {part_of(hidden, traced.masked_scores.size, 'is', 'score')} minus infinity.")
    observed += _weights_seen(traced)
    for name, value in (("H", traced.mixed_values), ("Y", traced.output)):
        if value is not None:
            observed.append(f"Row {len(value)} of {name}: {figures(value[-1])}.")
    suspected = []
    if lesson.first is not None:
        likely = f"likely {lesson.symptom.error}" if lesson.symptom else "look at what makes it"
        suspected.append(f"The check that fails first is at {lesson.first[0].stage.name}: {likely}.")
    suspected += _cause(traced)
    return Record(tuple(observed), tuple(suspected))


def _weights_seen(traced: Trace) -> list[str]:
    weights = traced.weights
    if weights is None:
        return []
    with np.errstate(all="ignore"):
        rows, columns = weights.sum(axis=1), weights.sum(axis=0)
    forbidden = weights[~readable(weights)]
    seen = [f"Row sums of A: {figures(rows)}; column sums: {figures(columns)}."]
    if len(forbidden):
        kept = part_of(int((forbidden == 0).sum()), len(forbidden), "is")
        seen.append(f"Weights of later keys: {kept} exactly 0.")
    if (top := _top_weight(weights)) is not None:
        seen.append(
            f"Query {len(weights)} gives its largest weight, {figure(weights[-1, top])}, to position {top + 1}."
        )
    return seen


def _top_weight(weights: FloatArray) -> int | None:
    return int(np.argmax(weights[-1])) if np.isfinite(weights[-1]).all() else None


def _cause(traced: Trace) -> list[str]:
    """Return the sentence on what a weight does not prove."""
    if traced.weights is None or (top := _top_weight(traced.weights)) is None:
        return []
    return [
        f"That position {top + 1} causes the prediction is not seen here: it takes an intervention (change the token, "
        "measure the output) and evidence from the rest of the model."
    ]
