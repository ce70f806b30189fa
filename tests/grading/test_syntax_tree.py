"""Parsing in threads: whatever a collection of garbage runs meanwhile, a tree is built whole."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import pytest

from grader.grading.syntax_change import change_between
from grader.grading.syntax_tree import NotComparable
from tests.packages import SHIPPED

SOURCE: Final = (SHIPPED / "heads-never-mix" / "submissions" / "accepted" / "reference.py").read_text()
THREADS: Final = 4
TIMES: Final = 25  # of each thread
END_S: Final = 60


class _Parses:
    """Garbage that is collected in a circle and parses in its end, as a traceback or a template may."""

    def __init__(self) -> None:
        self.circle = self

    def __del__(self) -> None:
        ast.parse("f(x)[y]")


@pytest.fixture
def _eager_collection() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(50)  # less than a tree has nodes, so most collections fall into the building of one
    yield
    gc.set_threshold(*before)


def _compare(_: int) -> set[int]:
    found = set()
    for _ in range(TIMES):
        _Parses()
        found.add(change_between(SOURCE, SOURCE + "x = 1\n").nodes)
    return found


@pytest.mark.usefixtures("_eager_collection")
def test_threads_compare_while_finalisers_parse() -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(_compare, range(THREADS), timeout=END_S))
    assert found == [{3}] * THREADS  # the statement, its target and its value


@pytest.mark.parametrize("source", [SOURCE, "def f(:\n"], ids=["it parses", "no syntax"])
def test_garbage_is_collected_again_afterwards(source: str) -> None:
    with suppress(NotComparable):
        change_between(source, SOURCE)
    assert gc.isenabled()
