"""What a child tells of an exception, and the room it needs to do so when the submission has used up its memory."""

from __future__ import annotations

import builtins
import contextlib
import mmap
from collections.abc import Callable
from typing import Final

from grader.sandbox.wire import Value

FILE: Final = "submission.py"  # a submission's name in tracebacks
TEXT_LIMIT: Final = 2000  # characters of an exception's text
RESERVE_BYTES: Final = 2 << 20  # an arena of the object allocator, and its neighbours
_BUILTIN_ERRORS: Final = frozenset(
    value for value in vars(builtins).values() if isinstance(value, type) and issubclass(value, BaseException)
)
_mro: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_type_name: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__


class Reserve:
    """Address space that nobody writes to: given up, it is there for what has to be told when all else is in use.

    A submission that fills its memory with small pieces leaves less than the record of its own MemoryError takes.
    """

    def __init__(self) -> None:
        self._map: mmap.mmap | None = None
        self.restore()

    def release(self) -> None:
        """Give it up."""
        if self._map is not None:
            self._map.close()
            self._map = None

    def restore(self) -> None:
        """Take it again, if there is room."""
        if self._map is None:
            with contextlib.suppress(OSError, MemoryError):
                self._map = mmap.mmap(-1, RESERVE_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def describe(phase: str, error: BaseException) -> Value:
    """Describe an exception by plain, bounded values: [phase, class, builtin class, line, text, refused, where].

    The line is the innermost of the submission's own; `where` are its own lines, outermost first, at most 20.
    """
    kind = type(error)
    builtin = next((base for base in _mro(kind) if base in _BUILTIN_ERRORS), Exception)
    lines = _own_lines(error)
    if phase == "compile" and isinstance(error, SyntaxError):
        lines = [error.lineno or 0]
    refused = isinstance(error, PermissionError) or (kind is RuntimeError and "start new thread" in _text(error))
    name = builtin.__name__ if kind.__module__ == "numpy._core._exceptions" else _type_name(kind)
    line = lines[-1] if lines else 0
    return [phase, name[:80], builtin.__name__, line, _text(error), refused, lines[:20]]


def _own_lines(error: BaseException) -> list[int]:
    lines: list[int] = []
    trace = error.__traceback__
    while trace is not None and len(lines) < 2000:
        if trace.tb_frame.f_code.co_filename == FILE:
            lines.append(trace.tb_lineno or 0)
        trace = trace.tb_next
    return lines


def _text(error: BaseException) -> str:
    """Return str(error), bounded; an exception may well fail to say what it is."""
    try:
        text = error.msg if type(error) is SyntaxError else str(error)
        return text[:TEXT_LIMIT] if type(text) is str else ""
    except BaseException:
        return ""
