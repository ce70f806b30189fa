"""The way from bytes to a judgement: what is reached, what is kept, whose fault it is."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import InvalidPackage
from grader.grading import judge_run as judge_module
from grader.grading.judge import judge
from grader.grading.judge_run import VERSIONS, not_judged
from grader.grading.verdict import Judgement, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run
from tests.packages import HONEST, edited, tiny_problem_with
from tests.sandbox.asking import CHANNEL

pytestmark = pytest.mark.sandbox
RETURN = b"    return weights @ (x @ w), weights\n"
Judge = Callable[[bytes], Judgement]


@pytest.fixture
def judged(tiny: Problem, cache: CaseCache, lane: Lane) -> Judge:
    return lambda source: judge(tiny, source, lane, cache)


def changed(new: str) -> bytes:
    """Return the honest source with other lines in place of the first entry's return statement."""
    assert HONEST.count(RETURN) == 1
    return HONEST.replace(RETURN, new.encode())


def verdicts(judgement: Judgement) -> list[str]:
    return [case.verdict.value if case.verdict else "-" for case in judgement.cases]


def test_honest_source_is_accepted_in_full(judged: Judge, tiny: Problem) -> None:
    judgement = judged(HONEST)
    assert judgement.verdict is Verdict.AC
    assert judgement.reason is None
    assert judgement.message == judgement.finding.sentence == "Every case agrees with the reference."
    assert (judgement.score, judgement.max_score) == (100, 100)
    assert judgement.source_sha256 == hashlib.sha256(HONEST).hexdigest()
    assert judgement.package_sha256 == tiny.sha256
    assert judgement.sandbox.layers == ("seccomp", "landlock", "rlimits")
    assert not judgement.sandbox.weakened
    assert judgement.versions == VERSIONS
    assert 0 < judgement.run_ms < judgement.total_ms


def test_same_source_gets_the_same_judgement(judged: Judge) -> None:
    for source in (HONEST, changed("    return weights, x\n"), changed("    1 / 0\n")):
        first, second = judged(source), judged(source)
        assert first.cases == second.cases
        assert first.groups == second.groups
        assert first.failure == second.failure


def test_exception_ends_its_case_only(judged: Judge) -> None:
    judgement = judged(changed("    if len(x) == 5:\n        1 / 0\n" + RETURN.decode()))
    assert verdicts(judgement) == ["AC", "AC", "AC", "RTE", "AC", "AC", "AC", "AC"]
    assert [group.points for group in judgement.groups] == [0, 0, 10, 10, 30]
    assert judgement.message == (
        "ZeroDivisionError was raised in line 15: "
        "a Python number is divided by 0 there; look at which size or count can be 0."
    )


ENDINGS = {
    "TLE": "while True: pass",
    "MLE": "return np.ones(1 << 30)",
    "OLE": "print('x' * (2 << 20))",
    "a crash": "__import__('sys').modules['ctypes'].string_at(0)",
    "a refused call": "open('x')",
    "an exit": "__import__('os')._exit(0)",
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_end_of_the_run_leaves_the_rest_unreached(judged: Judge, ending: str) -> None:
    judgement = judged(changed(f"    if len(x) == 5:\n        {ending}\n" + RETURN.decode()))
    assert [verdict for verdict in verdicts(judgement) if verdict != "AC"][1:] == ["-"] * 4
    assert verdicts(judgement)[:3] == ["AC"] * 3
    assert judgement.score == 0
    assert [group.verdict for group in judgement.groups] == [Verdict.AC, judgement.verdict, None, None, None]


def test_first_failing_case_decides_the_verdict(judged: Judge) -> None:
    source = changed("    if len(x) == 5:\n        1 / 0\n    return weights @ (x @ w) + (len(x) == 4), weights\n")
    judgement = judged(source)
    assert verdicts(judgement) == ["AC", "WA", "WA", "RTE", "WA", "AC", "AC", "AC"]
    assert judgement.verdict is Verdict.WA


def test_run_that_ends_later_does_not_change_the_verdict(judged: Judge) -> None:
    source = changed(
        "    if len(x) == 5:\n        while True: pass\n    return weights @ (x @ w) + (len(x) == 4), weights\n"
    )
    judgement = judged(source)
    assert verdicts(judgement) == ["AC", "WA", "WA", "TLE", "-", "-", "-", "-"]
    assert judgement.verdict is Verdict.WA


def test_missing_second_entry_costs_its_own_group(judged: Judge) -> None:
    judgement = judged(HONEST.replace(b"def visible", b"def visibly"))
    assert verdicts(judgement) == ["AC"] * 7 + ["CE"]
    assert judgement.score == 70
    assert judgement.message == "The source defines no function visible: keep the name that the starter has."


def test_missing_first_entry_is_told_first(judged: Judge) -> None:
    judgement = judged(HONEST.replace(b"def attend", b"def attention"))
    assert judgement.verdict is Verdict.CE
    assert judgement.score == 30


def test_expected_exception_is_no_failure_and_only_where_expected(judged: Judge) -> None:
    judgement = judged(HONEST.replace(b"if x.shape[1] != w.shape[0]:", b"if True:"))
    assert verdicts(judgement)[:7] == ["RTE"] * 6 + ["AC"]


def test_wrong_arity_names_the_call(judged: Judge) -> None:
    judgement = judged(HONEST.replace(b"def attend(x, w)", b"def attend(x)"))
    assert judgement.message == (
        "attend is called as attend(x, w); yours takes other arguments. Restore its signature."
    )


def test_type_error_inside_is_an_exception(judged: Judge) -> None:
    judgement = judged(changed("    return weights + 'text'\n"))
    assert judgement.reason is Reason.EXCEPTION
    assert judgement.message.startswith("UFuncTypeError") or judgement.message.startswith("TypeError")


def test_prints_belong_to_their_case(judged: Judge) -> None:
    source = b"print('loaded')\n" + changed("    print(len(x))\n" + RETURN.decode())
    judgement = judged(source)
    assert judgement.import_prints == "loaded\n"
    assert [case.prints for case in judgement.cases] == [
        "2\n2\n", "4\n4\n", "4\n4\n", "5\n5\n", "4\n4\n", "6\n6\n", "", "",
    ]  # fmt: skip


def test_prints_of_an_ended_run_are_kept(judged: Judge) -> None:
    judgement = judged(changed("    print('before', flush=True)\n    __import__('os')._exit(0)\n"))
    assert judgement.cases[0].prints == "before\n"


@pytest.mark.parametrize(
    ("end", "verdict"),
    [("any(iter(int, 1))", "TLE"), ("os._exit(0)", "RTE"), ("os.abort()", "RTE"), ("open('x')", "RTE")],
    ids=["loops", "exits", "aborts", "is refused"],
)
def test_what_the_first_call_printed_stays_when_the_second_ends_the_run(judged: Judge, end: str, verdict: str) -> None:
    source = changed("    print('once', end=' ')\n    if calls: " + end + "\n    calls.append(0)\n" + RETURN.decode())
    judgement = judged(b"import os\ncalls = []\n" + source)
    assert verdicts(judgement)[:2] == [verdict, "-"]
    assert judgement.cases[0].prints.split()[0] == "once"


def test_prints_that_are_no_text_are_readable(judged: Judge) -> None:
    judgement = judged(changed("    __import__('os').write(1, bytes([255, 65]))\n" + RETURN.decode()))
    assert judgement.verdict is Verdict.AC
    assert judgement.cases[0].prints == "\ufffdA\ufffdA"


def test_exception_of_a_sample_is_told_on_one_printable_line(judged: Judge) -> None:
    judgement = judged(changed("    raise ValueError('first \\x1b[31m\\u202e' + 'x' * 999 + '\\nsecond')\n"))
    assert judgement.message.startswith("ValueError (first ?[31m?xxx")
    assert judgement.message.isprintable()
    assert len(judgement.message) < 400


def test_braces_in_a_text_are_a_text(judged: Judge) -> None:
    judgement = judged(changed("    raise ValueError('{line} {0} {got!r} %s')\n"))
    assert judgement.message.startswith("ValueError ({line} {0} {got!r} %s) was raised in line 14: ")


def test_syntax_error_names_line_and_reason(judged: Judge) -> None:
    judgement = judged(b"def attend(x, w):\n    return (x\n")
    assert judgement.message == "The source does not compile in line 2: '(' was never closed."
    assert verdicts(judgement) == ["CE"] + ["-"] * 7


@pytest.mark.parametrize("source", [b"", b"\0", b"x" * (1 << 20) + b"x"], ids=["empty", "NUL", "large"])
def test_source_that_cannot_be_run_needs_no_run(judged: Judge, monkeypatch: pytest.MonkeyPatch, source: bytes) -> None:
    judged(HONEST)  # the cases are there
    monkeypatch.setattr(Lane, "run", None)
    judgement = judged(source)
    assert judgement.verdict is Verdict.CE
    assert verdicts(judgement) == ["CE"] + ["-"] * 7
    assert judgement.score == 0


def lose_runs(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Have the first runs be lost when they are loaded; return the list of their numbers."""
    plain = Run.load
    lost: list[int] = []

    def load(run: Run, *arguments: object) -> object:
        if len(lost) < times:
            lost.append(run.pid)
            raise SandboxLost("a child was killed from outside")
        return plain(run, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "load", load)
    return lost


def test_sandbox_that_is_lost_once_costs_nothing(judged: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(HONEST)
    lost = lose_runs(monkeypatch, 1)
    assert judged(HONEST).verdict is Verdict.AC
    assert len(lost) == 1


def test_sandbox_that_is_lost_twice_is_our_fault(judged: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(HONEST)
    lose_runs(monkeypatch, 2)
    judgement = judged(HONEST)
    assert (judgement.verdict, judgement.reason, judgement.score) == (Verdict.JE, Reason.JUDGE_ERROR, None)
    assert judgement.failure is not None
    assert judgement.failure.detail == "a child was killed from outside"
    assert "killed" not in judgement.message
    monkeypatch.undo()
    assert judged(HONEST).verdict is Verdict.AC


def test_zygote_killed_while_judging_is_replaced(tiny: Problem, cache: CaseCache) -> None:
    lane = Lane()
    try:
        cache.cases(tiny, lane)
        source = changed("    import time; time.sleep(0.03)\n" + RETURN.decode())
        for _ in range(3):
            lane.facts()
            zygote = lane.pid
            assert zygote is not None
            timer = threading.Timer(0.1, os.kill, (zygote, signal.SIGKILL))
            timer.start()
            judgement = judge(tiny, source, lane, cache)
            timer.join()
            assert judgement.verdict is Verdict.AC
    finally:
        lane.close()


def test_zygote_killed_before_the_cases_are_made_is_replaced(tiny: Problem) -> None:
    lane = Lane()
    try:
        lane.facts()
        assert lane.pid is not None
        os.kill(lane.pid, signal.SIGKILL)
        assert judge(tiny, HONEST, lane, CaseCache(None)).verdict is Verdict.AC
    finally:
        lane.close()


def test_lost_try_leaves_no_trace_in_the_result(judged: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, asked = Run.ask, []

    def ask(run: Run, question: object) -> object:
        asked.append(question)
        if len(asked) == 5:
            raise SandboxLost("gone")
        return plain(run, question)  # type: ignore[arg-type]

    judged(HONEST)
    monkeypatch.setattr(Run, "ask", ask)
    judgement = judged(changed("    print(len(x))\n" + RETURN.decode()))
    assert verdicts(judgement) == ["AC"] * 8
    assert judgement.cases[0].prints == "2\n2\n"


def test_broken_package_gets_no_judgement_but_stops_no_other(judged: Judge, cache: CaseCache, lane: Lane) -> None:
    broken = tiny_problem_with({"cases.py": edited("cases.py", "def secret_lengths", "def lost")})
    for _ in range(2):
        judgement = judge(broken, HONEST, lane, cache)
        assert judgement.reason is Reason.INVALID_PACKAGE
        assert judgement.package_sha256 == broken.sha256
    assert judged(HONEST).verdict is Verdict.AC


def test_not_judged_has_no_score() -> None:
    judgement = not_judged("a", b"source", Reason.INVALID_PACKAGE, InvalidPackage(["a/x: broken; mend it."]).message)
    assert (judgement.verdict, judgement.score, judgement.max_score) == (Verdict.JE, None, None)
    assert (judgement.cases, judgement.groups) == ((), ())
    assert judgement.message.startswith("The problem's package is broken, which is not your fault")


FUZZED = f"""{CHANNEL}
real = os.writev
changes = CHANGES
count = 0
def writev(descriptor, parts):
    global count
    data = bytearray(b"".join(parts))
    for number, position, byte in changes:
        if number == count % 12 and data:
            data[position % len(data)] = byte
    count += 1
    whole = len(data)
    while data:
        data = data[os.write(descriptor, data):]
    return whole
os.writev = writev
"""


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=4))
def test_damaged_frames_are_never_our_fault(
    tiny: Problem, cache: CaseCache, pool: object, changes: list[tuple[int, int, int]]
) -> None:
    with pool.lane() as lane:  # type: ignore[attr-defined]
        honest = HONEST.decode().replace('"""', "#", 2)
        judgement = judge(tiny, (FUZZED.replace("CHANGES", repr(changes)) + honest).encode(), lane, cache)
    assert judgement.verdict is not Verdict.JE
    assert len(judgement.cases) == 8
    if judgement.verdict is Verdict.AC:
        assert judgement.score == 100


def test_versions_name_what_judged() -> None:
    assert set(judge_module.VERSIONS) == {"grader", "python", "numpy"}
