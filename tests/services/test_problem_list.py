"""Filters, order and counts of the problem list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.problems.files import PackageFiles
from grader.problems.loader import Problem
from grader.problems.schema import ProblemSpec
from grader.problems.sets import SetSpec
from grader.services.attempts import Progress
from grader.services.problem_list import CHOSEN_MAX, TEXT_MAX, Filters, ProblemList, problem_list

CASES = yaml.safe_load((Path(__file__).with_suffix("").parent / "problem_list.yaml").read_text())
SETS = {"pair": SetSpec(title="A pair", minutes=15, problems=["c", "a"])}
PROGRESS = {
    "a": Progress(status="solved", submissions=3, points=100.0),
    "b": Progress(status="in progress", submissions=1, points=40.0),
}


def make_problem(slug: str, level: str, minutes: int, tags: list[str], roles: list[str]) -> Problem:
    spec = {
        "schema": 1,
        "title": f"Problem {slug.upper()}",
        "level": level,
        "minutes": minutes,
        "tags": tags,
        "roles": roles,
        "entries": {"f": {"parameters": {"x": "float64[T]"}, "outputs": {"y": "float64[T]"}}},
        "variants": {"only": {"starter": "starters/only.py", "planted": ["fault"]}},
        "groups": [{"name": "values", "points": 100, "cases": ["secret_a"]}],
        "stages": ["output"],
    }
    return Problem(PackageFiles(slug, {}), ProblemSpec.model_validate(spec))


PROBLEMS = [
    make_problem("a", "L2", 10, ["x", "y"], ["One"]),
    make_problem("b", "L2", 20, ["x"], ["One", "Two"]),
    make_problem("c", "L3", 5, ["z"], ["Two"]),
]


def listed(asked: list[Any]) -> ProblemList:
    return problem_list(PROBLEMS, PROGRESS, SETS, Filters.of((key, value) for key, value in asked))


@pytest.mark.parametrize("case", CASES, ids=[str(case["asked"]) for case in CASES])
def test_what_is_asked_for_is_left(case: dict[str, Any]) -> None:
    assert [row.problem.slug for row in listed(case["asked"]).rows] == case["left"]


def test_totals_are_of_all_problems() -> None:
    found = listed([["tag", "z"]])
    assert (found.total, found.solved, found.points, found.max_points) == (3, 1, 140.0, 300.0)


def test_a_choice_counts_what_it_would_leave_with_the_other_filters() -> None:
    found = listed([["level", "L2"], ["status", "solved"]])
    counts = {
        facet: [(choice.value, choice.count) for choice in choices if choice.count or choice.is_chosen]
        for facet, choices in found.choices.items()
    }
    assert counts == {
        "status": [("in progress", 1), ("solved", 1)],
        "level": [("L2", 1)],
        "role": [("One", 1)],
        "tag": [("x", 1), ("y", 1)],
    }


def test_an_address_says_what_was_asked_for() -> None:
    asked = (("status", "new"), ("level", "L2"), ("level", "L3"), ("tag", "<b>"), ("set", "pair"), ("q", "a b"))
    filters = Filters.of((*asked, ("order", "minutes")))
    assert filters.pairs() == (*asked, ("order", "minutes"))
    assert filters.chosen() == asked
    assert Filters.of(filters.pairs()) == filters
    assert filters.without("level", "L2").level == ("L3",)
    assert filters.without("q", "a b").q == ""
    assert not filters.is_empty
    assert Filters.of([("order", "points")]).is_empty


def test_what_is_asked_for_is_bounded() -> None:
    filters = Filters.of([("tag", f"{number:03}" + "x" * 500) for number in range(100)])
    assert len(filters.tag) == CHOSEN_MAX
    assert {len(value) for value in filters.tag} == {TEXT_MAX}
