"""Names are one whatever their case; rights and deletion leave the service an admin."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, select

from grader.errors import NotFound, UserError
from grader.services import accounts, deadline, drafts, invitations, sessions
from grader.services.accounts import NameTaken
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.time_changes import all_changes
from grader.store.interview_models import AuditEntry, Invitation
from grader.store.models import Submission, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, invitation_with, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate


def make_admin(engine: Engine, name: str) -> User:
    with write_session(engine) as session:
        return accounts.add(session, name, None, NOON, is_admin=True)


def test_a_name_is_taken_whatever_its_case(engine: Engine) -> None:
    make_candidate(engine, "Ada Lovelace")
    for other in ("ada lovelace", "ADA  LOVELACE", " Ada\tLovelace "):
        with pytest.raises(NameTaken, match="is taken; choose another"):
            make_candidate(engine, other)


def test_renaming_keeps_the_account_and_refuses_a_taken_name(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    make_candidate(engine, "Eve")
    with write_session(engine) as session:
        accounts.rename(session, ada, "ADA", NOON)
    with pytest.raises(NameTaken), write_session(engine) as session:
        accounts.rename(session, ada, "eve", NOON)
    with read_session(engine) as session:
        found = accounts.named(session, "ada")
    assert (found.id, found.name) == (ada.id, "ADA")


def test_rights_change_and_end_the_sessions_of_the_user(engine: Engine) -> None:
    make_admin(engine, "Root")
    ada = make_candidate(engine, "Ada")
    with write_session(engine) as session:
        token = sessions.begin(session, ada, "Firefox", NOON, is_kept=True)
    with write_session(engine) as session:
        changed = accounts.set_rights(session, ada, NOON, is_interviewer=True, is_admin=None)
    assert (changed.is_interviewer, changed.is_admin, changed.epoch) == (True, False, 2)
    with read_session(engine) as session:
        assert sessions.recognise(session, token, NOON) is None


def test_the_last_admin_stays_one(engine: Engine) -> None:
    root, ada = make_admin(engine, "Root"), make_admin(engine, "Ada")
    with write_session(engine) as session:
        accounts.set_rights(session, ada, NOON, is_interviewer=None, is_admin=False)
    for change in (
        lambda session: accounts.set_rights(session, root, NOON, is_interviewer=None, is_admin=False),
        lambda session: accounts.remove(session, root, NOON),
    ):
        with pytest.raises(UserError, match="only admin"), write_session(engine) as session:
            change(session)


def test_who_is_alone_may_go(engine: Engine) -> None:
    root = make_admin(engine, "Root")
    with write_session(engine) as session:
        accounts.remove(session, root, NOON)
    with pytest.raises(NotFound), read_session(engine) as session:
        accounts.named(session, "Root")


def test_what_is_taken_ends_with_the_account(engine: Engine, packages: Packages) -> None:
    lead, ada = make_interviewer(engine, "Lena"), make_candidate(engine, "Ada")
    interview = make_interview(engine, packages, lead)
    (invited,) = make_invitations(engine, lead, interview, "Ada L.")
    attempt = begin(engine, invited.token, ada, NOON)
    with write_session(engine) as session:
        drafts.save(session, ada, attempt.public_id, b"half of it", None, packages, after(10))
    with write_session(engine) as session:
        accounts.remove(session, ada, after(20), ada)
    deadline.close_due(engine, packages, lambda session, submission: None, after(21))
    with write_session(engine) as session:
        place = session.get_one(Invitation, invitation_with(engine, invited.token).id)
        assert (place.ends_at, place.ended_at) == (after(20), after(20))
        (change,) = all_changes(session, place)
        assert (change.at, change.minutes, change.reason) == (after(20), None, "The account was deleted.")
        assert list(session.scalars(select(Submission.source))) == [b"half of it"]
        actions = select(AuditEntry.action).where(AuditEntry.interview_id.is_not(None)).order_by(AuditEntry.id)
        assert list(session.scalars(actions))[-2:] == ["invitation.end", "invitation.close"]
        with pytest.raises(NotNow, match=r"The account of Ada L\. is deleted, so nobody could go on"):
            invitations.extend(session, lead, interview.public_id, place.public_id, "5", "Because.", after(30))


def test_a_place_that_is_over_keeps_its_end_when_the_account_goes(engine: Engine, packages: Packages) -> None:
    lead, ada = make_interviewer(engine, "Lena"), make_candidate(engine, "Ada")
    (invited,) = make_invitations(engine, lead, make_interview(engine, packages, lead), "Ada L.")
    begin(engine, invited.token, ada, NOON)
    with write_session(engine) as session:
        accounts.remove(session, ada, after(90), ada)
    assert invitation_with(engine, invited.token).ends_at == after(60)
