"""The form in which an interview is set up, as typed: what can be chosen, rows that are added and moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.problems.loader import Problem
from grader.services.interview_settings import (
    HINT_LEVEL_MAX,
    MINUTES_MAX,
    PROBLEMS_MAX,
    SUBMISSIONS_MAX,
    Chosen,
    Settings,
    UnusableSettings,
    tidy_line,
    utc_time,
    whole_number,
)
from grader.services.packages import Packages
from grader.store import interview_queries as queries
from grader.store.base import storable
from grader.store.interview_models import TITLE_LENGTH, Interview, Shown
from grader.store.models import Package, User
from grader.wording import told_time

VALUE_LENGTH: Final = 200  # characters of one field that are kept while a form is not saved


@dataclass(frozen=True)
class Option:
    """A problem that can be added."""

    sha256: str
    title: str
    note: str  # what tells it from others
    is_public: bool  # from the folder, whose problems anybody can practise


@dataclass(frozen=True)
class Row:
    """A problem that is in the form, and what can be chosen of it."""

    sha256: str
    variant: str
    title: str
    level: str = ""
    minutes: int = 0
    variants: tuple[str, ...] = ()
    is_public: bool = False
    is_outdated: bool = False  # the folder has another version by now


@dataclass(frozen=True)
class Form:
    """What is typed, none of it checked; problems are pairs of a package's hash and a variant, "" for by lot."""

    title: str = ""
    minutes: str = "60"
    submissions_max: str = "10"
    hint_level: str = "0"
    verdicts: str = Shown.AT_ONCE.value
    points: str = Shown.AFTER_END.value
    answers: str = Shown.NEVER.value
    opens_at: str = ""
    closes_at: str = ""
    locks_practice: bool = True
    problems: tuple[tuple[str, str], ...] = field(default=())
    version: str = "0"

    @classmethod
    def of(cls, settings: Settings, version: int) -> Form:
        """Return the form for what is stored."""
        return cls(
            title=settings.title,
            minutes=str(settings.minutes),
            submissions_max=str(settings.submissions_max),
            hint_level=str(settings.hint_level),
            verdicts=settings.verdicts.value,
            points=settings.points.value,
            answers=settings.answers.value,
            opens_at=_typed_time(settings.opens_at),
            closes_at=_typed_time(settings.closes_at),
            locks_practice=settings.locks_practice,
            problems=tuple((chosen.sha256, chosen.variant or "") for chosen in settings.problems),
            version=str(version),
        )

    @classmethod
    def sent(cls, values: Mapping[str, str], problems: Sequence[str], variants: Sequence[str]) -> Form:
        """Return what a form sent."""
        words = {
            one.name: storable(values.get(one.name, "")[:VALUE_LENGTH])
            for one in fields(cls)
            if one.name not in ("locks_practice", "problems")
        }
        rows = tuple(zip(problems, variants, strict=False))[: PROBLEMS_MAX + 1]
        return cls(**words, locks_practice="locks_practice" in values, problems=rows)

    def settings(self) -> Settings:
        """Return what the form asks for.

        Raises:
            UnusableSettings: a field cannot be read.
        """
        return Settings(
            title=tidy_line(self.title, "title", TITLE_LENGTH, "title"),
            problems=tuple(Chosen(sha256, variant or None) for sha256, variant in self.problems),
            minutes=whole_number(self.minutes, "minutes", 1, MINUTES_MAX, "minutes"),
            submissions_max=whole_number(
                self.submissions_max, "submissions for each problem", 1, SUBMISSIONS_MAX, "submissions_max"
            ),
            hint_level=whole_number(self.hint_level, "hint level", 0, HINT_LEVEL_MAX, "hint_level"),
            verdicts=_shown(self.verdicts, "verdicts"),
            points=_shown(self.points, "points"),
            answers=_shown(self.answers, "answers"),
            opens_at=utc_time(self.opens_at, "opens", "opens_at"),
            closes_at=utc_time(self.closes_at, "closes", "closes_at"),
            locks_practice=self.locks_practice,
        )

    def changed(self, what: str, added: Sequence[str]) -> Form:
        """Return the form after one of the buttons of its problems was used.

        Args:
            what: "add", or one of "up", "down", "remove" with the row's number, from 0, after a colon.
            added: the hashes of packages that are added.
        """
        rows = list(self.problems)
        word, _, number = what.partition(":")
        place = int(number) if number.isascii() and number.isdigit() and len(number) < 3 else -1
        if word == "add":
            known = {sha256 for sha256, _ in rows}
            rows += [(sha256, "") for sha256 in dict.fromkeys(added) if sha256 not in known]
        elif word == "remove" and 0 <= place < len(rows):
            del rows[place]
        elif word == "up" and 0 < place < len(rows):
            rows[place - 1], rows[place] = rows[place], rows[place - 1]
        elif word == "down" and 0 <= place < len(rows) - 1:
            rows[place], rows[place + 1] = rows[place + 1], rows[place]
        return replace(self, problems=tuple(rows[: PROBLEMS_MAX + 1]))


def options(session: Session, user: User, packages: Packages) -> list[Option]:
    """Return the problems that a user can add: their uploads, then those of the folder, easiest first."""
    uploads = queries.uploads_of(session, user)
    own = [
        Option(one.sha256, one.title, f"{one.slug} {one.sha256[:8]}, uploaded {told_time(one.created_at)}", False)
        for one in uploads
    ]
    public = [
        Option(one.sha256, one.spec.title, f"{one.spec.level}, {one.spec.minutes} min", True)
        for one in packages.offered()
    ]
    return [*own, *public]


def rows(session: Session, user: User, interview: Interview | None, form: Form, packages: Packages) -> list[Row]:
    """Return the problems that are in a form; of another's upload nothing is told."""
    offered = {problem.sha256: problem for problem in packages.offered()}
    slugs = {problem.slug for problem in offered.values()}
    usable = {package.sha256 for package in queries.uploads_of(session, user)}
    usable |= {row.package.sha256 for row in interview.problems} if interview else set()
    known = queries.packages_for(session, [sha256 for sha256, _ in form.problems])
    found = []
    for sha256, variant in form.problems:
        package = known.get(sha256)
        is_public = sha256 in offered or (package is not None and package.uploaded_by_id is None)
        problem = offered.get(sha256)
        if problem is None and package and sha256 in usable:
            problem = _stored(session, package, packages)
        if problem is None:
            found.append(Row(sha256, variant, "A problem that is not there any more"))
            continue
        is_outdated = is_public and sha256 not in offered and problem.slug in slugs
        found.append(_row(problem, variant, is_public=is_public, is_outdated=is_outdated))
    return found


def _row(problem: Problem, variant: str, *, is_public: bool, is_outdated: bool) -> Row:
    spec = problem.spec
    return Row(
        problem.sha256, variant, spec.title, spec.level, spec.minutes, tuple(spec.variants), is_public, is_outdated
    )


def _stored(session: Session, package: Package, packages: Packages) -> Problem | None:
    try:
        return packages.pinned(session, package)
    except InvalidPackage:  # of an older release; it can no longer be judged either
        return None


def _typed_time(time: datetime | None) -> str:
    return "" if time is None else time.strftime("%Y-%m-%dT%H:%M")


def _shown(word: str, field: str) -> Shown:
    try:
        return Shown(word)
    except ValueError:
        raise UnusableSettings("Choose when candidates see that.", field) from None
