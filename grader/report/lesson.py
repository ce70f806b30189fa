"""The worked audit as a person at a terminal reads it, and as one JSON object."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader import __version__
from grader.attention.changes import CHANGES, Changes
from grader.attention.checks import SYMBOLS, Check
from grader.attention.figures import figure, shape_text
from grader.attention.inputs import FloatArray, Inputs
from grader.attention.lesson import Arrow, Lesson, Status, aside, headline, record
from grader.attention.symptoms import SYMPTOMS
from grader.problems.schema import MultipleChoiceSpec

ORDER: Final = "X, W_Q, W_K, W_V -> Q, K, V -> S -> S+M -> A -> H -> Y"
WIDTH: Final = 78  # columns that a matrix may take
_MARKS: Final[Mapping[Status, tuple[str, str, str]]] = {
    "ok": ("✓", "green", ""),
    "wrong": ("✗", "red", ""),
    "inherited": ("↳", "dim", "inherited"),
    "not_seen": ("–", "dim", "not computed"),
}
QUESTION_TITLE: Final = "Read a layer in order"
QUESTION: Final = MultipleChoiceSpec(
    id="finite-and-wrong",
    question=(
        "A layer returns a finite tensor of the right shape, (B, T, d_model). In its attention matrix each column sums "
        "to 1, and most rows do not. Which repair is the most direct?"
    ),
    choices=[
        "Normalise along the key positions, within each query row",
        "Transpose the output projection W_O",
        "Leave out the scale 1/sqrt(d_k)",
    ],
    correct=0,
    hint="One query row has to be one distribution. Over which positions?",
    solution=(
        "Apply the softmax along the last axis, the key positions. Then every query row, masked before, sums to 1 over "
        "the values that it may read. Queries do not compete with each other for a key, which is what columns that sum "
        "to 1 would mean; W_O and the scale change no sum."
    ),
)


def lesson_view(lesson: Lesson) -> Group:
    """Return the trace with its checks, the record, and at the end what fails first."""
    parts: list[RenderableType] = [
        Text("Read a layer in order: one causal head", style="bold"),
        Text(ORDER),
        Text(_inputs_line(lesson), style="dim"),
    ]
    for option, (name, value) in zip(lesson.changes.options(), lesson.changes.made().items(), strict=True):
        parts.append(Text.assemble(("Changed: ", "bold"), f"{name}={value}. {option.sentence}"))
    for arrow in lesson.arrows:
        is_first = lesson.first is not None and lesson.first[0] is arrow
        parts += ["", _title(arrow, is_first=is_first), *_matrices(arrow, lesson)]
        parts.append(Padding(_checks(arrow), (0, 0, 0, 2)))
    kept = record(lesson)
    parts += ["", Text("Observed", style="bold"), _list(kept.observed)]
    if kept.suspected:
        parts += [Text("Not observed, to be shown", style="bold"), _list(kept.suspected)]
    return Group(*parts, "", *_ending(lesson))


def _inputs_line(lesson: Lesson) -> str:
    if not lesson.is_worked_example:
        return "Inputs: your own matrices."
    return "Inputs: the worked example, searched for so that h4 and y4 come out as the exercise states them."


def _ending(lesson: Lesson) -> list[RenderableType]:
    failed = lesson.first is not None
    parts: list[RenderableType] = [
        Text(f"{'✗' if failed else '✓'} {headline(lesson)}", style="bold red" if failed else "bold green")
    ]
    if (more := aside(lesson)) != "":
        parts.append(Text(more))
    following = "change something: grader lesson --list" if not lesson.changes.made() else "grader lesson --quiz"
    return [*parts, Text.assemble(("Next: ", "bold"), following)]


def _title(arrow: Arrow, *, is_first: bool) -> Text:
    mark, style, word = _MARKS[arrow.status]
    note = "fails first" if is_first else "wrong here as well" if arrow.status == "wrong" else word
    text = Text.assemble((f"{mark} {arrow.stage.name}", f"bold {style}"), f"  {arrow.stage.formula}")
    if arrow.value is not None:
        text.append(f"  {shape_text(arrow.value.shape)}", style="dim")
    if note:
        text.append(f"  {note}", style=style)
    return Text.assemble(text, "\n  ", (arrow.stage.meaning, "dim"))


def _matrices(arrow: Arrow, lesson: Lesson) -> list[RenderableType]:
    if arrow.stage.name == "inputs":
        return [_inputs_table(lesson.traced.inputs)]
    if arrow.value is None:
        return []
    sums = arrow.stage.name == "weights"
    return [Text("\n".join(f"    {line}" for line in matrix_lines(arrow.value, sums=sums)), no_wrap=True)]


def _inputs_table(inputs: Inputs) -> Text:
    lines = []
    for name, matrix in inputs.named().items():
        printed = matrix_lines(matrix)
        lines.append(f"    {SYMBOLS[name]:<4}{printed[0]}  {shape_text(matrix.shape)}")
        lines += [f"        {line}" for line in printed[1:]]
    return Text("\n".join(lines), no_wrap=True)


def matrix_lines(matrix: FloatArray, *, sums: bool = False) -> list[str]:
    """Return a matrix as lines of equal columns, with fewer decimals where it would be too wide.

    Args:
        sums: add the sums of rows and columns.
    """
    with np.errstate(all="ignore"):
        rows, columns = matrix.sum(axis=1), matrix.sum(axis=0)
    for decimals in (3, 2, 1, 0):
        cells = [[figure(number, decimals) for number in row] for row in matrix]
        totals = [figure(number, decimals) for number in columns]
        width = max(len(cell) for row in [*cells, totals if sums else []] for cell in row)
        lines = ["  ".join(cell.rjust(width) for cell in row) for row in cells]
        if sums:
            lines = [f"{line}  | {figure(total, decimals)}" for line, total in zip(lines, rows, strict=True)]
            lines[0] += "  sums of rows" if len(lines[0]) + 14 < WIDTH - 8 else ""
            lines.append("  ".join(total.rjust(width) for total in totals) + "  sums of columns")
        if max(map(len, lines)) <= WIDTH - 8:
            break
    return lines


def _checks(arrow: Arrow) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in arrow.checks:
        mark, style, _ = check_mark(arrow, check)
        table.add_row(
            Text(mark, style=style), Text(f"{check.demand}: {check.evidence}", style="" if mark == "✗" else "dim")
        )
    return table


def check_mark(arrow: Arrow, check: Check) -> tuple[str, str, str]:
    """Return symbol, style and word of a check: what fails where a stage only inherits is no fault of that stage."""
    if check.holds:
        return "✓", "green", "holds"
    return ("✗", "red", "fails") if arrow.status == "wrong" else ("↳", "dim", "inherited")


def _list(sentences: Sequence[str]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for sentence in sentences:
        table.add_row("  -", Text(sentence))
    return table


def table_view() -> Group:
    """Return everything that can be changed, and the five symptoms with what shows each."""
    parts: list[RenderableType] = [
        Text("What can be changed: grader lesson --change NAME=VALUE, as often as you like", style="bold"),
        Text("The first value of each is the sound one.", style="dim"),
    ]
    for change in CHANGES:
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for option in change.options:
            table.add_row(f"  {change.name}={option.value}", Text(option.sentence))
        parts += ["", table]
    parts += ["", Text("Five symptoms, and where to look first", style="bold")]
    for number, symptom in enumerate(SYMPTOMS, 1):
        parts.append(Text(f"\n{number}. {symptom.seen}"))
        parts.append(Text(f"   likely: {symptom.error}\n   look first at: {symptom.first_look}"))
        parts += [Text(f"   {command(changes)}", style="cyan") for changes in symptom.shown_by]
    parts += [
        "",
        Text(
            "The first object that is not finite, or not what it should mean, says more than the last exception: "
            "read forwards. Backwards from Y, sound products hide where it began."
        ),
    ]
    return Group(*parts)


def command(changes: Changes) -> str:
    """Return the command line that shows changes."""
    return " ".join(["grader lesson", *(f"--change {shlex.quote(f'{k}={v}')}" for k, v in changes.made().items())])


def lesson_object(lesson: Lesson) -> dict[str, Any]:
    """Return the evidence record of a run; numbers that JSON lacks are the strings "nan", "inf" and "-inf"."""
    kept = record(lesson)
    first = lesson.first
    return {
        "schema": 1,
        "inputs": {name: _numbers(matrix) for name, matrix in lesson.traced.inputs.named().items()},
        "is_worked_example": lesson.is_worked_example,
        "changes": lesson.changes.made(),
        "stages": [_stage_object(arrow) for arrow in lesson.arrows],
        "first_failing": {"stage": first[0].stage.name, "check": first[1].name} if first else None,
        "sentence": headline(lesson),
        "observed": list(kept.observed),
        "suspected": list(kept.suspected),
        "versions": {"grader": __version__, "numpy": np.__version__},
    }


def _stage_object(arrow: Arrow) -> dict[str, Any]:
    return {
        "name": arrow.stage.name,
        "status": arrow.status,
        "shape": list(arrow.value.shape) if arrow.value is not None else None,
        "values": _numbers(arrow.value) if arrow.value is not None else None,
        "checks": [
            {
                "name": check.name,
                "demand": check.demand,
                "holds": check.holds,
                "evidence": check.evidence,
                "numbers": [_number(number) for number in check.numbers],
            }
            for check in arrow.checks
        ],
    }


def _numbers(matrix: FloatArray) -> list[list[float | str]]:
    return [[_number(number) for number in row] for row in matrix.tolist()]


def _number(number: float) -> float | str:
    return number if np.isfinite(number) else str(number)
