"""Numbers that the texts of "Attention that spreads too wide" state."""

from __future__ import annotations

import math
import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "t5-relative-bias"
CORRECTED = "submissions/accepted/corrected.py"
SCALED = "submissions/wrong_answer/products_scaled.py"


def weights_of(source: str, q: Any, k: Any, table: Any) -> Any:
    """Return the weights that a source of the package computes."""
    with np.errstate(all="ignore"):
        layer = runpy.run_path(str(PACKAGE / source))["t5_attention"]
        return layer(np.asarray(q), np.asarray(k), np.zeros((len(q), 1)), np.asarray(table, dtype=np.float64))[1]


def buckets_of(source: str, tokens: int, n: int) -> list[int]:
    """Return the bucket of each distance, read off the last row of weights without products."""
    zeros = np.zeros((tokens, 1))
    row = weights_of(source, zeros, zeros, np.arange(n))[-1, ::-1]
    return [round(float(number)) for number in np.log(row / row[0])]


def test_eight_numbers_have_four_near_buckets_and_steps_at_7_12_and_20() -> None:
    found = buckets_of(CORRECTED, 40, 8)

    assert found == [0, 1, 2, 3] + [4] * 3 + [5] * 5 + [6] * 8 + [7] * 20


@pytest.mark.parametrize(
    ("source", "bucket"),
    [
        (CORRECTED, 5),
        ("submissions/wrong_answer/distance_modulo_table.py", 2),
        ("submissions/wrong_answer/distance_clipped_at_half.py", 4),
        ("submissions/wrong_answer/distance_clipped.py", 7),
    ],
)
def test_bucket_of_distance_ten_of_eight(source: str, bucket: int) -> None:
    assert buckets_of(source, 40, 8)[10] == bucket


def test_distance_ten_lies_1_76_steps_beyond() -> None:
    assert round(math.log(10 / 4) / math.log(32 / 4) * 4, 2) == 1.76


def test_clipped_distances_are_wrong_from_5_to_19() -> None:
    right = buckets_of(CORRECTED, 40, 8)
    clipped = buckets_of("submissions/wrong_answer/distance_clipped.py", 40, 8)

    differ = [distance for distance in range(40) if right[distance] != clipped[distance]]
    assert differ == list(range(5, 20))


@pytest.mark.parametrize(
    ("tokens", "n"), [(40, 8), (36, 32), (60, 7), (20, 5), (80, 14), (80, 10), (80, 6), (80, 3), (8, 4)]
)
def test_no_distance_below_32_lies_on_a_border_of_two_buckets(tokens: int, n: int) -> None:
    half = n // 2
    steps = [
        math.log(distance / half) / math.log(32 / half) * (n - half) for distance in range(half + 1, min(tokens, 32))
    ]

    assert all(abs(step - round(step)) > 1e-3 for step in steps)


@pytest.mark.parametrize(("source", "ratio"), [(CORRECTED, 2981), (SCALED, 2.7)])
def test_products_that_differ_by_8_weigh_for_64_features(source: str, ratio: float) -> None:
    q, k = np.zeros((2, 64)), np.zeros((2, 64))
    q[1, 0], k[1, 0] = 1.0, 8.0
    first, own = weights_of(source, q, k, [0.0, 0.0])[1]

    assert float(own / first) == pytest.approx(ratio, rel=0.01)


def test_one_feature_and_equal_numbers_hide_both_faults() -> None:
    rng = np.random.default_rng(2)
    q, k = rng.normal(size=(2, 5, 1))
    found = weights_of("starters/interview.py", q, k, [0.5] * 4)

    assert found == pytest.approx(weights_of(CORRECTED, q, k, [0.5] * 4), rel=1e-12)


def test_800_more_in_each_number_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(2, 12, 3))
    table = rng.normal(size=6)

    assert weights_of(CORRECTED, q, k, table + 800) == pytest.approx(weights_of(CORRECTED, q, k, table), rel=1e-9)


def test_late_factor_is_no_number_where_the_table_undoes_1500() -> None:
    q, k = np.array([[0.0], [0.0], [1.0]]), np.array([[1500.0], [0.0], [0.0]])
    table = [750.0, 750.0, -750.0, -750.0, -750.0, -750.0]
    right = weights_of(CORRECTED, q, k, table)[2]
    late = weights_of("submissions/wrong_answer/late_factor_renormalised.py", q, k, table)[2]

    assert right == pytest.approx(1 / 3, rel=1e-12)
    assert bool(np.isnan(late).any())
