"""Finds what a package still holds of the template that `grader new` copies: nothing wrong, but nothing to ship."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.grading.package_texts import interview_texts
from grader.problems.files import STANDARD, PackageFiles
from grader.problems.loader import Problem, load
from grader.problems.new_package import TEMPLATE, template_files
from grader.wording import counted, plural

_ORDER: Final = "eplace "  # what a line of the template has that says what to do with it
_STORY_END: Final = "\n## "  # of a statement: what follows may well stay as it is
_LENGTH_MIN: Final = 20  # a shorter text may be anybody's
_NAMED: Final = 4


def template_notices(problem: Problem) -> list[str]:
    """Return a notice of the template's texts and comments that a package still has, or nothing."""
    places = list(_places(problem))
    if not places:
        return []
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    texts = f"{counted(len(places), 'template text')} {plural(len(places), 'is')}"
    return [f"{problem.slug}: {texts} still there: {', '.join(places[:_NAMED])}{more}; replace what is not yours."]


def _places(problem: Problem) -> Iterator[str]:
    template = load(PackageFiles(TEMPLATE, template_files()))
    if problem.spec.title == template.spec.title:
        yield "problem.yaml title"
    story = set(_lines(template.statement.partition(_STORY_END)[0]))
    orders = {line for text in _files(template).values() for line in _lines(text) if _ORDER in line}
    for path, text in _files(problem).items():
        known = orders | story if path == "statement.md" else orders
        yield from (f"{path} line {number}" for number, line in enumerate(_lines(text), 1) if line and line in known)
    told = set(_texts(template).values())
    yield from (where for where, text in _texts(problem).items() if len(text) >= _LENGTH_MIN and text in told)


def _files(problem: Problem) -> dict[str, str]:
    """Return a package's own files as text, those that are none as far as they can be read."""
    own = {path: data for path, data in problem.files.contents.items() if not path.startswith(f"{STANDARD}/")}
    return {path: own[path].decode(errors="replace") for path in sorted(own)}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _texts(problem: Problem) -> dict[str, str]:
    """Return the interview's texts by place; sources, as the texts of faults, may be the same in many packages."""
    texts = {text.where.removeprefix(f"{problem.slug}/"): text.text for text in interview_texts(problem)}
    return {where: text for where, text in texts.items() if ": sources." not in where}
