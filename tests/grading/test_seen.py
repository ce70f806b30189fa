"""What counts as seen of a stage that is no array of numbers, or that right sources mostly do without."""

from __future__ import annotations

import numpy as np
import pytest

from grader.grading.seen import SeenStages
from grader.grading.trace import Event, Trace
from grader.problems.cases import Array

SCORES = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 0.5]])
ALLOWED = np.tri(3, dtype=bool)
WEIGHTS = np.where(ALLOWED, np.exp(SCORES), 0.0)
PARENTS = {"masked": ("scores", "allowed"), "weights": ("masked",)}


def seen_in(*arrays: Array) -> SeenStages:
    stages = {"scores": SCORES, "allowed": ALLOWED, "masked": np.where(ALLOWED, SCORES, -np.inf), "weights": WEIGHTS}
    return SeenStages(Trace((), tuple(map(np.ascontiguousarray, arrays)), None, False, False), stages, {})


@pytest.mark.parametrize(
    ("array", "is_seen"),
    [
        (np.where(ALLOWED, SCORES, -np.inf), True),
        (np.where(ALLOWED, SCORES, -1e9), True),
        (np.where(ALLOWED, 2 * SCORES, -1e30)[None, None], True),
        (np.where(ALLOWED, 0.25, 0.0), True),
        (np.where(ALLOWED, 0.0, SCORES), True),
        (np.where(ALLOWED.T, SCORES, -np.inf), False),
        (np.where(np.tri(3, k=1, dtype=bool), SCORES, -np.inf), False),
        (SCORES, False),
        (np.where(ALLOWED, SCORES, -5.0), False),
    ],
)
def test_a_mask_is_seen_by_what_it_hides(array: Array, is_seen: bool) -> None:
    assert seen_in(array).has("allowed") is is_seen


@pytest.mark.parametrize(
    ("arrays", "shown", "stage"),
    [
        ([SCORES, np.where(ALLOWED, 3.0, 0.0)], ("scores", "allowed", "masked", "weights"), "masked"),
        ([SCORES, np.where(ALLOWED, 3.0, 0.0)], ("scores", "allowed", "weights"), None),
        ([SCORES, np.where(ALLOWED, SCORES, -np.inf)], ("scores", "allowed", "masked", "weights"), "weights"),
    ],
)
def test_what_right_sources_mostly_do_without_is_not_blamed_for_the_output_that_reads_it(
    arrays: list[Array], shown: tuple[str, ...], stage: str | None
) -> None:
    assert seen_in(*arrays).only_candidate(["weights"], PARENTS, shown) == stage


NEAR = np.abs(np.arange(3)[:, None] - np.arange(3)) < 2


def test_masks_that_are_applied_as_one_are_both_seen() -> None:
    both = ALLOWED & NEAR
    stages = {"allowed": ALLOWED, "near": NEAR, "masked": np.where(both, SCORES, -np.inf)}
    trace = Trace((), (np.where(both, 3 * SCORES, -np.inf),), None, False, False)
    assert SeenStages(trace, stages, {}).has("allowed", "near")


@pytest.mark.parametrize(("doubted", "stage"), [(["weights"], "scores"), ([], "masked")])
def test_a_stage_that_is_wrong_elsewhere_shows_nothing_where_it_is_right(doubted: list[str], stage: str) -> None:
    seen = seen_in(WEIGHTS)
    assert seen.only_candidate(["masked"], PARENTS, (*PARENTS, "scores", "allowed"), doubted) == stage


def test_what_is_wrong_elsewhere_is_not_ok() -> None:
    seen = seen_in(SCORES, WEIGHTS)
    parents = {"masked": ("scores", "allowed"), "weights": ()}
    states = seen.states("masked", parents, (), ["weights"])
    assert states["weights"] == "not_seen"
    assert seen.states("masked", parents)["weights"] == "ok"


def test_what_was_right_once_shows_what_it_came_from() -> None:
    states = seen_in(WEIGHTS).states("weights", PARENTS, ["weights"], ["weights"])
    assert states == {"scores": "not_seen", "allowed": "ok", "masked": "not_seen", "weights": "wrong"}


MAXIMA = np.array([[0.4, 1.3, -0.2], [0.9, 1.3, -0.2], [0.9, 1.3, 0.7], [0.9, 1.3, 0.7]])  # many stay as they are


@pytest.mark.parametrize(
    ("arrays", "is_seen"),
    [
        ([MAXIMA], True),
        (list(MAXIMA[:3]), True),  # equal rows are one content
        ([row[:, None] for row in MAXIMA], True),
        ([np.array(number) for number in MAXIMA.ravel()], True),
        (list(MAXIMA[:2]), False),
        ([MAXIMA[0], MAXIMA[2, ::-1]], False),
        ([np.array(number) for number in np.unique(MAXIMA)], False),  # each of them, but not as often
    ],
)
def test_numbers_that_stand_several_times_are_seen_in_rows_and_one_by_one(arrays: list[Array], is_seen: bool) -> None:
    trace = Trace((), tuple(map(np.ascontiguousarray, arrays)), None, False, False)
    assert SeenStages(trace, {"maxima": MAXIMA}, {}).has("maxima") is is_seen


FACTORS = np.array([0.3, 0.8, 0.5])
SUMS = {"factors": FACTORS, "totals": np.array([3.1, 2.2, 4.7]), "mixtures": np.array([-1.4, 0.6, 2.9])}
READ = {"totals": ("factors",), "mixtures": ("factors",), "output": ("totals", "mixtures")}


@pytest.mark.parametrize(
    ("operands", "stage"),
    [
        ((0,), "factors"),
        ((0, 2), "factors"),  # with a constant
        ((0, 0), None),  # by itself
        ((0, 3), None),  # with what is summed
    ],
)
def test_what_two_stages_share_is_at_fault_where_it_was_changed(operands: tuple[int, ...], stage: str | None) -> None:
    arrays = (FACTORS, FACTORS**3, np.array(3.0), np.array([1.7, 0.2, 0.9]))
    trace = Trace((Event("bin", 3, "Pow", 1, operands),), arrays, None, False, False)
    seen = SeenStages(trace, {**SUMS, "output": np.array([0.1, 0.2, 0.4])}, {})
    assert seen.only_candidate(["output"], READ, tuple(SUMS)) == stage
