"""Numbers that the texts of "The first word is right" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "rope-pairing"
CORRECTED = "submissions/accepted/corrected.py"


def rope(source: str) -> Any:
    """Return the function of a source of the package."""
    return runpy.run_path(str(PACKAGE / source))["rope"]


def turned(source: str, token: list[float], position: int) -> list[float]:
    """Return what a source makes of one token."""
    found: list[float] = rope(source)(np.array([token]), np.array([position]))[0].tolist()
    return found


def speeds(source: str, size: int) -> list[float]:
    """Return by how much each pair turns from position 0 to 1, told by its first feature."""
    half = size // 2
    ones = np.hstack([np.ones(half), np.zeros(half)])[None]
    found = rope(source)(ones, np.array([1]))[0]
    return np.arctan2(found[half:], found[:half]).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("source", "places"),
    [
        (CORRECTED, (0, 2)),
        ("starters/first.py", (0, 1)),
        ("submissions/wrong_answer/ends_paired.py", (0, 3)),
    ],
)
def test_cosine_and_sine_of_the_first_of_four_features_stand_at(source: str, places: tuple[int, int]) -> None:
    expected = np.zeros(4)
    expected[list(places)] = np.cos(0.7 * 10), np.sin(0.7 * 10)

    assert turned(source, [1.0, 0.0, 0.0, 0.0], 7) == pytest.approx(expected.tolist(), abs=1e-12)


def test_other_direction_negates_the_sine() -> None:
    opposite = turned("submissions/wrong_answer/opposite_rotation.py", [1.0, 0.0, 0.0, 0.0], 7)

    assert opposite == pytest.approx([np.cos(7), 0.0, -np.sin(7), 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ("source", "frequencies"),
    [
        (CORRECTED, [1.0, 0.1, 0.01, 0.001]),
        ("starters/second.py", [1.0, 0.316, 0.1, 0.0316]),
        ("submissions/wrong_answer/pairs_counted_from_one.py", [0.1, 0.01, 0.001, 0.0001]),
        ("submissions/wrong_answer/exponents_to_one.py", [1.0, 0.0464, 0.00215, 0.0001]),
    ],
)
def test_eight_features_turn_by(source: str, frequencies: list[float]) -> None:
    assert [float(f"{speed:.3g}") for speed in speeds(source, 8)] == frequencies


@pytest.mark.parametrize(("source", "positions"), [(CORRECTED, 54410), ("starters/second.py", 585)])
def test_slowest_of_128_features_makes_a_turn_in(source: str, positions: int) -> None:
    assert round(2 * np.pi / speeds(source, 128)[-1]) == positions


@pytest.mark.parametrize(
    ("source", "product"), [(CORRECTED, 0.84), ("submissions/wrong_answer/opposite_rotation.py", -0.84)]
)
def test_product_of_a_query_one_position_behind_a_key(source: str, product: float) -> None:
    query, key = turned(source, [1.0, 0.0], 1), turned(source, [0.0, 1.0], 0)

    assert round(float(np.dot(query, key)), 2) == product


@pytest.mark.parametrize("source", [CORRECTED, "starters/first.py"])
def test_products_depend_on_differences_of_positions_alone(source: str) -> None:
    query, key = np.random.default_rng(3).normal(size=(2, 6)).tolist()
    products = [np.dot(turned(source, query, 9 + shift), turned(source, key, 4 + shift)) for shift in (0, 100)]

    assert products[0] == pytest.approx(products[1], rel=1e-10)
    assert products[0] != pytest.approx(np.dot(query, key), rel=1e-3)


def test_neighbours_and_halves_agree_after_a_common_permutation() -> None:
    query, key = np.random.default_rng(4).normal(size=(2, 6))
    order = [0, 3, 1, 4, 2, 5]
    halves = np.dot(turned(CORRECTED, query.tolist(), 9), turned(CORRECTED, key.tolist(), 2))
    permuted = [turned("starters/first.py", vector[order].tolist(), p) for vector, p in ((query, 9), (key, 2))]

    assert np.dot(permuted[0], permuted[1]) == pytest.approx(halves, rel=1e-12)


def test_half_precision_holds_whole_numbers_up_to_2048() -> None:
    assert [float(np.float16(n)) for n in (2047, 2048, 2049)] == [2047.0, 2048.0, 2048.0]


def test_neighbours_of_100000_in_single_precision_are_0_008_apart() -> None:
    assert round(float(np.spacing(np.float32(99_999))), 3) == 0.008
