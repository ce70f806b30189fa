"""Sources that are written alike: by what is their own, whatever its names and numbers."""

from __future__ import annotations

import pytest

from grader.grading.similar_sources import similar_sources
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load
from tests.packages import SHIPPED

VARIANT = "interview"
OWN = '''
import numpy as np


def steps(values, limit):
    """Go on."""
    found = []
    for place, item in enumerate(values):
        while item > limit and place < len(found):
            item = item // 2 + place * 3
        if item in found or not place:
            found.append((item, place))
        else:
            found = [each for each in found if each[0] != item]
    return np.array(sorted(found, key=lambda pair: (pair[1], -pair[0]))).reshape(-1, 2)
'''
RENAMED = (
    OWN.replace("values", "a").replace("found", "kept").replace("place", "i").replace("item", "x")
    .replace("// 2", "// 7").replace('"""Go on."""', "# other words")
)  # fmt: skip
OTHER = """
def other(text):
    table = {letter: text.count(letter) for letter in set(text)}
    best = max(table.values(), default=0)
    try:
        with_best = next(letter for letter, count in table.items() if count == best)
    except StopIteration:
        with_best = ""
    return {"letter": with_best, "count": best, "rest": [one for one in text if one != with_best][:10]}
"""


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load(read_folder(SHIPPED / "heads-never-mix"))


def test_renaming_hides_nothing_and_others_are_not_alike(problem: Problem) -> None:
    starter = problem.starter(VARIANT)
    sources = [starter + OWN, starter + RENAMED, starter + OTHER, starter]
    found = similar_sources(problem, [VARIANT], dict(enumerate(text.encode() for text in sources)))
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.share) == (0, 1, 1.0)
    assert (found.compared, found.too_short, found.left_out) == (3, 1, 0)


def test_what_the_package_has_is_nobodys(problem: Problem) -> None:
    accepted = [problem.files.text(path).encode() for path in problem.files.below("submissions/accepted")]
    found = similar_sources(problem, [VARIANT], {1: accepted[0], 2: accepted[0], 3: accepted[-1]})
    assert (found.pairs, found.compared, found.too_short) == ((), 0, 3)


def test_what_cannot_be_read_is_left_out(problem: Problem) -> None:
    sources = {1: b"def f(", 2: b"\xff", 3: b"x = 1\n" * 5000, 4: b"(" * 9000, 5: b""}
    found = similar_sources(problem, [VARIANT], sources)
    assert (found.pairs, found.left_out, found.too_short) == ((), 4, 1)


def test_work_is_bounded(problem: Problem) -> None:
    source = ("x = [" + "a.b(c)[d], " * 1450 + "]\n# ").encode()
    source += b"0" * ((16 << 10) - len(source))
    found = similar_sources(problem, [VARIANT], dict.fromkeys(range(200), source))
    assert (found.compared + found.too_short, found.left_out) == (64, 136)  # a mebibyte is read
