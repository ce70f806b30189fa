"""Numbers that the texts of "It copies well and translates badly" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "cross-attention-sources"
CORRECTED = "submissions/accepted/corrected.py"
TRIANGLE = "submissions/wrong_answer/triangle_over_source.py"
AT_THE_END = "submissions/wrong_answer/triangle_at_the_end.py"


def layer_of(source: str) -> Any:
    """Return the layer of a source of the package."""
    return runpy.run_path(str(PACKAGE / source))["cross_attention"]


def even_weights(source: str, targets: int, sources: int) -> Any:
    """Return the weights that a source of the package computes where all scores are 0."""
    one = np.eye(2)
    return layer_of(source)(np.zeros((targets, 2)), np.zeros((sources, 2)), one, one, one, one)[1]


@pytest.mark.parametrize(
    ("source", "open_weights", "unread"), [(TRIANGLE, 6, 4), (AT_THE_END, 18, 0), (CORRECTED, 21, 0)]
)
def test_three_targets_and_seven_source_rows_leave_open(source: str, open_weights: int, unread: int) -> None:
    weights = even_weights(source, 3, 7)

    assert int(np.count_nonzero(weights)) == open_weights
    assert int((weights == 0).all(axis=0).sum()) == unread


def test_first_target_reads_the_first_source_row_alone_under_the_triangle() -> None:
    assert even_weights(TRIANGLE, 5, 5)[0].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("source", "row"),
    [
        (CORRECTED, [0.2] * 5),
        (AT_THE_END, [0.2] * 5),
        (TRIANGLE, [1.0, 0.0, 0.0, 0.0, 0.0]),
        ("submissions/wrong_answer/softmax_over_queries.py", [1.0] * 5),
    ],
)
def test_one_step_of_decoding_reads(source: str, row: list[float]) -> None:
    assert even_weights(source, 1, 5).tolist() == [row]


def test_values_of_the_target_do_not_fit_one_step_of_decoding() -> None:
    with pytest.raises(ValueError, match="mismatch"):
        even_weights("submissions/wrong_answer/values_from_target.py", 1, 5)


def test_long_target_begins_with_rows_of_no_number_under_a_triangle_at_the_end() -> None:
    with np.errstate(invalid="ignore"):
        weights = even_weights(AT_THE_END, 6, 2)

    assert np.isnan(weights).all(axis=1).tolist() == [True, True, True, True, False, False]


def test_exchanged_roles_return_seven_rows_for_three_targets() -> None:
    one = np.eye(2)
    layer = layer_of("submissions/wrong_answer/roles_exchanged.py")
    y, weights = layer(np.zeros((3, 2)), np.zeros((7, 2)), one, one, one, one)

    assert (y.shape, weights.shape) == ((7, 2), (7, 3))


def test_another_order_of_the_source_moves_the_columns_and_leaves_y() -> None:
    rng = np.random.default_rng(3)
    x, ctx = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    matrices = rng.normal(size=(4, 4, 4))
    order = [3, 0, 4, 2, 1]
    y, weights = layer_of(CORRECTED)(x, ctx, *matrices)
    again, moved = layer_of(CORRECTED)(x, ctx[order], *matrices)

    assert again == pytest.approx(y, rel=1e-12)
    assert moved == pytest.approx(weights[:, order], rel=1e-12)


def test_copy_hides_whose_values_are_mixed() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4, 4))
    matrices = rng.normal(size=(4, 4, 4))
    wrong = layer_of("starters/first.py")(x, x.copy(), *matrices)

    assert wrong[0].tolist() == layer_of(CORRECTED)(x, x.copy(), *matrices)[0].tolist()
