"""What is wider than a narrow screen in a report, where no script can say so."""

from __future__ import annotations

import re
from typing import Final

_FOUND: Final = re.compile(r'(.{0,40})<div class="(?:[a-z]+ )*scroll(?: [a-z]+)*"([^>]*)>(?=<table class="tbl|<svg)')


def unreachable(page: str) -> list[str]:
    """Return what tells of tables and maps that no keyboard can move."""
    return [told for _, told in _FOUND.findall(page) if 'tabindex="0" role="region"' not in told]


def marked(page: str) -> list[str]:
    """Return the labels of those that say that they go on to the right."""
    labels = [told for before, told in _FOUND.findall(page) if before.endswith("goes on to the right.</p>")]
    return [label.partition('aria-label="')[2].rstrip('"') for label in labels]
