"""Shares and distributions of a batch as SVG. Beside each stands a table of the same numbers."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

_TALL, _FOOT = 120, 30  # units of the histogram


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
    share = 100 / len(names)  # of the width, which is a phone's as well
    parts = []
    for position, (name, count) in enumerate(zip(names, counts, strict=True)):
        height = round(_TALL * count / highest, 1)
        middle = f"{share * (position + 0.5):.2f}%"
        parts.append(
            Markup(
                '<g><title>{}: {}</title><rect x="{}" y="{}" width="{}" height="{}" fill="var(--accent)"/>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text></g>'
            ).format(
                name, count, f"{share * (position + 0.1):.2f}%", 14 + _TALL - height, f"{share * 0.8:.2f}%", height,
                middle, 10 + _TALL - height, count,
                middle, _TALL + _FOOT, name.split(" to ")[0].removesuffix(" %"),
            )
        )  # fmt: skip
    return Markup(
        '<div class="panel pad"><svg class="columns" role="img" aria-label="Results by points, in per cent" '
        'height="{}" font-size="10" fill="currentColor">{}</svg></div>'
    ).format(_TALL + _FOOT + 8, Markup("").join(parts))
