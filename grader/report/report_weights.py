"""The weights in a report: those of the sample drawn beside the reference's, those of secret cases as counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from grader.grading.weight_facts import WeightFacts, weight_facts
from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.report.heat_map import CELLS_MAX, Board, heat_map, legend
from grader.report.page import goes_on
from grader.report.sample_outputs import SampleOutputs
from grader.wording import counted

BOARDS_MAX: Final = 4  # of one sample
CASES_MAX: Final = 12
_OUTPUT: Final = "weights"
Array = npt.NDArray[Any]
Outcomes = Mapping[str, Outcome | None]


def sample_weights(samples: Sequence[SampleOutputs], title: str = "Submission", name: str = "sample") -> Markup:
    """Return the heat maps of every sample whose entry returns weights; empty where none does.

    Args:
        samples: what came back.
        title: what the maps of the submission's own weights are called.
        name: what the maps' ids begin with, for a page that draws several of these.
    """
    drawn = []
    for number, sample in enumerate(samples):
        position = sample.names.index(_OUTPUT) if _OUTPUT in sample.names and not sample.raises else None
        right = sample.expected[position].values if position is not None else None
        if position is not None and right is not None and right.ndim >= 2:
            drawn.append(_sample(f"{name}{number}", title, sample, position, right))
    return (
        Markup("").join([*drawn, legend("legend" if name == "sample" else f"{name}-legend")]) if drawn else Markup("")
    )


def _position(problem: Problem, case: Case) -> int | None:
    """Return which output of a case is its weights."""
    names = list(problem.spec.entries[case.entry].outputs)
    if case.raises or _OUTPUT not in names or case.expected[names.index(_OUTPUT)].ndim < 2:
        return None
    return names.index(_OUTPUT)


def _weights(outcome: Outcome | None, position: int) -> Array | None:
    is_there = outcome is not None and not isinstance(outcome, str) and len(outcome) > position
    array = outcome[position] if is_there and outcome is not None and not isinstance(outcome, str) else None
    return array if array is not None and array.dtype.kind in "fiu" else None


def _sample(name: str, title: str, sample: SampleOutputs, position: int, right: Array) -> Markup:
    hidden = sample.hidden(position)
    returned = sample.values(position)
    if returned is not None and (returned.dtype.kind not in "fiu" or returned.shape != right.shape):
        returned = None
    pairs = []
    for at in _chosen(right, returned):
        expected = np.asarray(right[at], np.float64)
        mine = np.asarray(returned[at], np.float64) if returned is not None else None
        label = f"{name}-{'-'.join(map(str, at)) or '0'}"
        pairs.append(_pair(label, title, _words(at, right.ndim), mine, expected, hidden))
    left_out = int(np.prod(right.shape[:-2])) - len(pairs)
    more = f" {left_out} other heads are not drawn." if left_out else ""
    return Markup(
        '<p class="small mut">{}: the submission beside the reference, one scale. {}{}</p><div class="heats">{}</div>'
    ).format(sample.case, _note(sample, position), more, Markup("").join(pairs))


def _is_like(returned: Array | None, right: Array) -> bool:
    return returned is not None and returned.shape == right.shape


def _note(sample: SampleOutputs, position: int) -> str:
    """Return what to know before looking."""
    right = sample.expected[position]
    wanted = ", ".join(map(str, right.shape))
    mine = sample.returned[position] if sample.returned is not None and position < len(sample.returned) else None
    if mine is None or mine.dtype == "bool":
        return f"The submission returned no weights here; expected were ({wanted})."
    if mine.shape != right.shape or mine.values is None:
        shape = ", ".join(map(str, mine.shape))
        return f"The submission's weights have the shape ({shape}) in place of ({wanted}) and are not drawn."
    off = sample.off(position)
    return "They agree." if off is not None and not off.any() else ""


def _chosen(right: Array, returned: Array | None) -> list[tuple[int, ...]]:
    """Return the boards to draw: those furthest off, in order."""
    boards = list(np.ndindex(*right.shape[:-2]))
    if returned is not None:
        with np.errstate(all="ignore"):
            off = np.nan_to_num(np.abs(returned.astype(np.float64) - right), nan=np.inf).max(axis=(-2, -1))
        boards.sort(key=lambda at: -float(off[at]))
    return sorted(boards[:BOARDS_MAX])


def _words(at: tuple[int, ...], axes: int) -> str:
    names = ("item", "head")[-(axes - 2) :] if axes <= 4 else ("",) * (axes - 2)
    return ", ".join(f"{name} {index + 1}".strip() for name, index in zip(names, at, strict=False))


def _pair(label: str, title: str, where: str, mine: Array | None, right: Array, hidden: Array | None) -> Markup:
    worst = _worst(mine, right) if mine is not None else None
    drawn = [] if mine is None else [_figure(Board(f"{label}-s", title, mine, hidden, worst), where)]
    drawn.append(_figure(Board(f"{label}-r", "Reference", right, hidden, worst), where))
    return Markup('<div class="pair">{}</div>').format(Markup("").join(drawn))


def _worst(mine: Array, right: Array) -> tuple[int, int] | None:
    with np.errstate(all="ignore"):
        off = np.nan_to_num(np.abs(mine - right), nan=np.inf)
    if off.size == 0 or off.max() <= 1e-9:
        return None
    row, column = np.unravel_index(int(off.argmax()), off.shape)
    return int(row), int(column)


def _figure(board: Board, where: str) -> Markup:
    rows, columns = board.weights.shape
    cut = f", the first {CELLS_MAX} of {rows} queries and {columns} keys" if board.is_cut else ""
    title = f"{board.title}{', ' if where else ''}{where}{cut}"
    drawn = heat_map(Board(board.name, title, board.weights, board.hidden, board.worst))
    return Markup(
        '<figure class="heatf"><figcaption>{}</figcaption><div class="scroll" tabindex="0" role="region" '
        'aria-label="{}">{}</div></figure>'
    ).format(title, title, drawn)


def secret_weights(problem: Problem, cases: Sequence[Case], outcomes: Outcomes) -> Markup:
    """Return what the returned weights of secret cases show, as counts: no value of theirs is told."""
    found = []
    for case in cases:
        position = None if case.is_sample else _position(problem, case)
        array = _weights(outcomes.get(case.name), position) if position is not None else None
        if position is not None and _is_like(array, case.expected[position]) and array is not None:
            found.append((case.name, weight_facts(array, case.future[position])))
    if not found:
        return Markup("")
    off = [(name, facts) for name, facts in found if facts.is_off]
    right = len(found) - len(off)
    text = f"In {right} of {counted(len(found), 'case')} every row sums to 1 and no hidden key has weight."
    text += f" The first {CASES_MAX} of the others:" if len(off) > CASES_MAX else " The others:" if off else ""
    intro = Markup('<p class="small mut">Counts over what the submission returned. {}</p>').format(text)
    return intro + (_table(off[:CASES_MAX]) if off else Markup(""))


def _table(found: list[tuple[str, WeightFacts]]) -> Markup:
    return goes_on() + Markup(
        '<div class="panel scroll" tabindex="0" role="region" aria-label="Weights on the secret cases">'
        '<table class="tbl tight min"><thead><tr><th scope="col">Case</th><th scope="col" class="n">Rows sum to 1</th>'
        '<th scope="col" class="n">Columns sum to 1</th><th scope="col" class="n">Hidden keys with weight</th>'
        '<th scope="col" class="n">Not finite</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(Markup("").join(_counts(name, facts) for name, facts in found))


def _counts(name: str, facts: WeightFacts) -> Markup:
    cells = [
        (f"{facts.rows_of_one} of {facts.rows}", facts.rows_of_one < facts.rows),
        (f"{facts.columns_of_one} of {facts.columns}", False),
        (f"{facts.leaks} of {facts.hidden}" if facts.hidden else "–", facts.leaks > 0),
        (f"{facts.nonfinite}", facts.nonfinite > 0),
    ]
    columns = Markup("").join(
        Markup('<td class="n{}">{}</td>').format(" off" if is_off else "", text) for text, is_off in cells
    )
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(name, columns)
