"""The worked audit as a page: a form that asks for changes and own matrices, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.attention.changes import BY_NAME, CHANGES, Changes, choose
from grader.attention.inputs import WORKED, Inputs, as_text, read_inputs
from grader.attention.lesson import aside, audit, headline, record
from grader.errors import UserError
from grader.report import lesson_page
from grader.report.lesson import QUESTION
from grader.web.service import service

MATRICES_MAX: Final = 1200  # characters: the form is part of the address, and servers take 4 KiB of that
PRACTICE: Final = ("audit-single-head", "heads-never-mix")
bp = Blueprint("lesson", __name__)


@bp.get("/lesson")
def show() -> ResponseReturnValue:
    """Show the audit of what the address asks for; an address with nothing but what differs is its only one."""
    asked = request.args.to_dict()
    typed = asked.get("matrices", "").replace("\r\n", "\n").strip()
    try:
        changes = choose((name, asked[name]) for name in BY_NAME if name in asked)
    except UserError as error:
        return _page(WORKED, Changes(), typed, None, refused_change=error.message), error.status
    try:
        inputs = _inputs(typed)
    except UserError as error:
        return _page(WORKED, changes, typed, None, refused_matrices=error.message), error.status
    answer = asked.get("answer", "")
    taken = int(answer) if answer in [str(number) for number in range(len(QUESTION.choices))] else None
    wanted = changes.made()
    if not inputs.equals(WORKED):
        wanted["matrices"] = typed
    if taken is not None:
        wanted["answer"] = answer
    if request.args.to_dict(flat=False) != {name: [value] for name, value in wanted.items()}:
        return redirect(_address(wanted))
    return _page(inputs, changes, typed, taken)


def _inputs(typed: str) -> Inputs:
    if not typed:
        return WORKED
    if len(typed) > MATRICES_MAX:
        raise UserError(f"The matrices have over {MATRICES_MAX} characters; grader lesson --inputs FILE takes more.")
    return read_inputs(typed)


def _address(arguments: Mapping[str, str], anchor: str | None = None) -> str:
    values: dict[str, Any] = dict(arguments)
    return url_for("lesson.show", _anchor=anchor, **values)


def _page(
    inputs: Inputs,
    changes: Changes,
    typed: str,
    taken: int | None,
    refused_change: str | None = None,
    refused_matrices: str | None = None,
) -> str:
    lesson = audit(inputs, changes)
    offered = {problem.slug: problem for problem in service().packages.offered()}
    return render_template(
        "lesson.html",
        lesson=lesson,
        page=lesson_page,
        headline=headline(lesson),
        aside=aside(lesson),
        record=record(lesson),
        changes=CHANGES,
        chosen=changes,
        address=lambda shown: _address(shown.made(), "trace"),
        own="" if lesson.is_worked_example else typed,
        matrices=typed or as_text(WORKED).strip(),
        matrices_max=MATRICES_MAX,
        refused_change=refused_change,
        refused_matrices=refused_matrices,
        question=QUESTION,
        choices=[lesson_page.marked_up(text) for text in QUESTION.choices],
        taken=taken,
        practice=[offered[slug] for slug in PRACTICE if slug in offered],
    )
