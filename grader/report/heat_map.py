"""Attention weights as a heat map: an SVG that reports and pages share, drawn by classes of the style sheet alone.

Colour is never all there is: every cell has its number or a title, hidden keys are hatched, a leak is framed, sums that
should be 1 and are not say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from grader.grading.weight_facts import SUM_TOLERANCE, weight_facts
from grader.wording import counted, part_of

CELLS_MAX: Final = 40  # of one axis that are drawn
_SPOKEN_MAX: Final = 144  # cells that a screen reader is offered one by one
_LEFT, _TOP = 36, 40
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Board:
    """Weights of one head to be drawn.

    `name` is unique on its page and made of letters, digits and '-'; `hidden` is True where a query must not read.
    """

    name: str
    title: str
    weights: Floats  # (queries, keys)
    hidden: npt.NDArray[np.bool_] | None = None
    worst: tuple[int, int] | None = None

    @property
    def is_cut(self) -> bool:
        """Whether it has more rows or columns than are drawn."""
        return any(extent > CELLS_MAX for extent in self.weights.shape)


@dataclass(frozen=True)
class _Grid:
    """Extents of a drawing."""

    rows: int
    columns: int
    width: int  # of a cell
    height: int

    @property
    def has_numbers(self) -> bool:
        return self.width >= 30

    @property
    def right(self) -> int:
        return _LEFT + self.columns * self.width

    @property
    def bottom(self) -> int:
        return _TOP + self.rows * self.height


def heat_map(board: Board) -> Markup:
    """Return a board as SVG; of a large one the first rows and columns, with the sums of all."""
    rows, columns = (min(extent, CELLS_MAX) for extent in board.weights.shape)
    width, height = (44, 34) if columns <= 12 else (36, 28) if columns <= 20 else (18, 18)
    grid = _Grid(rows, columns, width, height)
    total_width, total_height = grid.right + 84, grid.bottom + (26 if grid.has_numbers else 40)
    parts = [*_axes(grid, total_height), *_cells(board, grid), *_sums(board, grid, total_width, total_height)]
    return Markup(
        '<svg class="heat" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="{role}" '
        'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{title}</title><desc id="{name}-d">{text}</desc>'
        '<defs><pattern id="{name}-p" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><line class="hl" x1="0" x2="0" y1="0" y2="6"/></pattern></defs>{parts}</svg>'
    ).format(
        w=total_width,
        h=total_height,
        role="group" if rows * columns <= _SPOKEN_MAX else "img",
        name=board.name,
        title=board.title,
        text=facts_text(board.weights, board.hidden),
        parts=Markup("").join(parts),
    )


def facts_text(weights: npt.NDArray[Any], hidden: npt.NDArray[np.bool_] | None) -> str:
    """Return in words what weights show: how many rows sum to 1, and what hidden keys get."""
    facts = weight_facts(weights, hidden)
    parts = [f"{part_of(facts.rows_of_one, facts.rows, 'sums', 'row')} to 1"]
    parts += (
        [f"{part_of(facts.columns_of_one, facts.columns, 'sums', 'column')} to 1"]
        if facts.rows_of_one < facts.rows
        else []
    )
    parts += [f"{facts.leaks or 'none'} of {counted(facts.hidden, 'hidden cell')} with weight"] if facts.hidden else []
    parts += [f"{counted(facts.nonfinite, 'number')} not finite"] if facts.nonfinite else []
    return ", ".join(parts)


def number_text(value: float, decimals: int) -> str:
    """Return a number as pages print it: a real minus sign, no negative zero."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e4:
        return f"{value:.0e}".replace("-", "−")
    text = f"{value:.{decimals}f}"
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


def _axes(grid: _Grid, total_height: int) -> Iterator[Markup]:
    yield Markup('<g aria-hidden="true"><text class="ax" x="{}" y="12">key →</text>').format(_LEFT)
    yield Markup('<text class="ax" x="{}" y="12">row sum</text>').format(grid.right + 10)
    yield Markup('<text class="ax" x="2" y="{}">Σ col</text>').format(total_height - 9)
    step = 1 if grid.has_numbers else 5
    for column in range(grid.columns):
        if column % step == 0:
            x = _LEFT + column * grid.width + grid.width / 2
            yield Markup('<text class="v" x="{:g}" y="32">{}</text>').format(x, column + 1)
    for row in range(grid.rows):
        if row % step == 0:
            y = _TOP + row * grid.height + grid.height / 2 + 4
            yield Markup('<text class="e" x="{}" y="{:g}">{}</text>').format(_LEFT - 9, y, row + 1)
    yield Markup("</g>")


def _cells(board: Board, grid: _Grid) -> Iterator[Markup]:
    for row in range(grid.rows):
        for column in range(grid.columns):
            yield _cell(board, grid, row, column)


def _cell(board: Board, grid: _Grid, row: int, column: int) -> Markup:
    value = float(board.weights[row, column])
    x, y = _LEFT + column * grid.width, _TOP + row * grid.height
    is_hidden = board.hidden is not None and bool(board.hidden[row, column])
    state = (", hidden key, exactly zero" if value == 0 else ", hidden key, must be zero") if is_hidden else ""
    is_worst = board.worst == (row, column)
    title = f"query {row + 1}, key {column + 1}: {number_text(value, 4)}{state}{', furthest off' if is_worst else ''}"
    drawn = _hidden(board, grid, x, y, value) if is_hidden else _open(grid, x, y, value)
    if is_worst:
        drawn += _frame("worst", grid, x, y, 2)
    return Markup('<g role="img"><title>{}</title>{}</g>').format(title, drawn)


def _open(grid: _Grid, x: int, y: int, value: float) -> Markup:
    step = min(9, max(0, int(value * 10))) if np.isfinite(value) else 0
    drawn = Markup('<rect class="gap h{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        step, x, y, grid.width, grid.height
    )
    return drawn + _number(grid, x, y, value, "nan" if not np.isfinite(value) else "hi" if step > 5 else "lo")


def _hidden(board: Board, grid: _Grid, x: int, y: int, value: float) -> Markup:
    is_leak = value != 0
    box = (x + 1, y + 1, grid.width - 2, grid.height - 2)
    drawn = Markup('<rect class="zero" x="{0}" y="{1}" width="{2}" height="{3}"/>').format(*box)
    drawn += Markup('<rect fill="url(#{4}-p)" x="{0}" y="{1}" width="{2}" height="{3}"/>').format(*box, board.name)
    drawn += _frame("leak" if is_leak else "forb", grid, x, y, 2.5)
    return drawn + (_number(grid, x, y, value, "hz") if is_leak else Markup(""))


def _frame(kind: str, grid: _Grid, x: int, y: int, inset: float) -> Markup:
    return Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>').format(
        kind, x + inset, y + inset, grid.width - 2 * inset, grid.height - 2 * inset
    )


def _number(grid: _Grid, x: int, y: int, value: float, kind: str) -> Markup:
    if not grid.has_numbers:
        return Markup("")
    return Markup('<text class="v {}" x="{:g}" y="{:g}" aria-hidden="true">{}</text>').format(
        kind, x + grid.width / 2, y + grid.height / 2 + 4, number_text(value, 2)
    )


def _sums(board: Board, grid: _Grid, total_width: int, total_height: int) -> Iterator[Markup]:
    """Yield the sums of whole rows and columns; a row that does not sum to 1 is marked."""
    with np.errstate(all="ignore"):
        rows, columns = board.weights.sum(axis=1), board.weights.sum(axis=0)
    for row, total in enumerate(rows[: grid.rows].tolist()):
        is_off = not abs(total - 1.0) <= SUM_TOLERANCE
        y = _TOP + row * grid.height + grid.height / 2 + 4
        text = number_text(total, 3) + (" ≠1" if is_off else "")
        yield Markup('<text class="sum{}" x="{}" y="{:g}">{}</text>').format(
            " offs" if is_off else "", grid.right + 10, y, text
        )
    for column, total in enumerate(columns[: grid.columns].tolist()):
        x, y = _LEFT + column * grid.width + grid.width / 2, total_height - 9
        turn = "" if grid.has_numbers else Markup(' transform="rotate(-90 {0:g} {1})"').format(x + 4, y)
        yield Markup('<text class="{}" x="{:g}" y="{}"{}>{}</text>').format(
            "v" if grid.has_numbers else "s", x if grid.has_numbers else x + 4, y, turn, number_text(total, 2)
        )


def legend(name: str) -> Markup:
    """Return what the colours and frames mean; `name` is unique on the page."""
    steps = Markup("").join(
        Markup('<rect class="h{}" x="{}" width="12" height="12"/>').format(step, step * 12) for step in range(10)
    )
    return Markup(
        '<div class="legend"><span>0 <svg class="heat" viewBox="0 0 120 12" width="120" height="12" '
        'aria-hidden="true">{steps}</svg> 1</span><span><svg class="heat" viewBox="0 0 16 12" width="16" height="12" '
        'aria-hidden="true"><defs><pattern id="{name}-p" width="4" height="4" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><line class="hl" x1="0" x2="0" y1="0" y2="4"/></pattern></defs>'
        '<rect fill="url(#{name}-p)" width="16" height="12"/><rect class="forb" x=".5" y=".5" width="15" height="11"/>'
        '</svg> hidden key, must be 0</span><span><svg class="heat" viewBox="0 0 16 12" width="16" height="12" '
        'aria-hidden="true"><rect class="leak" x="1.5" y="1.5" width="13" height="9"/></svg> hidden key with weight'
        '</span><span><svg class="heat" viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">'
        '<rect class="worst" x="1.5" y="1.5" width="13" height="9"/></svg> furthest off</span></div>'
    ).format(steps=steps, name=name)
