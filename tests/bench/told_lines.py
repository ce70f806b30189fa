"""How often the place that is told of a slip holds it: python -m tests.bench.told_lines [--slips N] [--styles NAMES]

Every accepted source of the shipped problems, printed one statement a line, gets one slip: another matrix, an opposite
operation, an operand, a call or a transposition left out, another axis, mask or fill. Slips that a
problem does not refuse are left out, and known faults are not looked up. Which of them are taken is drawn by the
problem's name, so two runs of the same sources measure the same slips. --styles takes names of sources (corrected,
reference); --rows prints each slip with what is told of it.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.grading.judge import examine
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem, load_named, slugs
from grader.sandbox.pool import Lane, Pool
from tests.packages import SHIPPED

OTHER_MATRIX: Final = {"w_q": "w_k", "w_k": "w_q", "w_v": "w_k"}
OPPOSITE: Final = {ast.Div: ast.Mult, ast.Mult: ast.Div, ast.Add: ast.Sub, ast.Sub: ast.Add}
COMPARED: Final = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
LEFT_OUT: Final = ("transpose", "swapaxes", "max", "astype")  # methods whose array is taken as it is
PLACE: Final = re.compile(r"\((?:line (\d+), inside the call )?lines? (\d+)(?: (?:to|and) (\d+))?\)")


@dataclass(frozen=True)
class Slip:
    """A source with a slip, the line that has it, and the source's name."""

    style: str
    line: int
    text: str


def expressions(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what may stand in an expression's place by a slip."""
    if isinstance(node, ast.BinOp):
        yield node.left
        if isinstance(node.op, ast.MatMult):
            yield ast.BinOp(node.right, node.op, node.left)
        if type(node.op) in OPPOSITE:
            yield ast.BinOp(node.left, OPPOSITE[type(node.op)](), node.right)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        yield ast.Compare(node.left, [COMPARED[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.Call):
        yield from calls(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in OTHER_MATRIX:
        yield ast.Name(OTHER_MATRIX[node.id], ast.Load())
    elif isinstance(node, ast.UnaryOp) and ast.unparse(node) == "-np.inf":
        yield ast.Constant(-10.0)


def calls(node: ast.Call) -> Iterator[ast.expr]:
    """Yield what may stand in a call's place."""
    for at, keyword in enumerate(node.keywords):
        if keyword.arg == "axis":
            changed = copy.deepcopy(node)
            changed.keywords[at].value = ast.Constant(-2 if ast.unparse(keyword.value) == "-1" else -1)
            yield changed
    if not isinstance(node.func, ast.Attribute):
        return
    name, owner = node.func.attr, node.func.value
    is_method = not (isinstance(owner, ast.Name) and owner.id == "np")
    if name in LEFT_OUT and is_method:
        yield owner
    if name in ("tril", "triu"):
        yield ast.Call(ast.Attribute(owner, "triu" if name == "tril" else "tril", ast.Load()), node.args, node.keywords)
    if name == "tri" and node.args:
        yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("k", ast.Constant(1))])
    if name == "where" and len(node.args) == 3:
        yield from node.args[1:]
    if name in ("sqrt", "exp") and node.args:
        yield node.args[0]


class _Put(ast.NodeTransformer):
    """Puts something in the place of the expression with a number."""

    def __init__(self, at: int, new: ast.expr) -> None:
        self._left, self._new = at, new

    def visit(self, node: ast.AST) -> ast.AST:
        self._left -= 1
        return self._new if self._left < 0 and not self._left + 1 else super().visit(node)


def slips(style: str, text: str) -> Iterator[Slip]:
    """Yield every slip of a source that changes one line."""
    tree = ast.parse(ast.unparse(ast.parse(text)))
    lines = ast.unparse(tree).splitlines()
    for at, node in enumerate(_in_order(tree)):
        for new in expressions(node) if isinstance(node, ast.expr) else ():
            changed = ast.unparse(ast.fix_missing_locations(_Put(at, new).visit(copy.deepcopy(tree))))
            pairs = list(zip(lines, changed.splitlines(), strict=False))
            differing = [number for number, (one, other) in enumerate(pairs, 1) if one != other]
            if len(differing) == 1 and changed.count("\n") + 1 == len(lines):
                yield Slip(style, differing[0], changed)


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _in_order(child)


def told(problem: Problem, slip: Slip, lane: Lane, cache: CaseCache) -> tuple[str, str]:
    """Return how what is told of a slip fits it, and the sentence; none where the slip is not refused as wrong."""
    judgement = examine(problem, slip.text.encode(), lane, cache, "full", build=False).judgement
    if judgement.verdict is not Verdict.WA:
        return "", ""
    sentence, place = judgement.finding.sentence, PLACE.search(judgement.finding.sentence)
    if judgement.finding.first_wrong_stage is None:
        return "no stage", sentence
    if place is None:
        return "no place", sentence
    call, first, last = (int(number or 0) for number in place.groups())
    return "right" if slip.line == call or first <= slip.line <= (last or first) else "wrong", sentence


def measured(count: int, styles: list[str], cache: CaseCache, rows: bool) -> Counter[str]:
    """Return how many slips of all problems were told how."""
    found: Counter[str] = Counter()
    with Pool(1) as pool, pool.lane() as lane:
        for slug in slugs(SHIPPED):
            problem = load_named(slug, SHIPPED)
            paths = {Path(path).stem: path for path in problem.files.below("submissions/accepted")}
            given = [s for name, path in sorted(paths.items()) for s in slips(name, problem.files.text(path))]
            given = [slip for slip in given if not styles or slip.style in styles]
            random.Random(slug).shuffle(given)
            taken = 0
            for slip in given:
                how, sentence = told(problem, slip, lane, cache) if taken < count else ("", "")
                taken += bool(how)
                found[how] += bool(how)
                if rows and how:
                    changed = slip.text.splitlines()[slip.line - 1].strip()
                    print(f"{how:8} {slug}/{slip.style} line {slip.line}: {changed} | {sentence}")
    return +found


def main() -> None:
    """Measure, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slips", type=int, default=40, help="of each problem")
    parser.add_argument("--styles", default="", help="names of accepted sources, with commas between")
    parser.add_argument("--rows", action="store_true", help="print each slip and what is told of it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(
            json.dumps(
                measured(
                    given.slips, given.styles.split(",") if given.styles else [], CaseCache(Path(folder)), given.rows
                )
            )
        )


if __name__ == "__main__":
    main()
