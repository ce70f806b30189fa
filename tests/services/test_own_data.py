"""A user takes everything along that is theirs, and deletes all of it; others' rows and secrets stay where they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from grader.errors import NotFound, UserError
from grader.grading.verdict import Verdict
from grader.services import accounts, attempts, links, own_data, sessions
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.store.base import Base
from grader.store.credential_models import ApiToken, SignInFailure
from grader.store.interview_models import IdempotentReply, Rejudge
from grader.store.models import FollowUpAnswer, Package, SampleRun, Submission, User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.tiny_package import HIDDEN, NEVER, SLUG

# records of interviews outlive an account
KEPT = {
    "batch_run",
    "batch_source",
    "evidence_record",
    "early_end",
    "extension",
    "interview",
    "interview_member",
    "interview_problem",
    "invitation",
    "package_check",
    "rejudge",
    "rejudge_item",
    "rejudged_attempt",
    "repeated_reading",
    "review",
    "rubric_point",
    "score_override",
}


def fill(engine: Engine, packages: Packages, user: User) -> None:
    """Give a user a row in every table that has rows of users."""
    attempt = make_attempt(engine, packages, user)
    judged = make_submission(engine, user, attempt, b"x = 1  # \xc3\xa9\n")
    assert write_result(engine, judged.id, make_judgement(Verdict.WA, ("thrice",)), after(2))
    make_submission(engine, user, attempt, b"\0\xff\xfe", 3)
    with write_session(engine) as session:
        attempts.give_up(session, user, attempt.public_id, after(4))
        session.add(
            FollowUpAnswer(attempt_id=attempt.id, question_id="first", text="own words \u202e", created_at=NOON)
        )
        session.add(SampleRun(attempt_id=attempt.id, ordinal=1, source=b"run = 1\n", created_at=NOON))
        session.add(SignInFailure(name_key=user.name_key, address="192.0.2.1", count=1, last_at=NOON))
        sessions.begin(session, user, "Firefox on Linux", NOON, is_kept=True)
        links.make(session, user, NOON, links.RESET)
        token = {"public_id": f"api-{user.id}", "token_sha256": f"{user.id:064}", "expires_at": after(60)}
        session.add(
            ApiToken(user_id=user.id, name="mine", prefix="grd", scopes="read", epoch=1, created_at=NOON, **token)
        )
        session.add(
            IdempotentReply(
                user_id=user.id, route="r", key="k", body_sha256="0" * 64, status=200, reply=b"", created_at=NOON
            )
        )
        stored = attempts.give_up(session, user, attempt.public_id, NOON)
        stored.draft, stored.draft_saved_at = b"draft = 1\n", NOON


def exported(engine: Engine, packages: Packages, user: User) -> tuple[str, dict[str, Any]]:
    text = "".join(own_data.export(engine, user, packages, after(10)))
    return text, json.loads(text)


def counts(engine: Engine) -> dict[str, int]:
    with read_session(engine) as session:
        return {
            name: session.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
            if name != "audit_entry"  # the log of what was done stays, with a public id alone
        }


def test_everything_is_taken_along_but_no_secret(engine: Engine, packages: Packages) -> None:
    ada, eve = make_candidate(engine, "Ada"), make_candidate(engine, "Eve")
    fill(engine, packages, ada)
    text, data = exported(engine, packages, ada)
    assert (data["schema"], data["exported_at"], data["user"]["name"]) == (1, "2026-03-01T12:10:00Z", "Ada")
    assert [session["device"] for session in data["sessions"]] == ["Firefox on Linux"]
    (attempt,) = data["attempts"]
    assert (attempt["problem"], attempt["variant"], attempt["given_up_at"]) == (SLUG, "only", "2026-03-01T12:04:00Z")
    assert attempt["draft"] == {"text": "draft = 1\n"}
    judged, waiting = attempt["submissions"]
    assert (judged["verdict"], judged["score"], judged["source"]) == ("WA", 40.0, {"text": "x = 1  # é\n"})
    assert judged["groups"][1] == {"name": "values", "points": 0.0, "max_points": 60.0}
    assert (waiting["verdict"], waiting["source"]) == (None, {"base64": "AP/+"})
    assert [answer["answer"] for answer in attempt["answers"]] == ["own words \u202e"]
    assert [run["source"] for run in attempt["sample_runs"]] == [{"text": "run = 1\n"}]
    assert text.isascii()
    for secret in (*HIDDEN, *NEVER, "secret_", "canary detail", "8642135", "password", "token", "thrice"):
        assert secret not in text, secret
    assert exported(engine, packages, eve)[1]["attempts"] == []


def test_deleting_leaves_nothing_of_the_user_and_all_of_others(engine: Engine, packages: Packages) -> None:
    eve = make_candidate(engine, "Eve")
    fill(engine, packages, eve)
    before = counts(engine)
    assert {name for name, number in before.items() if number == 0} == KEPT
    ada = make_candidate(engine, "Ada")
    fill(engine, packages, ada)
    with write_session(engine) as session:
        accounts.remove(session, ada, NOON)
    assert counts(engine) == before
    assert len(exported(engine, packages, eve)[1]["attempts"][0]["submissions"]) == 2


def test_a_result_that_comes_after_the_deletion_is_dropped(engine: Engine, packages: Packages) -> None:
    ada = make_candidate(engine, "Ada")
    submission = make_submission(engine, ada, make_attempt(engine, packages, ada))
    with write_session(engine) as session:
        accounts.remove(session, ada, NOON)
    assert not write_result(engine, submission.id, make_judgement(), after(5))
    with read_session(engine) as session:
        assert session.scalar(select(func.count(Submission.id))) == 0


def test_who_is_named_by_records_of_interviews_is_a_former_user_there(engine: Engine, packages: Packages) -> None:
    eve = make_candidate(engine, "Eve")
    fill(engine, packages, eve)
    before = counts(engine)
    ada = make_candidate(engine, "Ada")
    fill(engine, packages, ada)
    with write_session(engine) as session:
        package = session.scalars(select(Package.id)).one()
        session.add(Rejudge(user_id=ada.id, from_package_id=package, to_package_id=package, created_at=NOON))
    with write_session(engine) as session:
        assert not accounts.remove(session, ada, NOON)
    assert counts(engine) == before | {"user_account": 2, "rejudge": 1}
    with read_session(engine) as session:
        left = session.get_one(User, ada.id)
    assert (left.name, left.password_hash) == (f"former user {ada.public_id}", None)
    make_candidate(engine, "Ada")  # the name is free
    with write_session(engine) as session:
        former = session.get_one(User, ada.id)
        with pytest.raises(UserError, match="is deleted for good, so no link opens the account"):
            links.make(session, former, NOON, links.RESET)
        with pytest.raises(NotFound):
            accounts.set_rights(session, former, NOON, is_interviewer=True, is_admin=True)
        with pytest.raises(NotFound):
            accounts.set_password(session, former, "hash", NOON)
