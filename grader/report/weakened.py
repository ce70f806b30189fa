"""How it is said that a wall of the sandbox is left out: by what judges, and by a result that was judged so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup

from grader.report.icons import icon
from grader.wording import part_of

# Landlock is the one wall that may be missing
WEAKENED: Final = "WEAKENED SANDBOX: judged without Landlock, as GRADER_ALLOW_WEAK_SANDBOX=1 allows."


def weakness(missing: Iterable[str]) -> str:
    """Return what is said where a sandbox runs weakened.

    Args:
        missing: a sentence for each wall that is missing: which it is, and how to mend it.
    """
    return f"WEAKENED SANDBOX, as GRADER_ALLOW_WEAK_SANDBOX=1 allows. {' '.join(missing)}"


def weakened_banner(weakened: int, results: int) -> Markup:
    """Return the banner of a page, nothing where no result was judged by a weakened sandbox.

    Args:
        weakened: how many of the page's results were.
    """
    if not weakened:
        return Markup("")
    what = "This was" if results == 1 else part_of(weakened, results, "was", "result")
    return Markup(
        '<p class="callout bad">{}<span><b>Weakened sandbox.</b> {} judged without Landlock, as '
        "<code>GRADER_ALLOW_WEAK_SANDBOX=1</code> allows. <code>grader doctor</code> tells what is missing.</span></p>"
    ).format(icon("warn"), what)
