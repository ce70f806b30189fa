"""The versions of a package that attempts can be judged with again, for whom, and what each has to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage, NotFound
from grader.problems.schema import FollowUpSpec, InterviewSpec, MultipleChoiceSpec
from grader.services.earlier_package import is_same
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.store import interview_queries, package_queries, rejudge_queries
from grader.store.interview_models import Interview, Part, Rejudge
from grader.store.models import Package, User
from grader.store.queries import package_of
from grader.store.rejudge_queries import Answered
from grader.store.sitting_queries import require_none_sat

NO_VERSION: Final = "There is no such version of this problem that can be used; choose one from the page."


@dataclass(frozen=True)
class Version:
    """A version of a package that attempts can be judged with."""

    sha256: str
    created_at: datetime | None  # when the database got it; None: it is in the folder alone


@dataclass(frozen=True)
class Choice:
    """A package that attempts have, with the other versions that they could be judged with."""

    package: Package
    versions: Sequence[Version]


def choices(session: Session, user: User, public_id: str, packages: Packages) -> Sequence[Choice]:
    """Return the packages of an interview with the versions that there are besides.

    Raises:
        NotFound: the user leads no such interview.
        SatByReader: they sit one of its problems in another one.
    """
    interview = rejudged_interview(session, user, public_id)
    return choices_of(session, [problem.package for problem in interview.problems], packages)


def choices_everywhere(session: Session, packages: Packages) -> Sequence[Choice]:
    """Return the packages that anybody's attempts have, as far as there are other versions of them."""
    return [
        choice for choice in choices_of(session, package_queries.with_attempts(session), packages) if choice.versions
    ]


def choices_of(session: Session, used: Sequence[Package], packages: Packages) -> list[Choice]:
    """Return packages with the other versions that there are: in the folder, stored before, uploaded and usable."""
    stored = package_queries.usable_versions(session, [package.slug for package in used])
    offered = {problem.slug: problem.sha256 for problem in packages.offered()}
    found = []
    for package in used:
        newest = offered.get(package.slug)
        own = {newest: Version(newest, None)} if newest else {}
        own |= {each.sha256: Version(each.sha256, each.created_at) for each in stored if each.slug == package.slug}
        found.append(Choice(package, [version for version in own.values() if version.sha256 != package.sha256]))
    return found


def rejudged_interview(session: Session, user: User, public_id: str) -> Interview:
    """Return an interview whose attempts a user may have judged again: a lead, or an admin.

    Raises:
        NotFound: there is none for them.
        SatByReader: they sit one of its problems in another one.
    """
    found = interview_queries.interview_of(session, user, public_id, None if user.is_admin else Part.LEAD)
    require_none_sat(session, user, found)
    return found


def version_of(session: Session, package: Package, sha256: str, packages: Packages, now: datetime) -> Package:
    """Return another version of a package; one that is in the folder alone is stored.

    Raises:
        NotFound: there is none that can be used.
    """
    if not is_usable(session, package, sha256, packages):
        raise NotFound(NO_VERSION)
    if stored := package_of(session, sha256):
        return stored
    return packages.remember(session, packages.named(package.slug), now)


def is_usable(session: Session, package: Package, sha256: str, packages: Packages) -> bool:
    """Whether attempts that have a package can be judged with the version of another hash."""
    (choice,) = choices_of(session, [package], packages)
    return any(version.sha256 == sha256 for version in choice.versions)


def require_variants(session: Session, given: Set[str], package: Package, packages: Packages) -> None:
    """Make sure that a version of a package has the variants that attempts were given, or will be.

    Raises:
        NotNow: it lacks one, or cannot be read.
    """
    try:
        variants = packages.pinned(session, package).spec.variants
    except InvalidPackage as error:
        raise NotNow(f"Version {package.sha256[:12]} cannot be used: {error.message}") from None
    if missing := given - set(variants):
        raise NotNow(
            f"Attempts are given the variant {sorted(missing)[0]}, which version {package.sha256[:12]} lacks; preview "
            "with a version that has it."
        )


@dataclass(frozen=True)
class AnswersLeft:
    """How many answers a new version of a package leaves behind."""

    gone: int = 0  # to questions that it does not have
    reworded: int = 0  # to questions that it puts in other words
    not_offered: int = 0  # choices that it does not offer, of questions that it has

    @property
    def are_some(self) -> bool:
        """Whether there are any."""
        return self.gone + self.reworded + self.not_offered > 0


def answers_left(session: Session, rejudge: Rejudge, packages: Packages) -> AnswersLeft:
    """Return how many answers the new version of a rejudge leaves behind, each counted once.

    What an earlier release stored does not say to which words it was given: those of the old version are taken.
    """
    try:
        old = packages.pinned(session, rejudge.from_package).interview
        new = packages.pinned(session, rejudge.to_package).interview
    except InvalidPackage:  # it is not applied then, and that is told there
        return AnswersLeft()
    left: Counter[str] = Counter()
    for answered in rejudge_queries.answered_in(session, rejudge):
        left[_left_as(answered, old, new)] += answered.answers
    return AnswersLeft(left["gone"], left["reworded"], left["not offered"])


def _left_as(answered: Answered, old: InterviewSpec, new: InterviewSpec) -> str:
    before, after = (_asked(answered, interview) for interview in (old, new))
    if after is None:
        return "gone"
    if isinstance(after, MultipleChoiceSpec):
        choice = answered.choice
        if choice is None and isinstance(before, MultipleChoiceSpec):
            choice = dict(enumerate(before.choices)).get(int(answered.number or 0))
        if choice is not None and not any(is_same(choice, offered) for offered in after.choices):
            return "not offered"
    question = answered.question or (before.question if before else after.question)
    return "" if is_same(question, after.question) else "reworded"


def _asked(answered: Answered, interview: InterviewSpec) -> FollowUpSpec | MultipleChoiceSpec | None:
    questions = interview.follow_ups if answered.number is None else interview.multiple_choice
    return next((question for question in questions if question.id == answered.question_id), None)
