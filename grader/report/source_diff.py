"""A submission beside the starter that it is nearest to, as a table of changed lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher, unified_diff
from typing import Final

from markupsafe import Markup

from grader.problems.loader import Problem
from grader.report.visible import visible

LINES_MAX: Final = 2000  # that are compared
ROWS_MAX: Final = 600  # that are shown
_WIDTH_MAX: Final = 300  # characters of one line
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)")


def nearest_starter(problem: Problem, lines: list[str]) -> tuple[str, list[str]]:
    """Return the variant whose starter shares most lines with a source, and the starter's lines."""
    starters = {variant: _lines(problem.starter(variant)) for variant in problem.spec.variants}
    best = max(starters, key=lambda variant: SequenceMatcher(None, starters[variant], lines, autojunk=False).ratio())
    return best, starters[best]


def source_diff(problem: Problem, source: bytes) -> Markup:
    """Return the changes from the nearest starter as HTML, or a sentence where there is nothing to show."""
    try:
        lines = _lines(source.removeprefix(b"\xef\xbb\xbf").decode())
    except UnicodeDecodeError:
        return _sentence("The source is no UTF-8 text.")
    if len(lines) > LINES_MAX:
        return _sentence(f"The source has {len(lines)} lines; only up to {LINES_MAX} are compared.")
    variant, starter = nearest_starter(problem, lines)
    rows = list(_rows(starter, lines))
    if not rows:
        return _sentence(f"No line differs from the starter {variant}.")
    more = _sentence(f"{len(rows) - ROWS_MAX} lines more are not shown.") if len(rows) > ROWS_MAX else Markup("")
    return Markup(
        '<p class="small mut">Against the starter <code>{}</code>, the nearest.</p>'
        '<div class="panel scroll" tabindex="0" role="region" aria-label="Changes"><table class="diff">'
        '<thead class="sr"><tr><th scope="col">Starter line</th><th scope="col">Submission line</th>'
        '<th scope="col">Change</th><th scope="col">Source</th></tr></thead><tbody>{}</tbody></table></div>{}'
    ).format(variant, Markup("").join(rows[:ROWS_MAX]), more)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _sentence(text: str) -> Markup:
    return Markup('<p class="small mut">{}</p>').format(text)


def _rows(starter: list[str], lines: list[str]) -> Iterator[Markup]:
    before = after = 0
    changes = unified_diff(starter, lines, n=3, lineterm="")
    for number, line in enumerate(changes):
        if number < 2:  # the names of the two files
            continue
        if hunk := _HUNK.match(line):
            before, after = int(hunk[1]), int(hunk[3])
            yield Markup(
                '<tr class="hunk"><td class="ln"></td><td class="ln"></td><td></td><td>from line {}</td></tr>'
            ).format(before)
            continue
        kind, mark = {"+": ("add", "+"), "-": ("del", "−")}.get(line[0], ("", ""))
        cells = ("" if kind == "add" else before, "" if kind == "del" else after, mark, _shown(line[1:]))
        yield Markup('<tr class="{}">').format(kind) + Markup(
            '<td class="ln">{}</td><td class="ln">{}</td><td class="mk">{}</td><td>{}</td></tr>'
        ).format(*cells)
        before += kind != "add"
        after += kind != "del"


def _shown(line: str) -> str:
    text = visible(line[: _WIDTH_MAX + 1], keep="\t")
    return text if len(line) <= _WIDTH_MAX else f"{text[:_WIDTH_MAX]} …"
