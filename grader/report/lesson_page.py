"""The worked audit as pieces of a page: matrices, the arrows with their checks, the table of symptoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from markupsafe import Markup, escape

from grader.attention.changes import BY_NAME, Changes
from grader.attention.checks import ROW_SUM_TOLERANCE, SYMBOLS
from grader.attention.figures import figure, shape_text
from grader.attention.inputs import FloatArray
from grader.attention.lesson import Arrow, Lesson, Status
from grader.attention.symptoms import SYMPTOMS
from grader.attention.trace import readable
from grader.problems.texts import mathml
from grader.report.lesson import check_mark

Address = Callable[[Changes], str]  # where a page shows changes

_SYMBOL: Final = re.compile(
    r"\b([Wd])_(model|[QKVOkv])\b(\^T)?|\b([BHKMQSTVXY]|(?<=of )A|A(?= \())\b(\^T)?"
    r"|sqrt\((\d+|d_k)\)|(-?)\binf\b|-(?=\d)"
)
_KINDS: Final[Mapping[Status, tuple[str, str]]] = {
    "ok": ("", ""),
    "wrong": (" fail", "wrong here as well"),
    "inherited": (" after", "inherited"),
    "not_seen": (" after", "not computed"),
}


def marked_up(text: str) -> Markup:
    """Return one of the lesson's sentences as HTML: W_Q, d_k and K^T as mathematics, minus signs as such."""
    return Markup(_SYMBOL.sub(_symbol, str(escape(text))))  # noqa: S704 - escaped, and what is put in is our own


def _symbol(match: re.Match[str]) -> str:
    letter, index, letter_transposed, alone, alone_transposed, root, minus = match.groups()
    if letter or alone:
        base = f"<msub><mi>{letter}</mi><mi>{index}</mi></msub>" if letter else f"<mi>{alone}</mi>"
        return f"<math>{_transposed(base) if letter_transposed or alone_transposed else base}</math>"
    if root:
        inner = "<msub><mi>d</mi><mi>k</mi></msub>" if root == "d_k" else f"<mn>{root}</mn>"
        return f"<math><msqrt>{inner}</msqrt></math>"
    if match[0].endswith("inf"):
        return f"{'−' if minus else ''}∞"
    return "−"


def _transposed(base: str) -> str:
    return f"<msup>{base}<mi>⊤</mi></msup>"


def formula(tex: str) -> Markup:
    """Return one of our own formulas."""
    return Markup(mathml(tex, "inline"))  # noqa: S704 - constants of the lesson


def _icon(name: str, word: str) -> Markup:
    return Markup('<svg class="i" role="img" aria-label="{}"><use href="#i-{}"/></svg>').format(word, name)


def matrix(value: FloatArray, label: str, dim: np.ndarray | None = None, kind: str = "") -> Markup:
    """Return a matrix in brackets.

    Args:
        label: its name for those who do not see it.
        dim: where entries are of no weight and stand back.
        kind: a further class.
    """
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                _cell(number, is_dim=dim is not None and bool(dim[i, j])) for j, number in enumerate(row.tolist())
            )
        )
        for i, row in enumerate(value)
    )
    name = f"{label}, {value.shape[0]} by {value.shape[1]}"
    return Markup('<table class="mx{}" aria-label="{}"><tbody>{}</tbody></table>').format(kind, name, rows)


def _cell(number: float, *, is_dim: bool = False, is_off: bool = False) -> Markup:
    text = marked_up(figure(number))
    if not (is_off or is_dim):
        return Markup("<td>{}</td>").format(text)
    return Markup('<td class="{}">{}</td>').format("off" if is_off else "fz", text)


def inputs_view(lesson: Lesson) -> Markup:
    """Return the matrices that the head was given, after what was changed in them."""
    return Markup("").join(
        Markup('<figure class="mxf"><figcaption>{} <span class="dim">{}</span></figcaption>{}</figure>').format(
            formula(SYMBOLS[name]), shape_text(value.shape), matrix(value, SYMBOLS[name])
        )
        for name, value in lesson.traced.inputs.named().items()
    )


def trace_view(lesson: Lesson) -> Markup:
    """Return every arrow with its object and its checks."""
    arrows = (_arrow(arrow, is_first=lesson.first is not None and lesson.first[0] is arrow) for arrow in lesson.arrows)
    return Markup('<ol class="panel traces">{}</ol>').format(Markup("").join(arrows))


def _arrow(arrow: Arrow, *, is_first: bool) -> Markup:
    kind, word = _KINDS[arrow.status]
    note = Markup("")
    if is_first:
        note = Markup('<p><span class="st bad">{}fails first</span></p>').format(_icon("flag", "flag"))
    elif word:
        symbol = {"wrong": "bad", "inherited": "inh"}.get(arrow.status, "none")
        note = Markup('<p><span class="st {}">{}{}</span></p>').format(symbol, _icon(symbol, ""), word)
    head = Markup("<div><h3>{}</h3><p>{}</p>{}</div>").format(
        arrow.stage.name.replace("_", " "), formula(arrow.stage.tex), note
    )
    return Markup('<li class="trace{}" id="{}">{}<div class="stack">{}<p class="tiny dim">{}</p></div>{}</li>').format(
        kind,
        arrow.stage.name,
        head,
        _object(arrow),
        arrow.stage.meaning[0].upper() + arrow.stage.meaning[1:] + ".",
        _checks(arrow),
    )


def _object(arrow: Arrow) -> Markup:
    if arrow.value is None:
        return (
            Markup("")
            if arrow.stage.name == "inputs"
            else Markup('<p class="dim">No matrix: the trace ends before it.</p>')
        )
    name = arrow.stage.name.replace("_", " ")
    hidden = ~readable(arrow.value) if arrow.stage.name in ("masked_scores", "weights") else None
    printed = matrix(arrow.value, name, hidden)
    if arrow.stage.name == "weights":
        printed = _with_sums(arrow.value, name, hidden)
    return Markup('<div class="scroll" tabindex="0" role="region" aria-label="{} printed">{}</div>').format(
        name, printed
    )


def _with_sums(value: FloatArray, name: str, hidden: np.ndarray | None) -> Markup:
    """Return the weights with the sums beside and below them; a row that does not sum to 1 stands out."""
    with np.errstate(all="ignore"):
        rows, columns = value.sum(axis=1), value.sum(axis=0)
    off = ~(np.abs(rows - 1.0) <= ROW_SUM_TOLERANCE)
    sums = Markup("").join(
        Markup("<tr>{}</tr>").format(_cell(total, is_off=bool(wrong)))
        for total, wrong in zip(rows.tolist(), off, strict=True)
    )
    return Markup(
        '<div class="row nowr">{}<table class="mx sums" aria-label="row sums"><tbody>{}</tbody></table></div>'
        '{}<p class="tiny dim">Sums of the rows at the right, of the columns below.</p>'
    ).format(matrix(value, name, hidden, " fixw"), sums, matrix(columns[None, :], "column sums", kind=" sums fixw"))


def _checks(arrow: Arrow) -> Markup:
    items = []
    for check in arrow.checks:
        word = check_mark(arrow, check)[2]
        kind = {"holds": "ok", "fails": "bad"}.get(word, "inh")
        items.append(
            Markup('<li class="{}">{}<span>{}: <span class="found">{}</span></span></li>').format(
                kind, _icon(kind, word), marked_up(check.demand), marked_up(check.evidence)
            )
        )
    return Markup('<ul class="checks">{}</ul>').format(Markup("").join(items))


def symptoms_view(lesson: Lesson, address: Address) -> Markup:
    """Return the five symptoms, each with links to what shows it; the one at hand is marked."""
    rows = []
    for symptom in SYMPTOMS:
        links = Markup("").join(
            Markup('<li><a href="{}">{}</a></li>').format(address(changes), marked_up(_words(changes)))
            for changes in symptom.shown_by
        )
        kind = Markup(' class="sel"') if lesson.symptom is symptom else ""
        cells = (marked_up(symptom.seen), marked_up(symptom.error), marked_up(symptom.first_look), links)
        rows.append(
            Markup('<tr{}><td>{}</td><td>{}</td><td>{}</td><td><ul class="links">{}</ul></td></tr>').format(
                kind, *cells
            )
        )
    return Markup(
        '<div class="panel scroll" tabindex="0" role="region" aria-label="Five symptoms"><table class="tbl min"><thead>'
        '<tr><th scope="col">What you see</th><th scope="col">Most likely</th><th scope="col">Look first at</th>'
        '<th scope="col">See it happen</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(Markup("").join(rows))


def _words(changes: Changes) -> str:
    parts = (f"{BY_NAME[name].title}: {BY_NAME[name].option(value).label}" for name, value in changes.made().items())
    return ", ".join(parts)


def numpy_text(lesson: Lesson) -> str:
    """Return the trace as NumPy source, to be pasted into a session of one's own."""
    lines = ["import numpy as np", "from numpy import inf, nan", ""]
    given = [(SYMBOLS[name], value) for name, value in lesson.traced.inputs.named().items()]
    seen = [(arrow.stage.symbol, arrow.value) for arrow in lesson.arrows if arrow.value is not None]
    for symbol, value in [*given, *seen]:
        name = symbol.replace("S+M", "S_M")
        printed = np.array2string(value, separator=", ", precision=6, prefix=f"{name} = np.array(", max_line_width=200)
        lines.append(f"{name} = np.array({printed})")
    return "\n".join(lines) + "\n"
