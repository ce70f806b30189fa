"""What is taken along of an interview: every row of it, nothing of others, within little memory."""

from __future__ import annotations

import csv
import io
import json
import time
import zlib
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, insert, select, update

from grader.errors import NotFound, UserError
from grader.grading.verdict import Failure, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import exports, live
from grader.services.packages import Packages
from grader.services.packets import note, packet
from grader.store import interview_queries
from grader.store.base import Mode
from grader.store.interview_models import AuditEntry, Interview, Invitation, Review, ScoreOverride
from grader.store.models import (
    Attempt,
    CaseResult,
    EvidenceRecord,
    FollowUpAnswer,
    Submission,
    User,
)
from grader.store.session import read_session, write_session
from grader.wording import iso_time
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate, make_judgement
from tests.services.rejudging import SOURCES, Room
from tests.services.reviewing import make_judged, make_led

MEMORY_KIB = 64 << 10


@pytest.fixture
def room(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, tmp_path: Path) -> Room:
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    return room


def text(room: Room, word: str, user: User | None = None) -> str:
    export = exports.export(room.engine, user or room.lead, room.interview.public_id, word, NOON)
    return "".join(export.pieces)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.sandbox
def test_every_case_of_every_submission_is_a_line(room: Room) -> None:
    room.hand_in(room.attempts[0], *SOURCES)
    rows = table(text(room, "long"))
    assert [
        (row["candidate"], row["submission"], row["verdict"], row["case"], row["case_verdict"]) for row in rows
    ] == [
        ("Ines", "1", "WA", "sample_format", "WA"),
        ("Ines", "1", "WA", "secret_canary_name", "WA"),
        ("Ines", "1", "WA", "secret_b", "WA"),
        ("Ines", "1", "WA", "secret_c", "WA"),
        ("Ines", "2", "AC", "sample_format", "AC"),
        ("Ines", "2", "AC", "secret_canary_name", "AC"),
        ("Ines", "2", "AC", "secret_b", "AC"),
        ("Ines", "2", "AC", "secret_c", "AC"),
        ("Tomasz", "", "", "", ""),
    ]
    first = rows[0]
    assert list(first) == list(exports.LONG)
    assert {name: first[name] for name in exports.LONG if name not in ("invitation", "attempt", "faults")} == {
        "candidate": "Ines",
        "problem": "mine",
        "variant": "only",
        "attempt_started_at": "2026-03-01T12:00:00Z",
        "package_sha256": room.wrong.sha256,
        "automatic_score": "100",
        "score_by_hand": "",
        "submission": "1",
        "submitted_at": "2026-03-01T12:01:00Z",
        "by_clock": "no",
        "verdict": "WA",
        "reason": "wrong_values",
        "score": "0",
        "max_score": "100",
        "first_wrong_stage": first["first_wrong_stage"],
        "case": "sample_format",
        "group": "samples",
        "visibility": "sample",
        "case_verdict": "WA",
        "case_reason": "wrong_values",
        "looked_up": "no",  # the package's fault tables are not made yet
    }


def test_a_case_says_whether_known_faults_were_looked_up(engine: Engine, packages: Packages) -> None:
    lead, interview = make_led(engine, packages)
    made = make_judgement(Verdict.WA)
    wrong = replace(made, finding=replace(made.finding, sentence='quoted: {"looked_up": false}'))
    untold = replace(wrong, finding=replace(wrong.finding, is_looked_up=False))
    failure = Failure.of(Reason.WRONG_TYPE, output="y", got="a matrix")
    broken = replace(wrong, cases=tuple(replace(case, verdict=Verdict.WA, failure=failure) for case in made.cases))
    started = replace(wrong, cases=tuple(replace(case, verdict=None, failure=None) for case in made.cases))
    make_judged(engine, lead, interview, "Ines", wrong, untold, make_judgement(Verdict.JE), None, broken, started)
    rows = table("".join(exports.export(engine, lead, interview.public_id, "long", NOON).pieces))
    assert {(row["submission"], row["verdict"], row["looked_up"]) for row in rows} == {
        ("1", "WA", "yes"),
        ("2", "WA", "no"),
        ("3", "JE", ""),
        ("4", "", ""),
        ("5", "WA", ""),
        ("6", "WA", ""),
    }


@pytest.mark.sandbox
def test_scores_are_a_line_for_each_candidate(room: Room) -> None:
    room.hand_in(room.attempts[0], *SOURCES)
    room.hand_in(room.attempts[1], SOURCES[0])
    make_invitations(room.engine, room.lead, room.interview, "=Noor")
    with write_session(room.engine) as session:
        for score in (70.0, 55.5):
            row = ScoreOverride(
                attempt_id=room.attempts[1].id, user_id=room.lead.id, score=score, reason="x", created_at=NOON
            )
            session.add(row)
    rows = table(text(room, "wide"))
    assert [(row["candidate"], row["state"], row["1 mine"], row["total"]) for row in rows] == [
        ("Ines", "under way", "100", "100"),
        ("Tomasz", "under way", "55.5", "55.5"),
        ("'=Noor", "not opened", "", ""),
    ]
    with write_session(room.engine) as session:  # the newest counts: this one takes it back
        row = ScoreOverride(
            attempt_id=room.attempts[1].id, user_id=room.lead.id, score=None, reason="x", created_at=NOON
        )
        session.add(row)
    assert [row["1 mine"] for row in table(text(room, "wide"))] == ["100", "0", ""]


def test_a_time_ends_when_it_should_and_when_it_did(room: Room) -> None:
    with write_session(room.engine) as session:
        first, second = (session.get_one(Invitation, attempt.invitation_id) for attempt in room.attempts[:2])
        first.ends_at, first.ended_at, second.ends_at = after(60), after(20), after(60)
    assert [(row["ends_at"], row["ended_at"]) for row in table(text(room, "wide"))] == [
        (iso_time(after(60)), iso_time(after(20))),
        (iso_time(after(60)), ""),
    ]


def test_where_candidates_are_has_the_words_of_the_pages(room: Room) -> None:
    ends, closes = after(60), after(30)
    make_invitations(room.engine, room.lead, room.interview, "Noor", "Leila", "Sam")
    ada = make_candidate(room.engine, "leila")
    with write_session(room.engine) as session:
        first, second, _, accepted, revoked = session.scalars(select(Invitation).order_by(Invitation.id))
        first.ends_at, second.ends_at, second.ended_at = ends, ends, after(20)
        accepted.accepted_at, accepted.user_id, revoked.revoked_at = NOON, ada.id, NOON

    def states(at: datetime) -> list[str]:
        found = exports.export(room.engine, room.lead, room.interview.public_id, "wide", at)
        with read_session(room.engine) as session:
            interview = interview_queries.interview_of(session, room.lead, room.interview.public_id)
            shown = [line.state.value for line in live.live(session, interview, 1, at).lines]
        assert [row["state"] for row in table("".join(found.pieces))] == shown
        return shown

    assert states(NOON) == ["under way", "ended", "not opened", "accepted", "revoked"]
    assert states(after(61)) == ["ended", "ended", "not opened", "accepted", "revoked"]
    with write_session(room.engine) as session:
        session.get_one(Interview, room.interview.id).closes_at = closes
    assert states(closes) == ["under way", "ended", "ran out", "ran out", "revoked"]


@pytest.mark.sandbox
def test_results_are_the_objects_of_grade(room: Room) -> None:
    room.hand_in(room.attempts[0], *SOURCES)
    room.hand_in(room.attempts[1], SOURCES[0], is_judged=False)
    lines = [json.loads(line) for line in text(room, "results").splitlines()]
    assert [(line["candidate"], line["submission"], line["verdict"], line["score"]) for line in lines] == [
        ("Ines", 1, "WA", 0.0),
        ("Ines", 2, "AC", 100.0),
    ]
    assert lines[0]["schema"] == 1
    assert [case["name"] for case in lines[0]["cases"]][:2] == ["sample_format", "secret_canary_name"]


@pytest.mark.sandbox
def test_evidence_records_that_were_made(room: Room) -> None:
    keys = room.hand_in(room.attempts[0], *SOURCES)
    with write_session(room.engine) as session:
        record = zlib.compress(b'{\n "schema": 2,\n "text": "a\\nb"\n}\n')
        session.add(
            EvidenceRecord(
                submission_id=keys[1], asked_at=NOON, made_at=NOON, package_sha256=room.wrong.sha256, record=record
            )
        )
        session.add(EvidenceRecord(submission_id=keys[0], asked_at=NOON, package_sha256=room.wrong.sha256))
    (line,) = text(room, "evidence").splitlines()
    assert json.loads(line) == {
        "candidate": "Ines",
        "invitation": invitation(room).public_id,
        "attempt": room.attempts[0].public_id,
        "submission": 2,
        "record": {"schema": 2, "text": "a\nb"},
    }


def test_who_has_a_part_in_the_interview_and_nobody_else(room: Room) -> None:
    for user in (make_interviewer(room.engine, "Otto"), room.candidates[0]):
        with pytest.raises(NotFound):
            text(room, "wide", user)
        with read_session(room.engine) as session, pytest.raises(NotFound):
            packet(session, user, room.interview.public_id, invitation(room).public_id, room.packages, NOON)
    admin = make_interviewer(room.engine, "Ada", is_admin=True)
    assert text(room, "wide", admin) == text(room, "wide")
    with pytest.raises(UserError, match="no such export"):
        text(room, "everything")
    with read_session(room.engine) as session:
        told = [
            (entry.actor, entry.action, entry.subject, entry.interview_id)
            for entry in session.scalars(select(AuditEntry).where(AuditEntry.action.startswith("export.")))
        ]
    subject = f"interview {room.interview.public_id}"
    assert sorted(told) == sorted(
        (user.public_id, "export.wide", subject, room.interview.id) for user in (admin, room.lead)
    )


@pytest.mark.sandbox
def test_nothing_of_another_interview_is_in_it(room: Room) -> None:
    room.hand_in(room.attempts[0], *SOURCES)
    other = make_interview(room.engine, room.packages, room.lead)
    (invited,) = make_invitations(room.engine, room.lead, other, "canary of another interview")
    room.hand_in(begin(room.engine, invited.token, make_candidate(room.engine), NOON), *SOURCES)
    for word in ("long", "wide", "results", "evidence"):
        assert "canary of another" not in text(room, word)


@pytest.mark.parametrize("kind", exports.Kind)
def test_a_candidate_takes_nothing_along_of_their_interview(room: Room, kind: exports.Kind) -> None:
    with write_session(room.engine) as session:
        ines = session.get_one(User, room.candidates[0].id)
        ines.is_admin = True
    with pytest.raises(NotFound):
        text(room, kind.value, ines)
    with read_session(room.engine) as session, pytest.raises(NotFound):
        packet(session, ines, room.interview.public_id, invitation(room).public_id, room.packages, NOON)


def invitation(room: Room) -> Invitation:
    with read_session(room.engine) as session:
        return session.get_one(Invitation, room.attempts[0].invitation_id)


@pytest.mark.sandbox
def test_a_packet_has_finished_reviews_and_no_private_note(room: Room) -> None:
    room.hand_in(room.attempts[0], *SOURCES)
    otto = make_interviewer(room.engine, "Otto")
    attempt = room.attempts[0].id
    with write_session(room.engine) as session:
        session.add(FollowUpAnswer(attempt_id=attempt, question_id="first", text="own words", created_at=NOON))
        for user, note_, is_finished in ((room.lead, "of Lena", False), (otto, "of Otto", True)):
            review = Review(
                attempt_id=attempt,
                user_id=user.id,
                private_note="private canary",
                shared_note=note_,
                updated_at=NOON,
                finished_at=NOON if is_finished else None,
            )
            session.add(review)
    with write_session(room.engine) as session:
        note(session, room.lead, room.interview.public_id, invitation(room).public_id, NOON)

    def reviews() -> tuple[int, list[tuple[str, str]]]:
        with read_session(room.engine) as session:
            found = packet(
                session, room.lead, room.interview.public_id, invitation(room).public_id, room.packages, NOON
            )
            assert [len(part.submissions) for part in found.attempts] == [2]
            (part,) = found.attempts
            return part.page.waiting_colleagues, [(name, review.shared_note) for name, review in part.reviews]

    assert reviews() == (1, [])  # a colleague's is not shown before the own one is final
    with write_session(room.engine) as session:
        own = session.scalars(select(Review).filter_by(user_id=room.lead.id)).one()
        own.finished_at = NOON
    assert reviews() == (0, [("Lena", "of Lena"), ("Otto", "of Otto")])


@pytest.mark.parametrize(("at", "source", "begun"), [(None, None, 0), (NOON, None, 1), (None, b"x = 1\n", 1)])
def test_a_packet_counts_problems_that_were_begun(
    room: Room, at: datetime | None, source: bytes | None, begun: int
) -> None:
    room.hand_in(room.attempts[0], *([source] if source else []), is_judged=False)
    with write_session(room.engine) as session:
        session.execute(update(Attempt).where(Attempt.id == room.attempts[0].id).values(draft_saved_at=at))
    with read_session(room.engine) as session:
        found = packet(session, room.lead, room.interview.public_id, invitation(room).public_id, room.packages, NOON)
    assert (found.begun, len(found.attempts)) == (begun, 1)


def test_the_number_of_queries_follows_the_attempts_alone(room: Room) -> None:
    fill(room, attempts=exports.ATTEMPTS_AT_ONCE, submissions=2)
    few = queries_of(room)
    fill(room, attempts=exports.ATTEMPTS_AT_ONCE, submissions=12)
    assert queries_of(room) == few + 5  # one stretch of attempts more


def queries_of(room: Room) -> int:
    """Return how many statements an export takes."""
    counted: list[str] = []

    def count(*told: object) -> None:
        counted.append(str(told[2]))

    event.listen(room.engine, "before_cursor_execute", count)
    text(room, "long")
    event.remove(room.engine, "before_cursor_execute", count)
    return sum(statement.startswith("SELECT") for statement in counted)


def fill(room: Room, attempts: int, submissions: int, cases: int = 20) -> None:
    """Add candidates with attempts, submissions and results, as many as are wanted."""
    judgement = json.dumps({"schema": 1, "cases": [{"name": f"secret_{n}", "verdict": "AC"} for n in range(cases)]})
    problem = room.attempts[0].interview_problem_id
    with write_session(room.engine) as session:
        for number in range(attempts):
            user = User(name=f"u{number}-{id(session)}", name_key=f"u{number}-{id(session)}", created_at=NOON)
            session.add(user)
            session.flush()
            invited = Invitation(
                interview_id=room.interview.id,
                label=f"Candidate {number}",
                token_sha256=f"{user.id:064d}",
                created_at=NOON,
                user_id=user.id,
                accepted_at=NOON,
                started_at=NOON,
                ends_at=after(60),
            )
            session.add(invited)
            session.flush()
            attempt = Attempt(
                candidate_id=user.id,
                package_id=room.wrong.id,
                variant="only",
                mode=Mode.INTERVIEW,
                started_at=NOON,
                invitation_id=invited.id,
                interview_problem_id=problem,
                best_score=100.0,
            )
            session.add(attempt)
            session.flush()
            for ordinal in range(1, submissions + 1):
                row = Submission(
                    attempt_id=attempt.id,
                    ordinal=ordinal,
                    source=b"x = 1\n" * 200,
                    created_at=NOON,
                    judged_at=NOON,
                    verdict="AC",
                    score=100.0,
                    max_score=100.0,
                    judgement=judgement,
                )
                session.add(row)
                session.flush()
                session.execute(
                    insert(CaseResult),
                    [
                        {
                            "submission_id": row.id,
                            "position": position,
                            "name": f"secret_{position}",
                            "group": "values",
                            "visibility": "secret",
                            "verdict": "AC",
                            "prints": "",
                        }
                        for position in range(cases)
                    ],
                )
            session.expunge_all()


def memory_kib(word: str) -> int:
    """Return what the kernel says of this process: VmRSS now, VmHWM the most since it was told to forget."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(word)).split()[1])


@pytest.mark.long
def test_an_export_takes_little_memory(room: Room) -> None:
    fill(room, attempts=2000, submissions=10)
    figures = {}
    for word in ("results", "long", "wide"):
        Path("/proc/self/clear_refs").write_text("5")  # forget the most so far
        before, began = memory_kib("VmRSS"), time.monotonic()
        pieces = exports.export(room.engine, room.lead, room.interview.public_id, word, NOON).pieces
        size = sum(len(piece) for piece in pieces)
        figures[word] = (size, memory_kib("VmHWM") - before, round(time.monotonic() - began, 1))
    print(figures)
    assert figures["long"][0] > 50 << 20
    assert all(grown < MEMORY_KIB for _, grown, _ in figures.values()), figures
