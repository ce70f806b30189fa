"""The multiple-choice questions of a problem as a person at a terminal reads them."""

from __future__ import annotations

import re
from typing import Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from grader.problems.schema import MultipleChoiceSpec
from grader.report.visible import visible
from grader.wording import counted

LETTERS: Final = "abcdefgh"  # as many as a question may have choices
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_ALONE: Final = re.compile(r"\s*$|\s{4}|\t|\s*\||#|>|\$\$")  # blank, code, table, heading, quotation, formula
_ITEM: Final = re.compile(r"\s*([-*+]|\d+[.)])\s")


def title_view(title: str, count: int) -> Text:
    """Return what the quiz opens with."""
    return Text.assemble((visible(title), "bold"), f": {counted(count, 'question')}")


def question_view(question: MultipleChoiceSpec, number: int, count: int) -> Group:
    """Return a question with its choices, and nothing that tells which of them is right."""
    choices = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    choices.add_column(no_wrap=True)
    choices.add_column(overflow="fold")
    for letter, choice in zip(LETTERS, question.choices, strict=False):
        choices.add_row(Text(f"  {letter}", style="bold"), reflowed(choice))
    return Group("", Text(f"Question {number} of {count}", style="bold"), reflowed(question.question), "", choices, "")


def hint_view(question: MultipleChoiceSpec) -> Group:
    """Return the hint."""
    return Group("", Text.assemble(("Hint: ", "bold"), reflowed(question.hint)), "")


def solution_view(question: MultipleChoiceSpec, chosen: int) -> Group:
    """Return whether the choice taken was right, which one is, and why."""
    if chosen == question.correct:
        headline = Text("✓ Right", style="bold green")
    else:
        headline = Text(f"✗ Not right: it is {LETTERS[question.correct]}", style="bold red")
    return Group("", headline, reflowed(question.solution))


def score_view(right: int, answered: int, count: int) -> Group:
    """Return the score so far."""
    left = f", {count - answered} not answered" if answered < count else ""
    return Group("", Text(f"{right} of {count} right{left}.", style="bold"))


def answers_text(count: int) -> str:
    """Return what may be typed at a question with so many choices; with eight of them h is a choice."""
    hint = "?" if count == len(LETTERS) else "h"
    return f"{LETTERS[0]}-{LETTERS[count - 1]}, {hint} hint, q quit"


def reflowed(markdown: str) -> Text:
    """Return a package's short text with its paragraphs on one line each, for the terminal to wrap.

    Backticks and TeX stay as they were written: both read well enough, and neither is guessed at.
    """
    lines: list[str] = []
    joins = fenced = False  # whether the next line may go on in the last one's; whether lines are those of a code block
    for line in visible(markdown).splitlines():
        fence = bool(_FENCE.match(line))
        alone = fenced or fence or bool(_ALONE.match(line))
        if joins and not alone and not _ITEM.match(line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.rstrip())
        fenced ^= fence
        joins = not alone
    return Text("\n".join(lines))
