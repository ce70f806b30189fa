"""The frame of a self-contained page: everything in one file, nothing fetched, readable and printable anywhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from markupsafe import Markup

STATIC: Final = Path(__file__).parent / "static"  # style sheet and script of pages and reports
_FRAME: Final = Markup(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main class="page wide">
{body}
</main>
</body>
</html>
"""
)


def standalone(title: str, body: Markup, *sheets: str) -> str:
    """Return a whole page; the title is escaped, the body is markup already.

    Args:
        sheets: names of style sheets that it needs beside the common one.
    """
    return str(_FRAME.format(title=title, style=Markup("\n").join(map(_style, ("grader.css", *sheets))), body=body))


def goes_on(what: str = "table", *, is_always_wide: bool = False) -> Markup:
    """Return the line that stands before what is wider than a narrow screen.

    In a page with scripts one shows it wherever something is cut off, and nowhere else; in a report it stands there.

    Args:
        is_always_wide: it is cut off on a wide screen as well.
    """
    return Markup('<p class="tiny dim goes-on{} no-print">The {} goes on to the right.</p>').format(
        "" if is_always_wide else " only-s", what
    )


@cache
def _style(name: str) -> Markup:
    return Markup((STATIC / name).read_text())  # noqa: S704 - our own files
