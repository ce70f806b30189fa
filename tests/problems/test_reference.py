"""A reference that breaks its contract is told where; what it answers is trusted no more than a submission."""

from __future__ import annotations

import pytest

from grader.problems.cases import build_cases
from grader.problems.loader import REFERENCE
from grader.sandbox.pool import Lane
from tests.packages import edited, tiny_problem_with
from tests.problems.building import findings_of
from tests.sandbox.asking import CHANNEL

pytestmark = pytest.mark.sandbox

VALUES = f"{REFERENCE}: sample_two_tokens"
RETURN = "    return weights @ (x @ w), weights\n"
REFERENCES = {
    "larger": (
        RETURN,
        "    return np.pad(weights @ (x @ w), 1), weights\n",
        f"{VALUES}: the shape of y breaks the contract: T is 2 elsewhere and 4 here; correct one of them.",
    ),
    "an axis less": (
        RETURN,
        "    return weights[0] @ (x @ w), weights\n",
        f"{VALUES}: y has 1 axes, the contract says (T, n); correct it.",
    ),
    "another size": (
        RETURN,
        "    return (weights @ (x @ w))[:-1], weights\n",
        f"{VALUES}: the shape of y breaks the contract: T is 2 elsewhere and 1 here; correct one of them.",
    ),
    "another dtype": (
        RETURN,
        "    return (weights @ (x @ w)).astype(int), weights\n",
        f"{VALUES}: y is int64, the contract says float64; correct one of them.",
    ),
    "one output": (RETURN, "    return weights\n", f"{VALUES}: must return y and weights as plain arrays; correct it."),
    "three outputs": (
        RETURN,
        "    return weights, weights, weights\n",
        f"{VALUES}: must return y and weights as plain arrays; correct it.",
    ),
    "none": (RETURN, "    return None\n", f"{VALUES}: must return y and weights as plain arrays; correct it."),
    "half precision": (
        RETURN,
        "    return weights.astype(np.float16), weights\n",
        f"{VALUES}: must return y and weights as plain arrays; correct it.",
    ),
    "not finite": (
        RETURN,
        "    return weights @ (x @ w) * np.inf, weights\n",
        f"{VALUES}: y is not finite; keep the inputs in the graded range.",
    ),
    "not zero": (
        RETURN,
        "    return weights @ (x @ w), weights + 1e-12\n",
        f"{VALUES}: weights is not exactly zero above the diagonal; correct the reference.",
    ),
    "changed inputs": (
        RETURN,
        "    x *= 2\n    return weights @ (x @ w), weights\n",
        f"{VALUES}: changes its inputs; let it copy what it changes.",
    ),
    "chance": (
        RETURN,
        "    return weights @ (x @ w) + np.random.rand(), weights\n",
        f"{VALUES}: answers differently the second time; let it compute from its inputs alone.",
    ),
    "an exception": (
        RETURN,
        "    raise ArithmeticError('no')\n",
        f"{VALUES}: line 14: ArithmeticError: no; correct it.",
    ),
    "no exception": (
        '        raise ValueError("the widths of x and w differ")\n',
        "        return x, x\n",
        f"{REFERENCE}: secret_widths_differ: returns where the case says raises ValueError; correct one of them.",
    ),
    "another exception": (
        "ValueError(",
        "TypeError(",
        f"{REFERENCE}: secret_widths_differ: line 8: TypeError: the widths of x and w differ, where the built-in "
        "ValueError must be raised; correct one of them.",
    ),
    "an exception of the same name": (
        "        raise ValueError(",
        "        ValueError = type('ValueError', (Exception,), {})\n        raise ValueError(",
        f"{REFERENCE}: secret_widths_differ: line 9: ValueError: the widths of x and w differ, where the built-in "
        "ValueError must be raised; correct one of them.",
    ),
    "no entry": ("def visible", "def visibly", f"{REFERENCE}: the entry visible is missing; define it."),
    "no Python": ("def visible", "dev visible", f"{REFERENCE} line 17: SyntaxError: invalid syntax; correct it."),
    "the end of it": (
        RETURN,
        "    __import__('os')._exit(0)\n",
        f"{VALUES}: gives no answer that can be read (the process ended by itself with status 0); return plain "
        "arrays, of some MiB at most.",
    ),
}


@pytest.mark.parametrize(("old", "new", "finding"), REFERENCES.values(), ids=REFERENCES)
def test_reference_that_breaks_the_contract_is_told(lane: Lane, old: str, new: str, finding: str) -> None:
    assert findings_of(lane, tiny_problem_with({REFERENCE: edited(REFERENCE, old, new)})) == [finding]


def test_reference_may_raise_a_subclass(lane: Lane) -> None:
    build_cases(tiny_problem_with({REFERENCE: edited(REFERENCE, "raise ValueError(", "raise UnicodeError(")}), lane)
    own = edited(REFERENCE, "raise ValueError(", "raise type('Own', (ValueError,), {})(")
    build_cases(tiny_problem_with({REFERENCE: own}), lane)


FORGED = {
    "no sequence": "[np.ones(2, bool), 2, []]",
    "numbers for arrays": "[True, 2, [1, 2]]",
    "no answer": "7",
    "items left out": "[True, 2, []]",
    "an item too few": "[True, 2, [np.ones((2, 2))]]",
}


@pytest.mark.parametrize("answer", FORGED.values(), ids=FORGED)
def test_forged_answer_of_a_reference_is_told(lane: Lane, answer: str) -> None:
    forged = f"    send(frame(b'A', {answer}, True), frame(b'B', {answer}, True))\n{RETURN}"
    source = edited(REFERENCE, RETURN, forged).replace('"""', "#", 2)
    (finding,) = findings_of(lane, tiny_problem_with({REFERENCE: CHANNEL + source}))
    assert finding in (
        f"{VALUES}: its answer is malformed; correct it.",
        f"{VALUES}: must return y and weights as plain arrays; correct it.",
    )


def test_expected_outputs_are_bounded_together(lane: Lane) -> None:
    problem = tiny_problem_with(
        {
            "problem.yaml": edited("problem.yaml", 'y: "float64[T,n]"', 'y: "float64[1400,1400]"'),
            REFERENCE: edited(REFERENCE, RETURN, "    return np.zeros((1400, 1400)), weights\n"),
        }
    )
    assert findings_of(lane, problem) == [
        f"{REFERENCE}: secret_integers: the expected outputs of all cases are larger than 64 MiB; "
        "make the arrays smaller."
    ]
