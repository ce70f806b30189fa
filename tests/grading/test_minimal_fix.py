"""How much of a source was changed: pairs as data, the shipped problems, and sources that cannot be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.grading.minimal_fix import minimal_fix
from grader.grading.syntax_change import WORK_MAX, change_between
from grader.grading.syntax_tree import DEPTH_MAX, NODES_MAX, SOURCE_BYTES_MAX, NotComparable
from grader.problems.loader import REFERENCE, load_named
from tests.packages import SHIPPED, text_of, tiny_attention, tiny_problem_with

PAIRS: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("syntax_changes.yaml").read_text())
STARTER: Final = "starters/interview.py"
TOO_LARGE: Final = "is too large to be compared"
NO_SYNTAX: Final = "does not parse, so it cannot be compared"
UNCOMPARABLE: Final = {
    "no syntax": ("def f(:\n", NO_SYNTAX),
    "NUL": ("x = 1\0\n", NO_SYNTAX),
    "many bytes": ("#" * (SOURCE_BYTES_MAX + 1), TOO_LARGE),
    "many nodes": ("x = 1\n" * NODES_MAX, TOO_LARGE),
    "deep": ("x = " + "[" * DEPTH_MAX + "]" * DEPTH_MAX, "is nested too deeply to be compared"),
    "deeper than the parser goes": ("x = " + "-" * 60_000 + "1", NO_SYNTAX),
    "a chain of calls": ("x = f" + "()" * 60_000, NO_SYNTAX),
    "a number of many digits": ("x = " + "9" * 60_000, NO_SYNTAX),
}


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_changed_nodes_are_counted(pair: dict[str, Any]) -> None:
    assert change_between(pair["before"], pair["after"]).nodes == pair["nodes"]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_a_way_back_is_as_long(pair: dict[str, Any]) -> None:
    assert change_between(pair["after"], pair["before"]).nodes == pair["nodes"]


@pytest.mark.parametrize(("source", "why"), UNCOMPARABLE.values(), ids=UNCOMPARABLE)
def test_sources_that_cannot_be_compared_say_why(source: str, why: str) -> None:
    with pytest.raises(NotComparable) as caught:
        change_between("x = 1\n", source)
    assert str(caught.value) == why


def test_a_source_that_would_take_long_is_bounded() -> None:
    sources = ["".join(f"x{n} = [{n}, {n + sign}, f({n}, {sign})]\n" for n in range(500)) for sign in (7, 9)]
    change = change_between(*sources)
    assert WORK_MAX < 500 * 500  # there are more pairs of statements than are looked at
    assert (change.is_at_most, change.of) == (True, 4501)
    assert 1500 <= change.nodes <= 9000


SHIPPED_FIXES: Final = {
    ("heads-never-mix", "submissions/accepted/corrected.py"): (3, 3, False),
    ("heads-never-mix", "submissions/wrong_answer/softmax_over_queries_and_scale_full_width.py"): (22, 3, False),
    ("heads-never-mix", "submissions/accepted/layer_class.py"): (281, 3, True),
    ("heads-never-mix", STARTER): (0, 3, False),
    ("split-merge-reshape", "submissions/accepted/corrected.py"): (8, 8, False),
    ("split-merge-reshape", "submissions/accepted/plain_lists.py"): (88, 14, True),
}


@pytest.mark.parametrize(("slug", "path"), SHIPPED_FIXES, ids=lambda part: str(part).rpartition("/")[2])
def test_change_stands_beside_the_smallest_accepted_repair(slug: str, path: str) -> None:
    problem = load_named(slug, SHIPPED)
    found = minimal_fix(problem, problem.files.contents[path])
    assert found.smallest is not None
    numbers = (found.change.nodes, found.smallest.change.nodes, found.change.is_rewrite)
    assert numbers == SHIPPED_FIXES[slug, path]


def test_sentence_tells_both() -> None:
    found = minimal_fix(tiny_attention(), text_of("submissions/wrong_answer/mask_missing.py").encode())
    assert found.sentence == (
        "It changes 8 syntax nodes of the starter interview; the smallest accepted repair changes 25."
    )


def test_sentence_tells_a_rewrite() -> None:
    source = "import math\n" + "\n".join(f"def f{n}(x):\n    return [math.exp(y) for y in x]" for n in range(9))
    sentence = minimal_fix(tiny_attention(), source.encode()).sentence
    assert sentence.endswith("the smallest accepted repair changes 25. It is written anew for the most part (100%).")


def test_a_starter_unchanged_has_no_change() -> None:
    sentence = minimal_fix(tiny_attention(), b"\xef\xbb\xbf" + text_of(STARTER).encode()).sentence
    assert sentence.startswith("It changes no syntax node of the starter interview; ")


def test_accepted_sources_that_cannot_be_compared_are_left_out() -> None:
    deep = f"\n_DEEP = {'[' * DEPTH_MAX}{']' * DEPTH_MAX}\n"
    paths = (REFERENCE, "submissions/accepted/corrected.py")
    problem = tiny_problem_with({path: text_of(path) + deep for path in paths})
    found = minimal_fix(problem, text_of(STARTER).replace("import", "import os, ", 1).encode())
    assert found.smallest is None
    assert found.sentence == "It changes 1 syntax node of the starter interview."


def test_an_empty_source_changes_all_but_the_module() -> None:
    change = minimal_fix(tiny_attention(), b"").change
    assert change.nodes == change.of - 1


@pytest.mark.parametrize(
    ("source", "why"),
    [(b"# \xff\n", "is no UTF-8 text, so it cannot be compared"), (b"x = 1\n" * 2001, TOO_LARGE)],
    ids=["no text", "many lines"],
)
def test_submissions_that_cannot_be_compared_say_why(source: bytes, why: str) -> None:
    with pytest.raises(NotComparable) as caught:
        minimal_fix(tiny_attention(), source)
    assert str(caught.value) == why
