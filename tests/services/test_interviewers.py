"""The interviewers of an interview: who decides on them, and that somebody always leads, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.services import accounts, interviewers, invitations, taking
from grader.services.interviewers import SitsHere
from grader.services.packages import Packages
from grader.store import interview_queries as queries
from grader.store.interview_models import Interview, InterviewMember, Part
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, invitation_with, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, make_candidate
from tests.services.test_interviews import actions, stored


@pytest.fixture
def lead(engine: Engine) -> User:
    return make_interviewer(engine, "Lena")


@pytest.fixture
def interview(engine: Engine, packages: Packages, lead: User) -> Interview:
    return make_interview(engine, packages, lead)


def test_an_interview_never_loses_its_last_lead(engine: Engine, lead: User, interview: Interview) -> None:
    rob = make_interviewer(engine, "Rob")

    def act(call: Callable[[Session], None]) -> None:
        with write_session(engine) as session:
            call(session)

    act(lambda session: interviewers.set_part(session, lead, interview.public_id, "ROB", Part.REVIEWER, NOON))
    for alone in (
        lambda session: interviewers.set_part(session, lead, interview.public_id, "Lena", Part.REVIEWER, NOON),
        lambda session: interviewers.remove(session, lead, interview.public_id, lead.public_id, NOON),
    ):
        with pytest.raises(UserError, match="Somebody has to lead an interview"):
            act(alone)
    act(lambda session: interviewers.set_part(session, lead, interview.public_id, "Rob", Part.LEAD, NOON))
    act(lambda session: interviewers.remove(session, rob, interview.public_id, lead.public_id, NOON))
    assert [member.user.name for member in stored(engine, rob, interview).members] == ["Rob"]
    with read_session(engine) as session, pytest.raises(NotFound):
        queries.interview_of(session, lead, interview.public_id)


def test_who_may_not_interview_any_more_is_no_lead_who_stays(engine: Engine, lead: User, interview: Interview) -> None:
    rob, admin = make_interviewer(engine, "Rob"), make_interviewer(engine, "Root", is_admin=True)
    xena = make_interviewer(engine, "Xena")

    def act(call: Callable[[Session], object]) -> None:
        with write_session(engine) as session:
            call(session)

    for name, part in (("Rob", Part.LEAD), ("Xena", Part.REVIEWER)):
        act(lambda session: interviewers.set_part(session, lead, interview.public_id, name, part, NOON))  # noqa: B023
    act(lambda session: accounts.set_rights(session, rob, NOON, is_interviewer=False, is_admin=None))
    for alone in (
        lambda session: interviewers.set_part(session, lead, interview.public_id, "Lena", Part.REVIEWER, NOON),
        lambda session: interviewers.remove(session, lead, interview.public_id, lead.public_id, NOON),
    ):
        with pytest.raises(UserError, match="Somebody has to lead an interview"):
            act(alone)
    act(lambda session: accounts.remove(session, lead, NOON))
    with pytest.raises(UserError, match="Somebody has to lead an interview"):
        act(lambda session: interviewers.remove(session, admin, interview.public_id, rob.public_id, NOON))
    act(lambda session: interviewers.remove(session, admin, interview.public_id, xena.public_id, NOON))
    act(lambda session: interviewers.set_part(session, admin, interview.public_id, "Xena", Part.LEAD, NOON))
    act(lambda session: interviewers.remove(session, admin, interview.public_id, rob.public_id, NOON))
    assert [member.user.name for member in stored(engine, xena, interview).members][1:] == ["Xena"]


def test_an_admin_can_take_an_interview_over(engine: Engine, interview: Interview) -> None:
    admin = make_interviewer(engine, "Root", is_admin=True)
    make_interviewer(engine, "Rob")
    with write_session(engine) as session:
        interviewers.set_part(session, admin, interview.public_id, "Rob", Part.LEAD, NOON)
    assert actions(engine) == ["interview.create", "interview.member"]


def test_who_may_not_interview_becomes_no_interviewer(engine: Engine, lead: User, interview: Interview) -> None:
    make_candidate(engine, "Ines")
    messages = []
    for name in ("Ines", "Nobody"):
        with pytest.raises(UserError) as error, write_session(engine) as session:
            interviewers.set_part(session, lead, interview.public_id, name, Part.REVIEWER, NOON)
        messages.append(error.value.message.replace(f"called {name}", "called NAME"))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("is_admin", [False, True])
def test_who_has_accepted_a_place_becomes_no_interviewer_there(
    engine: Engine, lead: User, interview: Interview, is_admin: bool
) -> None:
    rob = make_interviewer(engine, "Rob")
    decides = make_interviewer(engine, "Root", is_admin=True) if is_admin else lead
    (invited,) = make_invitations(engine, lead, interview, "Somebody")
    with write_session(engine) as session:
        taking.accept(session, rob, invited.token, NOON)
    with pytest.raises(SitsHere, match="nobody interviews and sits the same one"), write_session(engine) as session:
        interviewers.set_part(session, decides, interview.public_id, "Rob", Part.REVIEWER, NOON)
    assert [member.user.name for member in stored(engine, lead, interview).members] == ["Lena"]


def test_who_lost_the_place_before_the_start_may_interview_there(
    engine: Engine, lead: User, interview: Interview
) -> None:
    rob = make_interviewer(engine, "Rob")
    (invited,) = make_invitations(engine, lead, interview, "Somebody")
    with write_session(engine) as session:
        taking.accept(session, rob, invited.token, NOON)
    with write_session(engine) as session:
        place = invitation_with(engine, invited.token).public_id
        invitations.revoke(session, lead, interview.public_id, place, NOON)
    with write_session(engine) as session:
        interviewers.set_part(session, lead, interview.public_id, "Rob", Part.REVIEWER, NOON)
    assert [member.user.name for member in stored(engine, rob, interview).members] == ["Lena", "Rob"]


@pytest.mark.parametrize("is_admin", [False, True])
def test_whatever_rows_say_a_candidate_finds_no_interview_of_their_own(
    engine: Engine, lead: User, interview: Interview, is_admin: bool
) -> None:
    rob = make_interviewer(engine, "Rob", is_admin=is_admin)
    (invited,) = make_invitations(engine, lead, interview, "Somebody")
    begin(engine, invited.token, rob, NOON)
    with write_session(engine) as session:
        session.add(InterviewMember(interview_id=interview.id, user_id=rob.id, part=Part.LEAD))
    with read_session(engine) as session:
        with pytest.raises(NotFound):
            queries.interview_of(session, rob, interview.public_id)
        assert sum(queries.phases_of(session, rob, NOON).values()) == 0
