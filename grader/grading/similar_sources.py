"""Which submissions are written alike, beyond what starter and package already have: something to look at, no proof.

Names and constants are left out, so renaming hides nothing. Short repairs are few, so equal ones mean nothing: what
counts is what neither the starter nor an accepted source of the package has, and there has to be enough of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from grader.grading.minimal_fix import ACCEPTED, text_of
from grader.grading.syntax_tree import NotComparable, parsed
from grader.problems.loader import Problem

SOURCE_BYTES_MAX: Final = 16 << 10  # of one source; a larger one is not compared
ALL_BYTES_MAX: Final = 1 << 20  # of all sources together
RUN: Final = 9  # nodes in a row that are compared
OWN_MIN: Final = 30  # runs of its own that a source needs to be compared
ALIKE: Final = 0.8  # of two sources' runs
PAIRS_MAX: Final = 50  # that are told
Prints = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Pair:
    """Two sources by their keys, and how much they share of what is their own, 0 to 1."""

    first: int
    second: int
    share: float
    runs: int  # that they share


@dataclass(frozen=True)
class Similar:
    """The pairs that are most alike, and how many sources were compared."""

    pairs: tuple[Pair, ...]
    compared: int
    too_short: int  # that have hardly anything of their own
    left_out: int  # too large, or no Python


def similar_sources(problem: Problem, variants: Iterable[str], sources: Mapping[int, bytes]) -> Similar:
    """Compare sources with each other.

    Args:
        problem: what they repair.
        variants: whose starters were given out.
        sources: by any keys.
    """
    known = _known(problem, tuple(sorted(set(variants))))
    own: dict[int, Prints] = {}
    left_out = size = 0
    for key, source in sources.items():
        size += min(len(source), SOURCE_BYTES_MAX)
        found = _prints_or_none(source) if size <= ALL_BYTES_MAX else None
        if found is None:
            left_out += 1
        else:
            own[key] = found - known
    long = {key: found for key, found in own.items() if len(found) >= OWN_MIN}
    pairs = sorted(_pairs(long), key=lambda pair: (-pair.share, -pair.runs, pair.first, pair.second))
    return Similar(tuple(pairs[:PAIRS_MAX]), len(long), len(own) - len(long), left_out)


def _pairs(own: Mapping[int, Prints]) -> Iterator[Pair]:
    for (first, mine), (second, theirs) in combinations(own.items(), 2):
        if min(len(mine), len(theirs)) < ALIKE * max(len(mine), len(theirs)):
            continue
        shared = len(mine & theirs)
        share = shared / (len(mine) + len(theirs) - shared)
        if share >= ALIKE:
            yield Pair(first, second, share, shared)


@lru_cache(maxsize=32)
def _known(problem: Problem, variants: tuple[str, ...]) -> Prints:
    """Return the runs that everybody may have: those of starters and accepted sources."""
    texts = [problem.starter(variant) for variant in variants]
    texts += [problem.files.text(path) for path in problem.files.below(ACCEPTED)]
    found: set[tuple[str, ...]] = set()
    for text in texts:
        found |= _prints_or_none(text.encode()) or frozenset()
    return frozenset(found)


@lru_cache(maxsize=512)
def _prints_or_none(source: bytes) -> Prints | None:
    if len(source) > SOURCE_BYTES_MAX:
        return None
    try:
        nodes = list(_nodes(parsed(text_of(source))))
    except NotComparable:
        return None
    return frozenset(tuple(nodes[start : start + RUN]) for start in range(len(nodes) - RUN + 1))


def _nodes(tree: ast.AST) -> Iterator[str]:
    """Yield the kinds of a tree's nodes from above, with names of attributes: those are NumPy's, not the writer's."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Load, ast.Store, ast.Del)):
            continue
        yield f"Attribute {node.attr}" if isinstance(node, ast.Attribute) else type(node).__name__
        children = [child for child in ast.iter_child_nodes(node) if not _is_text(child)]
        waiting.extend(reversed(children))


def _is_text(node: ast.AST) -> bool:
    """Whether a node is a docstring or another text that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
