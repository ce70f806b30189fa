"""The pictures of a batch's page, as SVG. Beside each stands a table of the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from grader.report.visible import visible

FAULTS_SHOWN: Final = 40
CANDIDATES_SHOWN: Final = 120
_CELL, _LABELS, _HEAD = 14, 260, 12  # units of the map
_NAME_WIDTH: Final = 38  # characters
_BAR, _TALL, _FOOT = 46, 120, 30  # units of the histogram


def bar(count: int, of: int) -> Markup:
    """Return a share as a bar; the number stands beside it."""
    share = 100 * count / of if of else 0
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="b0" width="100" height="6"/><rect class="b1" width="{}" height="6"/></svg>'
    ).format(f"{share:.1f}")


def fault_map(faults: Sequence[str], candidates: Sequence[str], counts: Mapping[str, Mapping[str, int]]) -> Markup:
    """Return faults (rows) by candidates (columns); a cell says in how many submissions of the candidate it was seen.

    Args:
        faults: the most common first; of many the first are drawn.
        counts: by fault and candidate.
    """
    shown = faults[:FAULTS_SHOWN]
    guilty = {name for fault in shown for name in counts[fault]}
    columns = [name for name in candidates if name in guilty][:CANDIDATES_SHOWN]
    rows = [_row(fault, columns, counts[fault], _HEAD + _CELL * number) for number, fault in enumerate(shown)]
    label = f"{len(shown)} faults by {len(columns)} candidates"
    return Markup(
        '<div class="scroll panel pad" tabindex="0" role="region" aria-label="Fault by candidate">'
        '<svg role="img" aria-label="{}" width="{}" height="{}" font-size="10" fill="currentColor" '
        'font-family="var(--f-mono)">{}</svg></div><p class="small mut">{}</p>'
    ).format(
        label,
        _LABELS + _CELL * len(columns) + 10,
        _HEAD + _CELL * len(shown) + 6,
        Markup("").join(rows),
        _legend(len(faults), len(columns), len({name for each in counts.values() for name in each})),
    )


def _legend(faults: int, columns: int, guilty: int) -> str:
    left_out = []
    if faults > FAULTS_SHOWN:
        left_out.append(f"the {FAULTS_SHOWN} most common of {faults} faults")
    if columns < guilty:
        left_out.append(f"{columns} of {guilty} candidates")
    text = "A column for each candidate whose submissions behave like a fault, in the order of their names."
    return f"{text} Shown: {' and '.join(left_out)}; results.csv has all." if left_out else text


def _row(fault: str, columns: Sequence[str], counts: Mapping[str, int], top: int) -> Markup:
    name = visible(fault, keep="")
    name = name if len(name) <= _NAME_WIDTH else name[: _NAME_WIDTH - 1] + "…"
    parts = [Markup('<text x="0" y="{}">{}</text>').format(top + 10, name)]
    for position, candidate in enumerate(columns):
        count = counts.get(candidate, 0)
        x = _LABELS + _CELL * position
        fill = "var(--accent)" if count else "var(--sunken)"
        title = f"{visible(candidate, keep='')}: {fault} in {count} of the submissions" if count else ""
        parts.append(_cell(x, top, fill, title, count))
    return Markup("").join(parts)


def _cell(x: int, top: int, fill: str, title: str, count: int) -> Markup:
    size = _CELL - 2
    if not count:
        return Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>').format(x, top, size, size, fill)
    return Markup(
        '<g><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'
        '<text x="{}" y="{}" text-anchor="middle" fill="var(--on-accent)">{}</text></g>'
    ).format(title, x, top, size, size, fill, x + size / 2, top + 9, count)


def histogram(names: Sequence[str], counts: Sequence[int]) -> Markup:
    """Return counts as columns, each with its number above and its name below."""
    highest = max(*counts, 1)
    parts = []
    for position, (name, count) in enumerate(zip(names, counts, strict=True)):
        x = _BAR * position
        height = round(_TALL * count / highest, 1)
        parts.append(
            Markup(
                '<g><title>{}: {}</title><rect x="{}" y="{}" width="{}" height="{}" fill="var(--accent)"/>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text></g>'
            ).format(
                name, count, x + 4, 14 + _TALL - height, _BAR - 8, height,
                x + _BAR / 2, 10 + _TALL - height, count,
                x + _BAR / 2, _TALL + _FOOT, name.split(" to ")[0].removesuffix(" %"),
            )
        )  # fmt: skip
    return Markup(
        '<div class="scroll panel pad"><svg role="img" aria-label="Results by points, in per cent" width="{}" '
        'height="{}" font-size="10" fill="currentColor">{}</svg></div>'
    ).format(_BAR * len(names), _TALL + _FOOT + 8, Markup("").join(parts))
