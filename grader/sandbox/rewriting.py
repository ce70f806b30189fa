"""Rewrites a source's syntax tree so that every value that may be an array is seen by the recorder.

A rewritten source computes the same, bit for bit; it only takes longer and nests deeper, which a source can see that
looks at the frames of its callers.
"""

from __future__ import annotations

import ast
from typing import Final

from grader.sandbox.tracing import BIN, CALL, HOOK, ITEM, LIST, NAME, OPERATORS, RETURN

# whatever looks at its caller's frame, or would lose the compiler's help, is left as it is
_LEFT_ALONE: Final = frozenset(
    {"super", "locals", "vars", "dir", "globals", "eval", "exec", "__import__", "breakpoint"}
)


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
    call = ast.Call(ast.Name(HOOK.format(name), ast.Load()), given, keywords or [])
    return ast.copy_location(call, node)


class _Rewriter(ast.NodeTransformer):
    """Puts a hook around operations, calls, subscripts and results, and behind assignments.

    Decorators, defaults, annotations, bases, patterns and formatted strings stay as they are.
    """

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        which = [kind for kind, _ in OPERATORS].index(type(node.op))
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
            node.func = _hook("method", node, node.lineno, self.visit(function.value), function.attr)
            return node
        self.generic_visit(node)
        return _hook("value", node, CALL, node.lineno, "", node)

    def _visit_arguments(self, node: ast.Call) -> None:
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return _hook("value", node, ITEM, node.lineno, "", node) if isinstance(node.ctx, ast.Load) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        is_number = isinstance(node.operand, ast.Constant)
        return node if is_number or isinstance(node.op, ast.Not) else _hook("value", node, BIN, node.lineno, "", node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        self.generic_visit(node)
        return _hook("value", node, LIST, node.lineno, "", node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        return _hook("value", node, NAME, node.lineno, node.target.id, node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            node.value = _hook("value", node, RETURN, node.lineno, "", self.visit(node.value))
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
            return [ast.copy_location(ast.Expr(_hook("value", node, NAME, node.lineno, target.id, value)), node)]
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            value = ast.Name(target.value.id, ast.Load())
            return [ast.copy_location(ast.Expr(_hook("item", node, node.lineno, target.value.id, value)), node)]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and not _is_mangled(target.attr):
            owner = ast.Name(target.value.id, ast.Load())
            return [ast.copy_location(ast.Expr(_hook("attribute", node, node.lineno, target.attr, owner)), node)]
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
