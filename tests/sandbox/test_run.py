"""How runs end: each way by its own evidence, whatever the child says and whenever it says it."""

from __future__ import annotations

import os
import platform
import signal
import time

import pytest

from grader.sandbox.exchange import End, Limits, Question, RunEnded, SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.run import PRINTS_LIMIT
from tests.sandbox.asking import CHANNEL, QUICK, array, ask, end_of, loaded, question, raised, text

pytestmark = pytest.mark.sandbox

# every source ends its run while it is loaded, asked, or asked once more
TIME = {
    "a loop": "def f():\n    while True: pass\n",
    "a loop at import": "while True: pass\n",
    "a sleep": "import time\ndef f(): time.sleep(60)\n",
    "a loop in C": "import itertools\ndef f(): sum(itertools.repeat(0))\n",
    "a loop that swallows everything": """
        def f():
            while True:
                try:
                    while True: pass
                except BaseException:
                    pass
    """,
    "a regular expression": "import re\ndef f(): re.match('(a+)+$', 'a' * 40 + 'b')\n",
    "a power": "def f(): 7 ** 7 ** 9\n",
    "a second call": "n = []\ndef f():\n    n.append(0)\n    while len(n) > 1: pass\n    return [1.0]\n",
    "a text of an exception": """
        class E(Exception):
            def __str__(self):
                while True: pass
        def f(): raise E
    """,
    "reading the next question": "import os\ndef f(): os.read(3, 1)\n",
    "half a frame": f"{CHANNEL}\nimport time\ndef f():\n    send(b'\\x10\\0\\0\\0A')\n    time.sleep(60)\n",
    "a hundredth of a frame at a time": f"""{CHANNEL}
import time
def f():
    send(b'\\x10\\0\\0\\1A')
    while True:
        send(b'n' * 100)
        time.sleep(0.01)
""",
    "the end": f"{CHANNEL}\nimport time\nat_the_end(lambda: time.sleep(60))\ndef f(): return [1.0]\n",
}


@pytest.mark.parametrize("source", TIME.values(), ids=TIME)
def test_slow_source_ends_by_the_clock(lane: Lane, source: str) -> None:
    limits = Limits(case_s=0.2, total_s=0.5, memory_mib=64)
    started = time.monotonic()
    end, detail = end_of(lane, source, limits=limits)
    assert (end, detail) == (End.TIME, "the grader's clock ran out")
    assert time.monotonic() - started < 30


def test_total_time_is_limited_too(lane: Lane) -> None:
    limits = Limits(case_s=0.3, total_s=0.6, memory_mib=64)
    source = "import time\ndef f():\n    time.sleep(0.1)\n    return [1.0]\n"
    with pytest.raises(RunEnded) as ended:
        ask_often(lane, source, question(), limits)
    assert ended.value.end is End.TIME


def ask_often(lane: Lane, source: str, asked: Question, limits: Limits) -> None:
    with loaded(lane, source, limits) as run:
        for _ in range(9):
            run.ask(asked)


class FewSeconds(Limits):
    """Less processor time than the clock allows, so that the second wall is reached."""

    @property
    def cpu_s(self) -> int:
        return 1


@pytest.mark.parametrize("first", ["", "import sys\nsys.modules['signal'].signal(24, lambda *a: None)\n"])
def test_processor_time_is_a_second_wall(lane: Lane, first: str) -> None:
    limits = FewSeconds(case_s=9, total_s=9, memory_mib=64)
    end, detail = end_of(lane, f"{first}def f():\n    while True: pass\n", limits=limits)
    assert (end, detail) == (End.TIME, "the processor-time limit was reached")


OUTPUT = {
    "prints": "def f():\n    while True: print('x' * 1000)\n",
    "prints at import": "while True: print('x' * 1000)\n",
    "prints on stderr": "import sys\ndef f():\n    while True: sys.stderr.write('x' * 1000)\n",
    "one long print": "def f(): print('x' * 3_000_000)\n",
    "raw writes": "import os\ndef f():\n    while True: os.write(1, b'x' * 1000)\n",
    "a flood and an end": "import os\ndef f():\n    os.write(2, b'x' * 2_000_000)\n    os._exit(0)\n",
    "little prints in many calls": "def f(x): print('x' * 300_000); return x\n",
}


@pytest.mark.parametrize("source", OUTPUT.values(), ids=OUTPUT)
def test_flood_of_prints_ends_the_run(lane: Lane, source: str) -> None:
    asked = question(x=[1.0]) if "def f(x)" in source else question()
    with pytest.raises(RunEnded) as ended:
        ask_often(lane, source, asked, Limits(5, 5, 64))
    assert ended.value.end is End.OUTPUT, ended.value.detail


def test_as_much_as_allowed_may_be_printed(lane: Lane) -> None:
    each = PRINTS_LIMIT // 2
    with loaded(lane, f"def f():\n    print('x' * {each - 1})\n    return [1.0]\n") as run:
        assert array(run.ask(question())).tolist() == [1.0]
        with pytest.raises(RunEnded, match="prints"):
            run.ask(question())


CRASHES = {
    "a wild address": "import sys\ndef f(): sys.modules['ctypes'].string_at(0)\n",
    "a wild view": """
        import numpy as np
        def f(): return np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (1 << 45,)).copy()
    """,
    "an abort": "import os\ndef f(): os.abort()\n",
    "a crash at import": "import sys\nsys.modules['ctypes'].string_at(0)\n",
}


@pytest.mark.parametrize("source", CRASHES.values(), ids=CRASHES)
def test_crash_names_its_signal(lane: Lane, source: str) -> None:
    end, detail = end_of(lane, source)
    assert end is End.CRASH
    assert detail.startswith("killed by SIG")


CALL = """
import sys
def call(*arguments):
    libc = sys.modules["ctypes"].CDLL(None, use_errno=True)
    if libc.syscall(*arguments) == -1:
        raise OSError(sys.modules["ctypes"].get_errno(), "refused")
"""
KILLED = {
    "closing a descriptor": "import os\ndef f(): os.close(4)\n",
    "renaming a descriptor": "import os\ndef f(): os.dup2(1, 4)\n",
    "closing a range": "import os\ndef f(): os.closerange(0, 99)\n",
    "io_uring": f"{CALL}def f(): call(425, 1, 0)\n",
    "a new namespace": f"{CALL}def f(): call({97 if platform.machine() == 'aarch64' else 272}, 0x10000000)\n",
    "at import": "import os\nos.close(3)\n",
}


@pytest.mark.parametrize("source", KILLED.values(), ids=KILLED)
def test_killed_by_the_filter_is_a_refused_call(lane: Lane, source: str) -> None:
    assert end_of(lane, source) == (End.REFUSED, "killed by the system-call filter")


REFUSED = {
    "a file": "open('/etc/passwd')",
    "a folder": "os.listdir('/')",
    "a new file": "open('/tmp/x', 'w')",
    "a file's status": "os.stat('/')",
    "a fork": "os.fork()",
    "a program": "os.execv('/bin/sh', ['sh'])",
    "a spawned program": "os.posix_spawn('/bin/sh', ['sh'], {})",
    "a thread": "sys.modules['_thread'].start_new_thread(f, ())",
    "a socket": "sys.modules['socket'].socket()",
    "a pair of sockets": "sys.modules['socket'].socketpair()",
    "a pipe": "os.pipe()",
    "memory with a name": "os.memfd_create('x')",
    "a signal to itself": "os.kill(os.getpid(), 19)",
    "a signal to everyone": "os.kill(-1, 9)",
    "another user": "os.setuid(0)",
    "another priority": "os.nice(-5)",
    "other cores": "os.sched_setaffinity(0, {0})",
    "another folder": "os.chdir('/')",
    "a wait": "os.waitpid(-1, 0)",
    "a copy of a descriptor": "os.dup(4)",
    "a write to another descriptor": "os.write(0, b'x')",
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_refused_call_is_a_permission_error_that_is_marked(lane: Lane, call: str) -> None:
    error = raised(ask(lane, f"import os, sys\ndef f():\n    {call}\n"))
    assert error.refused, error


MEMORY = {
    "one array": "np.ones(10**8)",
    "an array of zeros": "np.zeros(10**9)",
    "many arrays": "[np.ones(10**6) for _ in range(1000)]",
    "bytes": "b'x' * 10**9",
    "a list": "[0] * 10**9",
    "a growing list": "[i for i in iter(int, 1)]",
    "a text": "'x' * 10**9",
    "a big integer": "1 << 10**10",
    "an outer product": "np.multiply.outer(np.ones(10**5), np.ones(10**5))",
    "a compiled giant": "compile('[' + '1,' * 10**7 + ']', 'x', 'exec')",
    "a class of its own": "type('E', (MemoryError,), {})().__class__() and (_ for _ in ()).throw(MemoryError)",
}


@pytest.mark.parametrize("expression", MEMORY.values(), ids=MEMORY)
def test_too_much_memory_is_a_memory_error(lane: Lane, expression: str) -> None:
    error = raised(ask(lane, f"import numpy as np\ndef f(): return {expression}\n", limits=Limits(5, 5, 64)))
    assert error.builtin == "MemoryError"


def test_source_that_does_not_compile_is_told(lane: Lane) -> None:
    with lane.run(QUICK) as run:
        error = raised(run.load(b"x = (\n", ["f"], QUICK))
    assert (error.phase, error.builtin, error.line, error.text) == ("compile", "SyntaxError", 1, "'(' was never closed")


DEEP = {
    "brackets": b"(" * 5000 + b")" * 5000,
    "minus signs": b"-" * 200_000 + b"1",
    "blocks": b"".join(b" " * depth + b"if 1:\n" for depth in range(200)),
    "a long sum": b"1" + b"+1" * 100_000,
    "attributes": b"x" + b".x" * 100_000,
    "calls": b"f" + b"()" * 100_000,
}


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP)
def test_deep_source_does_not_load(lane: Lane, source: bytes) -> None:
    """Which way depends on the interpreter: a syntax error, too little memory or stack, a crash."""
    limits = Limits(2, 3, 64)
    with lane.run(limits) as run:
        try:
            how: str = raised(run.load(b"x = lambda: " + source, ["f"], limits)).builtin
        except RunEnded as ended:
            how = ended.end
    assert how in ("SyntaxError", "IndentationError", "MemoryError", "RecursionError", End.CRASH, End.TIME)


def test_child_killed_from_outside_is_our_fault(lane: Lane) -> None:
    zygote = lane.pid

    def kill_child() -> None:
        with loaded(lane, "def f(): pass") as run:
            os.kill(run.pid, signal.SIGKILL)
            run.ask(question())

    with pytest.raises(SandboxLost, match="killed from outside"):
        kill_child()
    assert array(ask(lane, "def f(): return [1.0]")).tolist() == [1.0]
    assert lane.pid != zygote, "a sandbox that failed is not trusted again"


def test_indented_source_is_dedented() -> None:
    assert text("  a\n    b") == b"a\n  b"
