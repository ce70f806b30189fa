"""How much of a source was changed, counted in syntax nodes: the cheapest way from one tree to another.

A node may be replaced in its place, put around something, taken away from around something, added or removed; each
costs one, and a part that is added or removed whole costs its size. Functions and classes of one name belong together
wherever they stand. A local that was given another name throughout costs nothing, if one statement at least is
otherwise as it was.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from grader.grading.syntax_tree import Forest, Node, parsed

WORK_MAX: Final = 150_000  # pairs of nodes that are compared: some tenths of a second
REWRITE_SHARE: Final = 0.5
REWRITE_NODES: Final = 40
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_PLACE: Final = "\0"
Renames = dict[ast.AST, dict[str, str]]


@dataclass(frozen=True)
class Change:
    """How far a source is from another one."""

    nodes: int  # that were changed; where `is_at_most`, fewer might do
    of: int  # nodes of the larger of the two
    is_at_most: bool = False

    @property
    def share(self) -> float:
        """The changed part, from 0 to 1."""
        return min(1.0, self.nodes / max(1, self.of))

    @property
    def is_rewrite(self) -> bool:
        """Whether most of it was written anew."""
        return self.nodes >= REWRITE_NODES and self.share > REWRITE_SHARE


def change_between(before: str, after: str) -> Change:
    """Count the syntax nodes that are changed from one source to another.

    Raises:
        NotComparable: one of them does not parse, or is too large.
    """
    forest = Forest()
    old, new = parsed(before), parsed(after)
    tree = forest.of(old, {})
    found = [_counted(tree, forest.of(new, {}))]
    if (renames := _renamed(old, new)) and found[0].nodes:
        found.append(_counted(tree, forest.of(new, renames)))
    return min(found, key=lambda change: change.nodes)


def at_least(before: Node, after: Node) -> int:
    """Return a number that a change cannot fall below, found by counting labels alone."""
    old, new = Counter(_labels(before)), Counter(_labels(after))
    return max((old - new).total(), (new - old).total())


def _labels(tree: Node) -> Iterator[str]:
    left = [tree]
    while left:
        node = left.pop()
        left += node.children
        if node.weight:
            yield node.label


def _counted(before: Node, after: Node) -> Change:
    distance = _Distance()
    nodes = distance.of(before, after)
    return Change(nodes, max(before.size, after.size), distance.is_cut)


class _Distance:
    """Changes between parts of two trees, each pair of parts looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], int] = {}
        self._left = WORK_MAX

    @property
    def is_cut(self) -> bool:
        """Whether the work was cut short: what was left was taken for written anew."""
        return self._left <= 0

    def of(self, before: Node, after: Node) -> int:
        if before.key == after.key:
            return 0
        pair = before.key, after.key
        if pair not in self._known:
            self._left -= 1
            self._known[pair] = before.size + after.size if self._left <= 0 else self._least(before, after)
        return self._known[pair]

    def _least(self, before: Node, after: Node) -> int:
        """Return the least of: replaced in place, put around it, taken away from around it, written anew."""
        best = min(before.size + after.size, (before.label != after.label) + self._lists(before, after))
        for inner in after.children:
            if after.size - inner.size + abs(before.size - inner.size) < best:
                best = min(best, after.size - inner.size + self.of(before, inner))
        for inner in before.children:
            if before.size - inner.size + abs(after.size - inner.size) < best:
                best = min(best, before.size - inner.size + self.of(inner, after))
        return best

    def _lists(self, before: Node, after: Node) -> int:
        """Return the changes between the children of two nodes."""
        old, new = list(before.children), list(after.children)
        if before.label == after.label == "body":
            named = {_name(node): node for node in old if _name(node)}
            both = [(named[_name(node)], node) for node in new if _name(node) in named]
            if len({_name(node) for _, node in both}) == len(both):
                taken = {id(node) for pair in both for node in pair}
                rest = self._in_order([n for n in old if id(n) not in taken], [n for n in new if id(n) not in taken])
                return rest + sum(self.of(*pair) for pair in both)
        return self._in_order(old, new)

    def _in_order(self, old: Sequence[Node], new: Sequence[Node]) -> int:
        """Return the changes between two sequences whose order counts."""
        first = 0
        while first < min(len(old), len(new)) and old[first].key == new[first].key:
            first += 1
        last = 0
        while last < min(len(old), len(new)) - first and old[-1 - last].key == new[-1 - last].key:
            last += 1
        old, new = old[first : len(old) - last], new[first : len(new) - last]
        above = [0]
        for node in new:
            above.append(above[-1] + node.size)
        for mine in old:
            row = [above[0] + mine.size]
            for position, other in enumerate(new):
                best = min(above[position + 1] + mine.size, row[position] + other.size)
                if above[position] + abs(mine.size - other.size) < best:
                    best = min(best, above[position] + self.of(mine, other))
                row.append(best)
            above = row
        return above[-1]


def _name(node: Node) -> str:
    """Return what identifies a definition within its body; empty for other statements."""
    return node.label if node.label.startswith(("FunctionDef ", "ClassDef ", "AsyncFunctionDef ")) else ""


def _renamed(before: ast.Module, after: ast.Module) -> Renames:
    """Return for each function of the later source the names that its locals had before."""
    old = {node.name: node for node in before.body if isinstance(node, ast.FunctionDef)}
    found: Renames = {}
    for node in after.body:
        if isinstance(node, ast.FunctionDef) and node.name in old and (names := _matched(old[node.name], node)):
            found[node] = names
    return found


def _matched(before: ast.FunctionDef, after: ast.FunctionDef) -> dict[str, str]:
    """Pair the locals that one function alone has with those of the other, by the statements that they stand in."""
    old, new = _locals(before), _locals(after)
    gone, come = old - new, new - old
    places = {name: _places(before, name, gone) for name in sorted(gone)}
    votes = []
    for name in sorted(come):
        mine = _places(after, name, come)
        votes += [((mine & places[other]).total(), name, other) for other in places]
    found: dict[str, str] = {}
    for shared, name, other in sorted(votes, key=lambda vote: -vote[0]):
        if shared and name not in found and other not in found.values():
            found[name] = other
    return found


def _locals(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function binds itself; those of functions inside it stay what they are."""
    nodes = list(ast.walk(function))
    if any(isinstance(node, _SCOPES) and node is not function for node in nodes):
        return set()
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return given | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _places(function: ast.FunctionDef, name: str, others: set[str]) -> Counter[str]:
    """Return the statements, and the parameter lists, in which a name stands, with the name itself left out."""
    found: Counter[str] = Counter()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)):
            text = ast.dump(node)
            for each in others:
                text = text.replace(f"id='{each}'", f"id='{_PLACE if each == name else '?'}'")
            if _PLACE in text:
                found[text] += 1
    parameters = [parameter.arg for parameter in function.args.args]
    if name in parameters:
        found[f"parameter {parameters.index(name)}"] += 1
    return found
