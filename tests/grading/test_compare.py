"""The comparison: which reason an answer gets, in which order, and how close is close enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.grading.compare import Contract, Malformed, compare
from grader.grading.received import Received
from grader.grading.score import first_failure, score_groups
from grader.grading.verdict import REASONS, CaseResult, Failure, Reason, Verdict
from grader.problems.cases import Case
from grader.problems.schema import EntrySpec, GroupSpec
from grader.sandbox.exchange import Answer, Raised
from grader.sandbox.wire import Refused, encode

PAIR = Contract.of(
    "attend", EntrySpec(parameters={"x": "float64[T,m]"}, outputs={"y": "float64[T,m]", "weights": "float64[T,T]"})
)
RTOL, ATOL = 1e-6, 1e-9


def one(dtype: str) -> Contract:
    return Contract.of("f", EntrySpec(parameters={"x": "float64[T]"}, outputs={"y": f"{dtype}[T]"}))


def case_of(
    *expected: Any, zeros: tuple[bool, ...] | None = None, tolerance: tuple[float, float] = (RTOL, ATOL)
) -> Case:
    arrays = tuple(np.asarray(array) for array in expected)
    return Case("secret_a", "f", {}, {}, arrays, None, tolerance, zeros or (False,) * len(arrays))


def answer_of(*items: Any, again: Any = None, unchanged: bool = True) -> Answer:
    def encoded(values: Any) -> bytes:
        values = [value if isinstance(value, Refused) else np.asarray(value) for value in values]
        return encode([len(values) > 1, len(values), values])

    second = again if isinstance(again, bytes | Raised) else encoded(items if again is None else again)
    return Answer(encoded(items), second, unchanged)


def compared(contract: Contract, case: Case, answer: Answer) -> Failure | None:
    return compare(contract, case, answer, Received.of(case, answer.first))


def reason_of(contract: Contract, case: Case, answer: Answer) -> Reason | None:
    failure = compared(contract, case, answer)
    return failure.reason if failure else None


Y, W = np.arange(6.0).reshape(3, 2) + 1, np.tri(3)
CASE = case_of(Y, W, zeros=(False, True))


def test_the_second_answer_is_as_right_as_the_first() -> None:
    leaking = W.copy()
    leaking[0, 2] = ATOL / 2
    assert reason_of(PAIR, CASE, answer_of(Y, W, again=[Y, leaking])) is Reason.NOT_REPEATABLE
    near, far = Y * (1 + 0.8 * RTOL), Y * (1 + 1.5 * RTOL)
    assert reason_of(PAIR, CASE, answer_of(near, W, again=[near, W])) is None
    assert reason_of(PAIR, CASE, answer_of(near, W, again=[far, W])) is Reason.NOT_REPEATABLE


def test_equal_outputs_are_right() -> None:
    assert reason_of(PAIR, CASE, answer_of(Y, W)) is None
    assert reason_of(PAIR, CASE, answer_of(Y.astype(np.float32), W)) is None


PAIRS: dict[str, tuple[Answer, Reason]] = {
    "a number for an array": (answer_of(Refused("scalar", "float"), W), Reason.WRONG_TYPE),
    "one array": (answer_of(Y), Reason.WRONG_CONTAINER),
    "a refused object": (answer_of(Refused("type", "generator")), Reason.WRONG_CONTAINER),
    "three": (answer_of(Y, W, W), Reason.WRONG_COUNT),
    "integers": (answer_of(Y.astype(int), W), Reason.WRONG_DTYPE),
    "bools": (answer_of(Y, W.astype(bool)), Reason.WRONG_DTYPE),
    "swapped": (answer_of(W, Y), Reason.WRONG_SHAPE),
    "a row less": (answer_of(Y[1:], W), Reason.WRONG_SHAPE),
    "an axis more": (answer_of(Y[None], W), Reason.WRONG_SHAPE),
    "broadcastable": (answer_of(Y[:1], W), Reason.WRONG_SHAPE),
    "empty": (answer_of(Y[:0], W), Reason.WRONG_SHAPE),
    "NaN in the second": (answer_of(Y, W * np.nan), Reason.NONFINITE),
    "NaN and wrong values": (answer_of(Y + 1, W * np.nan), Reason.NONFINITE),
    "wrong shape and NaN": (answer_of(Y * np.nan, W[:2]), Reason.WRONG_SHAPE),
    "wrong values": (answer_of(Y, W * 2), Reason.WRONG_VALUES),
    "not exactly zero": (answer_of(Y, W + 1e-12), Reason.NOT_EXACTLY_ZERO),
    "wrong values and not zero": (answer_of(Y + 1, W + 1e-12), Reason.WRONG_VALUES),
    "changed inputs": (answer_of(Y, W, unchanged=False), Reason.MUTATED_INPUT),
    "wrong values and changed inputs": (answer_of(Y + 1, W, unchanged=False), Reason.WRONG_VALUES),
    "another second time": (answer_of(Y, W, again=(Y + 1, W)), Reason.NOT_REPEATABLE),
    "another shape the second time": (answer_of(Y, W, again=(Y[1:], W)), Reason.NOT_REPEATABLE),
    "NaN the second time": (answer_of(Y, W, again=(Y * np.nan, W)), Reason.NOT_REPEATABLE),
    "another type the second time": (answer_of(Y, W, again=(Y, Refused("none", ""))), Reason.NOT_REPEATABLE),
    "one output the second time": (answer_of(Y, W, again=(Y,)), Reason.NOT_REPEATABLE),
    "an exception the second time": (
        answer_of(Y, W, again=Raised("call", "KeyError", "KeyError", 1, "", False, ())),
        Reason.NOT_REPEATABLE,
    ),
}


@pytest.mark.parametrize(("answer", "reason"), PAIRS.values(), ids=PAIRS)
def test_first_check_that_fails_is_the_reason(answer: Answer, reason: Reason) -> None:
    assert reason_of(PAIR, CASE, answer) is reason


STEPS: Any = st.sampled_from([0.0, 0.5, -0.5, 1.0, -1.0, 1.0 + 2**-20, -1.1, 1e9, np.nan, np.inf, -np.inf])


@given(st.lists(STEPS, min_size=15, max_size=15), st.sampled_from([np.float64, np.float32]))
def test_one_look_at_all_numbers_tells_what_a_look_at_each_output_does(steps: list[float], dtype: Any) -> None:
    moved = [
        (array + np.reshape(steps[:size] if array is Y else steps[-size:], array.shape) * bound).astype(dtype)
        for array, bound, size in zip((Y, W), CASE.bounds, (6, 9), strict=True)
    ]
    answer = answer_of(*moved)
    received = Received.of(CASE, answer.first)
    assert received.flat is not None or received.is_expected
    at_once = compare(PAIR, CASE, answer, received)
    assert at_once == compare(PAIR, CASE, answer, replace(received, flat=None, is_expected=False))


def test_negative_zero_is_zero() -> None:
    weights = W.copy()
    weights[0, 2] = -0.0
    assert reason_of(PAIR, CASE, answer_of(Y, weights)) is None


def test_second_answer_may_differ_within_the_tolerance() -> None:
    assert reason_of(PAIR, CASE, answer_of(Y, W, again=(Y * (1 + 1e-7), W))) is None


INTEGERS = {
    "equal": ("int64", [1, -2], [1, -2], None),
    "one off": ("int64", [10**15, 2], [10**15 + 1, 2], Reason.WRONG_VALUES),
    "the largest": ("int64", [2**63 - 1], [-(2**63)], Reason.WRONG_VALUES),
    "floats": ("int64", [1], [1.0], Reason.WRONG_DTYPE),
    "bools": ("int64", [1], [True], Reason.WRONG_DTYPE),
    "bools for bools": ("bool", [True, False], [True, False], None),
    "another bool": ("bool", [True, False], [True, True], Reason.WRONG_VALUES),
    "integers for bools": ("bool", [True], [1], Reason.WRONG_DTYPE),
    "nothing": ("int64", np.zeros(0, int), np.zeros(0, int), None),
}


@pytest.mark.parametrize(("dtype", "expected", "output", "reason"), INTEGERS.values(), ids=INTEGERS)
def test_integers_and_bools_are_compared_exactly(dtype: str, expected: Any, output: Any, reason: Reason | None) -> None:
    assert reason_of(one(dtype), case_of(expected), answer_of(output)) is reason


NUMBERS = st.floats(-1e300, 1e300)


@given(NUMBERS, st.floats(0, 0.999))
def test_number_within_the_tolerance_is_right(expected: float, part: float) -> None:
    output = expected + part * (ATOL + RTOL * abs(expected))
    assert reason_of(one("float64"), case_of([expected]), answer_of([output])) is None


@given(NUMBERS, st.floats(1.001, 1e6), st.sampled_from([1, -1]))
def test_number_beyond_the_tolerance_is_wrong(expected: float, times: float, sign: int) -> None:
    output = expected + sign * times * (ATOL + RTOL * abs(expected))
    assume(abs(output) < 1.7e308)
    assert reason_of(one("float64"), case_of([expected]), answer_of([output])) is Reason.WRONG_VALUES


@given(st.floats(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_number_gets_a_reason_or_none_and_no_warning(output: float, expected: float) -> None:
    reason = reason_of(one("float64"), case_of([expected]), answer_of([output]))
    if not np.isfinite(output):
        assert reason is Reason.NONFINITE
    else:
        assert reason in (None, Reason.WRONG_VALUES)


def test_largest_error_is_the_interviewers_detail() -> None:
    output = Y.copy()
    output[1, 1] += 0.5
    output[2, 0] += 0.1
    failure = compared(PAIR, CASE, answer_of(output, W))
    assert failure is not None
    assert failure.detail == "y[1, 1] is 4.5, not 4.0"
    assert "4" not in failure.message


SHAPES = {
    "axes": (Y[None], "y must have the shape (T, m); yours has 3 axes."),
    "a size": (Y[:, :1], "y must have the shape (T, m); yours has another size in axis 1."),
    "far larger": (Refused("huge", "float64 (9,)"), "y must have the shape (T, m); yours is far larger."),
}


@pytest.mark.parametrize(("output", "message"), SHAPES.values(), ids=SHAPES)
def test_wrong_shape_is_told_without_its_numbers(output: Any, message: str) -> None:
    failure = compared(PAIR, CASE, answer_of(output, W))
    assert failure is not None
    assert failure.message == message


MALFORMED = {
    "no value": b"",
    "a number": encode(7),
    "an answer and more": encode([True, 2, [Y, W]]) + b"n",
    "no items": encode([True, 2, []]),
    "a negative count": encode([True, -2, []]),
    "numbers for arrays": encode([True, 2, [1, 2]]),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_answer_is_no_failure_of_values(data: bytes) -> None:
    with pytest.raises(Malformed):
        compared(PAIR, CASE, Answer(data, data, True))
    with pytest.raises(Malformed):
        compared(PAIR, CASE, answer_of(Y, W, again=data))


@given(st.binary(max_size=80))
def test_any_bytes_are_compared_or_malformed(data: bytes) -> None:
    try:
        failure = compared(PAIR, CASE, Answer(data, data, True))
    except Malformed:
        return
    assert failure is not None


def groups_of(*sizes: tuple[str, float, list[str]]) -> list[GroupSpec]:
    return [GroupSpec(name=name, points=points, cases=cases) for name, points, cases in sizes]


def test_points_are_all_or_nothing_for_a_group() -> None:
    groups = groups_of(("a", 0, ["sample_x"]), ("b", 60, ["secret_x", "secret_y"]), ("c", 40, ["secret_z"]))
    failure = Failure.of(Reason.MUTATED_INPUT, entry="f")
    results = [
        CaseResult("sample_x", "a", "sample", Verdict.AC),
        CaseResult("secret_x", "b", "secret", Verdict.AC),
        CaseResult("secret_y", "b", "secret", Verdict.WA, failure),
        CaseResult("secret_z", "c", "secret", Verdict.AC),
    ]
    scored = score_groups(groups, results)
    assert [(group.points, group.max_points, group.verdict) for group in scored] == [
        (0, 0, Verdict.AC),
        (0, 60, Verdict.WA),
        (40, 40, Verdict.AC),
    ]
    assert first_failure(results) is failure
    assert first_failure(results[:2]) is None


def test_group_that_was_not_reached_has_no_verdict_and_no_points() -> None:
    (group,) = score_groups(groups_of(("a", 5, ["secret_x"])), [CaseResult("secret_x", "a", "secret", None)])
    assert (group.points, group.verdict) == (0, None)


def test_every_reason_stands_in_the_table_with_a_sentence() -> None:
    assert set(REASONS) == set(Reason)
    for verdict, sentence in REASONS.values():
        assert verdict is not Verdict.AC
        assert sentence.endswith((".", "{remedy}"))
        assert sentence[0].isupper() or sentence[0] == "{"
    assert {verdict for verdict, _ in REASONS.values()} == set(Verdict) - {Verdict.AC}


def test_every_verdict_has_a_word() -> None:
    assert len({verdict.word for verdict in Verdict}) == len(Verdict)


@pytest.mark.parametrize(("name", "verb"), [("y", "has"), ("weights", "have"), ("bias", "has"), ("mass", "has")])
def test_the_sentence_about_wrong_values_agrees_with_the_output(name: str, verb: str) -> None:
    contract = Contract.of("f", EntrySpec(parameters={"x": "float64[T]"}, outputs={name: "float64[T,m]"}))
    failure = compared(contract, case_of(Y), answer_of(Y + 1))
    assert failure is not None
    assert failure.message.startswith(f"{name} {verb} the right shape and wrong numbers")
