"""Faults by candidates as an SVG: numbers in cells, darker for more, framed where the last submission has the fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from grader.report.stage_strip import fault_words
from grader.report.visible import visible
from grader.wording import counted

_LEFT, _TOP = 230, 30
_CELL: Final = (36, 32)
_TOTAL: Final = 64
_NAME_MAX: Final = 34  # characters of a fault's name that fit
_STEPS: Final = ("none", "h3", "h5", "h7", "h9")


@dataclass(frozen=True)
class MapRow:
    """A fault, its totals, and for each candidate how many submissions, and whether the last one is among them."""

    fault: str
    submissions: int
    people: int
    cells: Sequence[tuple[int, bool]]


def fault_map(rows: Sequence[MapRow], candidates: Sequence[tuple[int, str]]) -> Markup:
    """Return the map.

    Args:
        rows: the faults.
        candidates: number and name of each column.
    """
    candidates = [(number, visible(name, keep="")) for number, name in candidates]
    width = _LEFT + len(candidates) * _CELL[0] + 2 * _TOTAL
    height = _TOP + len(rows) * _CELL[1] + 4
    faults, people = counted(len(rows), "fault"), counted(len(candidates), "candidate")
    parts = [*_heads(candidates), *(part for at, row in enumerate(rows) for part in _row(at, row, candidates))]
    return Markup(
        '<svg class="fx" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-labelledby="fx-t">'
        '<title id="fx-t">Faults by candidates: {f}, {c}; the table below has the numbers</title>'
        "{parts}</svg>"
    ).format(w=width, h=height, f=faults, c=people, parts=Markup("").join(parts))


def _heads(candidates: Sequence[tuple[int, str]]) -> Iterator[Markup]:
    yield Markup('<text x="0" y="18">Candidate no.</text>')
    for at, (number, name) in enumerate(candidates):
        x = _LEFT + at * _CELL[0] + _CELL[0] / 2
        yield Markup('<text class="who" x="{:g}" y="18">{}<title>{}</title></text>').format(x, number, name)
    right = _LEFT + len(candidates) * _CELL[0]
    yield Markup('<text class="e" x="{}" y="18">all</text>').format(right + _TOTAL - 8)
    yield Markup('<text class="e" x="{}" y="18">people</text>').format(right + 2 * _TOTAL - 8)


def _row(at: int, row: MapRow, candidates: Sequence[tuple[int, str]]) -> Iterator[Markup]:
    y = _TOP + at * _CELL[1]
    base = y + _CELL[1] / 2 + 4
    name = fault_words(row.fault)
    short = name if len(name) <= _NAME_MAX else f"{name[: _NAME_MAX - 1]}…"
    yield Markup('<text class="name" x="0" y="{:g}">{}<title>{}</title></text>').format(base, short, name)
    about = escape(name)
    cells = [
        _cell(_LEFT + column * _CELL[0], y, number, is_last, f"{escape(who)}, {about}")
        for column, ((number, is_last), (_, who)) in enumerate(zip(row.cells, candidates, strict=True))
    ]
    yield Markup("".join(cells))  # noqa: S704 - numbers, and what is escaped above
    right = _LEFT + len(candidates) * _CELL[0]
    yield Markup('<text class="e" x="{}" y="{:g}">{}</text>').format(right + _TOTAL - 8, base, row.submissions)
    yield Markup('<text class="e" x="{}" y="{:g}">{}</text>').format(right + 2 * _TOTAL - 8, base, row.people)


def _cell(x: int, y: int, number: int, is_last: bool, about: str) -> str:
    """Return a cell as plain text, for there are a thousand of them; `about` is escaped."""
    wide, high = _CELL
    step = min(number, len(_STEPS) - 1)
    still = ", still there in the last submission" if is_last else ""
    shade = "z" if not number else "hi" if step > 2 else "lo"
    last = f'<rect class="last" x="{x + 2}" y="{y + 2}" width="{wide - 4}" height="{high - 4}" rx="3"/>'
    return (
        f"<g><title>{about}: {number}{still}</title>"
        f'<rect class="{_STEPS[step]}" x="{x + 1}" y="{y + 1}" width="{wide - 2}" height="{high - 2}" rx="3"/>'
        f'{last if is_last else ""}<text class="v {shade}" x="{x + wide // 2}" y="{y + high // 2 + 4}">'
        f"{number or '·'}</text></g>"
    )
