"""Numbers that the texts of "Heads that have learned to be quiet stay loud" state."""

from __future__ import annotations

import runpy
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "attention-sinks"
CORRECTED: Final = "submissions/accepted/corrected.py"
UNSHIFTED: Final = "starters/first.py"
Floats = npt.NDArray[np.float64]


def attended(source: str, scores: list[list[float]], sink: float, v: Floats | None = None) -> tuple[Any, Any]:
    """Return h and the weights of one head with these scores, as a source of the package computes them."""
    tokens = len(scores)
    q = np.sqrt(tokens) * np.eye(tokens)[None]
    values = np.eye(tokens) if v is None else v
    layer = runpy.run_path(str(PACKAGE / source))["attention"]
    with np.errstate(over="ignore"):
        h, weights = layer(q, np.array(scores).T[None], values[None], np.array([sink]))
    return h[0], weights[0]


@pytest.mark.parametrize(
    ("source", "weight"),
    [
        (CORRECTED, 0.5),
        (UNSHIFTED, 1 / (1 + np.exp(2.0))),
        ("submissions/wrong_answer/one_added_after_shifting.py", 0.5),
        ("submissions/wrong_answer/rows_renormalised.py", 1.0),
    ],
)
def test_single_key_of_score_2_beside_a_sink_of_2(source: str, weight: float) -> None:
    assert attended(source, [[2.0]], 2.0)[1][0, 0] == pytest.approx(weight, rel=1e-12)


def test_unshifted_weight_is_about_twelve_hundredths() -> None:
    assert round(1 / (1 + np.exp(2.0)), 2) == 0.12


@pytest.mark.parametrize(
    ("source", "row"),
    [
        (CORRECTED, [1 / 4, 1 / 4, 1 / 4]),
        ("submissions/wrong_answer/rows_renormalised.py", [1 / 3, 1 / 3, 1 / 3]),
        ("submissions/wrong_answer/sink_weight_on_first_token.py", [1 / 2, 1 / 4, 1 / 4]),
        ("submissions/wrong_answer/sink_beside_each_key.py", [1 / 6, 1 / 6, 1 / 6]),
    ],
)
def test_three_equal_keys_beside_a_sink_of_0(source: str, row: list[float]) -> None:
    assert attended(source, [[0.0] * 3] * 3, 0.0)[1][2] == pytest.approx(row, rel=1e-12)


def test_key_of_score_20_gets_one_half_where_1_is_added_after_the_shift() -> None:
    plus_one = "submissions/wrong_answer/one_added_after_shifting.py"

    assert attended(plus_one, [[20.0]], 0.0)[1][0, 0] == 0.5
    assert attended(CORRECTED, [[20.0]], 0.0)[1][0, 0] == pytest.approx(1 / (1 + np.exp(-20.0)), rel=1e-12)


def test_unshifted_sink_of_900_silences_scores_as_large() -> None:
    scores = [[900.0, 0.0], [900.0, 900.0]]

    assert attended(UNSHIFTED, scores, 900.0)[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert attended(CORRECTED, scores, 900.0)[1] == pytest.approx(np.array([[1 / 2, 0], [1 / 3, 1 / 3]]), rel=1e-12)


@pytest.mark.parametrize(("source", "is_same"), [(CORRECTED, True), (UNSHIFTED, False)])
def test_one_number_added_to_scores_and_sink_changes_nothing(source: str, is_same: bool) -> None:
    scores = np.array([[0.5, 0.0], [1.0, -0.5]])
    plain = attended(source, scores.tolist(), 0.7)[1]
    lifted = attended(source, (scores + 100).tolist(), 100.7)[1]

    assert np.allclose(plain, lifted, rtol=1e-9) is is_same


def test_row_sums_are_the_logistic_function_of_log_sum_exp_minus_sink() -> None:
    h, weights = attended(CORRECTED, [[0.5, 0.0], [1.0, -0.5]], 0.7, np.ones((2, 1)))
    logs = np.array([0.5, np.logaddexp(1.0, -0.5)])
    sums = 1 / (1 + np.exp(0.7 - logs))

    assert weights.sum(axis=1) == pytest.approx(sums, rel=1e-12)
    assert h[:, 0] == pytest.approx(sums, rel=1e-12)


def test_output_does_not_follow_from_the_weights_in_the_second_starter() -> None:
    h, weights = attended("starters/second.py", [[0.5, 0.0], [1.0, -0.5]], 0.7)

    assert h.sum(axis=1) == pytest.approx([1.0, 1.0], rel=1e-12)
    assert weights.sum(axis=1).max() < 0.7


@pytest.mark.parametrize("lead", [700.0, 710.0, 5000.0])
def test_maximum_without_the_sink_is_right_however_far_it_leads(lead: float) -> None:
    _, weights = attended("submissions/accepted/maximum_of_keys_alone.py", [[0.0]], lead)

    assert weights[0, 0] == pytest.approx(0.0, abs=1e-300)


def test_gradient_of_the_output_by_the_sink_is_minus_its_weight_times_the_output() -> None:
    scores, v, step = [[0.5, 0.0], [1.0, -0.5]], np.array([[1.0], [3.0]]), 1e-6
    h, weights = attended(CORRECTED, scores, 0.7, v)
    higher, lower = (attended(CORRECTED, scores, 0.7 + sign * step, v)[0] for sign in (1, -1))

    assert (higher - lower) / (2 * step) == pytest.approx(-(1 - weights.sum(axis=1))[:, None] * h, rel=1e-6)
