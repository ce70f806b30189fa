"""What runs in a locked child: load one source, answer questions about it one at a time, over two pipes.

Frames (see `wire`, and `calls` for Q, C and T), grader to child:
    H [source, entries, mode]       the head, once; mode: submission, traced, or package
    Q [entry, n] and a call         call the entry twice with these arguments, n outputs
    G [function, seed]              call a case generator with numpy's generator of that seed
    C [function] and a call         call a package's function once with these arguments
    T [entry, n] and a call         call an entry of a traced source once, and tell what it computed
    F                               look at everything that was returned once more
Child to grader:
    R                        ready: every wall is up
    L [missing]              loaded; the entries that are not there
    A answer, unchanged      first call: what was returned, and whether the arguments are what they were
    B answer, unchanged      second call, on fresh copies of the arguments
    S unchanged              the same, when the answer is the same bytes as the first one
    V value                  of a generator or a package's function; of a trace [record, answer or exception]
    K [unchanged]            for each answered question, whether both objects that were returned are what they were
    X [phase, class, builtin, line, text, refused, where, unchanged]    an exception, in place of L, A, B, S, V or K

Values, times and counts are the grader's to compare. The child is believed only where a lie gains nothing: that
arguments, second answers and earlier results are unchanged is its word, for a submission that could forge it could as
well send the bytes that it once had.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from grader.sandbox import convert, modules, tracing
from grader.sandbox.calls import BODY, Layouts, read_call
from grader.sandbox.exception_record import FILE, Reserve, describe
from grader.sandbox.rewriting import rewritten
from grader.sandbox.wire import LENGTH, PIPE_BYTES, Value, decode, encode_parts, frame_parts

QUESTIONS: Final = 3  # descriptor that questions are read from
ANSWERS: Final = 4  # descriptor that answers are written to
MODULE: Final = "submission"
HOLD_S: Final = 0.02  # a frame may wait so long for the next one; the grader's clock runs on
KEPT_BYTES: Final = 8 << 20  # of answers kept for the end; it counts as the submission's memory
Mark = list[bytes] | int
_FLAGS: Final = (encode_parts(False), encode_parts(True))
_SAME: Final = tuple(frame_parts(b"S", flag) for flag in _FLAGS)
PARTS_MAX: Final = 1000  # the kernel takes 1024 in one call
TRACED_DEPTH: Final = 2500  # a hook is one more frame for each call
original_import: Final = builtins.__import__
_original_compile: Final = compile


def guarded_import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> types.ModuleType:
    """Import for a submission: a clear sentence for what is not there. The kernel, not this, keeps it from files.

    C code that imports on a submission's behalf (PyImport_Import) passes a list where a statement passes a tuple.
    """
    if globals is not None and globals.get("__name__") == MODULE and type(fromlist) is not list:
        if level:
            raise ImportError("a submission is one file: relative imports are not available")
        if name not in modules.IMPORTABLE:
            raise ImportError(f"{name} cannot be imported here", name=name)
    return original_import(name, globals, locals, fromlist, level)


def open_output(descriptor: int) -> io.TextIOWrapper:
    """Return a text stream that flushes at each line, so that prints before a crash arrive."""
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)


class Child:
    """Answers the grader until the end of its pipe; see the module's docstring for the frames."""

    def __init__(self, outputs: tuple[io.TextIOWrapper, ...], answers: int | None) -> None:
        """Make a child that writes to a descriptor, or nowhere."""
        self._outputs = outputs
        self._answers = answers
        self._held: list[bytes] = []  # frames that travel with the next one
        self._namespace: dict[str, Any] = {}
        self._returned: list[tuple[int, list[tuple[object, Mark]]]] = []  # outputs, both objects
        self._kept_bytes = 0
        self._recorder: tracing.Recorder | None = None
        self._reserve = Reserve()
        self._is_unchanged = True  # the arguments of the call that raised

    def serve(self) -> None:
        """Say that the walls are up, then answer; returns at the end of the questions."""
        self._write(frame_parts(b"R", []))
        while self._serve_next():
            pass

    def _serve_next(self) -> bool:
        """Answer the next question; False at their end.

        What a submission leaves behind can fail our own code between its calls: no memory, no depth. That is told too.
        """
        try:
            begun = os.read(QUESTIONS, PIPE_BYTES)
        except BaseException as error:
            self._hold_exception("between", error)
            begun = os.read(QUESTIONS, 1)  # told once something is asked: before, it would count as forged
        else:
            try:
                if begun:
                    self.handle(_whole(begun))
                return bool(begun)
            except BaseException as error:
                self._hold_exception("between", error)
        self._send_held()
        return bool(begun)

    def handle(self, question: bytes) -> None:
        """Answer one question, a whole frame."""
        self._is_unchanged = True
        self._reserve.restore()
        kind = question[LENGTH.size : BODY]
        if kind == b"Q":
            self._answer(question)
        elif kind == b"H":
            self._load(*decode(question, BODY))
        elif kind == b"G":
            self._generate(*decode(question, BODY))
        elif kind == b"C":
            self._compute(question)
        elif kind == b"T":
            self._trace(question)
        elif kind == b"F":
            self._look_again()

    def _attempt(self, phase: str, act: Callable[[], list[bytes]]) -> None:
        """Send the frame that `act` returns, or the exception that it raised."""
        try:
            reply = act()
        except BaseException as error:
            self._hold_exception(phase, error)
        else:
            self._held += reply
        self._send_held()

    def _hold_exception(self, phase: str, error: BaseException) -> None:
        self._reserve.release()
        self._held += frame_parts(b"X", encode_parts([*describe(phase, error), self._is_unchanged]))

    def _flush(self) -> None:
        try:
            for stream in self._outputs:
                stream.flush()
        except BaseException:  # noqa: S110 - a flooded or broken stream is the grader's to judge
            pass

    def _send_held(self) -> None:
        """Send the frames that wait, behind all that was printed before."""
        self._flush()
        held, self._held = self._held, []
        self._write(held)

    def _write(self, parts: list[bytes]) -> None:
        """Write parts of frames in one call, unless the pipe is full."""
        if len(parts) > PARTS_MAX:
            parts = [b"".join(parts)]
        if self._answers is None:
            return
        wanted = sum(map(len, parts))
        written = os.writev(self._answers, parts)
        if written < wanted:
            view = memoryview(b"".join(parts))[written:]
            while view:
                view = view[os.write(self._answers, view) :]

    def _load(self, source: bytes, entries: list[str], mode: str) -> None:
        module = types.ModuleType(MODULE)
        module.__file__ = FILE
        sys.modules[MODULE] = module
        self._namespace = module.__dict__
        try:
            text = rewritten(source, FILE) if mode == "traced" else source
            code = _original_compile(text, FILE, "exec", dont_inherit=True)
        except BaseException as error:
            self._hold_exception("compile", error)
            self._send_held()
            return

        def loaded() -> list[bytes]:
            exec(code, self._namespace)  # noqa: S102 - this is what the child is for
            missing = [name for name in entries if not callable(self._namespace.get(name))]
            return frame_parts(b"L", encode_parts(missing))

        if mode == "traced":
            self._recorder = tracing.Recorder()
            self._namespace.update(self._recorder.hooks())
            sys.setrecursionlimit(TRACED_DEPTH)
        if mode != "package":
            builtins.__import__ = guarded_import
        self._attempt("import", loaded)

    def _answer(self, question: bytes) -> None:
        """Call twice; a first answer that was ready soon waits for the second: one write, one wake-up for both."""
        (entry, outputs), layouts, pristine = read_call(question)
        function = self._namespace[entry]
        started = perf_counter()
        try:
            result, answer, is_unchanged = self._called(function, pristine, layouts, outputs)
        except BaseException as error:
            self._hold_exception("call", error)
            self._send_held()
            return
        self._held += frame_parts(b"A", answer + _FLAGS[is_unchanged])
        if perf_counter() - started >= HOLD_S:
            self._send_held()
        else:
            self._flush()  # the second call may never end
        try:
            later, again, is_unchanged = self._called(function, pristine, layouts, outputs)
            mark = self._mark(answer)
            is_same = again == answer
            reply = _SAME[is_unchanged] if is_same else frame_parts(b"B", again + _FLAGS[is_unchanged])
            self._returned.append((outputs, [(result, mark), (later, mark if is_same else self._mark(again))]))
            self._held += reply
        except BaseException as error:
            self._hold_exception("call", error)
        self._send_held()

    def _called(
        self, function: Callable[..., object], pristine: list[Value], layouts: Layouts, outputs: int
    ) -> tuple[object, list[bytes], bool]:
        """Call with fresh arguments; return the result, the result encoded, and whether they are as they were."""
        arguments = _laid_out(pristine, layouts)
        try:
            result = function(*arguments)
        except BaseException:
            self._is_unchanged = convert.is_same(arguments, pristine)
            raise
        answer = convert.answer_parts(result, outputs)
        return result, answer, convert.is_same(arguments, pristine)

    def _generate(self, name: str, seed: int) -> None:
        def act() -> list[bytes]:
            case = self._namespace[name](np.random.default_rng(seed))
            return frame_parts(b"V", encode_parts(convert.generated(case)))

        self._attempt("call", act)

    def _compute(self, question: bytes) -> None:
        (name,), layouts, pristine = read_call(question)
        arguments = _laid_out(pristine, layouts)

        def act() -> list[bytes]:
            return frame_parts(b"V", encode_parts(convert.generated(self._namespace[name](*arguments))))

        self._attempt("call", act)

    def _trace(self, question: bytes) -> None:
        (entry, outputs), layouts, pristine = read_call(question)
        arguments = _laid_out(pristine, layouts)
        recorder = self._recorder
        assert recorder is not None

        def act() -> list[bytes]:
            recorder.clear()
            answer: Value
            try:
                answer = convert.returned(self._namespace[entry](*arguments), outputs)
            except Exception as error:
                answer = describe("call", error)
            return frame_parts(b"V", encode_parts([recorder.record(), answer]))

        self._attempt("call", act)

    def _look_again(self) -> None:
        def act() -> list[bytes]:
            unchanged = [
                all(_is_marked(convert.answer_parts(result, outputs), mark) for result, mark in results)
                for outputs, results in self._returned
            ]
            return frame_parts(b"K", encode_parts(unchanged))

        self._attempt("again", act)

    def _mark(self, answer: list[bytes]) -> Mark:
        """Return what an answer is compared with at the end: itself, or its hash once much is kept."""
        self._kept_bytes += sum(map(len, answer))
        return answer if self._kept_bytes <= KEPT_BYTES else hash(tuple(answer))


def _laid_out(pristine: list[Value], layouts: Layouts) -> list[Value]:
    """Return fresh copies of a call's arguments, laid out in memory as the case wants them."""
    arguments: list[Value] = convert.copied(pristine)
    for position, layout in layouts:
        arguments[position] = convert.with_layout(arguments[position], layout)
    return arguments


def _is_marked(answer: list[bytes], mark: Mark) -> bool:
    return answer == mark if isinstance(mark, list) else hash(tuple(answer)) == mark


def _whole(data: bytes) -> bytes:
    """Return a frame, its length included, of which the first bytes have come."""
    size = LENGTH.size + LENGTH.unpack_from(data)[0]
    if len(data) >= size:  # nothing comes behind it before it is answered
        return data
    parts, missing = [data], size - len(data)
    while missing:
        data = os.read(QUESTIONS, missing)
        if not data:
            os._exit(0)
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)
