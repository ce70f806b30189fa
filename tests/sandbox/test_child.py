"""What a submission meets in its child: arguments, prints, imports, and nothing that it could use."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.sandbox.modules import IMPORTABLE
from grader.sandbox.pool import ENVIRONMENT, Lane
from grader.sandbox.run import PRINTS_KEPT, Answer, Limits, Question, Raised
from grader.sandbox.wire import Refused, decode_answer
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


def test_first_objects_are_sent_once_more(lane: Lane) -> None:
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
        firsts = [answer.first for answer in answers if isinstance(answer, Answer)]
        assert run.ask_again(firsts) == [True, True, False, True]


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
        assert raised(run.ask_again([answer.first])).name == "LookupError"


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
    with loaded(lane, "def f(): return [1.0]") as run:
        if os.geteuid() == 0:  # a process that hides its memory shows its descriptors to root alone
            assert set(os.listdir(f"/proc/{run.pid}/fd")) == {"1", "2", "3", "4"}
        else:
            with pytest.raises(PermissionError):
                os.listdir(f"/proc/{run.pid}/fd")


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


def test_every_importable_module_is_there(lane: Lane) -> None:
    imports = "\n".join(f"import {name}" for name in sorted(IMPORTABLE - {"__future__"}))
    with loaded(lane, f"from __future__ import division\n{imports}\ndef f(): pass\n"):
        pass


@pytest.mark.parametrize("name", ["socket", "subprocess", "threading", "ctypes", "pathlib", "grader", "torch", "io"])
def test_other_import_says_what_there_is(lane: Lane, name: str) -> None:
    with lane.run(QUICK) as run:
        error = raised(run.load(f"\nimport {name}".encode(), [], QUICK))
    assert (error.phase, error.name, error.line) == ("import", "ImportError", 2)
    assert error.text.startswith(f"{name} cannot be imported here; NumPy and these are there: abc, atexit, bisect, ")


def test_relative_import_says_why_not(lane: Lane) -> None:
    with lane.run(QUICK) as run:
        error = raised(run.load(b"from . import other", [], QUICK))
    assert error.text == "a submission is one file: relative imports are not available"


# first uses that would load a file too late, were it not loaded by the zygote
FIRST_USES = (
    "np.linalg.svd(np.eye(3)), np.linalg.eigh(np.eye(3)), np.linalg.norm(np.eye(3), 2)",
    "np.fft.rfft(np.ones(8))",
    "np.random.default_rng(1).normal(size=3), np.random.rand(2), np.random.RandomState(1).randn()",
    "np.einsum('ij,jk,kl->il', np.eye(2), np.eye(2), np.eye(2), optimize=True)",
    "np.testing.assert_allclose(1.0, 1.0), np.testing.assert_array_equal([1], [1])",
    "str(np.arange(2000.0)), repr(np.zeros((3, 3), np.float32)), np.array2string(np.eye(2), precision=3)",
    "np.ma.masked_array([1.0, 2.0], [0, 1]).mean()",
    "np.lib.stride_tricks.sliding_window_view(np.arange(5), 2)",
    "np.vectorize(lambda v: v + 1)(np.arange(3)), np.apply_along_axis(sum, 0, np.eye(2))",
    "np.polyfit([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1), np.poly1d([1, 2])",
    "np.matrix([[1]]), np.rec.array([(1,)], dtype=[('a', int)]), np.char.upper(['a'])",
    "np.unique([1, 1]), np.percentile([1.0, 2.0], 50), np.histogram([1.0]), np.median([1.0]), np.quantile([1.0], 0.5)",
    "np.float16(1), np.longdouble(1), np.complex128(1), np.array(['a']), np.datetime64('2020-01-01')",
    "np.set_printoptions(precision=2), np.errstate(all='ignore'), np.iinfo(int), str(np.finfo(float))",
    "np.block([[np.eye(2)]]), np.pad(np.eye(2), 1), np.kron(np.eye(2), np.eye(2)), np.tensordot(np.eye(2), np.eye(2))",
    "json.dumps({'a': [1]}), json.loads('[1]'), re.findall('a+', 'aa'), copy.deepcopy([np.eye(2)])",
    "math.fsum([0.1]), statistics.mean([1, 2]), fractions.Fraction(1, 3), decimal.Decimal('1.1').sqrt()",
    "random.random(), random.sample(range(9), 2), string.Template('$a').substitute(a=1), textwrap.fill('a b', 1)",
    "time.time(), time.strftime('%Y'), time.localtime(), time.perf_counter(), struct.pack('<d', 1.0)",
    "'ä'.encode('utf-16'), 'a'.encode('idna'), b'a'.decode('latin-1'), 'ﬁ'.casefold(), '{:,.2f}'.format(1e6)",
    "warnings.warn('told'), list(itertools.pairwise('abc')), heapq.nsmallest(1, [2, 1]), bisect.bisect([1], 1)",
    "enum.Enum('E', 'A B'), types.SimpleNamespace(a=1), functools.lru_cache(abs)(1), operator.itemgetter(0)([1])",
    "os.getpid(), os.cpu_count(), os.path.join('a', 'b'), sys.version, sys.getrecursionlimit()",
)


@pytest.mark.parametrize("expression", FIRST_USES, ids=lambda expression: expression[:30])
def test_first_use_needs_no_file(lane: Lane, expression: str) -> None:
    names = sorted(name for name in IMPORTABLE if "." not in name and name not in ("__future__", "numpy"))
    source = f"import {', '.join(names)}\nimport numpy as np\ndef f():\n    {expression}\n    return [1.0]\n"
    assert array(ask(lane, source, limits=Limits(case_s=2, total_s=5, memory_mib=256))).tolist() == [1.0]


def test_failing_assertion_of_numpy_says_what_differs(lane: Lane) -> None:
    error = raised(ask(lane, "import numpy as np\ndef f():\n    np.testing.assert_allclose(1.0, 2.0)\n"))
    assert error.builtin == "AssertionError"
    assert "Not equal to tolerance" in error.text
    assert error.line == 3


def test_chance_is_the_same_in_every_child(lane: Lane) -> None:
    source = """
        import random
        import numpy as np
        here = [random.random(), np.random.rand(), float(hash("text") % 1000), float(hash(b"bytes") % 1000)]
        def f():
            return here + [random.random(), np.random.normal()]
    """
    first, second = (array(ask(lane, source)).tolist() for _ in range(2))
    lane.close()
    assert first == second == array(ask(lane, source)).tolist()


EXCEPTIONS = {
    "a plain one": (
        "def f():\n    1 / 0\n",
        Raised("call", "ZeroDivisionError", "ZeroDivisionError", 2, "division by zero", False, (2,)),
    ),
    "an own class": (
        "class Own(KeyError): pass\ndef f():\n    raise Own('k')\n",
        Raised("call", "Own", "KeyError", 3, "'k'", False, (3,)),
    ),
    "of NumPy": (
        "import numpy as np\ndef f():\n    np.linalg.inv(np.zeros((2, 2)))\n",
        Raised("call", "LinAlgError", "ValueError", 3, "Singular matrix", False, (3,)),
    ),
    "deep inside": (
        "def g(): raise OSError('deep')\ndef f():\n    g()\n",
        Raised("call", "OSError", "OSError", 1, "deep", False, (3, 1)),
    ),
    "an exit": ("def f():\n    raise SystemExit(0)\n", Raised("call", "SystemExit", "SystemExit", 2, "0", False, (2,))),
    "an interrupt": (
        "def f():\n    raise KeyboardInterrupt\n",
        Raised("call", "KeyboardInterrupt", "KeyboardInterrupt", 2, "", False, (2,)),
    ),
    "with a text that raises": (
        "class E(Exception):\n    def __str__(self): raise E\ndef f():\n    raise E\n",
        Raised("call", "E", "Exception", 4, "", False, (4,)),
    ),
    "with a text that is none": (
        "class T(str): pass\nclass E(Exception):\n    def __str__(self): return T('t')\ndef f():\n    raise E\n",
        Raised("call", "E", "Exception", 5, "", False, (5,)),
    ),
    "with a long name and text": (
        "E = type('E' * 500, (ValueError,), {})\ndef f():\n    raise E('t' * 10**6)\n",
        Raised("call", "E" * 80, "ValueError", 3, "t" * 2000, False, (3,)),
    ),
    "a refused call": (
        "def f():\n    open('/etc/passwd')\n",
        Raised(
            "call",
            "PermissionError",
            "PermissionError",
            2,
            "[Errno 1] Operation not permitted: '/etc/passwd'",
            True,
            (2,),
        ),
    ),
}


@pytest.mark.parametrize(("source", "wanted"), EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_exception_is_described(lane: Lane, source: str, wanted: Raised) -> None:
    assert ask(lane, source) == wanted


def test_endless_recursion_names_its_line_and_few_frames(lane: Lane) -> None:
    error = raised(ask(lane, "def f():\n    return f()\n"))
    assert (error.name, error.line, error.lines) == ("RecursionError", 2, (2,) * 20)


def test_group_of_exceptions_is_described(lane: Lane) -> None:
    error = raised(ask(lane, "def f():\n    raise ExceptionGroup('many', [ValueError('one')])\n"))
    assert (error.name, error.builtin, error.text) == ("ExceptionGroup", "ExceptionGroup", "many (1 sub-exception)")


RETURNED = {
    "None": ("None", Refused("none", "")),
    "a float": ("1.0", Refused("scalar", "float")),
    "a NumPy scalar": ("np.float64(1)", Refused("scalar", "float64")),
    "a bool": ("True", Refused("scalar", "bool")),
    "a text": ("'x'", Refused("type", "str")),
    "a set": ("{1.0}", Refused("type", "set")),
    "a generator": ("(i for i in (1.0,))", Refused("type", "generator")),
    "a mapping": ("{'y': np.ones(1)}", Refused("type", "dict")),
    "a matrix": ("np.matrix([[1.0]])", Refused("subclass", "matrix")),
    "a masked array": ("np.ma.masked_array([1.0])", Refused("subclass", "MaskedArray")),
    "an own subclass": ("np.ones(1).view(Own)", Refused("subclass", "Own")),
    "objects": ("np.array([None])", Refused("dtype", "object")),
    "records": ("np.zeros(1, [('a', 'f8')])", Refused("dtype", "void64")),
    "complex numbers": ("np.array([1j])", Refused("dtype", "complex128")),
    "half precision": ("np.ones(1, np.float16)", Refused("dtype", "float16")),
    "foreign byte order": ("np.ones(1, '>f8')", Refused("byte_order", ">f8")),
    "a wide array of one number": (
        "np.broadcast_to(1.0, (10**9, 10**9))",
        Refused("huge", "float64 (1000000000, 1000000000)"),
    ),
    "very many numbers": ("np.broadcast_to(1.0, (5 * 10**6,))", Refused("huge", "float64 (5000000,)")),
    "nine axes": ("np.ones((1,) * 9)", Refused("huge", "float64 (1, 1, 1, 1, 1, 1, 1, 1, 1)")),
    "a ragged list": ("[[1.0], [1.0, 2.0]]", Refused("ragged", "")),
    "a list of text": ("['x']", Refused("list", "")),
    "a list of itself": ("endless", Refused("list", "")),
    "a list beyond numbers": ("[10**400]", Refused("ragged", "")),
    "a class that lies": ("Liar()", Refused("type", "Liar")),
}
_SETTING = """
import numpy as np
class Own(np.ndarray): pass
class Liar:
    __class__ = np.ndarray
    dtype, shape, ndim, flags = np.dtype(float), (1,), 1, None
    def __array__(self, *a, **k): return np.ones(1)
    def __eq__(self, other): return True
    def __len__(self): return 1
endless = []
endless.append(endless)
"""


@pytest.mark.parametrize(("expression", "wanted"), RETURNED.values(), ids=RETURNED)
def test_what_is_no_plain_array_is_refused(lane: Lane, expression: str, wanted: Refused) -> None:
    answer = ask(lane, f"{_SETTING}def f(): return {expression}\n")
    assert isinstance(answer, Answer), answer
    assert decode_answer(answer.first) == (False, 1, [wanted])


CARRIED = {
    "a list": ("[1, 2]", [1.0, 2.0], "float64"),
    "a list of lists": ("[[1.0], [2.0]]", [[1.0], [2.0]], "float64"),
    "a list of bools": ("[True, False]", [True, False], "bool"),
    "an empty list": ("[]", [], "float64"),
    "float32": ("np.ones(1, np.float32)", [1.0], "float32"),
    "long double": ("np.ones(1, np.longdouble)", [1.0], "float64"),
    "small integers": ("np.ones(1, np.uint8)", [1], "int64"),
    "bools": ("np.ones(1, bool)", [True], "bool"),
    "no axes": ("np.array(2.0)", 2.0, "float64"),
    "read-only": ("np.broadcast_to(1.0, (2,))", [1.0, 1.0], "float64"),
    "strided": ("np.arange(4.0)[::-2]", [3.0, 1.0], "float64"),
    "NaN": ("np.array([np.nan])", [np.nan], "float64"),
}


@pytest.mark.parametrize(("expression", "wanted", "dtype"), CARRIED.values(), ids=CARRIED)
def test_plain_numbers_are_carried(lane: Lane, expression: str, wanted: object, dtype: str) -> None:
    item = array(ask(lane, f"import numpy as np\ndef f(): return {expression}\n"))
    assert item.dtype == dtype
    assert np.array_equal(item, np.array(wanted, dtype), equal_nan=dtype == "float64")


CONTAINERS = {
    "a tuple": ("(one, one)", (True, 2, 2)),
    "a list": ("[one, one]", (True, 2, 2)),
    "a named tuple": ("Pair(one, one)", (True, 2, 2)),
    "three": ("(one, one, one)", (True, 3, 3)),
    "none": ("()", (True, 0, 0)),
    "very many": ("(one,) * 10**6", (True, 10**6, 0)),
    "a tuple of another kind": ("Sneaky((one, one))", (False, 1, 1)),
    "one array": ("one", (False, 1, 1)),
}


@pytest.mark.parametrize(("expression", "wanted"), CONTAINERS.values(), ids=CONTAINERS)
def test_container_is_described(lane: Lane, expression: str, wanted: tuple[bool, int, int]) -> None:
    source = f"""
import numpy as np
from collections import namedtuple
one = np.ones(1)
Pair = namedtuple("Pair", "y weights")
class Sneaky(tuple):
    def __iter__(self): raise KeyError
    def __len__(self): return 7
def f(): return {expression}
"""
    answer = ask(lane, source, question(outputs=2))
    assert isinstance(answer, Answer), answer
    is_sequence, count, items = decode_answer(answer.first)
    assert (is_sequence, count, len(items)) == wanted


def test_child_runs_under_no_ones_name(lane: Lane) -> None:
    who = printed(lane, "import os\ndef f():\n    print(os.getuid(), os.geteuid(), os.getgid())\n    return [1.0]\n")
    facts = lane.facts()
    assert {int(word) for word in who.split()} - {os.getegid()} <= {facts["uid"]}
    assert facts["uid"] != 0
