"""How much a submission changes of its starter, beside the smallest accepted repair of it.

It says nothing of right or wrong: a large change may be a good one. It is for the person who reads the submission.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from grader.grading.syntax_change import Change, at_least, change_between
from grader.grading.syntax_tree import Forest, NotComparable
from grader.problems.loader import Problem
from grader.wording import plural

LINES_MAX: Final = 2000  # of a source that starters are held against
ACCEPTED: Final = "submissions/accepted"


@dataclass(frozen=True)
class Repair:
    """An accepted source of the package, and its change from the starter."""

    path: str
    change: Change


@dataclass(frozen=True)
class MinimalFix:
    """A submission's change from the starter that it is nearest to, beside the smallest accepted one."""

    variant: str
    change: Change
    smallest: Repair | None  # None: no accepted source can be compared

    @property
    def sentence(self) -> str:
        """Both in words."""
        if not self.change.nodes:
            told = f"It changes no syntax node of the starter {self.variant}"
        else:
            nodes = plural(self.change.nodes, "syntax node")
            told = f"It changes {_number(self.change)} {nodes} of the starter {self.variant}"
        if self.smallest is not None:
            told += f"; the smallest accepted repair changes {_number(self.smallest.change)}"
        anew = f" It is written anew for the most part ({self.change.share:.0%})." if self.change.is_rewrite else ""
        return f"{told}.{anew}"


def _number(change: Change) -> str:
    return f"at most {change.nodes}" if change.is_at_most else str(change.nodes)


def minimal_fix(problem: Problem, source: bytes, variant: str | None = None) -> MinimalFix:
    """Compare a submission with its starter.

    Args:
        variant: whose starter was given out; None: the one that the submission is nearest to.

    Raises:
        NotComparable: it is no text, does not parse, or is too large.
    """
    text = text_of(source)
    lines = lines_of(text)
    if len(lines) > LINES_MAX:
        raise NotComparable("is too large to be compared")
    variant = variant or nearest_starter(problem, lines)
    return MinimalFix(variant, change_between(problem.starter(variant), text), smallest_repair(problem, variant))


@lru_cache(maxsize=64)
def change_in_words(problem: Problem, source: bytes, variant: str | None = None) -> tuple[str, bool]:
    """Return `minimal_fix` as a sentence, and whether the source is written anew; it is kept, for it takes a while.

    Raises:
        NotComparable: as there.
    """
    found = minimal_fix(problem, source, variant)
    return found.sentence, found.change.is_rewrite


def text_of(source: bytes) -> str:
    """Return a source as text.

    Raises:
        NotComparable: it is none.
    """
    try:
        return source.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        raise NotComparable("is no UTF-8 text, so it cannot be compared") from None


def lines_of(text: str) -> list[str]:
    """Return a text's lines, whatever ends them."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def nearest_starter(problem: Problem, lines: list[str]) -> str:
    """Return the variant whose starter shares most lines with a source."""
    starters = {variant: lines_of(problem.starter(variant)) for variant in problem.spec.variants}
    return max(starters, key=lambda variant: SequenceMatcher(None, starters[variant], lines, autojunk=False).ratio())


@lru_cache(maxsize=32)
def smallest_repair(problem: Problem, variant: str) -> Repair | None:
    """Return the accepted source of a package that changes least of a variant's starter."""
    starter, forest = problem.starter(variant), Forest()
    try:
        tree = forest.tree(starter)
    except NotComparable:
        return None
    bounds = []
    for path in problem.files.below(ACCEPTED):
        with suppress(NotComparable):
            bounds.append((at_least(tree, forest.tree(problem.files.text(path))), path))
    best: Repair | None = None
    for bound, path in sorted(bounds):
        if best is not None and bound >= best.change.nodes:
            break
        found = Repair(path, change_between(starter, problem.files.text(path)))
        best = found if best is None or found.change.nodes < best.change.nodes else best
    return best
