"""Invitations as interviewers handle them, and the live view, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, event, select, update

from grader.errors import NotFound
from grader.grading.verdict import Verdict
from grader.services import interviewers, interviews, invitations, live, taking
from grader.services.candidate_stage import Stage, State
from grader.services.interview_settings import UnusableSettings
from grader.services.invitation_names import LIST_BYTES_MAX, Alike, read_names
from grader.services.invitations import INVITATIONS_MAX
from grader.services.live import Live, Waiting
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.sessions import hash_of
from grader.services.time_changes import all_changes
from grader.store import interview_queries as queries
from grader.store.interview_models import AuditEntry, Interview, Invitation, Part, Shown
from grader.store.models import Submission, User
from grader.store.session import read_session, write_session
from grader.store.time_models import Extension
from tests.services.interviewing import begin, invitation_with, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate

NAMES: Final = yaml.safe_load((Path(__file__).parent / "interviews.yaml").read_text())["names"]


@pytest.fixture
def lead(engine: Engine) -> User:
    return make_interviewer(engine, "Lena")


@pytest.fixture
def interview(engine: Engine, packages: Packages, lead: User) -> Interview:
    return make_interview(engine, packages, lead)


def live_of(engine: Engine, user: User, interview: Interview, minutes: float, page: int = 1) -> Live:
    with read_session(engine) as session:
        return live.live(session, queries.interview_of(session, user, interview.public_id), page, after(minutes))


def extend(
    engine: Engine,
    user: User,
    interview: Interview,
    invitation: Invitation,
    at: float,
    minutes: str = "15",
    *,
    is_confirmed: bool = True,
) -> Extension:
    with write_session(engine) as session:
        ids, reason = (interview.public_id, invitation.public_id), "The fire alarm rang."
        return invitations.extend(session, user, *ids, minutes, reason, after(at), is_confirmed=is_confirmed)


@pytest.mark.parametrize("case", NAMES, ids=lambda case: repr(case.get("text", case.get("file")))[:40])
def test_names_are_read_from_lines_or_a_table(case: dict[str, Any]) -> None:
    data = case["file"].encode() if "file" in case else case["text"]
    if "names" in case:
        assert read_names(data) == case["names"]
    else:
        with pytest.raises(UnusableSettings) as error:
            read_names(data)
        assert error.value.message.startswith(case["refused"])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"x" * (LIST_BYTES_MAX + 1), "The file is too large"),
        ("x" * (LIST_BYTES_MAX + 1), "The list is too long"),
        ("Ines\xe9".encode("latin-1"), "The file is no text in UTF-8"),
        (b"x" * 140_000, "The list is no CSV file"),
    ],
)
def test_lists_that_cannot_be_read_are_refused(data: bytes | str, sentence: str) -> None:
    with pytest.raises(UnusableSettings, match=sentence):
        read_names(data)


def test_each_candidate_gets_a_link_whose_hash_alone_is_kept(engine: Engine, lead: User, interview: Interview) -> None:
    with write_session(engine) as session:
        names = ["Ines", "Tomasz", "INES"]
        made = invitations.invite(session, lead, interview.public_id, names, NOON)
    assert [one.label for one in made.made] == ["Ines", "Tomasz"]
    assert made.left_out == ("INES",)
    assert {len(one.token) for one in made.made} == {43}
    with read_session(engine) as session:
        rows = session.execute(select(Invitation.label, Invitation.token_sha256).order_by(Invitation.id)).all()
        audit = session.scalars(select(AuditEntry.detail).where(AuditEntry.action == "invitation.make")).all()
    assert [tuple(row) for row in rows] == [(one.label, hash_of(one.token)) for one in made.made]
    assert audit == ['{"number": 2}']


def test_a_list_that_says_nothing_new_leaves_no_entry(engine: Engine, lead: User, interview: Interview) -> None:
    make_invitations(engine, lead, interview, "Ines")
    assert make_invitations(engine, lead, interview, "Ines") == []
    with read_session(engine) as session:
        assert len(session.scalars(select(AuditEntry).where(AuditEntry.action == "invitation.make")).all()) == 1


def test_an_interview_has_only_so_many_candidates(engine: Engine, lead: User, interview: Interview) -> None:
    make_invitations(engine, lead, interview, *(f"Candidate {number}" for number in range(INVITATIONS_MAX)))
    with pytest.raises(UnusableSettings, match="at most 1000 candidates"):
        make_invitations(engine, lead, interview, "One more")


def test_a_new_link_ends_the_old_one(engine: Engine, lead: User, interview: Interview) -> None:
    (old,) = make_invitations(engine, lead, interview, "Ines")
    invitation = invitation_with(engine, old.token)
    with write_session(engine) as session:
        new = invitations.renew(session, lead, interview.public_id, invitation.public_id, after(1))
    with read_session(engine) as session:
        found = invitations.with_tokens(session, interview, [old.token, new.token, "x"])
    assert found == [new]


def test_who_has_accepted_needs_no_link(engine: Engine, lead: User, interview: Interview) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    invitation = invitation_with(engine, invited.token)
    candidate = make_candidate(engine)
    with write_session(engine) as session:
        session.execute(update(Invitation).values(accepted_at=after(1), user_id=candidate.id))
    with pytest.raises(NotNow, match="Ines has accepted already"), write_session(engine) as session:
        invitations.renew(session, lead, interview.public_id, invitation.public_id, after(2))
    with write_session(engine) as session:
        invitations.revoke(session, lead, interview.public_id, invitation.public_id, after(2))
    assert live_of(engine, lead, interview, 3).lines[0].state is State.REVOKED
    with write_session(engine) as session:
        invitations.renew(session, lead, interview.public_id, invitation.public_id, after(4))
    line = live_of(engine, lead, interview, 5).lines[0]
    assert (line.state, line.invitation.user_id) == (State.NOT_ACCEPTED, None)


def test_who_has_started_is_not_revoked(engine: Engine, lead: User, interview: Interview) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    invitation = invitation_with(engine, invited.token)
    with pytest.raises(NotNow, match="Ines has started"), write_session(engine) as session:
        invitations.revoke(session, lead, interview.public_id, invitation.public_id, after(2))


def test_more_time_moves_the_end_of_who_is_under_way(engine: Engine, lead: User, interview: Interview) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1), 60)
    extend(engine, lead, interview, invitation_with(engine, invited.token), 61)
    invitation = invitation_with(engine, invited.token)
    assert invitation.ends_at == after(76)
    with read_session(engine) as session:
        (change,) = all_changes(session, invitation)
    assert (change.minutes, change.reason, change.by) == (15, "The fire alarm rang.", "Lena")


def test_more_time_after_the_end_counts_from_now(engine: Engine, lead: User, interview: Interview) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1), 60)
    with write_session(engine) as session:
        session.execute(update(Invitation).values(ended_at=after(61)))
    extend(engine, lead, interview, invitation_with(engine, invited.token), 90)
    invitation = invitation_with(engine, invited.token)
    assert (invitation.ends_at, invitation.ended_at) == (after(105), None)
    assert live_of(engine, lead, interview, 91).lines[0].seconds_left == 14 * 60


def test_more_time_is_refused_where_it_would_be_none(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    closing = make_interview(engine, packages, lead, closes_at=after(70))
    (waiting,) = make_invitations(engine, lead, interview, "Ines")
    (invited,) = make_invitations(engine, lead, closing, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1), 60)
    with pytest.raises(NotNow, match="has not started yet"):
        extend(engine, lead, interview, invitation_with(engine, waiting.token), 5)
    with pytest.raises(NotNow, match="closes at 01 Mar 2026 13:10 UTC, before that time would be over"):
        extend(engine, lead, closing, invitation_with(engine, invited.token), 5, "10")
    extend(engine, lead, closing, invitation_with(engine, invited.token), 5, "9")
    with write_session(engine) as session:
        interviews.release(session, lead, closing.public_id, after(71))
    with pytest.raises(NotNow, match="results are released"):
        extend(engine, lead, closing, invitation_with(engine, invited.token), 72)


@pytest.mark.parametrize("minutes", ["", "0", "-5", "1441", "1.5", "x", "٣", "1e2", "9" * 5000])
def test_minutes_are_a_whole_number(engine: Engine, lead: User, interview: Interview, minutes: str) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    with pytest.raises(UnusableSettings, match="whole number from 1 to 1440"):
        extend(engine, lead, interview, invitation_with(engine, invited.token), 5, minutes)


def test_a_lead_ends_a_candidates_time(engine: Engine, lead: User, interview: Interview) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1), 60)
    invitation = invitation_with(engine, invited.token)
    ids = interview.public_id, invitation.public_id
    with pytest.raises(UnusableSettings, match="Write down why"), write_session(engine) as session:
        invitations.end_early(session, lead, *ids, " ", after(5), is_told=False)
    with write_session(engine) as session:
        invitations.end_early(session, lead, *ids, "Left the room.", after(5), is_told=False)
    assert live_of(engine, lead, interview, 5.1).lines[0].state is State.ENDED
    with pytest.raises(NotNow, match="Ines is not under way"), write_session(engine) as session:
        invitations.end_early(session, lead, *ids, "Again.", after(6), is_told=False)


def test_only_leads_invite_and_change_time(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    invitation = invitation_with(engine, invited.token)
    reviewer, other = make_interviewer(engine, "Rob"), make_interviewer(engine, "Xena")
    with write_session(engine) as session:
        interviewers.set_part(session, lead, interview.public_id, "Rob", Part.REVIEWER, NOON)
    theirs = make_interview(engine, packages, other)
    for user, within in ((reviewer, interview), (other, interview), (other, theirs)):
        ids = within.public_id, invitation.public_id
        with pytest.raises(NotFound), write_session(engine) as session:
            invitations.renew(session, user, *ids, NOON)
        with pytest.raises(NotFound), write_session(engine) as session:
            invitations.revoke(session, user, *ids, NOON)
        with pytest.raises(NotFound), write_session(engine) as session:
            invitations.extend(session, user, *ids, "5", "Because.", NOON)
        with pytest.raises(NotFound), write_session(engine) as session:
            invitations.end_early(session, user, *ids, "Because.", NOON, is_told=True)
    for user in (reviewer, other):
        with pytest.raises(NotFound), write_session(engine) as session:
            invitations.invite(session, user, interview.public_id, ["Eve"], NOON)


def test_nobody_is_invited_to_what_is_over(engine: Engine, packages: Packages, lead: User) -> None:
    closed, archived = (make_interview(engine, packages, lead) for _ in range(2))
    with write_session(engine) as session:
        session.execute(update(Interview).where(Interview.id == closed.id).values(closes_at=NOON))
        interviews.archive(session, lead, archived.public_id, NOON, is_archived=True)
    for interview, word in ((closed, "closed"), (archived, "archived")):
        with pytest.raises(NotNow, match=f"This interview is {word}"):
            make_invitations(engine, lead, interview, "Ines")


def test_the_live_view_says_where_everybody_is(engine: Engine, lead: User, interview: Interview) -> None:
    tokens = [one.token for one in make_invitations(engine, lead, interview, "A", "B", "C", "D")]
    judged = begin(engine, tokens[0], make_candidate(engine), after(1), 60)
    waiting = begin(engine, tokens[1], make_candidate(engine), after(1), 60)
    with write_session(engine) as session:
        for attempt, verdict, ordinal in ((judged, Verdict.AC, 1), (judged, Verdict.WA, 2), (waiting, None, 1)):
            session.add(
                Submission(attempt_id=attempt.id, ordinal=ordinal, source=b"x", created_at=after(9), verdict=verdict)
            )
    view = live_of(engine, lead, interview, 10)
    assert [line.state for line in view.lines] == [
        State.STARTED,
        State.STARTED,
        State.NOT_ACCEPTED,
        State.NOT_ACCEPTED,
    ]
    first, second = view.lines[0], view.lines[1]
    assert first.seconds_left == 51 * 60
    assert first.tried[0] is not None
    assert (first.tried[0].submissions, first.tried[0].verdict, first.waiting) == (2, Verdict.WA, (None,))
    assert second.waiting == (Waiting(place=1, seconds=60),)
    assert view.lines[2].tried == (None,)
    assert view.can_change


@pytest.mark.parametrize("ended", ["closes_at", "archived_at", "released_at"])
def test_interviewers_and_candidates_are_told_alike_who_can_start_no_more(
    engine: Engine, lead: User, interview: Interview, ended: str
) -> None:
    tokens = [one.token for one in make_invitations(engine, lead, interview, "A", "B", "C")]
    begin(engine, tokens[0], make_candidate(engine), after(1), 60)
    ines = make_candidate(engine)
    with write_session(engine) as session:
        taking.accept(session, ines, tokens[1], after(2))
    with write_session(engine) as session:
        setattr(session.get_one(Interview, interview.id), ended, after(10))
    view = live_of(engine, lead, interview, 11)
    assert [line.state for line in view.lines] == [State.STARTED, State.MISSED, State.MISSED]
    with read_session(engine) as session:
        assert [stage for _, stage in taking.own(session, ines, after(11))] == [Stage.MISSED]
    assert view.can_change  # one is under way
    assert not live_of(engine, lead, interview, 62).can_change


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """Collect the statements that are run within the block."""
    statements: list[str] = []

    def note(_: object, __: object, statement: str, *rest: object) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


def test_lists_ask_as_many_questions_however_long_they_are(
    engine: Engine, packages: Packages, lead: User, interview: Interview
) -> None:
    asked: dict[int, tuple[int, int]] = {}
    for number in (2, 40):
        names = [f"Candidate {number} {one}" for one in range(number)]
        for one in make_invitations(engine, lead, interview, *names)[: number // 2]:
            begin(engine, one.token, make_candidate(engine), after(1))
        make_interview(engine, packages, lead, title=f"More {number}")
        with counted(engine) as of_live:
            live_of(engine, lead, interview, 5)
        with counted(engine) as of_list, read_session(engine) as session:
            found = queries.interviews_of(session, lead, queries.Phase.PLANNED, after(5), 0, 50)
            queries.counts_of(session, found, after(5))
        asked[number] = len(of_live), len(of_list)
    assert asked[2] == asked[40]
    assert asked[40][0] <= 12


def test_a_page_shows_a_hundred_candidates(engine: Engine, lead: User, interview: Interview) -> None:
    make_invitations(engine, lead, interview, *(f"Candidate {number}" for number in range(101)))
    assert [len(live_of(engine, lead, interview, 5, page).lines) for page in (1, 2)] == [100, 1]
    beyond = live_of(engine, lead, interview, 5, 9)
    assert (beyond.page, beyond.pages, beyond.number) == (2, 2, 101)


def test_nobody_gets_more_time_once_answers_can_be_read(engine: Engine, packages: Packages, lead: User) -> None:
    interview = make_interview(engine, packages, lead, answers=Shown.AFTER_END)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    with write_session(engine) as session:
        interviews.archive(session, lead, interview.public_id, after(62), is_archived=True)
    with pytest.raises(NotNow, match="candidates can read the answers, and nobody gets more time"):
        extend(engine, lead, interview, invitation_with(engine, invited.token), 63)
    with write_session(engine) as session:
        interviews.archive(session, lead, interview.public_id, after(64), is_archived=False)
    with pytest.raises(NotNow, match="candidates can read the answers, and nobody gets more time"):
        extend(engine, lead, interview, invitation_with(engine, invited.token), 65)


def test_nobody_gets_more_time_in_the_archive(engine: Engine, packages: Packages, lead: User) -> None:
    interview = make_interview(engine, packages, lead)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    with write_session(engine) as session:
        interviews.archive(session, lead, interview.public_id, after(62), is_archived=True)
    with pytest.raises(NotNow, match="is archived; take it out of the archive to give more time"):
        extend(engine, lead, interview, invitation_with(engine, invited.token), 63)


def test_names_that_look_alike_are_told_and_invited(engine: Engine, lead: User, interview: Interview) -> None:
    make_invitations(engine, lead, interview, "Anna")
    with write_session(engine) as session:
        found = invitations.invite(
            session, lead, interview.public_id, ["\u0410nna", "Bo", "\u0412o", "No\u00ebl", "Noel", "BO"], NOON
        )
    assert [one.label for one in found.made] == ["\u0410nna", "Bo", "\u0412o", "No\u00ebl", "Noel"]
    assert found.left_out == ("BO",)
    assert found.alike == (
        Alike("\u0410nna", "Anna", 1, "cyrillic capital letter a"),
        Alike("\u0412o", "Bo", 1, "cyrillic capital letter ve"),
    )


@pytest.mark.parametrize(
    ("verdicts", "points", "told"),
    [
        (Shown.AT_ONCE, Shown.AT_ONCE, "follow-up questions"),
        (Shown.AT_ONCE, Shown.AFTER_END, "points and follow-up questions"),
        (Shown.AFTER_END, Shown.AFTER_END, "verdicts, points and follow-up questions"),
    ],
)
def test_who_could_read_more_since_the_end_goes_on_by_a_confirmation_that_is_kept(
    engine: Engine, packages: Packages, lead: User, verdicts: Shown, points: Shown, told: str
) -> None:
    interview = make_interview(engine, packages, lead, verdicts=verdicts, points=points)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    invitation = invitation_with(engine, invited.token)
    with pytest.raises(UnusableSettings, match=f"they can read {told}; confirm that below"):
        extend(engine, lead, interview, invitation, 70, is_confirmed=False)
    extend(engine, lead, interview, invitation, 70)
    with read_session(engine) as session:
        (change,) = all_changes(session, invitation)
        detail = session.scalars(select(AuditEntry.detail).filter_by(action="invitation.extend")).one()
    assert change.reason == f"The fire alarm rang. ({told.capitalize()} could be read before.)"
    assert json.loads(detail)["told_before"] == told
