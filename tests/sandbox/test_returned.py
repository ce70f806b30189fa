"""What a child says of what a submission returned or raised: exact types, plain and bounded values."""

from __future__ import annotations

import numpy as np
import pytest

from grader.sandbox.exchange import Answer, Raised
from grader.sandbox.pool import Lane
from grader.sandbox.wire import Refused, decode_answer
from tests.sandbox.asking import array, ask, question, raised

pytestmark = pytest.mark.sandbox

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
