"""Interviews: who may do what, what the start fixes, copies, release and archive, on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, select

from grader.errors import NotFound
from grader.services import interviewers, interviews, uploads
from grader.services.interview_settings import Chosen, FixedByStart, UnusableSettings, settings_of
from grader.services.packages import Packages
from grader.services.refusals import NotNow, Outdated
from grader.store import interview_queries as queries
from grader.store import invitation_queries
from grader.store.interview_models import AuditEntry, Interview, PackageCheck, Part, Shown
from grader.store.interview_queries import Counts, Phase
from grader.store.models import Package, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations, make_settings
from tests.services.made import NOON, after, make_candidate
from tests.services.tiny_package import SLUG

EARLY: Final = after(5)
CASES: Final = yaml.safe_load((Path(__file__).parent / "interviews.yaml").read_text())


@pytest.fixture
def lead(engine: Engine) -> User:
    return make_interviewer(engine, "Lena")


@pytest.fixture
def interview(engine: Engine, packages: Packages, lead: User) -> Interview:
    return make_interview(engine, packages, lead)


def stored(engine: Engine, user: User, interview: Interview) -> Interview:
    with read_session(engine) as session:
        return queries.interview_of(session, user, interview.public_id)


def change(
    engine: Engine,
    packages: Packages,
    user: User,
    interview: Interview,
    version: int = 1,
    now: datetime = EARLY,
    **changes: object,
) -> None:
    with write_session(engine) as session:
        settings = make_settings(packages, **changes)
        interviews.change(session, user, interview.public_id, settings, version, packages, now)


def actions(engine: Engine) -> list[str]:
    ours = select(AuditEntry.action).where(AuditEntry.interview_id.is_not(None))
    with read_session(engine) as session:
        return list(session.scalars(ours.order_by(AuditEntry.id)))


def test_who_sets_an_interview_up_leads_it(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    found = stored(engine, lead, interview)
    assert settings_of(found) == make_settings(packages)
    assert [(member.user.name, member.part) for member in found.members] == [("Lena", Part.LEAD)]
    assert [(row.position, row.package.slug, row.variant) for row in found.problems] == [(1, SLUG, "only")]
    assert actions(engine) == ["interview.create"]


def test_only_interviewers_set_interviews_up(engine: Engine, packages: Packages) -> None:
    for user in (make_candidate(engine), make_interviewer(engine, "Root", is_admin=True)):
        with pytest.raises(NotFound), write_session(engine) as session:
            interviews.create(session, user, make_settings(packages), packages, NOON)
    assert actions(engine) == []


@pytest.mark.parametrize("case", CASES["parts"], ids=lambda case: f"{case['who']}-{case['part']}")
def test_whether_an_interview_is_found_depends_on_the_part(
    engine: Engine, lead: User, interview: Interview, case: dict[str, Any]
) -> None:
    reviewer, admin = make_interviewer(engine, "Rob"), make_interviewer(engine, "Root", is_admin=True)
    with write_session(engine) as session:
        interviewers.set_part(session, lead, interview.public_id, "rob", Part.REVIEWER, NOON)
    who = {
        "lead": lead,
        "reviewer": reviewer,
        "admin": admin,
        "interviewer elsewhere": make_interviewer(engine, "Xena"),
        "candidate": make_candidate(engine),
    }[case["who"]]
    part = Part(case["part"]) if case["part"] != "reads" else None
    with read_session(engine) as session:
        if case["found"]:
            assert queries.interview_of(session, who, interview.public_id, part).id == interview.id
        else:
            with pytest.raises(NotFound) as theirs:
                queries.interview_of(session, who, interview.public_id, part)
            with pytest.raises(NotFound) as missing:
                queries.interview_of(session, who, "aaaaaaaaaaaa", part)
            assert theirs.value.message == missing.value.message


def test_whose_right_was_taken_finds_nothing(engine: Engine, lead: User, interview: Interview) -> None:
    with write_session(engine) as session:
        session.get_one(User, lead.id).is_interviewer = False
    with read_session(engine) as session:
        now_without = session.get_one(User, lead.id)
        with pytest.raises(NotFound):
            queries.interview_of(session, now_without, interview.public_id)
        assert set(queries.phases_of(session, now_without, NOON).values()) == {0}


def test_everything_changes_while_nobody_has_started(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    make_invitations(engine, lead, interview, "Ines")
    changes: dict[str, Any] = {
        "title": "Autumn round",
        "problems": (Chosen(packages.named(SLUG).sha256),),
        "minutes": 30,
        "submissions_max": 1,
        "hint_level": 2,
        "verdicts": Shown.NEVER,
        "points": Shown.NEVER,
        "answers": Shown.WHEN_RELEASED,
        "opens_at": after(60),
        "closes_at": after(600),
        "locks_practice": False,
    }
    change(engine, packages, lead, interview, **changes)
    found = stored(engine, lead, interview)
    assert settings_of(found) == make_settings(packages, **changes)
    assert found.version == 2


def test_a_form_that_is_out_of_date_changes_nothing(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    change(engine, packages, lead, interview, title="First")
    with pytest.raises(Outdated, match="Somebody else has changed this interview"):
        change(engine, packages, lead, interview, title="Second")
    assert stored(engine, lead, interview).title == "First"


@pytest.mark.parametrize("case", CASES["after_the_start"], ids=lambda case: str(case["change"]))
def test_once_somebody_has_started_settings_are_only_loosened(
    engine: Engine, packages: Packages, lead: User, case: dict[str, Any]
) -> None:
    interview = make_interview(engine, packages, lead, points=Shown.WHEN_RELEASED, hint_level=1, locks_practice=False)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    kept: dict[str, Any] = {"points": Shown.WHEN_RELEASED, "hint_level": 1, "locks_practice": False}
    wanted = {name: Shown(value) if name in ("points", "verdicts") else value for name, value in case["change"].items()}
    if "problems" in wanted:
        wanted["problems"] = (Chosen(packages.named(SLUG).sha256, wanted["problems"]),)
    if case["refused"] is None:
        change(engine, packages, lead, interview, **{**kept, **wanted})
        assert settings_of(stored(engine, lead, interview)) == make_settings(packages, **{**kept, **wanted})
    else:
        with pytest.raises(FixedByStart) as error:
            change(engine, packages, lead, interview, **{**kept, **wanted})
        assert error.value.message == f"Somebody has started, so this cannot be changed any more: {case['refused']}."


def test_a_window_does_not_cut_off_who_is_under_way(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    with pytest.raises(NotNow, match=r"has time until 01 Mar 2026 13:01 UTC, so the interview cannot close earlier"):
        change(engine, packages, lead, interview, closes_at=after(60))
    change(engine, packages, lead, interview, closes_at=after(61))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"problems": ()}, "problems"),
        ({"problems": (Chosen("0" * 64),)}, "problems"),
        ({"opens_at": after(60), "closes_at": after(60)}, "closes_at"),
    ],
)
def test_what_cannot_be_an_interview_is_refused(
    engine: Engine, packages: Packages, lead: User, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(UnusableSettings) as error:
        make_interview(engine, packages, lead, **changes)
    assert error.value.field == field


def test_a_problem_is_in_it_once_and_in_a_variant_of_its_own(engine: Engine, packages: Packages, lead: User) -> None:
    sha256 = packages.named(SLUG).sha256
    with pytest.raises(UnusableSettings, match="is in it twice"):
        make_interview(engine, packages, lead, problems=(Chosen(sha256, "only"), Chosen(sha256, "other")))
    with pytest.raises(UnusableSettings, match="has no such variant"):
        make_interview(engine, packages, lead, problems=(Chosen(sha256, "third"),))


def test_uploads_are_for_who_uploaded_them(engine: Engine, packages: Packages, lead: User) -> None:
    other = make_interviewer(engine, "Xena")
    private = Package(
        sha256="f" * 64, slug="private", title="Private", archive=b"", created_at=NOON, uploaded_by_id=other.id
    )
    with write_session(engine) as session:
        session.add(PackageCheck(package=private, is_accepted=True))
    with pytest.raises(UnusableSettings, match="is not there any more"):
        make_interview(engine, packages, lead, problems=(Chosen("f" * 64),))
    interview = make_interview(engine, packages, other, problems=(Chosen("f" * 64),))
    assert [row.package.slug for row in stored(engine, other, interview).problems] == ["private"]


def test_a_copy_has_everything_but_window_and_candidates(engine: Engine, packages: Packages, lead: User) -> None:
    rob = make_interviewer(engine, "Rob")
    interview = make_interview(engine, packages, lead, title="T" * 120, hint_level=3, closes_at=after(600))
    with write_session(engine) as session:
        interviewers.set_part(session, lead, interview.public_id, "Rob", Part.REVIEWER, NOON)
    make_invitations(engine, lead, interview, "Ines")
    with write_session(engine) as session:
        made = interviews.clone(session, lead, interview.public_id, after(1))
    copy = stored(engine, rob, made)
    assert settings_of(copy) == make_settings(packages, title="T" * 113 + " (copy)", hint_level=3)
    assert [(member.user.name, member.part) for member in copy.members] == [
        ("Lena", Part.LEAD),
        ("Rob", Part.REVIEWER),
    ]
    with read_session(engine) as session:
        assert invitation_queries.number_of_invitations(session, copy) == 0
    with pytest.raises(NotFound), write_session(engine) as session:
        interviews.clone(session, rob, interview.public_id, NOON)


def test_a_copy_takes_no_retired_package(engine: Engine, packages: Packages, lead: User) -> None:
    mine = Package(sha256="f" * 64, slug="mine", title="Mine", archive=b"", created_at=NOON, uploaded_by_id=lead.id)
    with write_session(engine) as session:
        session.add(PackageCheck(package=mine, is_accepted=True))
    interview = make_interview(engine, packages, lead, problems=(Chosen("f" * 64),))
    with write_session(engine) as session:
        uploads.set_retired(session, lead, "f" * 64, NOON, is_retired=True)
    with pytest.raises(NotNow) as refused, write_session(engine) as session:
        interviews.clone(session, lead, interview.public_id, NOON)
    assert refused.value.message == (
        "Mine is not there any more, as its package was retired; set up a new interview with another problem."
    )
    with write_session(engine) as session:
        uploads.set_retired(session, lead, "f" * 64, NOON, is_retired=False)
        interviews.clone(session, lead, interview.public_id, NOON)


def test_release_and_archive_wait_for_who_is_under_way(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    with pytest.raises(NotNow, match="1 candidate is still under way; release"), write_session(engine) as session:
        interviews.release(session, lead, interview.public_id, after(61))
    with pytest.raises(NotNow, match="1 candidate is still under way; archive it"), write_session(engine) as session:
        interviews.archive(session, lead, interview.public_id, after(61), is_archived=True)
    with write_session(engine) as session:
        interviews.release(session, lead, interview.public_id, after(62))
    found = stored(engine, lead, interview)
    assert (found.released_at, found.closes_at) == (after(62), after(62))
    with pytest.raises(NotNow, match="results are released"):
        change(engine, packages, lead, interview, found.version)


@pytest.mark.parametrize("answers", [Shown.AT_ONCE, Shown.AFTER_END])
def test_an_interview_whose_answers_could_be_read_does_not_open_again(
    engine: Engine, packages: Packages, lead: User, answers: Shown
) -> None:
    interview = make_interview(engine, packages, lead, answers=answers, closes_at=after(90))
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    kept: dict[str, Any] = {"answers": answers}
    change(engine, packages, lead, interview, now=after(89), closes_at=after(95), **kept)  # still in time
    for closes_at in (None, after(200)):
        with pytest.raises(NotNow, match="Since it closed, candidates can read the answers"):
            change(engine, packages, lead, interview, 2, now=after(96), closes_at=closes_at, **kept)
    change(engine, packages, lead, interview, 2, now=after(96), closes_at=after(95), title="Autumn round", **kept)
    assert stored(engine, lead, interview).closes_at == after(95)


def test_an_interview_opens_again_where_nobody_could_read_answers(
    engine: Engine, packages: Packages, lead: User
) -> None:
    nobody_started = make_interview(engine, packages, lead, answers=Shown.AFTER_END, closes_at=after(90))
    never_shown = make_interview(engine, packages, lead, answers=Shown.WHEN_RELEASED, closes_at=after(90))
    (invited,) = make_invitations(engine, lead, never_shown, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    for interview, answers in ((nobody_started, Shown.AFTER_END), (never_shown, Shown.WHEN_RELEASED)):
        change(engine, packages, lead, interview, now=after(96), closes_at=after(200), answers=answers)
        assert stored(engine, lead, interview).closes_at == after(200)


@pytest.mark.parametrize(
    ("answers", "closes_at", "out"),
    [
        (Shown.AFTER_END, None, after(80)),
        (Shown.AFTER_END, after(300), after(80)),
        (Shown.AFTER_END, after(70), after(70)),
        (Shown.NEVER, None, None),
    ],
)
def test_an_interview_comes_out_of_the_archive_as_open_as_its_answers_let_it(
    engine: Engine, packages: Packages, lead: User, answers: Shown, closes_at: datetime | None, out: datetime | None
) -> None:
    interview = make_interview(engine, packages, lead, answers=answers, closes_at=closes_at)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    for minutes, is_archived in ((80, True), (90, False)):
        with write_session(engine) as session:
            interviews.archive(session, lead, interview.public_id, after(minutes), is_archived=is_archived)
    found = stored(engine, lead, interview)
    assert (found.archived_at, found.closes_at) == (None, out)


def test_interviews_stand_where_window_candidates_and_archive_say(
    engine: Engine, packages: Packages, lead: User
) -> None:
    made = {
        Phase.PLANNED: [
            make_interview(engine, packages, lead, title="nobody"),
            make_interview(engine, packages, lead, title="later", opens_at=after(60)),
        ],
        Phase.RUNNING: [make_interview(engine, packages, lead, title="open", closes_at=after(11))],
        Phase.ENDED: [make_interview(engine, packages, lead, title="closed", closes_at=after(10))],
        Phase.ARCHIVED: [make_interview(engine, packages, lead, title="away")],
    }
    for found in (made[Phase.PLANNED][1], *made[Phase.RUNNING], *made[Phase.ENDED]):
        make_invitations(engine, lead, found, "Ines")
    with write_session(engine) as session:
        interviews.archive(session, lead, made[Phase.ARCHIVED][0].public_id, after(1), is_archived=True)
    make_interview(engine, packages, make_interviewer(engine, "Xena"), title="foreign")
    with read_session(engine) as session:
        counts = queries.phases_of(session, lead, after(10))
        listed = {phase: queries.interviews_of(session, lead, phase, after(10), 0, 50) for phase in Phase}
    assert counts == {phase: len(of_phase) for phase, of_phase in made.items()}
    assert {phase: [one.title for one in found] for phase, found in listed.items()} == {
        phase: [one.title for one in reversed(of_phase)] for phase, of_phase in made.items()
    }


def test_candidates_are_counted_where_they_are(engine: Engine, lead: User, interview: Interview) -> None:
    invited = make_invitations(engine, lead, interview, "A", "B", "C", "D")
    begin(engine, invited[0].token, make_candidate(engine), after(1), 60)
    begin(engine, invited[1].token, make_candidate(engine), after(1), 9)
    with read_session(engine) as session:
        counts = queries.counts_of(session, [interview], after(10))[interview.id]
        later = queries.counts_of(session, [interview], after(10.1))[interview.id]
    assert counts == Counts(invited=4, accepted=0, under_way=2, ended=0)  # the last moment is still theirs
    assert later == Counts(invited=4, accepted=0, under_way=1, ended=1)
