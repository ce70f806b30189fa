"""Shares and distributions of a batch as SVG. Beside each stands a table of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

_BAR, _TALL, _FOOT = 46, 120, 30  # units of the histogram


def bar(count: int, of: int) -> Markup:
    """Return a share as a bar; the number stands beside it."""
    share = 100 * count / of if of else 0
    return Markup(
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="b0" width="100" height="6"/><rect class="b1" width="{}" height="6"/></svg>'
    ).format(f"{share:.1f}")


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
        '<div class="scroll panel pad" tabindex="0" role="region" aria-label="Points as columns">'
        '<svg role="img" aria-label="Results by points, in per cent" width="{}" '
        'height="{}" font-size="10" fill="currentColor">{}</svg></div>'
    ).format(_BAR * len(names), _TALL + _FOOT + 8, Markup("").join(parts))
