"""Numbers that the texts of "A prompt that answers for its neighbours" state."""

from __future__ import annotations

import runpy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "einsum-letters"
CORRECTED = "submissions/accepted/corrected.py"
EVEN = np.array([[[[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]]])  # item, head, query, key


def layer_of(source: str) -> Any:
    """Return the function that a source of the package defines."""
    return runpy.run_path(str(PACKAGE / source))["attention"]


def mixed(source: str, values: list[float]) -> list[list[float]]:
    """Return y by item and token for items of two tokens with these values, all weights even over the past."""
    x = np.repeat(np.array(values)[:, None, None], 2, axis=1)
    one, none = np.ones((1, 1)), np.zeros((1, 1))
    found: list[list[float]] = layer_of(source)(x, none, none, one, one, 1)[0][..., 0].tolist()
    return found


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("bhij,bhje->bihe", [Fraction(1), Fraction(1), Fraction(1)]),
        ("bhji,bhje->bihe", [Fraction(11, 6), Fraction(5, 6), Fraction(1, 3)]),
    ],
)
def test_values_of_one_give_row_sums_or_column_sums(letters: str, expected: list[Fraction]) -> None:
    found = np.einsum(letters, EVEN, np.ones((1, 1, 3, 1)))[0, :, 0, 0]

    assert [Fraction(number).limit_denominator(100) for number in found.tolist()] == expected


def test_j_and_n_are_summed() -> None:
    weights, values = np.full((2, 1, 3, 3), 1.0), np.full((2, 1, 3, 1), 1.0)

    assert np.unique(np.einsum("bhji,nhje->bihe", weights, values)).tolist() == [6.0]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (CORRECTED, [[0.0, 0.0], [2.0, 2.0]]),
        ("submissions/wrong_answer/values_averaged_over_items.py", [[1.0, 1.0], [1.0, 1.0]]),
        ("starters/second.py", [[2.0, 2.0], [2.0, 2.0]]),
        ("starters/first.py", [[0.0, 0.0], [3.0, 1.0]]),
        ("starters/interview.py", [[3.0, 1.0], [3.0, 1.0]]),
    ],
)
def test_two_items_with_values_of_0_and_2(source: str, expected: list[list[float]]) -> None:
    assert mixed(source, [0.0, 2.0]) == expected


def test_one_prompt_of_one_token_hides_both_faults() -> None:
    rng = np.random.default_rng(3)
    arguments = (rng.normal(size=(1, 1, 4)), *(rng.normal(size=(4, 4)) for _ in range(4)), 2)

    assert (layer_of("starters/interview.py")(*arguments)[0] == layer_of(CORRECTED)(*arguments)[0]).all()


@pytest.mark.parametrize("letters", ["ij,jk->il", "ij,ik->jk"])
def test_einsum_refuses_unknown_letters_and_two_lengths(letters: str) -> None:
    with pytest.raises(ValueError, match=r"einstein sum|could not be broadcast"):
        np.einsum(letters, np.ones((2, 3)), np.ones((3, 4)))


def test_letter_twice_in_one_operand_is_the_diagonal() -> None:
    assert np.einsum("ii->i", np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [1.0, 4.0]
