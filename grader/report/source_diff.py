"""A submission beside the starter that it is nearest to, as a table of changed lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Final

from markupsafe import Markup

from grader.grading.minimal_fix import (
    LINES_MAX,
    change_in_words,
    lines_of,
    nearest_starter,
    smallest_repair,
    text_of,
)
from grader.grading.syntax_tree import NotComparable
from grader.problems.loader import Problem
from grader.report.icons import state
from grader.report.visible import visible
from grader.wording import counted, plural

ROWS_MAX: Final = 600  # that are shown
_WIDTH_MAX: Final = 300  # characters of one line
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)")


def source_diff(problem: Problem, source: bytes, variant: str | None = None) -> Markup:
    """Return the changes from a starter as HTML, or a sentence where there is nothing to show.

    Args:
        problem: whose starter.
        source: the submission.
        variant: whose starter was given out; None: the one that the source is nearest to.
    """
    lines = _lines(source, "The source")
    if isinstance(lines, Markup):
        return lines
    chosen = variant or nearest_starter(problem, lines)
    starter = lines_of(problem.starter(chosen))
    if starter == lines:
        return _sentence(f"No line differs from the starter {chosen}.")
    return Markup('<p class="small mut">Against the starter <code>{}</code>{}.</p>{}{}').format(
        chosen,
        "" if variant else ", the nearest",
        _size_of_change(problem, source, variant),
        _table(starter, lines, "Submission line"),
    )


def diff_between(earlier: bytes, later: bytes) -> Markup:
    """Return the changes from one submission to a later one as HTML, or a sentence where there is nothing to show."""
    before, after = _lines(earlier, "The earlier source"), _lines(later, "The source")
    if isinstance(before, Markup):
        return before
    if isinstance(after, Markup):
        return after
    if before == after:
        return _sentence("No line differs.")
    return _table(before, after, "Submission line", "Earlier line")


def diff_to_fix(problem: Problem, source: bytes, variant: str) -> Markup:
    """Return the changes from a submission to the accepted source that is nearest to the starter, as HTML."""
    lines, fix = _lines(source, "The source"), smallest_repair(problem, variant)
    if isinstance(lines, Markup):
        return lines
    if fix is None:
        return _sentence("The package has no accepted source that can be compared.")
    accepted = lines_of(problem.files.text(fix.path))
    if lines == accepted:
        return _sentence("No line differs from the smallest accepted repair.")
    return Markup('<p class="small mut">To <code>{}</code>, the smallest accepted repair.</p>{}').format(
        fix.path, _table(lines, accepted, "Accepted line", "Submission line")
    )


def _lines(source: bytes, what: str) -> list[str] | Markup:
    """Return a source's lines, or the sentence that says why there is no comparing it."""
    try:
        lines = lines_of(text_of(source))
    except NotComparable as error:
        return _sentence(f"{what} {error}.")
    if len(lines) > LINES_MAX:
        return _sentence(f"{what} has {counted(len(lines), 'line')}; only up to {LINES_MAX} are compared.")
    return lines


def corrected_diff(starter: str, corrected: str) -> Markup:
    """Return the changes from a starter to a package's corrected source as HTML."""
    return _table(lines_of(starter), lines_of(corrected), "Corrected line")


def _table(before: list[str], after: list[str], title: str, first: str = "Starter line") -> Markup:
    rows = list(_rows(before, after))
    left_out = len(rows) - ROWS_MAX
    told = f"{counted(left_out, 'line')} more {plural(left_out, 'is')} not shown."
    more = _sentence(told) if left_out > 0 else Markup("")
    return Markup(
        '<div class="panel scroll" tabindex="0" role="region" aria-label="Changes"><table class="diff">'
        '<thead class="sr"><tr><th scope="col">{}</th><th scope="col">{}</th>'
        '<th scope="col">Change</th><th scope="col">Source</th></tr></thead><tbody>{}</tbody></table></div>{}'
    ).format(first, title, Markup("").join(rows[:ROWS_MAX]), more)


def _size_of_change(problem: Problem, source: bytes, variant: str | None) -> Markup:
    """Return how much was changed, in syntax nodes, beside the smallest accepted repair."""
    try:
        sentence, is_rewrite = change_in_words(problem, source, variant)
    except NotComparable as error:
        return _sentence(f"The source {error} by its syntax.")
    flag = Markup('<p class="small">{}</p>').format(state("warn", "whole rewrite"))
    return _sentence(sentence) + (flag if is_rewrite else Markup(""))


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
