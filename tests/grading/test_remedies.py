"""Each kind of exception has a remedy of its own at the end of its sentence; the submission's own checks have one."""

from __future__ import annotations

import builtins
from typing import Any, Final

import pytest
import yaml

from grader.grading.exceptions import AT_IMPORT, REMEDIES, remedy
from grader.grading.judge import judge
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from tests.packages import DATA, HONEST

RETURN: Final = b"    return weights @ (x @ w), weights\n"
KINDS: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "remedies.yaml").read_text())
PADDING: Final = b"x = 1\n" * 1000  # no line of so long a source is told for a secret case


@pytest.mark.sandbox
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["id"])
def test_sentence_of_an_exception_in_a_secret_case(
    tiny: Problem, cache: CaseCache, lane: Lane, kind: dict[str, Any]
) -> None:
    body = f"    if len(x) == 2:\n        return weights @ (x @ w), weights\n    {kind['code']}\n"
    source = HONEST.replace(RETURN, body.encode())
    line = source[: source.index(kind["code"].encode())].count(b"\n") + 1
    judgement = judge(tiny, source, lane, cache)
    assert judgement.cases[0].verdict == "AC"
    assert (judgement.verdict, judgement.reason) == ("RTE", Reason.EXCEPTION)
    assert judgement.message == f"{kind['got']} was raised in line {line}: {kind['remedy']}"


@pytest.mark.sandbox
def test_a_line_that_is_not_told_is_not_told_by_its_remedy_either(tiny: Problem, cache: CaseCache, lane: Lane) -> None:
    body = b"    if len(x) != 2: raise ValueError('no')\n" + RETURN
    judgement = judge(tiny, HONEST.replace(RETURN, body) + PADDING, lane, cache)
    assert judgement.message == "ValueError was raised: look at the shapes and dtypes of what that line works on."


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("code", "got"),
    [
        ("raise ValueError('no')", "ValueError (no)"),
        ("assert 1 == 2, 'no'", "AssertionError (no)"),
        ("np.testing.assert_equal(1, 2, 'no', verbose=False)", "AssertionError (Items are not equal: no)"),
        ("def check(x):\n    raise ValueError('no')\ncheck(1)", "ValueError (no)"),
    ],
)
def test_what_is_raised_before_a_call_refuses_no_arguments(
    tiny: Problem, cache: CaseCache, lane: Lane, code: str, got: str
) -> None:
    judgement = judge(tiny, HONEST + b"\n" + code.encode() + b"\n", lane, cache)
    assert (judgement.verdict, judgement.reason) == ("RTE", Reason.EXCEPTION)
    assert judgement.message.startswith(f"{got} was raised in line ")
    assert judgement.message.endswith(f": {AT_IMPORT}")


def test_every_built_in_exception_has_a_remedy() -> None:
    classes = [value for value in vars(builtins).values() if isinstance(value, type)]
    kinds = [kind.__name__ for kind in classes if issubclass(kind, BaseException)]
    assert {remedy(kind, b"") for kind in kinds} == set(REMEDIES.values())
    assert all(text.endswith(".") for text in REMEDIES.values())
