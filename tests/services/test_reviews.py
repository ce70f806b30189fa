"""Reviews: drafts nobody else sees, versions, claims, what finishing opens, scores by hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, select

from grader.errors import NotFound, UserError
from grader.grading.verdict import Verdict
from grader.services import audit_log, invitations, review_page, reviews
from grader.services.packages import Packages
from grader.services.refusals import NotNow, Outdated
from grader.services.review_page import ReviewPage
from grader.store import review_queries
from grader.store.admin_queries import Wanted
from grader.store.interview_models import AuditEntry, Decision, Interview, Invitation, Part, Review, ScoreOverride
from grader.store.models import Attempt, FollowUpAnswer, Submission, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interviewer
from tests.services.made import after, make_attempt, make_candidate, make_judgement
from tests.services.reviewing import END, draft, hand_in, make_judged, make_led, make_member, queries_of

WA = make_judgement(Verdict.WA, ("thrice",), "output")
REASON = "The last slip was mended aloud within a minute."


@pytest.fixture
def led(engine: Engine, packages: Packages) -> tuple[User, Interview]:
    return make_led(engine, packages)


@pytest.fixture
def lead(led: tuple[User, Interview]) -> User:
    return led[0]


@pytest.fixture
def rita(engine: Engine, led: tuple[User, Interview]) -> User:
    return make_member(engine, led[1], "Rita")


@pytest.fixture
def attempt(engine: Engine, led: tuple[User, Interview]) -> Attempt:
    return make_judged(engine, *led, "Ines", WA)


def page(engine: Engine, packages: Packages, user: User, attempt: Attempt, ordinal: int | None = None) -> ReviewPage:
    with read_session(engine) as session:
        reviewed = review_queries.attempt_reviewed(session, user, attempt.public_id)
        return review_page.review_page(session, user, reviewed, packages, ordinal)


def finish(engine: Engine, packages: Packages, user: User, attempt: Attempt, **fields: Any) -> None:
    with write_session(engine) as session:
        reviews.finish(session, user, attempt.public_id, draft(**fields), 0, packages, END)


def actions(engine: Engine) -> list[str]:
    with read_session(engine) as session:
        found = session.scalars(select(AuditEntry.action).order_by(AuditEntry.id))
        return [action for action in found if action.startswith("review.")]


def test_a_draft_is_kept_by_version(engine: Engine, packages: Packages, rita: User, attempt: Attempt) -> None:
    with write_session(engine) as session:
        first = draft(None, shared_note="one", points=(("first", 0),))
        assert reviews.save(session, rita, attempt.public_id, first, 0, packages, END) == 1
    with write_session(engine) as session:
        second = draft(Decision.NO, shared_note="two", private_note="own")
        assert reviews.save(session, rita, attempt.public_id, second, 1, packages, END) == 2
    with write_session(engine) as session, pytest.raises(Outdated, match="newer version") as refused:
        reviews.save(session, rita, attempt.public_id, first, 1, packages, END)
    assert refused.value.status == 412
    own = page(engine, packages, rita, attempt).own
    assert own is not None
    assert (own.shared_note, own.private_note, own.decision, own.version, own.points) == (
        "two", "own", Decision.NO, 2, [],
    )  # fmt: skip
    assert actions(engine) == []


def test_of_two_first_drafts_at_once_one_is_stored(
    engine: Engine, packages: Packages, rita: User, attempt: Attempt
) -> None:
    def save(note: str) -> str:
        try:
            with write_session(engine) as session:
                reviews.save(session, rita, attempt.public_id, draft(shared_note=note), 0, packages, END)
        except Outdated:
            return "outdated"
        return note

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(save, [f"note {number}" for number in range(8)]))
    (kept,) = [result for result in results if result != "outdated"]
    with read_session(engine) as session:
        assert session.scalars(select(Review.shared_note)).all() == [kept]


@pytest.mark.parametrize(
    ("points", "sentence"),
    [((("first", 1),), "no such point"), ((("second", 0),), "no such point"), ((("nowhere", 0),), "no such point")],
)
def test_points_are_those_of_the_rubric(
    engine: Engine, packages: Packages, rita: User, attempt: Attempt, points: tuple[tuple[str, int], ...], sentence: str
) -> None:
    with write_session(engine) as session, pytest.raises(UserError, match=sentence):
        reviews.save(session, rita, attempt.public_id, draft(points=points), 0, packages, END)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (("x" * 20_001, "", "", []), "20000 characters"),
        (("", "", "perhaps", []), "decisions"),
        (("", "", "", ["first"]), "cannot be read"),
        (("", "", "", ["first:0 OR 1"]), "cannot be read"),
    ],
)
def test_a_form_that_cannot_be_read_is_refused(fields: tuple[str, str, str, list[str]], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        reviews.read_draft(*fields)


def test_a_form_is_read() -> None:
    found = reviews.read_draft("a\r\nb\0", "", "yes", ["first:0", "first:0"])
    assert found == draft(Decision.YES, private_note="a\nb\u2400", points=(("first", 0),))


def test_a_finished_review_has_a_decision_and_stays(
    engine: Engine, packages: Packages, rita: User, attempt: Attempt
) -> None:
    with pytest.raises(UserError, match="decision first"):
        finish(engine, packages, rita, attempt, decision=None)
    finish(engine, packages, rita, attempt, points=(("first", 0),))
    with write_session(engine) as session, pytest.raises(NotNow, match="stays as it is"):
        reviews.save(session, rita, attempt.public_id, draft(), 1, packages, END)
    assert actions(engine) == ["review.finish"]
    assert page(engine, packages, rita, attempt).points_given == 1


def test_colleagues_are_read_after_the_own_review_is_final(
    engine: Engine, packages: Packages, lead: User, rita: User, attempt: Attempt
) -> None:
    finish(engine, packages, rita, attempt, shared_note="canary shared", private_note="canary private")
    before = page(engine, packages, lead, attempt)
    assert (before.colleagues, before.waiting_colleagues) == ((), 1)
    finish(engine, packages, lead, attempt, decision=Decision.NO, private_note="of the lead")
    (seen,) = page(engine, packages, lead, attempt).colleagues
    assert (seen.name, seen.review.shared_note, seen.private_note) == ("Rita", "canary shared", "canary private")
    (other,) = page(engine, packages, rita, attempt).colleagues
    assert (other.name, other.review.decision, other.private_note) == ("Lena", Decision.NO, None)


def test_a_draft_is_seen_by_nobody_else(
    engine: Engine, packages: Packages, lead: User, rita: User, attempt: Attempt
) -> None:
    with write_session(engine) as session:
        reviews.save(session, rita, attempt.public_id, draft(shared_note="canary"), 0, packages, END)
    finish(engine, packages, lead, attempt)
    found = page(engine, packages, lead, attempt)
    assert (found.colleagues, found.waiting_colleagues) == ((), 0)
    admin = page(engine, packages, make_interviewer(engine, "Anna", is_admin=True), attempt)
    assert [other.name for other in admin.colleagues] == ["Lena"]


def test_who_has_no_part_finds_nothing(engine: Engine, packages: Packages, rita: User, attempt: Attempt) -> None:
    otto, admin = make_interviewer(engine, "Otto"), make_interviewer(engine, "Anna", is_admin=True)
    rita.is_interviewer = False
    for user in (otto, rita):
        with pytest.raises(NotFound):
            page(engine, packages, user, attempt)
    for user in (otto, rita, admin):
        with write_session(engine) as session:
            with pytest.raises(NotFound):
                reviews.save(session, user, attempt.public_id, draft(), 0, packages, END)
            with pytest.raises(NotFound):
                reviews.claim(session, user, attempt.public_id, END)
            with pytest.raises(NotFound):
                reviews.release(session, user, attempt.public_id, END)
    for user in (otto, rita):
        with write_session(engine) as session, pytest.raises(NotFound):
            reviews.override(session, user, attempt.public_id, 50.0, REASON, 0, END)


def test_practice_is_not_reviewed(engine: Engine, packages: Packages, lead: User) -> None:
    practice = make_attempt(engine, packages, make_candidate(engine))
    for user in (lead, make_interviewer(engine, "Anna", is_admin=True)):
        with pytest.raises(NotFound):
            page(engine, packages, user, practice)


def test_a_claim_is_its_owners_or_the_leads_to_release(
    engine: Engine, lead: User, rita: User, led: tuple[User, Interview], attempt: Attempt
) -> None:
    robin = make_member(engine, led[1], "Robin")
    with write_session(engine) as session:
        reviews.claim(session, rita, attempt.public_id, END)
        reviews.claim(session, rita, attempt.public_id, END)
        with pytest.raises(NotNow, match="Rita has claimed"):
            reviews.claim(session, robin, attempt.public_id, END)
        with pytest.raises(NotNow, match="A colleague has claimed"):
            reviews.release(session, robin, attempt.public_id, END)
        reviews.release(session, lead, attempt.public_id, END)
        reviews.claim(session, robin, attempt.public_id, END)
        reviews.release(session, robin, attempt.public_id, END)
        reviews.release(session, robin, attempt.public_id, END)
    assert actions(engine) == ["review.claim", "review.release", "review.claim", "review.release"]


def test_a_score_by_hand_stands_beside_the_automatic_one(
    engine: Engine, packages: Packages, lead: User, rita: User, attempt: Attempt
) -> None:
    with write_session(engine) as session:
        reviews.override(session, rita, attempt.public_id, 55.0, REASON, 0, after(201))
    assert page(engine, packages, lead, attempt).score == 55.0
    with write_session(engine) as session:
        reviews.override(session, lead, attempt.public_id, None, f"  {REASON}\r\n", 1, after(202))
    found = page(engine, packages, lead, attempt)
    assert (found.score, found.reviewed.attempt.points) == (40.0, 40.0)
    history = [(one.user.name, one.score, one.reason) for one in found.overrides]
    assert history == [("Lena", None, REASON), ("Rita", 55.0, REASON)]
    assert actions(engine) == ["review.override", "review.override"]


def test_of_two_scores_at_once_one_is_stored(engine: Engine, lead: User, rita: User, attempt: Attempt) -> None:
    def override(user: User) -> int:
        try:
            with write_session(engine) as session:
                reviews.override(session, user, attempt.public_id, 50.0 + user.id, REASON, 0, END)
        except Outdated as refused:
            return refused.status
        return 200

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(override, [lead, rita])) == [200, 412]
    with read_session(engine) as session:
        assert len(session.scalars(select(ScoreOverride)).all()) == 1


@pytest.mark.parametrize("reason", ["", "too short", " " * 40, "x" * 2001])
def test_a_score_needs_a_reason(engine: Engine, lead: User, attempt: Attempt, reason: str) -> None:
    with write_session(engine) as session, pytest.raises(UserError, match="Say why"):
        reviews.override(session, lead, attempt.public_id, 50.0, reason, 0, END)


def test_a_score_is_a_number_within_the_problems(engine: Engine, lead: User, attempt: Attempt) -> None:
    assert reviews.read_score(" 55,5 ", 100.0) == 55.5
    assert reviews.read_score("", 100.0) is None
    for text in ("-1", "101", "nan", "inf", "much", "1e9"):
        with pytest.raises(UserError, match="from 0 to 100"):
            reviews.read_score(text, 100.0)
    with write_session(engine) as session, pytest.raises(UserError, match="counts already"):
        reviews.override(session, lead, attempt.public_id, None, REASON, 0, END)


def test_the_page_shows_a_submission_in_full(engine: Engine, packages: Packages, lead: User, attempt: Attempt) -> None:
    hand_in(engine, attempt, 2, make_judgement())
    found = page(engine, packages, lead, attempt, 1).shown
    assert found is not None
    assert found.finding.faults == (("thrice", ""),)
    assert found.finding.stages == (("output", "wrong"),)
    secret = next(case for case in found.cases if case.name == "secret_canary_name")
    assert (secret.detail, secret.prints) == ("canary detail 8642135", "8642135 printed")
    newest = page(engine, packages, lead, attempt).shown
    assert newest is not None
    assert newest.submission.ordinal == 2
    assert "60 points more than before." in newest.between
    with pytest.raises(NotFound):
        page(engine, packages, lead, attempt, 3)


def test_questions_stand_beside_what_is_expected(
    engine: Engine, packages: Packages, lead: User, attempt: Attempt
) -> None:
    with write_session(engine) as session:
        session.add(FollowUpAnswer(attempt_id=attempt.id, question_id="second", text="mine", created_at=after(9)))
    first, second = page(engine, packages, lead, attempt).questions
    assert (first.answer, first.expected, first.rubric) == (None, "canary expected one", ("canary rubric",))
    assert second.answer is not None
    assert (second.answer.text, second.rubric) == ("mine", ())


def test_submissions_of_one_moment_stand_in_their_order(
    engine: Engine, packages: Packages, lead: User, attempt: Attempt
) -> None:
    for number, minutes in ((2, 5.02), (3, 5.01), (4, 6)):
        with write_session(engine) as session:
            session.add(Submission(attempt_id=attempt.id, ordinal=number, source=b"", created_at=after(minutes)))
    events = page(engine, packages, lead, attempt).events
    assert [event.submission for event in events if event.submission] == [1, 2, 3, 4]


def test_the_timeline_is_in_order(engine: Engine, packages: Packages, lead: User, attempt: Attempt) -> None:
    hand_in(engine, attempt, 2, None)
    hand_in(engine, attempt, 3, make_judgement(Verdict.JE))
    events = page(engine, packages, lead, attempt).events
    assert [(event.word, event.kind, event.submission) for event in events] == [
        ("accepted the invitation", "none", None),
        ("started the interview", "info", None),
        ("WA", "bad", 1),
        ("not judged yet", "info", 2),
        ("JE", "ours", 3),
    ]


def test_the_number_of_queries_does_not_grow(
    engine: Engine, packages: Packages, lead: User, rita: User, attempt: Attempt
) -> None:
    finish(engine, packages, rita, attempt)
    finish(engine, packages, lead, attempt)

    def asked() -> int:
        with queries_of(engine) as found:
            page(engine, packages, lead, attempt, 1)
        return len(found)

    before = asked()
    for number in range(2, 8):
        hand_in(engine, attempt, number, WA)
    with read_session(engine) as session:
        reviewed = review_queries.attempt_reviewed(session, lead, attempt.public_id)
        assert reviewed.part is Part.LEAD
    for name in ("Robin", "Sam", "Uma"):
        with read_session(engine) as session:
            interview = session.get_one(Interview, reviewed.interview.id)
        finish(engine, packages, make_member(engine, interview, name), attempt)
    assert asked() == before
    assert before <= 20


def test_nothing_is_settled_while_the_candidate_is_at_work(
    engine: Engine, packages: Packages, rita: User, lead: User, attempt: Attempt
) -> None:
    at_work = after(5)
    with write_session(engine) as session:
        reviewed = review_queries.attempt_reviewed(session, rita, attempt.public_id)
        session.get_one(Invitation, reviewed.invitation.id).ended_at = None
    with pytest.raises(NotNow, match="time is not over yet"), write_session(engine) as session:
        reviews.finish(session, rita, attempt.public_id, draft(), 0, packages, at_work)
    with pytest.raises(NotNow, match="time is not over yet"), write_session(engine) as session:
        reviews.override(session, lead, attempt.public_id, 50.0, REASON, 0, at_work)
    with write_session(engine) as session:
        assert reviews.save(session, rita, attempt.public_id, draft(), 0, packages, at_work) == 1


@pytest.mark.parametrize("how", ["finished", "by hand", "by hand and back"])
def test_nobody_gets_more_time_for_what_is_reviewed(
    engine: Engine, packages: Packages, led: tuple[User, Interview], attempt: Attempt, how: str
) -> None:
    lead, interview = led
    with read_session(engine) as session:
        invitation = session.scalars(select(Invitation).where(Invitation.id == attempt.invitation_id)).one()

    def extend() -> None:
        ids = interview.public_id, invitation.public_id
        with write_session(engine) as session:
            invitations.extend(session, lead, *ids, "10", "a fire drill", END, is_confirmed=True)

    if how == "finished":
        finish(engine, packages, lead, attempt)
    else:
        with write_session(engine) as session:
            reviews.override(session, lead, attempt.public_id, 1.0, REASON, 0, END)
    if how == "by hand and back":
        with write_session(engine) as session:
            reviews.override(session, lead, attempt.public_id, None, REASON, 1, END)
        extend()
    else:
        with pytest.raises(NotNow, match="is reviewed or scored by hand already"):
            extend()


def test_an_admin_reads_nothing_of_an_interview_that_they_sit_in_the_log(
    engine: Engine, led: tuple[User, Interview], attempt: Attempt
) -> None:
    with write_session(engine) as session:
        reviews.override(session, led[0], attempt.public_id, 1.0, REASON, 0, END)
    with read_session(engine) as session:
        sits = session.get_one(User, attempt.candidate_id)
        found = {
            reader: [line.action for line in audit_log.page(session, user, Wanted(), None)[0]]
            for reader, user in (("lead", led[0]), ("candidate", sits))
        }
    tables = {
        "lead": "".join(audit_log.table(engine, led[0], Wanted())),
        "candidate": "".join(audit_log.table(engine, sits, Wanted())),
    }
    assert "review.override" in found["lead"]
    assert "review.override" in tables["lead"]
    assert [action for action in found["candidate"] if action.startswith(("review", "interview", "attempt"))] == []
    assert "review.override" not in tables["candidate"]
