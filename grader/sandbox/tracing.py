"""Records what a source computes. Its syntax tree is rewritten so that every value that may be an array is seen.

This runs in the child, beside the submission: what it says is a claim, bounded here for the child's sake and checked
again by the grader. A rewritten source computes the same, bit for bit; it only takes longer and nests deeper.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.sandbox.wire import Value

EVENTS_MAX: Final = 60_000
ARRAYS_MAX: Final = 8192  # the grader looks at each, some tenths of a millisecond
OPERANDS_MAX: Final = 8  # of one event
BYTES_MAX: Final = 24 << 20  # of all recorded arrays, as float64
ARRAY_BYTES_MAX: Final = 1 << 20
ITEMS_MAX: Final = 400  # assignments to items that are recorded; later ones show when the array is used
LIST_MAX: Final = 64  # items of a list that is looked at
OPERATIONS: Final = ("bin", "call", "item", "name", "list", "return", "raised")
_BIN, _CALL, _ITEM, _NAME, _LIST, _RETURN, _RAISED = range(len(OPERATIONS))
# whatever looks at its caller's frame, or would lose the compiler's help, is left as it is
_LEFT_ALONE: Final = frozenset(
    {"super", "locals", "vars", "dir", "globals", "eval", "exec", "__import__", "breakpoint"}
)
_HOOK: Final = "__grader_{}__"
_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
_OPERATOR_LIST: Final = list(_OPERATORS.items())


class Recorder:
    """Keeps what was seen: each array once by its content, and the events that made or used it."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._events: list[int] = []
        self._count = 0
        self._names: dict[str, int] = {}
        self._known: dict[tuple[tuple[int, ...], int], int] = {}
        self._arrays: list[npt.NDArray[np.float64]] = []
        self._bytes = 0
        self._items = 0
        self._has_raised = False
        self.is_cut = False

    def hooks(self) -> dict[str, Callable[..., Any]]:
        """Return what a rewritten source calls, by name."""
        functions = (self.bin, self.call, self.method, self.value, self.item)
        return {_HOOK.format(function.__name__): function for function in functions}

    def bin(self, which: int, line: int, left: Any, right: Any) -> Any:
        """Compute a binary operation."""
        try:
            result = _OPERATOR_LIST[which][1](left, right)
        except Exception:
            self._raised(line, "", (left, right))
            raise
        self._event(_BIN, line, _OPERATOR_LIST[which][0].__name__, result, (left, right))
        return result

    def call(self, line: int, function: Any, /, *args: Any, **named: Any) -> Any:
        """Call a function; whatever its own arguments are named."""
        return self._called(line, function, getattr(function, "__name__", ""), None, args, named)

    def method(self, line: int, receiver: Any, name: str, /, *args: Any, **named: Any) -> Any:
        """Call an attribute of something: a method, or a function of a module."""
        function = getattr(receiver, name)
        owner = receiver if isinstance(receiver, np.ndarray | list) else None
        return self._called(line, function, name, owner, args, named)

    def _called(self, line: int, function: Any, name: str, owner: Any, args: tuple[Any, ...], named: Any) -> Any:
        used = (*(() if owner is None else (owner,)), *args, *named.values())
        try:
            result = function(*args, **named)
        except Exception:
            self._raised(line, str(name), used)
            raise
        if result is None and used:  # it worked on its first argument
            self._event(_CALL, line, str(name), used[0], used[1:])
        else:
            self._event(_CALL, line, str(name), result, used)
        return result

    def value(self, kind: int, line: int, name: str, value: Any) -> Any:
        """See a value that was made some other way."""
        self._event(kind, line, name, value, ())
        return value

    def item(self, line: int, name: str, value: Any) -> None:
        """See an array of which an item was assigned."""
        self._items += 1
        if self._items <= ITEMS_MAX:
            self._event(_NAME, line, name, value, ())

    def _raised(self, line: int, name: str, used: tuple[Any, ...]) -> None:
        if not self._has_raised:
            self._has_raised = True
            self._event(_RAISED, line, name, None, used)

    def _event(self, kind: int, line: int, name: str, result: Any, used: tuple[Any, ...]) -> None:
        if self.is_cut or type(result) in (int, str, bool):
            return
        try:
            found = self._see(result)
            operands = [number for item in used[:OPERANDS_MAX] if (number := self._see(item)) >= 0]
            if found < 0 and not operands:
                return
            number = self._names.setdefault(name[:60], len(self._names))
            self._events += (kind, line, number, found, len(operands), *operands)
            self._count += 1
            self.is_cut = self.is_cut or self._count >= EVENTS_MAX
        except Exception:
            self.is_cut = True  # objects that cannot be looked at: what was seen so far stays

    def _see(self, value: Any) -> int:
        """Return the number of a value's content, -1 when it is none that is recorded."""
        array = _as_array(value)
        if array is None or array.nbytes > ARRAY_BYTES_MAX or not array.size:
            return -1
        key = (array.shape, hash(array.tobytes()))
        number = self._known.get(key)
        if number is None:
            self._bytes += array.nbytes
            if self._bytes > BYTES_MAX or len(self._arrays) >= ARRAYS_MAX:
                self.is_cut = True
                return -1
            number = self._known[key] = len(self._arrays)
            self._arrays.append(array)
        return number

    def record(self) -> Value:
        """Return everything in few values: [events, names, numbers of all arrays, their shapes, was it cut short].

        An event is kind, line, number of its name, number of its result's array (-1: none), count and numbers of its
        operands' arrays; a shape is its length and extents.
        """
        numbers = np.concatenate([np.zeros(0), *(array.ravel() for array in self._arrays)])
        shapes = [part for array in self._arrays for part in (array.ndim, *array.shape)]
        return [
            np.array(self._events, np.int64),
            list(self._names),
            numbers,
            np.array(shapes, np.int64),
            self.is_cut,
        ]


def _as_array(value: Any) -> npt.NDArray[np.float64] | None:
    """Return a copy of numbers as float64: of an array, a float, or a short list of such; None for anything else."""
    kind = type(value)
    if kind is float or kind is np.float64:
        return np.array(value, np.float64)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiu" or value.ndim > 6:
            return None
        return np.array(np.ma.getdata(value), np.float64, order="C")
    if (kind is list or kind is tuple) and 0 < len(value) <= LIST_MAX:
        first = type(value[0])
        if first is float or first is np.float64 or issubclass(first, np.ndarray) or first is list:
            return _stacked(value)
    if isinstance(value, np.floating):
        return np.array(value, np.float64)
    return None


def _stacked(items: Any) -> npt.NDArray[np.float64] | None:
    parts = [item if type(item) in (float, int, np.float64) else _as_array(item) for item in items]
    if any(part is None for part in parts) or len({np.shape(part) for part in parts if part is not None}) != 1:
        return None
    return np.array(parts, np.float64)


def rewritten(source: bytes, file: str) -> ast.Module:
    """Return a source's tree with hooks in place of its operations.

    Raises:
        SyntaxError: it is no Python; RecursionError, MemoryError and ValueError as the compiler raises them.
    """
    tree: ast.Module = _Rewriter().visit(ast.parse(source, file))
    return ast.fix_missing_locations(tree)


def _hook(
    name: str, node: ast.AST, *arguments: ast.expr | int | str, keywords: list[ast.keyword] | None = None
) -> ast.Call:
    given = [argument if isinstance(argument, ast.expr) else ast.Constant(argument) for argument in arguments]
    call = ast.Call(ast.Name(_HOOK.format(name), ast.Load()), given, keywords or [])
    return ast.copy_location(call, node)


class _Rewriter(ast.NodeTransformer):
    """Puts a hook around operations, calls, subscripts and results, and behind assignments.

    Decorators, defaults, annotations, bases, patterns and formatted strings stay as they are.
    """

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        which = [kind for kind, _ in _OPERATOR_LIST].index(type(node.op))
        return _hook("bin", node, which, node.lineno, node.left, node.right)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name):
            self._visit_arguments(node)
            if function.id in _LEFT_ALONE:
                return node
            return _hook("call", node, node.lineno, function, *node.args, keywords=node.keywords)
        if isinstance(function, ast.Attribute) and not _is_mangled(function.attr):
            self._visit_arguments(node)
            receiver = self.visit(function.value)
            return _hook("method", node, node.lineno, receiver, function.attr, *node.args, keywords=node.keywords)
        self.generic_visit(node)
        return _hook("value", node, _CALL, node.lineno, "", node)

    def _visit_arguments(self, node: ast.Call) -> None:
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return _hook("value", node, _ITEM, node.lineno, "", node) if isinstance(node.ctx, ast.Load) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        is_number = isinstance(node.operand, ast.Constant)
        return node if is_number or isinstance(node.op, ast.Not) else _hook("value", node, _BIN, node.lineno, "", node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        self.generic_visit(node)
        return _hook("value", node, _LIST, node.lineno, "", node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        return _hook("value", node, _NAME, node.lineno, node.target.id, node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            node.value = _hook("value", node, _RETURN, node.lineno, "", self.visit(node.value))
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return [node, *(seen for target in node.targets for seen in self._seen(target, node))]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return [node, *self._seen(node.target, node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        node.value = self.visit(node.value)
        return [node, *self._seen(node.target, node)]

    def visit_For(self, node: ast.For) -> ast.AST:
        seen = self._seen(node.target, node)
        self.generic_visit(node)
        node.body = [*seen, *node.body]
        return node

    def _seen(self, target: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """Return statements that look at a target after it was assigned."""
        if isinstance(target, ast.Tuple | ast.List):
            return [seen for item in target.elts for seen in self._seen(item, node)]
        if isinstance(target, ast.Name):
            value = ast.Name(target.id, ast.Load())
            return [ast.copy_location(ast.Expr(_hook("value", node, _NAME, node.lineno, target.id, value)), node)]
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            value = ast.Name(target.value.id, ast.Load())
            return [ast.copy_location(ast.Expr(_hook("item", node, node.lineno, target.value.id, value)), node)]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and not _is_mangled(target.attr):
            owner = ast.Attribute(ast.Name(target.value.id, ast.Load()), target.attr, ast.Load())
            return [ast.copy_location(ast.Expr(_hook("value", node, _NAME, node.lineno, target.attr, owner)), node)]
        return []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self._statements(node.body)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.body = self._statements(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = self._statements(node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.body = self.visit(node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.guard = self.visit(node.guard) if node.guard else None
        node.body = self._statements(node.body)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def _statements(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            found += result if isinstance(result, list) else [result]
        return found


def _is_mangled(name: str) -> bool:
    """Whether a class body would rename it: the name in a hook's text would stay as it is."""
    return name.startswith("__") and not name.endswith("__")
