"""What a source says of its lines: which statement returned what an entry returned, which functions there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from grader.grading.minimal_fix import text_of
from grader.grading.syntax_tree import NotComparable, parsed
from grader.grading.trace import Trace

_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def return_line(source: bytes, entry: str, trace: Trace) -> int:
    """Return the line at which a traced call of an entry returned; 0 where it is not clear, or no such statement.

    It is the one return statement of the entry, or of several the one in which the trace ends, or that alone follows.
    """
    try:
        tree = parsed(text_of(source))
    except NotComparable:
        return 0
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry]
    returns = list(_returns(functions[-1].body)) if functions else []
    if len(returns) > 1:
        inside = range(functions[-1].lineno, (functions[-1].end_lineno or 0) + 1)
        last = next((event.line for event in reversed(trace.events) if event.line in inside), 0)
        left = [node for node in returns if (node.end_lineno or 0) >= last]
        returns = [node for node in left if node.lineno <= last] or left
    return returns[0].lineno if len(returns) == 1 else 0


def _returns(statements: list[ast.stmt]) -> Iterator[ast.Return]:
    """Yield the return statements of a function's body, but for those of functions and classes within it."""
    for statement in statements:
        if isinstance(statement, ast.Return):
            yield statement
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in ("body", "orelse", "finalbody"):
                yield from _returns(getattr(statement, block, []))
            for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                yield from _returns(part.body)


class Functions:
    """The functions of a source, each told by its first line."""

    def __init__(self, source: bytes) -> None:
        """Read a source; one that does not parse, or is too large, has none."""
        try:
            tree = parsed(text_of(source))
        except NotComparable:
            tree = ast.Module([], [])
        nodes = [node for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)]
        self._spans = [(node.lineno, node.end_lineno or node.lineno) for node in nodes]
        self.names = frozenset(node.name for node in nodes)
        self._outer = {node.name: node.lineno for node in tree.body if isinstance(node, _DEFINITIONS)}
        self._found: dict[int, int] = {}

    def at(self, line: int) -> int:
        """Return the innermost function that holds a line; 0: none, or not clear."""
        if line not in self._found:
            self._found[line] = max((first for first, last in self._spans if first <= line <= last), default=0)
        return self._found[line]

    def named(self, name: str) -> int:
        """Return the function of a module that has a name; 0: none."""
        return self._outer.get(name, 0)
