"""What a submission meets in its child: arguments, prints, imports, and nothing that it could use."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.sandbox.exchange import Answer, Question, Raised
from grader.sandbox.pool import Lane
from grader.sandbox.run import PRINTS_KEPT
from grader.sandbox.wire import decode_answer
from grader.sandbox.zygote_start import ENVIRONMENT
from tests.processes import wait_until
from tests.sandbox.asking import CHANNEL, QUICK, array, ask, loaded, printed, question, raised

pytestmark = pytest.mark.sandbox
X = np.arange(12.0).reshape(3, 4)


def test_answer_comes_back(lane: Lane) -> None:
    answer = ask(lane, "def f(x, n): return x * n", question(x=X, n=3))
    assert isinstance(answer, Answer)
    assert (array(answer) == 3 * X).all()
    assert answer.again == answer.first
    assert answer.unchanged


LAYOUTS: dict[str, Callable[[Any], tuple[int, ...]]] = {
    "c": lambda x: x.strides,
    "fortran": lambda x: np.asfortranarray(x).strides,
    "reversed": lambda x: tuple(-stride for stride in x.strides),
    "every_second": lambda x: (2 * x.strides[0], *x.strides[1:]),
}


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (5,), (0, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_argument_arrives_in_the_layout_asked_for(lane: Lane, layout: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    source = """
        import numpy as np
        def f(x):
            assert x.flags.writeable
            return np.ascontiguousarray(x), np.array(x.strides)
    """
    answer = ask(lane, source, question({"x": layout}, outputs=2, x=x))
    assert isinstance(answer, Answer), answer
    values, strides = (item for item in decode_answer(answer.first)[2] if isinstance(item, np.ndarray))
    assert np.array_equal(values, x)
    if x.size > 1:  # otherwise strides mean nothing
        assert tuple(strides) == LAYOUTS[layout](x)


@pytest.mark.parametrize("value", [True, 7, -(2**63), 0.5, [1, 2, 3], {"a": X[0]}, None, "text"], ids=repr)
def test_plain_argument_arrives(lane: Lane, value: object) -> None:
    assert printed(lane, "def f(v): print(repr(v)); return v", question(v=value)).splitlines()[0] == repr(value)


MUTATIONS = {
    "an element": "x[0, 0] = 9.0",
    "in place": "x *= 1.5",
    "the shape": "x.shape = (4, 3)",
    "through a view": "x.ravel()[-1] += 1.0",
    "the sign of zero": "x[0, 0] = -0.0",
    "an argument in a mapping": "m['a'] = x",
}


@pytest.mark.parametrize("change", MUTATIONS.values(), ids=MUTATIONS)
@pytest.mark.filterwarnings("ignore")
def test_change_of_an_argument_is_seen(lane: Lane, change: str) -> None:
    source = f"import numpy as np\ndef f(x, m):\n    {change}\n    return np.zeros(2)\n"
    answer = ask(lane, source, question(x=X, m={"a": X[0]}))
    assert isinstance(answer, Answer), answer
    assert not answer.unchanged
    assert np.array_equal(array(answer), np.zeros(2))


def test_change_taken_back_is_none(lane: Lane) -> None:
    answer = ask(lane, "def f(x):\n    x += 1\n    y = x.copy()\n    x -= 1\n    return y\n", question(x=X))
    assert isinstance(answer, Answer)
    assert answer.unchanged


def test_second_call_gets_fresh_arguments(lane: Lane) -> None:
    answer = ask(lane, "def f(x):\n    x += 1\n    return x.copy()\n", question(x=X))
    assert isinstance(answer, Answer)
    assert answer.again == answer.first


def test_second_call_that_differs_or_raises_is_told(lane: Lane) -> None:
    differs = ask(lane, "import numpy as np\nn = np.zeros(1)\ndef f():\n    global n\n    n = n + 1\n    return n\n")
    assert isinstance(differs, Answer)
    assert differs.again != differs.first
    raises = ask(lane, "n = []\ndef f():\n    n.append(0)\n    return [1.0][len(n) - 1:][0] * [1.0]\n")
    assert isinstance(raises, Raised) or isinstance(raises.again, Raised)


def test_earlier_results_that_change_are_told(lane: Lane) -> None:
    source = """
        import numpy as np
        buffer = np.zeros(2)
        def f(n):
            if n < 2:
                return np.full(2, float(n))
            buffer[:] = n
            return buffer
    """
    with loaded(lane, source) as run:
        answers = [run.ask(question(n=n)) for n in (0, 1, 2, 3)]
        assert all(isinstance(answer, Answer) for answer in answers)
        assert run.ask_again(4) == [True, True, False, True]


def test_object_that_fails_at_the_end_is_told(lane: Lane) -> None:
    source = f"""{CHANNEL}
def returned(result, outputs):
    raise LookupError("gone")
def spoil():
    sys.modules["grader.sandbox.convert"].returned = returned
at_the_end(spoil)
def f():
    return [1.0]
"""
    with loaded(lane, source) as run:
        answer = run.ask(question())
        assert isinstance(answer, Answer)
        assert raised(run.ask_again(1)).name == "LookupError"


def test_prints_arrive_with_what_was_said_on_stderr(lane: Lane) -> None:
    source = "import sys\ndef f():\n    print('out')\n    sys.stderr.write('err')\n    return [1.0]\n"
    assert sorted(printed(lane, source)) == sorted("out\nerr" * 2)


def test_prints_before_an_exception_or_a_crash_arrive(lane: Lane) -> None:
    for ending in ("1 / 0", "sys.modules['ctypes'].string_at(0)"):
        with loaded(lane, f"import sys\ndef f():\n    print('before')\n    {ending}\n") as run:
            try:
                run.ask(question())
            except Exception:  # how it ended is another test's
                assert "string_at" in ending
            assert run.prints == b"before\n"


@pytest.mark.parametrize("text", ["plain", "ünïcode 😀", "\x1b[31mred", "\ud800 lone", "a\0b", "no newline"], ids=ascii)
def test_any_text_can_be_printed(lane: Lane, text: str) -> None:
    said = printed(lane, f"def f():\n    print({text!a}, end='')\n    return [1.0]\n")
    assert said == text.encode("utf-8", "backslashreplace").decode() * 2


def test_only_the_first_prints_are_kept(lane: Lane) -> None:
    with loaded(lane, "def f():\n    print('x' * 100_000)\n    return [1.0]\n") as run:
        assert isinstance(run.ask(question()), Answer)
        assert run.prints == b"x" * PRINTS_KEPT


def test_environment_holds_nothing_of_the_grader(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_CANARY", "seen")
    source = "import json, os\ndef f():\n    print(json.dumps(dict(os.environ)))\n    return [1.0]\n"
    lane.close()  # the next zygote starts while the canary is there
    environment = json.loads(printed(lane, source).splitlines()[0])
    environment.pop("LC_CTYPE", None)  # Python sets it itself where the locale is C
    assert environment == ENVIRONMENT == {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def test_child_has_four_descriptors(lane: Lane) -> None:
    # a process that hides its memory hides them too, but not from root
    with loaded(lane, "def f(): return [1.0]") as run, suppress(PermissionError):
        assert set(os.listdir(f"/proc/{run.pid}/fd")) == {"1", "2", "3", "4"}


def test_descriptors_lead_nowhere_but_to_the_grader(lane: Lane) -> None:
    source = """
        import os
        def f():
            open_ones = []
            for descriptor in range(64):
                for act in (lambda: os.read(descriptor, 0), lambda: os.write(descriptor, b"")):
                    try:
                        act()
                        open_ones.append(descriptor)
                    except OSError:
                        pass
            print(open_ones)
            return [1.0]
    """
    assert printed(lane, source).splitlines()[0] == "[1, 2, 3, 4]"


def test_nothing_of_problems_or_judging_is_in_the_child(lane: Lane) -> None:
    source = """
        import sys
        def f():
            print(*sorted(name for name in sys.modules if name.partition(".")[0] == "grader"))
            return [1.0]
    """
    names = printed(lane, source).splitlines()[0].split()
    assert {name for name in names if not name.startswith("grader.sandbox.")} == {"grader", "grader.sandbox"}


def test_no_object_in_the_child_holds_a_case_before_it_is_asked(lane: Lane) -> None:
    source = """
        import sys
        import numpy as np
        def f(x):
            gc = sys.modules["gc"]
            gc.unfreeze()
            found = [o for o in gc.get_objects() if isinstance(o, np.ndarray) and o.shape == (13, 17)]
            print(len(found) + sum(b"canary" in o for o in gc.get_objects() if type(o) is bytes))
            return [1.0]
    """
    with loaded(lane, source) as run:
        Question.of("f", {"x": np.full((13, 17), 3.0)}, {}, 1)  # the grader knows it, the child does not
        run.ask(question(x=X))
        assert run.prints.split()[0] == b"0"


def test_module_is_no_script(lane: Lane) -> None:
    source = """
        import sys
        if __name__ == "__main__":
            raise SystemExit
        def f():
            print(__name__, __file__, sys.modules[__name__].f is f)
            return [1.0]
    """
    assert printed(lane, source).splitlines()[0] == "submission submission.py True"


SOURCES = {
    "a byte order mark": b"\xef\xbb\xbfdef f(): return [1.0]",
    "DOS line ends": b"def f():\r\n    return [1.0]\r\n",
    "an encoding line": b"# -*- coding: latin-1 -*-\ndef f(): return [1.0]",
    "no newline at the end": b"def f(): return [1.0]",
    "future annotations": b"from __future__ import annotations\ndef f() -> nowhere: return [1.0]",
    "a dataclass": b"import dataclasses\n@dataclasses.dataclass\nclass P:\n    a: float\ndef f(): return [P(1.0).a]",
    "a named tuple": b"from typing import NamedTuple\nclass P(NamedTuple):\n    a: float\ndef f(): return [P(1.0).a]",
    "a callable instance": b"class F:\n    def __call__(self): return [1.0]\nf = F()",
    "a partial function": b"from functools import partial\nf = partial(list, (1.0,))",
    "an exit hook": b"import atexit\natexit.register(print)\ndef f(): return [1.0]",
    "a warning at import": b"x = '\\d'\ndef f(): return [1.0]",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_source_of_any_style_is_loaded(lane: Lane, source: bytes) -> None:
    with loaded(lane, source) as run:
        assert array(run.ask(question())).tolist() == [1.0]


def test_missing_entries_are_listed(lane: Lane) -> None:
    with lane.run(QUICK) as run:
        assert run.load(b"g = 1\ndef f(): pass", ["f", "g", "h"], QUICK) == ["g", "h"]


def test_child_runs_under_no_ones_name(lane: Lane) -> None:
    who = printed(lane, "import os\ndef f():\n    print(os.getuid(), os.geteuid(), os.getgid())\n    return [1.0]\n")
    facts = lane.facts()
    assert {int(word) for word in who.split()} - {os.getegid()} <= {facts["uid"]}
    assert facts["uid"] != 0


def test_want_of_memory_between_calls_is_told_once_something_is_asked(lane: Lane) -> None:
    source = """
        kept = []
        size = 1 << 26
        while size >= 1 << 10:
            try:
                while True: kept.append(bytes(size))
            except MemoryError: size >>= 1
        def f(): return 1.0
    """
    with loaded(lane, source) as run:
        assert wait_until(lambda: Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[0] == "S")
        told = raised(run.ask(question()))
        assert (told.phase, told.builtin) == ("between", "MemoryError")
