"""What a hidden case holds never reaches the candidate's sentence, by whichever way a submission tries."""

from __future__ import annotations

import pytest

from grader.grading.judge import judge
from grader.grading.verdict import Judgement, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from tests.packages import HONEST
from tests.sandbox.asking import CHANNEL

pytestmark = pytest.mark.sandbox

# in place of its answer to the first hidden case a submission sends `digits`, which are those of a hidden number
SMUGGLING = {
    "the class of an exception": "raise type('V' + digits, (Exception,), {})",
    "the class of an exception that is a number": "raise type(digits, (Exception,), {})",
    "the module of an exception": "raise type('E', (Exception,), {'__module__': digits, '__qualname__': digits})",
    "the text of an exception": "raise ValueError(digits)",
    "the text of an exception of NumPy": "raise np.linalg.LinAlgError(digits)",
    "the text of an import error": "raise ImportError(digits, name=digits, path=digits)",
    "the name of an import": "__import__('m' + digits)",
    "the name of an import within a known module": "__import__('numpy.m' + digits)",
    "the text of an import that failed": "raise ImportError('os.' + digits + ' cannot be imported here')",
    "the text of an import of a number": "raise ImportError(digits + ' cannot be imported here')",
    "the text of a refused call": "raise PermissionError(1, digits, digits)",
    "the text of a memory error": "raise MemoryError(digits)",
    "the text of a syntax error": "raise SyntaxError(digits, (digits, int(digits), 1, digits))",
    "the text of a type error": "raise TypeError(digits)",
    "the text of an exit": "raise SystemExit(digits)",
    "the status of an exit": "import os; os._exit(int(digits) % 251)",
    "a note of an exception": "e = ValueError('x'); e.add_note(digits); raise e",
    "a cause of an exception": "raise ValueError('x') from KeyError(digits)",
    "a group of exceptions": "raise ExceptionGroup(digits, [ValueError(digits)])",
    "the line of an exception": "exec(compile('\\n' * int(digits) + '1 / 0', 'submission.py', 'exec'))",
    "the file of an exception": "exec(compile('1 / 0', digits, 'exec'))",
    "the function of an exception": "exec(compile(f'def f{digits}(): 1 / 0\\nf{digits}()', 'submission.py', 'exec'))",
    "the class of what is returned": "return type('V' + digits, (), {})()",
    "the class of what is returned within": "return type('V' + digits, (), {})(), np.ones(1)",
    "a subclass of arrays": "return np.ones(1).view(type('V' + digits, (np.ndarray,), {})), np.ones(1)",
    "a subclass of numbers": "return type('V' + digits, (np.float64,), {})(), np.ones(1)",
    "the width of a text dtype": "return np.zeros(1, 'S' + digits), np.ones(1)",
    "the fields of a dtype": "return np.zeros(1, [('V' + digits, float)]), np.ones(1)",
    "the unit of a dtype": "return np.zeros(1, f'M8[{int(digits) % 1000}s]'), np.ones(1)",
    "the byte order of a dtype": "return np.zeros(1, '>U' + digits), np.ones(1)",
    "the shape": "return np.broadcast_to(1.0, (int(digits),)), np.ones(1)",
    "a vast shape": "return np.broadcast_to(1.0, (int(digits), 10**6)), np.ones(1)",
    "the number of outputs": "return (np.ones(1),) * int(digits)",
    "a list of text": "return [digits], [digits]",
    "the values": "return np.full((4, 2), float(digits)), np.full((4, 4), float(digits))",
    "prints": "print(digits); 1 / 0",
    "prints on stderr": "import sys; sys.stderr.write(digits); 1 / 0",
    "a warning": "import warnings; warnings.warn(digits); 1 / 0",
    "a forged class": "send(frame(b'X', ['call', digits, 'ValueError', 1, 'x', False, [1], True]))",
    "a forged phase": "send(frame(b'X', [digits, 'ValueError', 'ValueError', 1, 'x', False, [1], True]))",
    "a forged compilation": "send(frame(b'X', ['compile', 'SyntaxError', 'SyntaxError', 1, digits, False, [1], True]))",
    "a forged built-in class": "send(frame(b'X', ['call', 'E', digits, 1, 'x', False, [1], True]))",
    "a forged line": "send(frame(b'X', ['call', 'ValueError', 'ValueError', int(digits), 'x', False, [1], True]))",
    "a forged line below 0": "send(frame(b'X', ['call', 'KeyError', 'KeyError', -int(digits), 'x', False, [1], True]))",
    "forged lines": "send(frame(b'X', ['call', 'KeyError', 'KeyError', 1, 'x', False, [int(digits)] * 9, True]))",
    "a forged refusal": "send(frame(b'X', ['call', digits, 'OSError', int(digits), digits, True, [], True]))",
    "a forged import error": "send(frame(b'X', ['import', digits, 'ImportError', int(digits), '', False, [], True]))",
    "a forged kind of output": "refuse(digits, 'x')",
    "a forged type": "refuse('type', digits)",
    "a forged subclass": "refuse('subclass', digits)",
    "a forged scalar": "refuse('scalar', digits)",
    "a forged dtype": "refuse('dtype', digits)",
    "a forged byte order": "refuse('byte_order', digits)",
    "a forged size": "refuse('huge', digits)",
    "a forged count": "send(frame(b'A', [True, int(digits), []], True), frame(b'B', 1, True))",
    "a forged negative count": "send(frame(b'A', [True, -int(digits), []], True), frame(b'B', 1, True))",
    "a forged frame": "send(digits.encode())",
    "a forged text for an answer": "send(frame(b'A', digits, True), frame(b'B', 1, True))",
    "a forged key": "send(frame(b'A', {digits: digits}, True), frame(b'B', 1, True))",
}
SOURCE = f"""{CHANNEL}
import numpy as np

def refuse(kind, detail):
    refused = wire.Refused(kind, detail)
    send(frame(b"A", [True, 2, [refused, refused]], True), frame(b"B", 1, True))

def smuggle(x, w):
    digits = f"{{abs(w[0, 0]):.9f}}".replace(".", "").lstrip("0")[:6]
    ATTACK

def attend(x, w):
    return right(x, w) if len(x) == 2 else smuggle(x, w)

"""


def sentences(judgement: Judgement) -> str:
    """Return everything of a judgement that a candidate may read."""
    failures = [case.failure for case in judgement.cases if case.failure is not None]
    samples = [case.prints for case in judgement.cases if case.visibility == "sample"]
    groups = [group.name for group in judgement.groups]
    messages = [failure.message for failure in failures]
    parts = [judgement.message, judgement.finding.sentence, judgement.import_prints, *messages, *samples, *groups]
    return "\n".join(parts)


def digits_of_a_hidden_number(tiny: Problem, cache: CaseCache, lane: Lane) -> str:
    cases = {case.name: case for case in cache.cases(tiny, lane)}
    return f"{abs(cases['secret_values'].arguments['w'][0, 0]):.9f}".replace(".", "").lstrip("0")[:6]


def source_that(attack: str) -> bytes:
    honest = HONEST.decode().replace("def attend", "def right").replace('"""', "#", 2)
    return (SOURCE.replace("ATTACK", attack) + honest).encode()


@pytest.mark.parametrize("attack", SMUGGLING.values(), ids=SMUGGLING)
def test_hidden_number_does_not_reach_the_candidate(tiny: Problem, cache: CaseCache, lane: Lane, attack: str) -> None:
    digits = digits_of_a_hidden_number(tiny, cache, lane)
    judgement = judge(tiny, source_that(attack), lane, cache)
    assert judgement.cases[0].verdict is Verdict.AC
    assert judgement.cases[1].verdict not in (Verdict.AC, Verdict.JE, None), judgement
    assert digits[:4] not in sentences(judgement)
    assert len(judgement.message) < 400


def test_interviewer_sees_what_the_candidate_does_not(tiny: Problem, cache: CaseCache, lane: Lane) -> None:
    digits = digits_of_a_hidden_number(tiny, cache, lane)
    assert len(digits) == 6
    judgement = judge(tiny, source_that("print('now', digits); raise ValueError(digits)"), lane, cache)
    assert judgement.failure is not None
    assert judgement.failure.detail == f"ValueError in line 27: {digits}"
    assert judgement.cases[1].prints == f"now {digits}\n"


@pytest.mark.parametrize(
    ("padding", "shown"),
    [("\n" * 2000, False), ("\n" * 500, False), ("#\n" * 500, False), ("pass\n" * 2000, False), ("pass\n" * 20, True)],
)
def test_line_of_a_secret_case_is_told_only_where_it_says_little(
    tiny: Problem, cache: CaseCache, lane: Lane, padding: str, shown: bool
) -> None:
    attack = "exec(compile('\\n' * 59 + '1 / 0', 'submission.py', 'exec'))"
    judgement = judge(tiny, source_that(attack) + f"\n{padding}".encode(), lane, cache)
    assert judgement.reason is Reason.EXCEPTION
    assert ("in line 60" in judgement.message) is shown
