"""Interviews as their leads set them up: settings and problems, copies, release and archive."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import NotFound
from grader.services import audit
from grader.services.audit import Fact
from grader.services.feedback import are_answers_out
from grader.services.interview_settings import (
    PROBLEMS_MAX,
    Chosen,
    Settings,
    UnusableSettings,
    check_kept,
    check_window,
    settings_of,
    whole_minute,
    with_kept_window,
)
from grader.services.packages import Packages
from grader.services.refusals import NotNow, Outdated
from grader.store import interview_queries as queries
from grader.store import package_queries
from grader.store.held import keep_user
from grader.store.interview_models import TITLE_LENGTH, Interview, InterviewMember, InterviewProblem, Part
from grader.store.models import Package, User
from grader.wording import counted, plural, told_time

COPY: Final = " (copy)"


def create(session: Session, user: User, settings: Settings, packages: Packages, now: datetime) -> Interview:
    """Set an interview up; who does leads it.

    Raises:
        NotFound: the user is no interviewer, or their account is gone.
        UnusableSettings: it cannot be an interview.
    """
    require_interviewer(user)
    keep_user(session, user.id)
    interview = Interview(created_at=now, version=1)
    chosen = _resolved(session, user, None, settings, packages, now)
    _write(interview, settings)
    interview.members = [InterviewMember(user_id=user.id, part=Part.LEAD)]
    interview.problems = _rows(settings, chosen)
    session.add(interview)
    audit.record(session, user, "interview.create", interview, now, interview, problems=len(settings.problems))
    return interview


def change(
    session: Session, user: User, public_id: str, settings: Settings, version: int, packages: Packages, now: datetime
) -> Interview:
    """Change an interview's settings; once somebody has started they are only loosened.

    Args:
        session: stores the change.
        user: a lead.
        public_id: the interview's.
        settings: all of them, as they are to be.
        version: what the form was made from.
        packages: where problems come from.
        now: the time.

    Raises:
        NotFound: the user leads no such interview.
        Outdated: somebody else was faster.
        NotNow: it is archived or released.
        FixedByStart: somebody has started, and more than loosening is asked for.
        UnusableSettings: it cannot be an interview.
    """
    interview = queries.interview_of(session, user, public_id, Part.LEAD, lock=True)
    _require_newest(interview, version)
    _require_open(interview)
    before = settings_of(interview)
    settings = with_kept_window(settings, before)
    chosen = _resolved(session, user, interview, settings, packages, now)
    has_started = _has_started(session, interview, now)
    if has_started:
        _require_only_loosened(session, interview, before, settings, now)
    _write(interview, settings)
    if settings.problems != before.problems:
        queries.delete_problems(session, interview)
        interview.problems = _rows(settings, chosen)
    changed = _changed(before, settings)
    _record_change(session, user, "interview.change", interview, now, changed=changed, started=has_started)
    return interview


def clone(session: Session, user: User, public_id: str, now: datetime) -> Interview:
    """Return a new interview with the same settings, problems and interviewers, without window and candidates.

    Raises:
        NotFound: the user leads no such interview.
        NotNow: one of its problems was retired.
    """
    source = queries.interview_of(session, user, public_id, Part.LEAD, lock=True)  # so its interviewers stay
    _require_no_retired(session, source)
    copy = Interview(created_at=now, version=1)
    _write(copy, settings_of(source))
    copy.title = source.title[: TITLE_LENGTH - len(COPY)] + COPY
    copy.opens_at = copy.closes_at = None
    copy.problems = [
        InterviewProblem(position=problem.position, package_id=problem.package_id, variant=problem.variant)
        for problem in source.problems
    ]
    copy.members = [
        InterviewMember(user_id=member.user_id, part=member.part)
        for member in source.members
        if member.user.is_interviewer
    ]
    session.add(copy)
    audit.record(session, user, "interview.clone", copy, now, copy, source=source.public_id)
    return copy


def archive(session: Session, user: User, public_id: str, now: datetime, *, is_archived: bool) -> None:
    """Put an interview away, where nobody starts any more, or take it out again; nothing is deleted.

    It comes out closed where candidates could read the answers meanwhile: who came later would meet the same problems.

    Raises:
        NotFound: the user leads no such interview.
        NotNow: candidates are under way.
    """
    interview = queries.interview_of(session, user, public_id, Part.LEAD, lock=True)
    if is_archived:
        _require_nobody_under_way(session, interview, "archive it", now)
    archived_at = interview.archived_at
    if (archived_at is not None) == is_archived:
        return
    if archived_at is None:
        interview.archived_at = now
        _record_change(session, user, "interview.archive", interview, now)
        return
    stays_closed = are_answers_out(interview, now) and _has_started(session, interview, now)
    if stays_closed and (interview.closes_at is None or interview.closes_at > now):
        interview.closes_at = whole_minute(archived_at)
    interview.archived_at = None
    _record_change(session, user, "interview.unarchive", interview, now, stays_closed=stays_closed)


def release(session: Session, user: User, public_id: str, now: datetime) -> None:
    """Show candidates what they see when results are released; nobody can start any more.

    Raises:
        NotFound: the user leads no such interview.
        NotNow: candidates are under way.
    """
    interview = queries.interview_of(session, user, public_id, Part.LEAD, lock=True)
    _require_nobody_under_way(session, interview, "release the results", now)
    if interview.released_at is not None:
        return
    interview.released_at = now
    # who has not started could otherwise learn the answers first
    interview.closes_at = min(now, interview.closes_at or now)
    _record_change(session, user, "interview.release", interview, now)


def require_interviewer(user: User) -> None:
    """Make sure that a user may set interviews up.

    Raises:
        NotFound: they may not.
    """
    if not user.is_interviewer:
        raise NotFound("There is no such page, or it is not for you.")


def _record_change(
    session: Session, user: User, action: str, interview: Interview, now: datetime, **detail: Fact
) -> None:
    """Count the change, so that a form that was opened before is found out, and leave its entry."""
    interview.version += 1
    audit.record(session, user, action, interview, now, interview, **detail)


def _write(interview: Interview, settings: Settings) -> None:
    for name, value in vars(settings).items():
        if name != "problems":
            setattr(interview, name, value)


def _rows(settings: Settings, chosen: dict[str, Package]) -> list[InterviewProblem]:
    return [
        InterviewProblem(position=number, package_id=chosen[problem.sha256].id, variant=problem.variant)
        for number, problem in enumerate(settings.problems, start=1)
    ]


def _resolved(
    session: Session, user: User, interview: Interview | None, settings: Settings, packages: Packages, now: datetime
) -> dict[str, Package]:
    """Return the packages of what was chosen, by hash: offered ones, the user's own, those that are in it already."""
    check_window(settings.opens_at, settings.closes_at, interview.closes_at if interview else None, now)
    _check_number(settings.problems)
    offered = {problem.sha256: problem for problem in packages.offered()}
    known = queries.packages_for(session, [chosen.sha256 for chosen in settings.problems])
    within = {problem.package.sha256 for problem in interview.problems} if interview else set()
    own = {package.sha256 for package in queries.uploads_of(session, user)}
    found: dict[str, Package] = {}
    for chosen in settings.problems:
        package = known.get(chosen.sha256)
        is_own = package is not None and package.sha256 in within | own
        if chosen.sha256 in offered:
            package = packages.remember(session, offered[chosen.sha256], now)
        elif not is_own:
            package = None
        if package is None:
            raise UnusableSettings("One of the problems is not there any more; choose another one.", "problems")
        _check_variant(session, package, chosen, packages)
        if any(package.slug == other.slug for other in found.values()):
            raise UnusableSettings(f"{package.title} is in it twice; take one of them out.", "problems")
        found[chosen.sha256] = package
    return found


def _check_number(problems: tuple[Chosen, ...]) -> None:
    if not problems:
        raise UnusableSettings("Add a problem; an interview needs one at least.", "problems")
    if len(problems) > PROBLEMS_MAX:
        raise UnusableSettings(f"An interview has at most {PROBLEMS_MAX} problems; take some out.", "problems")


def _check_variant(session: Session, package: Package, chosen: Chosen, packages: Packages) -> None:
    if chosen.variant is not None and chosen.variant not in packages.pinned(session, package).spec.variants:
        raise UnusableSettings(f"{package.title} has no such variant; choose another one.", "problems")


def _require_open(interview: Interview) -> None:
    if interview.archived_at is not None:
        raise NotNow("This interview is archived; take it out of the archive to change it.")
    if interview.released_at is not None:
        raise NotNow("The results are released, so this interview stays as it is; copy it to set up another one.")


def _require_newest(interview: Interview, version: int) -> None:
    if version != interview.version:
        raise Outdated(
            "Somebody else has changed this interview meanwhile. What you typed stands below; compare it with the "
            "interview's page, then save again."
        )


def _changed(before: Settings, settings: Settings) -> str:
    """Return the names of the settings that are others now, for the audit log."""
    return " ".join(name for name in vars(before) if getattr(before, name) != getattr(settings, name))


def _require_only_loosened(
    session: Session, interview: Interview, before: Settings, settings: Settings, now: datetime
) -> None:
    """Make sure that who has started keeps what they were told."""
    check_kept(before, settings)
    _require_time_left(session, interview, settings.closes_at, now)
    _require_answers_unread(interview, settings.closes_at, now)


def _require_time_left(session: Session, interview: Interview, closes_at: datetime | None, now: datetime) -> None:
    last = queries.last_end(session, interview, now)
    if closes_at is not None and last is not None and closes_at < last:
        raise NotNow(
            f"Somebody who is under way has time until {told_time(last)}, so the interview cannot close earlier; "
            "end their time first, or choose a later one."
        )


def _require_answers_unread(interview: Interview, closes_at: datetime | None, now: datetime) -> None:
    if closes_at != interview.closes_at and are_answers_out(interview, now):
        raise NotNow(
            "Since it closed, candidates can read the answers, so it does not open again; copy the interview to invite "
            "others."
        )


def _require_no_retired(session: Session, interview: Interview) -> None:
    retired = package_queries.retired_among(session, [problem.package for problem in interview.problems])
    if retired is not None:
        raise NotNow(
            f"{retired.title} is not there any more, as its package was retired; set up a new interview with another "
            "problem."
        )


def _has_started(session: Session, interview: Interview, now: datetime) -> bool:
    return queries.counts_of(session, [interview], now)[interview.id].started > 0


def _require_nobody_under_way(session: Session, interview: Interview, what: str, now: datetime) -> None:
    number = queries.counts_of(session, [interview], now)[interview.id].under_way
    if number:
        who = f"{counted(number, 'candidate')} {plural(number, 'is')}"
        raise NotNow(f"{who} still under way; {what} when they have ended, or end their time first.")
