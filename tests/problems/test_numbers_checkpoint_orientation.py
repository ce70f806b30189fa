"""Numbers that the texts of "The checkpoint loads without a complaint" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "checkpoint-orientation"
CORRECTED = "submissions/accepted/corrected.py"
STARTER = "starters/interview.py"
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]])
NAMES = tuple(f"{name}_{kind}" for name in "qkvo" for kind in ("weight", "bias"))


def attend(source: str, x: Any, tensors: dict[str, Any], heads: int) -> Any:
    """Return the outputs of a source of the package."""
    return runpy.run_path(str(PACKAGE / source))["attention"](x, **tensors, n_heads=heads)


def random_tensors(width: int = 6) -> tuple[Any, dict[str, Any]]:
    """Return tokens and the tensors of a square checkpoint of order 1."""
    rng = np.random.default_rng(5)
    shapes = {name: (width, width) if name.endswith("weight") else (width,) for name in NAMES}
    return rng.normal(size=(2, 5, width)), {name: rng.normal(size=shape) for name, shape in shapes.items()}


def value_of(source: str, token: list[float]) -> list[float]:
    """Return what a source makes of a token with MATRIX: a single token's mixed value, W_O being the identity."""
    zeros = {name: np.zeros((2, 2) if name.endswith("weight") else 2) for name in NAMES}
    tensors = zeros | {"v_weight": MATRIX, "o_weight": np.eye(2)}
    return [float(number) for number in attend(source, np.array([[token]]), tensors, 1)[0][0, 0]]


@pytest.mark.parametrize(
    ("source", "token", "expected"),
    [(CORRECTED, [1.0, 0.0], [1.0, 3.0]), (STARTER, [1.0, 0.0], [1.0, 2.0]), (CORRECTED, [0.0, 1.0], [2.0, 4.0])],
)
def test_what_a_two_by_two_matrix_makes_of_a_token(source: str, token: list[float], expected: list[float]) -> None:
    assert value_of(source, token) == expected


@pytest.mark.parametrize(
    ("bias", "weights_change", "output_changes"),
    [("q_bias", True, True), ("k_bias", False, False), ("v_bias", False, True), ("o_bias", False, True)],
)
def test_what_dropping_a_bias_changes(bias: str, weights_change: bool, output_changes: bool) -> None:
    x, tensors = random_tensors()
    y, weights = attend(CORRECTED, x, tensors, 2)
    other_y, other_weights = attend(CORRECTED, x, tensors | {bias: np.zeros(6)}, 2)

    assert np.allclose(weights, other_weights, rtol=1e-9) is not weights_change
    assert np.allclose(y, other_y, rtol=1e-9) is not output_changes


def test_a_vector_added_to_the_value_bias_moves_every_row_alike() -> None:
    x, tensors = random_tensors()
    added = np.arange(6.0)
    moved = attend(CORRECTED, x, tensors | {"v_bias": tensors["v_bias"] + added}, 2)[0]

    assert moved - attend(CORRECTED, x, tensors, 2)[0] == pytest.approx(
        np.broadcast_to(tensors["o_weight"] @ added, x.shape)
    )


def test_output_bias_remains_without_an_output_matrix() -> None:
    x, tensors = random_tensors()
    y = attend(CORRECTED, x, tensors | {"o_weight": np.zeros((6, 6))}, 2)[0]

    assert np.array_equal(y, np.broadcast_to(tensors["o_bias"], x.shape))


@pytest.mark.parametrize("kind", ["symmetric", "zero tokens", "neither"])
def test_which_inputs_hide_the_orientation(kind: str) -> None:
    x, tensors = random_tensors()
    if kind == "symmetric":
        tensors = {name: value + value.T if value.ndim == 2 else value for name, value in tensors.items()}
    if kind == "zero tokens":
        x, tensors = np.zeros_like(x), tensors | {"v_bias": np.zeros(6)}
    outputs = [attend(source, x, tensors, 2) for source in (CORRECTED, STARTER)]

    hidden = all(np.allclose(one, other) for one, other in zip(*outputs, strict=True))
    assert hidden is (kind != "neither")


def test_a_matrix_and_its_transpose_have_the_same_norm_and_spread() -> None:
    matrix = random_tensors()[1]["q_weight"]

    assert np.linalg.norm(matrix) == pytest.approx(np.linalg.norm(matrix.T))
    assert matrix.std() == pytest.approx(matrix.T.std())
