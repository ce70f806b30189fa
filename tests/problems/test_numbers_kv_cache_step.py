"""Numbers that the texts of "The prompt agrees, what is decoded behind it does not" state."""

from __future__ import annotations

import runpy
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "kv-cache-step"
CORRECTED = "submissions/accepted/corrected.py"
CHUNKS: Final = [3, 2, 1]
Floats = npt.NDArray[np.float64]


def decoded(source: str, q: Floats, k: Floats, v: Floats, chunks: list[int]) -> Any:
    """Return what a source of the package computes."""
    return runpy.run_path(str(PACKAGE / source))["decode"](q, k, v, np.array(chunks))


def keys_read(source: str, chunks: list[int]) -> list[list[int]]:
    """Return which keys each token reads: zero scores, and values that tell the keys apart."""
    tokens = sum(chunks)
    zeros = np.zeros((tokens, 2))
    weights = decoded(source, zeros, zeros, np.eye(tokens), chunks)
    return [np.flatnonzero(row).tolist() for row in weights]


def random_text() -> tuple[Floats, Floats, Floats]:
    """Return queries, keys and values of six tokens."""
    rng = np.random.default_rng(15)
    return rng.normal(size=(6, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 3))


def test_chunks_of_three_two_and_one_read_all_that_came_before() -> None:
    assert keys_read(CORRECTED, CHUNKS) == [list(range(token + 1)) for token in range(6)]


def test_mask_without_the_cache_lets_tokens_3_and_4_read_the_oldest_keys() -> None:
    assert keys_read("starters/second.py", CHUNKS)[3:5] == [[0], [0, 1]]


def test_first_of_five_behind_one_reads_four_later_keys_without_a_mask() -> None:
    assert keys_read("submissions/wrong_answer/mask_only_without_cache.py", [1, 5])[1] == [0, 1, 2, 3, 4, 5]


def test_restarted_positions_put_tokens_0_and_3_in_one_place() -> None:
    """Their scores are then the bare product: as if neither had been rotated."""
    q, k = np.zeros((6, 4)), np.zeros((6, 4))
    q[3], k[0] = [1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 0.25, 2.0]
    weights = decoded("starters/first.py", q, k, np.eye(6), CHUNKS)

    assert weights[3, 0] / weights[3, 1] == pytest.approx(np.exp(q[3] @ k[0] / 2), rel=1e-12)


@pytest.mark.parametrize("chunks", [[6], [1] * 6, [3, 2, 1], [2, 4], [1, 5]])
def test_all_cuts_give_one_answer(chunks: list[int]) -> None:
    q, k, v = random_text()

    assert decoded(CORRECTED, q, k, v, chunks) == pytest.approx(decoded(CORRECTED, q, k, v, [6]), rel=1e-12)


def test_every_starter_is_right_for_a_prompt_in_one_chunk() -> None:
    q, k, v = random_text()
    starters = sorted(f"starters/{path.name}" for path in (PACKAGE / "starters").glob("*.py"))

    assert len(starters) == 3
    for source in starters:
        assert decoded(source, q, k, v, [6]) == pytest.approx(decoded(CORRECTED, q, k, v, [6]), rel=1e-12)


@pytest.mark.parametrize(
    ("source", "is_same"),
    [
        ("submissions/accepted/positions_from_a_thousand.py", True),
        ("submissions/wrong_answer/queries_behind_the_chunk.py", False),
        ("submissions/wrong_answer/rotation_backwards.py", False),
        ("submissions/wrong_answer/counter_moves_too_early.py", False),
    ],
)
def test_a_shift_of_all_positions_alone_cancels(source: str, is_same: bool) -> None:
    q, k, v = random_text()
    right = decoded(CORRECTED, q, k, v, CHUNKS)

    assert np.allclose(decoded(source, q, k, v, CHUNKS), right, rtol=1e-9) is is_same


def test_key_3_counts_as_position_6_when_it_is_rotated_again() -> None:
    rotate: Any = runpy.run_path(str(PACKAGE / CORRECTED))["rotate"]
    key = np.array([[1.0, 2.0, 3.0, 4.0]])
    again = rotate(rotate(key, np.array([3])), np.array([3]))

    assert again == pytest.approx(rotate(key, np.array([6])), rel=1e-12)


def test_values_of_ones_give_exactly_one_in_the_corrected_layer() -> None:
    q, k, _ = random_text()

    assert decoded(CORRECTED, q, k, np.ones((6, 1)), CHUNKS) == pytest.approx(np.ones((6, 1)), rel=1e-15)
