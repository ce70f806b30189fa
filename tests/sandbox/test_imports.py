"""What a submission can import, and that no first use of it comes too late behind the walls."""

from __future__ import annotations

import pytest

from grader.sandbox.exchange import Limits
from grader.sandbox.modules import IMPORTABLE
from grader.sandbox.pool import Lane
from tests.sandbox.asking import QUICK, array, ask, loaded, raised

pytestmark = pytest.mark.sandbox


def test_every_importable_module_is_there(lane: Lane) -> None:
    imports = "\n".join(f"import {name}" for name in sorted(IMPORTABLE - {"__future__"}))
    with loaded(lane, f"from __future__ import division\n{imports}\ndef f(): pass\n"):
        pass


@pytest.mark.parametrize("name", ["socket", "subprocess", "threading", "ctypes", "pathlib", "grader", "torch", "io"])
def test_other_import_names_the_module(lane: Lane, name: str) -> None:
    with lane.run(QUICK) as run:
        error = raised(run.load(f"\nimport {name}".encode(), [], QUICK))
    assert (error.phase, error.name, error.line) == ("import", "ImportError", 2)
    assert error.text == f"{name} cannot be imported here"


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
