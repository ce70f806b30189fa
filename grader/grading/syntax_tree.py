"""A source as a tree of syntax nodes that can be compared: without all that changes nothing in what is computed.

Positions, comments, docstrings, annotations and the order of keyword arguments are left out; an operator belongs to
the node that applies it, and -1 is one number.
"""

from __future__ import annotations

import ast
import gc
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

SOURCE_BYTES_MAX: Final = 128 << 10  # a larger one is not parsed here: what parsing costs grows with it
NODES_MAX: Final = 6000
DEPTH_MAX: Final = 100  # so that recursion over two trees ends well before the interpreter's limit
_ALIKE: Final = {"AnnAssign": "Assign"}
_PARSING: Final = threading.Lock()
_LEFT_OUT: Final = frozenset({"annotation", "returns", "type_comment", "ctx", "kind", "type_ignores", "simple"})


class NotComparable(Exception):
    """The source is none that can be compared; the message is the end of a sentence about it."""


@dataclass(frozen=True, eq=False)
class Node:
    """One node: a syntax node, or (of no size itself) a list of them such as a body.

    `key` is the same number for the same tree, within one `Forest`.
    """

    label: str
    children: tuple[Node, ...]
    weight: int
    size: int  # syntax nodes in all
    key: int


@dataclass(frozen=True, eq=False)
class Forest:
    """Makes trees whose equal parts have equal keys."""

    _keys: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    def tree(self, source: str) -> Node:
        """Return a source as a tree.

        Raises:
            NotComparable: it does not parse, or is too large.
        """
        return self.of(parsed(source), {})

    def of(self, module: ast.Module, renamed: Mapping[ast.AST, Mapping[str, str]]) -> Node:
        """Return a parsed source as a tree.

        Args:
            renamed: for functions, other names for their locals.
        """
        tree = self._built(module, {}, renamed, 0)
        if tree.size > NODES_MAX:
            raise NotComparable("is too large to be compared")
        return tree

    def _built(
        self, value: Any, names: Mapping[str, str], renamed: Mapping[ast.AST, Mapping[str, str]], depth: int
    ) -> Node:
        if depth > DEPTH_MAX:
            raise NotComparable("is nested too deeply to be compared")
        if not isinstance(value, ast.AST):
            return self._node(_text(value), (), 1)
        names = renamed.get(value, names)
        label, children = [_ALIKE.get(type(value).__name__, type(value).__name__)], []
        for name, part in _fields(value):
            if isinstance(part, list) and any(isinstance(item, ast.AST) for item in part):
                items = tuple([self._built(item, names, renamed, depth + 2) for item in part])
                children.append(self._node(name, items, 0))
            elif isinstance(part, ast.AST) and part._fields:
                children.append(self._built(part, names, renamed, depth + 1))
            elif part is not None and part != []:
                label.append(names.get(part, part) if isinstance(value, (ast.Name, ast.arg)) else _text(part))
        return self._node(" ".join(label), tuple(children), 1)

    def _node(self, label: str, children: tuple[Node, ...], weight: int) -> Node:
        key = self._keys.setdefault((label, tuple(child.key for child in children)), len(self._keys))
        return Node(label, children, weight, weight + sum(child.size for child in children), key)


def parsed(source: str) -> ast.Module:
    """Return a source's syntax tree; whatever parses in the grader's own threads does it here.

    Raises:
        NotComparable: it does not parse, or is too large.
    """
    if len(source) > SOURCE_BYTES_MAX:
        raise NotComparable("is too large to be compared")
    try:
        with _alone(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what the source looks like, and nobody's here
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotComparable("does not parse, so it cannot be compared") from None


@contextmanager
def _alone() -> Iterator[None]:
    """Let nothing else run while a tree is built.

    CPython before 3.12 counts the depth of a tree in one place for all threads, and collects garbage as it builds: a
    finaliser may let another thread parse, and then the tree ends in a SystemError. Filters of warnings are shared too.
    """
    with _PARSING:
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def _fields(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield a node's parts that count."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        yield "value", f"-{_text(node.operand.value)}"
        return
    if isinstance(node, ast.Constant):
        yield "value", repr(node.value) if isinstance(node.value, str) else _text(node.value)
        return
    for name, part in ast.iter_fields(node):
        if name in _LEFT_OUT:
            continue
        if name == "body" and isinstance(part, list):
            part = _without_docstrings(part)
        elif name == "targets" and len(part) == 1:
            name, part = "target", part[0]
        elif name == "keywords" and all(keyword.arg for keyword in part):
            part = sorted(part, key=lambda keyword: str(keyword.arg))
        yield name, part


def _without_docstrings(body: list[Any]) -> list[Any]:
    """Leave out statements that are a text only, wherever they stand: they do nothing."""
    return [
        item
        for item in body
        if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) and type(item.value.value) is str)
    ]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_text(item) for item in value)
    if isinstance(value, ast.AST):
        return type(value).__name__
    return hex(value) if type(value) is int else repr(value) if not isinstance(value, str) else value
