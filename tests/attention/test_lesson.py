"""The worked numbers, what each change does to them, and that nothing a person may type raises or warns."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.attention.changes import CHANGES, Changes, choose
from grader.attention.inputs import H_LAST, WORKED, Y_LAST, Inputs, as_text
from grader.attention.lesson import aside, audit, headline, record
from grader.attention.symptoms import SYMPTOMS
from grader.attention.trace import STAGES, trace
from grader.errors import UserError

CASES: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("changes.yaml").read_text())
LETTERS: Final = {"ok": "o", "wrong": "w", "inherited": "i", "not_seen": "-"}
EXACT: Final[dict[str, list[list[float]]]] = {
    "queries": [[-0.75, -1.25], [-0.25, 0.25], [-0.5, 0.5], [0.25, -0.75]],
    "keys": [[-3.75, -1.25], [-0.25, 0.25], [-0.5, 0.5], [-0.5, -0.75]],
    "values": [[1.75, -3.75], [0.25, -0.25], [0.5, -0.5], [0, -0.5]],
}
ROUNDED: Final[dict[str, list[list[float]]]] = {
    "scores": [
        [3.094, -0.088, -0.177, 0.928],
        [0.442, 0.088, 0.177, -0.044],
        [0.884, 0.177, 0.354, -0.088],
        [0, -0.177, -0.354, 0.309],
    ],
    "weights": [[1, 0, 0, 0], [0.587, 0.413, 0, 0], [0.480, 0.237, 0.283, 0], [0.256, 0.215, 0.180, 0.349]],
    "mixed_values": [[1.750, -3.750], [1.131, -2.306], [1.041, -2.002], [0.592, -1.279]],
    "output": [[5.500, -6.625], [3.437, -4.047], [3.043, -3.484], [1.871, -2.262]],
}


def first_of(changes: Changes, inputs: Inputs = WORKED) -> str | None:
    first = audit(inputs, changes).first
    return f"{first[0].stage.name}/{first[1].name}" if first else None


def matrices(**changed: list[list[float]]) -> Inputs:
    """Return the worked example with some of its matrices exchanged."""
    return Inputs(**{**WORKED.named(), **{name: np.array(rows, dtype=float) for name, rows in changed.items()}})


def test_the_worked_example_is_exact() -> None:
    traced = trace(WORKED)
    for name, rows in EXACT.items():
        assert np.array_equal(getattr(traced, name), rows), name
    for name, rows in ROUNDED.items():
        assert np.array_equal(getattr(traced, name).round(3) + 0.0, rows), name
    assert traced.mixed_values is not None
    assert traced.output is not None
    assert tuple(traced.mixed_values[-1].round(3)) == H_LAST
    assert tuple(traced.output[-1].round(3)) == Y_LAST


def test_the_weights_are_exactly_zero_above_the_diagonal() -> None:
    weights = trace(WORKED).weights
    assert weights is not None
    assert (weights[np.triu_indices(4, 1)] == 0).all()
    assert np.allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map("=".join, case["changes"].items())) or "none")
def test_a_change_fails_first_where_it_should(case: dict[str, Any]) -> None:
    changes = choose(case["changes"].items())
    assert first_of(changes) == case["first"]
    assert "".join(LETTERS[arrow.status] for arrow in audit(WORKED, changes).arrows) == case["statuses"]


def test_every_option_is_in_the_table_of_cases() -> None:
    tried = {item for case in CASES for item in case["changes"].items()}
    unsound = {(change.name, option.value) for change in CHANGES for option in change.options[1:]}
    assert unsound <= tried


def test_every_symptom_is_shown_by_its_changes() -> None:
    assert len(SYMPTOMS) == 5
    for symptom in SYMPTOMS:
        assert {first_of(changes) for changes in symptom.shown_by} == set(symptom.fires)
        assert {audit(WORKED, changes).symptom for changes in symptom.shown_by} == {symptom}


def test_softmax_over_queries_shows_its_sums() -> None:
    assert headline(audit(changes=Changes(softmax_axis="queries"))) == (
        "First failing check: weights, every row sums to 1. Found: row sums [0.816, 0.407, 1.141, 1.635], "
        "column sums [1.000, 1.000, 1.000, 1.000]."
    )


def test_swapped_axes_are_seen_before_numpy_complains() -> None:
    lesson = audit(changes=Changes(axes="swapped"))
    assert (
        headline(lesson) == "First failing check: scores, shape (T, T), query by key. Found: (2, 2) instead of (4, 4)."
    )
    assert aside(lesson) == (
        "NumPy complains only 3 stages later, at mixed_values: A (2, 2) times V (4, 2) has no product."
    )


def test_swapped_axes_are_seen_by_value_where_shapes_agree() -> None:
    two_tokens = matrices(x=[[-2, -0.5], [0, 0.5]])
    assert first_of(Changes(axes="swapped"), two_tokens) == "scores/by_hand"


@pytest.mark.parametrize(
    ("changed", "evidence"),
    [
        ({"w_k": [[1, 2, 3], [4, 5, 6]]}, "W_K is (2, 3) instead of (2, 2)"),
        ({"x": [[1, 2, 3]]}, "X is (1, 3) instead of (1, 2)"),
        ({"w_q": [[1, 2]]}, "W_Q is (1, 2) instead of (2, 2)"),
        ({"w_o": [[1, 2, 3]]}, "W_O is (1, 3) instead of (2, 2)"),
    ],
)
def test_the_matrix_that_does_not_fit_is_named(changed: dict[str, list[list[float]]], evidence: str) -> None:
    first = audit(matrices(**changed)).first
    assert first is not None
    assert (first[0].stage.name, first[1].name, first[1].evidence) == ("inputs", "contract", evidence)


def test_a_wider_model_changes_nothing_up_to_the_mixed_values() -> None:
    plain, wider = trace(WORKED), trace(WORKED, Changes(sizes="wider_model"))
    for stage in STAGES[:-1]:
        assert np.array_equal(plain.value(stage.name), wider.value(stage.name)), stage.name  # type: ignore[arg-type]
    assert plain.output is not None
    assert wider.output is not None
    assert np.allclose(wider.output[:, :2], plain.output, rtol=0, atol=1e-14)


def test_the_record_keeps_observations_apart() -> None:
    kept = record(audit())
    assert kept.observed == (
        "Shapes: Q (4, 2), K (4, 2), V (4, 2), S (4, 4), S+M (4, 4), A (4, 4), H (4, 2), Y (4, 2).",
        "Mask: 6 of 16 scores are minus infinity.",
        "Row sums of A: [1.000, 1.000, 1.000, 1.000]; column sums: [2.324, 0.864, 0.463, 0.349].",
        "Weights of later keys: 6 of 6 are exactly 0.",
        "Query 4 gives its largest weight, 0.349, to position 4.",
        "Row 4 of H: [0.592, -1.279].",
        "Row 4 of Y: [1.871, -2.262].",
    )
    assert [sentence.split(":")[0] for sentence in kept.suspected] == [
        "That position 4 causes the prediction is not seen here"
    ]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            [("axis", "0")],
            "There is no change 'axis'; "
            "change one of sizes, inputs, axes, scale, mask, softmax_axis, softmax, projection.",
        ),
        ([("mask", "\x1b[1m")], "mask cannot be '\\x1b[1m'; write one of before, late, omitted, strict."),
        ([("mask", "late"), ("mask", "late")], "mask is changed twice; give it one value."),
    ],
)
def test_a_change_that_there_is_not_is_told(pairs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(UserError) as told:
        choose(pairs)
    assert told.value.message == message


@st.composite
def any_inputs(draw: st.DrawFn) -> Inputs:
    """Matrices of any shapes and numbers, which mostly fit each other."""
    tokens, width, key_size, value_size = (draw(st.integers(1, 4)) for _ in range(4))
    odd = draw(st.sampled_from([None, None, None, "x", "w_q", "w_k", "w_v", "w_o"]))
    shapes = {
        "x": (tokens, width),
        "w_q": (width, key_size),
        "w_k": (width, key_size),
        "w_v": (width, value_size),
        "w_o": (value_size, width),
    }
    numbers = st.one_of(st.floats(-3, 3), st.floats(), st.sampled_from([0.0, 1e200, -1e300, 5e-324]))
    named = {}
    for name, (rows, columns) in shapes.items():
        columns += name == odd
        size = rows * columns
        named[name] = np.array(draw(st.lists(numbers, min_size=size, max_size=size))).reshape(rows, columns)
    return Inputs(**named)


CHOSEN: Final = st.builds(
    Changes, **{change.name: st.sampled_from([option.value for option in change.options]) for change in CHANGES}
)


@settings(max_examples=300, deadline=None)
@given(any_inputs(), CHOSEN)
def test_nothing_raises_or_warns(inputs: Inputs, changes: Changes) -> None:
    before = {name: matrix.copy() for name, matrix in inputs.named().items()}
    lesson = audit(inputs, changes)
    assert headline(lesson)
    assert record(lesson).observed
    assert all(np.array_equal(matrix, before[name], equal_nan=True) for name, matrix in inputs.named().items())
    if lesson.first is None:
        assert {arrow.status for arrow in lesson.arrows} == {"ok"}
    else:
        statuses = [arrow.status for arrow in lesson.arrows]
        assert statuses.index("wrong") == lesson.arrows.index(lesson.first[0])


@settings(max_examples=100, deadline=None)
@given(any_inputs())
def test_a_sound_head_on_fitting_finite_numbers_passes_or_overflows(inputs: Inputs) -> None:
    first = first_of(Changes(), inputs)
    assert first is None or first.endswith(("/contract", "/finite"))


def test_the_worked_example_as_text() -> None:
    assert as_text(WORKED).splitlines()[1] == '  "x": [[-2, -0.5], [0, 0.5], [0, 1], [-0.5, -1]],'
