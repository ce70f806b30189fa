"""Warms a zygote before it is locked, so that a child's few milliseconds are not spent on firsts.

A page that a child writes to is copied for it, and some thousand copies are most of what a child costs. So the zygote
loads every module, runs what a child runs until the interpreter has settled its caches, and last of all fills the holes
of its allocator, so that a child's objects lie together on fresh pages.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import random
import sys
import warnings
from typing import Final

import numpy as np

from grader.sandbox import child, modules
from grader.sandbox.calls import call_frame
from grader.sandbox.heap import MAPPED_BYTES
from grader.sandbox.wire import Value, encode, frame

TIMES: Final = 25  # the interpreter specialises a function's code within that many calls
SMALL_BYTES: Final = 512  # larger objects are malloc's, not the object allocator's
SMALL_STEP: Final = 16
_ARENA_BYTES: Final = 1 << 20
_POOL_BYTES: Final = 16 << 10
_POOL_HEAD: Final = 48
_FILLED_BYTES: Final = 256 << 10
_OBJECT_BYTES: Final = sys.getsizeof(b"")

_SOURCE: Final = b"""
import math
import numpy as np

def softmax(s, axis=-1):
    s = s - s.max(axis=axis, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=axis, keepdims=True)

def causal(t):
    return np.tril(np.ones((t, t), dtype=bool))

def split(m, h):
    b, t, w = m.shape
    return m.reshape(b, t, h, w // h).transpose(0, 2, 1, 3)

def merge(m):
    b, h, t, d = m.shape
    return m.transpose(0, 2, 1, 3).reshape(b, t, h * d)

def several(x, w_q, w_k, w_v, w_o, h):
    q, k, v = split(x @ w_q, h), split(x @ w_k, h), split(x @ w_v, h)
    s = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    s = np.where(causal(x.shape[1]), s, -np.inf)
    a = softmax(s)
    y = merge(np.einsum("bhts,bhsd->bhtd", a, v)) @ w_o
    return y, a

def one(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[1])
    rows = []
    for i in range(len(x)):
        e = np.exp(s[i, : i + 1] - np.max(s[i, : i + 1]))
        rows.append(np.concatenate([e / np.sum(e), np.zeros(len(x) - i - 1)]))
    a = np.stack(rows)
    return np.asarray(a @ v @ w_o, dtype=np.float64), a

def plain(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    t = len(x)
    s = q @ k.T / np.sqrt(k.shape[1])
    s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
    i = np.arange(t)
    s[i[:, None] < i[None, :]] = -np.inf
    s = s + np.triu(np.full((t, t), -np.inf), 1)
    a = softmax(s)
    a *= np.maximum(i[:, None] - i, 0) >= 0
    out = np.zeros_like(a @ v)
    out[:] = np.matmul(a, v)
    return out @ w_o, np.array(a, dtype=a.dtype)
"""


def warm_up() -> None:
    """Load every module and rehearse."""
    _import_all()
    rehearse(TIMES)
    random.seed(0)
    np.random.seed(0)


def _import_all() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(modules.IMPORTABLE):
            importlib.import_module(name)
        for name in modules.LAZY:
            try:
                importlib.import_module(name)
            except ImportError:  # this Python or NumPy does without it
                continue
    # `from numpy import *` must not ask for a submodule that is not loaded
    np.__all__ = [name for name in np.__all__ if name in vars(np)]


def rehearse(times: int) -> None:
    """Run the child's own code over small questions; what it answers goes nowhere.

    In the zygote this settles what all children share. A child that waits for its submission does it once more, which
    gives it its own copies of the pages that it will write to.
    """
    for _ in range(times):
        actor = child.Child((), None)
        for question in _QUESTIONS:
            actor.handle(question)
        _LEFT @ _RIGHT
        _look_through_stack()
    builtins.__import__ = child.original_import
    sys.modules.pop(child.MODULE, None)


def _look_through_stack() -> None:
    """Have NumPy look at its callers, as it does for large temporaries: may it write over them? That reads many pages.

    Subtraction refuses booleans after that look, and a block that malloc maps for itself stays unwritten.
    """
    with contextlib.suppress(TypeError, MemoryError):
        np.empty(MAPPED_BYTES, bool) - np.True_


def _question(
    entry: str, heads: int, layouts: dict[str, str], tokens: str = "float64", others: str = "float64"
) -> bytes:
    shape = (2, 5, 6) if heads > 1 else (5, 6)
    arguments: dict[str, Value] = {"x": np.arange(float(np.prod(shape))).reshape(shape).astype(tokens)}
    arguments |= {name: np.cos(np.arange(36.0)).reshape(6, 6).astype(others) for name in ("w_q", "w_k", "w_v", "w_o")}
    if heads > 1:
        arguments["h"] = heads
    return call_frame(b"Q", [entry, 2], arguments, layouts)


_QUESTIONS: Final = (
    frame(b"H", encode([_SOURCE, ["several", "one", "plain"], "submission"])),
    _question("several", 2, {"x": "fortran"}),
    _question("one", 1, {}),
    _question("one", 1, {"x": "reversed", "w_q": "every_second"}, tokens="int64"),
    _question("plain", 1, {}, tokens="float32", others="float32"),
    _question("plain", 1, {}),
    frame(b"F"),
)
# so large a product that the linear algebra library packs it, into pages that larger cases need
_LEFT: Final = np.ones((56, 200))
_RIGHT: Final = np.ones((200, 200))
_filling: list[object] = []  # never freed


def fill_holes() -> None:
    """Occupy the free places of the object allocator, so that each size's next object starts a pool of its own.

    After the imports each size has free places scattered over dozens of pools, and some pools are free (measured with
    sys._debugmallocstats): less than an arena of them. What a child makes then lies on fresh pages, most of it beside
    the head of its pool, which is written at each allocation.
    """
    _filling.extend(bytes(SMALL_BYTES - _OBJECT_BYTES) for _ in range(_ARENA_BYTES // SMALL_BYTES))
    for size in range(SMALL_STEP, SMALL_BYTES + 1, SMALL_STEP):
        for _ in range(_FILLED_BYTES // size):
            filler = _object_of(size)
            if id(filler) % _POOL_BYTES == _POOL_HEAD:  # the first of a pool: the others are full
                break
            _filling.append(filler)


def _object_of(size: int) -> object:
    if size > _OBJECT_BYTES:
        return bytes(size - _OBJECT_BYTES)
    return object() if size == SMALL_STEP else _POOL_BYTES << SMALL_STEP  # an integer beyond 30 bits takes 32 bytes
