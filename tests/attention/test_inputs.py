"""Matrices that a person brings along: what is taken, and one clear sentence for what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import yaml

from grader.attention.inputs import NAMES, WORKED, as_text, read_inputs
from grader.errors import UserError

REFUSED: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("refused.yaml").read_text())


def text_with(x: str) -> str:
    """Return inputs whose x is written so."""
    others = ", ".join(f'"{name}": [[1]]' for name in NAMES if name != "x")
    return f'{{"x": {x}, {others}}}'


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_what_is_no_set_of_matrices_is_told(case: dict[str, Any]) -> None:
    with pytest.raises(UserError) as told:
        read_inputs(case["text"] if "text" in case else text_with(case["x"]))
    assert told.value.message == case["message"]


@pytest.mark.parametrize(
    ("text", "start"),
    [("[" * 60_000, "The inputs are nested too deeply;"), (" " * 70_000, "The inputs have more than 64 KiB;")],
)
def test_too_much_is_told(text: str, start: str) -> None:
    with pytest.raises(UserError) as told:
        read_inputs(text)
    assert told.value.message.startswith(start)


def test_the_worked_example_survives_its_text() -> None:
    assert read_inputs(as_text(WORKED)).equals(WORKED)


def test_infinities_are_numbers() -> None:
    found = read_inputs(text_with(f"[[Infinity, -Infinity, NaN, 1e999, {'9' * 5000}, 2]]")).x
    assert np.array_equal(found, [[np.inf, -np.inf, np.nan, np.inf, np.inf, 2]], equal_nan=True)
    assert json.loads(as_text(WORKED))["w_o"] == [[1, 0.5], [-1, 2]]
