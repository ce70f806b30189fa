"""An answer that is right to the byte is known as such, however it arrives; and nothing else is."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from grader.sandbox.exchange import Answer, End, Question
from grader.sandbox.pool import Lane
from grader.sandbox.wire import encode
from tests.sandbox.asking import CHANNEL, ask, end_of, loaded
from tests.sandbox.test_protocol import BAD_ANSWERS

pytestmark = pytest.mark.sandbox

SMALL: Final = np.ones(1)
LARGE: Final = np.ones((200, 200))  # 320 kB: more than one read brings
# how `f` returns what it should: at once; with prints; first answer sent on its own; last bytes a while later
ARRIVALS: Final = {
    "at once": "def f(n): return np.ones(n)\n",
    "behind prints": "def f(n):\n    print('here')\n    return np.ones(n)\n",
    "one by one": "import time\ndef f(n):\n    time.sleep(0.03)\n    return np.ones(n)\n",
    "in pieces": """
write = os.writev
def torn(descriptor, parts):
    whole = b"".join(parts)
    for piece in (whole[:3], whole[3:20], whole[20:]):
        write(descriptor, [piece])
        sleep(0.01)
    return len(whole)
from time import sleep
os.writev = torn
def f(n): return np.ones(n)
""",
}
OTHERS: Final = {
    "another number": "def f(n):\n    out = np.ones(n)\n    out.flat[-1] = np.nextafter(1.0, 2.0)\n    return out\n",
    "another dtype": "def f(n): return np.ones(n, np.float32)\n",
    "another container": "def f(n): return (np.ones(n),)\n",
    "another shape": "def f(n): return np.ones((1, *n))\n",
    "another second": "calls = []\ndef f(n):\n    calls.append(n)\n    return np.ones(n) * len(calls)\n",
    "changed arguments": "def f(n):\n    out = np.ones(n)\n    n[0] = 0\n    return out\n",
    "a second exception": "calls = [1]\ndef f(n): return np.ones(n) * calls.pop()\n",
    "an exception": "def f(n): raise ValueError\n",
}


def wanting(array: npt.NDArray[Any]) -> Question:
    """Return the call f(shape) of which this array is expected."""
    right = encode([False, 1, [array]])
    return Question.of("f", {"n": list(array.shape)}, {}, 1, right)


@pytest.mark.parametrize("array", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("source", ARRIVALS.values(), ids=ARRIVALS)
def test_right_answers_are_known(lane: Lane, source: str, array: npt.NDArray[Any]) -> None:
    asked = wanting(array)
    right = encode([False, 1, [array]])
    with loaded(lane, f"{CHANNEL}import numpy as np\n{source}") as run:
        answers = [run.ask(asked) for _ in range(3)]
        assert answers == [Answer(right, right, True)] * 3
        assert [asked.is_answered(answer) for answer in answers] == [True] * 3
        assert run.ask_again(3) == [True] * 3


@pytest.mark.parametrize("array", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("source", OTHERS.values(), ids=OTHERS)
def test_other_answers_are_not(lane: Lane, source: str, array: npt.NDArray[Any]) -> None:
    asked = wanting(array)
    assert not asked.is_answered(ask(lane, f"import numpy as np\n{source}", asked))


def test_no_answer_is_right_where_none_is_expected() -> None:
    assert not Question.of("f", {}, {}, 1).is_answered(None)


@pytest.mark.parametrize(("first", "entry", "detail"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_forged_frames_end_the_run_beside_a_right_answer(lane: Lane, first: str, entry: str, detail: str) -> None:
    asked = Question.of("f", {}, {}, 1, encode([False, 1, [SMALL]]))
    source = f"{CHANNEL}import numpy as np\n{first}\n{entry}\n"
    assert end_of(lane, source, asked) == (End.BAD_ANSWER, detail)


@pytest.mark.parametrize("sent", [1, 3, 20], ids=["one byte", "a part of a length", "a part of an answer"])
def test_a_right_answer_that_drips_has_the_time_of_one_call(lane: Lane, sent: int) -> None:
    asked = Question.of("f", {}, {}, 1, encode([False, 1, [SMALL]]))
    drip = f"""
import numpy as np, time
whole = frame(b"A", [False, 1, [np.ones(1)]], True)
def f():
    time.sleep(0.4)
    send(whole[:{sent}])
    time.sleep(0.4)
    send(whole[{sent}:], frame(b"S", True))
    time.sleep(9)
"""
    assert end_of(lane, f"{CHANNEL}{drip}", asked) == (End.TIME, "the grader's clock ran out")
