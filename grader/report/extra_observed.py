"""What extra runs observed, as tables: which rows a later token reaches, and how large logits may grow."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from grader.grading.extra_runs import ExtraRuns, Moved, Perturbation, Rung, Stability
from grader.report.icons import state
from grader.report.visible import visible
from grader.wording import counted

_NOTICE: Final = (
    "Observed in runs beside the judging, in the submission's own process: neither verdict nor points rest on it."
)


def extra_observed(extra: ExtraRuns) -> Markup:
    """Return the tables as HTML, without a value of a secret case: counts, states and factors."""
    parts = [_sentence(_NOTICE)]
    if extra.perturbation is not None:
        parts.append(_perturbation(extra.perturbation))
    if extra.stability is not None:
        parts.append(_stability(extra.stability))
    return Markup("").join([*parts, *map(_sentence, extra.left_out)])


def _sentence(text: str) -> Markup:
    return Markup('<p class="small mut">{}</p>').format(text)


def _perturbation(found: Perturbation) -> Markup:
    names = " and ".join(found.arguments)
    intro = _sentence(f"{found.case}, token {found.token} of {names} exchanged: do the rows before it move?")
    told = [_row("all", _answer(found.state, found.detail))]
    rows = [_moved(output) for output in found.outputs] or told
    return intro + _table("Rows before the exchanged token", ("Output", "Rows before it"), rows)


def _moved(output: Moved) -> Markup:
    if not output.numbers:
        return _row(output.output, state("none", "the reference's move as well"))
    if not output.moved:
        return _row(output.output, state("ok", "stay as they are"))
    return _row(output.output, state("bad", f"{output.moved} of {counted(output.numbers, 'number')} moved"))


def _stability(found: Stability) -> Markup:
    first = found.first_bad
    told = f"first trouble at ×{first.factor:g}" if first else "no trouble up to the last"
    intro = _sentence(f"{found.case}, {found.argument} multiplied, and the logits with it: {told}.")
    return intro + _table("Larger logits", ("Logits", "Beside the reference"), [_rung(rung) for rung in found.rungs])


def _rung(rung: Rung) -> Markup:
    return _row(f"×{rung.factor:g}", _answer(rung.state, rung.detail))


def _answer(word: str, detail: str) -> Markup:
    texts = {
        "agrees": ("ok", "agrees"),
        "disagrees": ("bad", f"other {detail}"),
        "not_finite": ("bad", "NaN or infinity"),
        "raised": ("bad", f"raises {detail}"),
        "ended": ("none", f"no answer: {detail.replace('_', ' ')}"),
    }
    kind, text = texts[word]
    return state(kind, visible(text, keep=""))


def _row(head: str, content: Markup) -> Markup:
    return Markup('<tr><th scope="row">{}</th><td>{}</td></tr>').format(head, content)


def _table(label: str, heads: tuple[str, str], rows: list[Markup]) -> Markup:
    return Markup(
        '<div class="panel scroll" tabindex="0" role="region" aria-label="{}"><table class="tbl tight"><thead><tr>'
        '<th scope="col">{}</th><th scope="col">{}</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(label, *heads, Markup("").join(rows))
