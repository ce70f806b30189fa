"""Judging again with a corrected package: preview, apply, undo; nothing is lost, nothing is done twice."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from grader.errors import NotFound
from grader.grading.verdict import Reason, Verdict
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import accounts, rejudge, rejudge_versions, rejudge_work
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.rejudge import State
from grader.store.interview_models import AuditEntry, InterviewProblem, Rejudge, RejudgeItem
from grader.store.models import Submission
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interviewer
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.rejudging import SOURCES, Room
from tests.services.tiny_package import RIGHT, WRONG, write_package

pytestmark = pytest.mark.sandbox
OLD = [("WA", 0.0), ("AC", 100.0), ("WA", 0.0)]
NEW = [("AC", 100.0), ("WA", 0.0), ("AC", 100.0)]


@pytest.fixture
def room(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, tmp_path: Path) -> Room:
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    return room


def handed_in(room: Room) -> None:
    room.hand_in(room.attempts[0], *SOURCES)
    room.hand_in(room.attempts[1], WRONG)
    assert room.results() == OLD


def state(room: Room, found: Rejudge) -> State:
    with read_session(room.engine) as session:
        return rejudge.preview(session, room.lead, found.public_id, 1).state


def test_a_preview_tells_what_would_change_and_changes_nothing(room: Room) -> None:
    handed_in(room)
    before = room.everything()
    found = room.create()
    assert state(room, found) is State.JUDGING
    room.work()
    with read_session(room.engine) as session:
        preview = rejudge.preview(session, room.lead, found.public_id, 1)
    counts = preview.counts
    assert preview.state is State.READY
    assert (counts.submissions, counts.judged, counts.ours) == (3, 3, 0)
    assert (counts.verdicts, counts.scores, counts.attempts, counts.better, counts.worse) == (3, 3, 2, 1, 0)
    shown = [
        (row.candidate, row.ordinal, row.item.old_verdict, row.item.old_score, row.item.verdict, row.item.score)
        for row in preview.changed
    ]
    assert shown == [
        ("Ines", 1, "WA", 0.0, "AC", 100.0),
        ("Ines", 2, "AC", 100.0, "WA", 0.0),
        ("Tomasz", 1, "WA", 0.0, "AC", 100.0),
    ]
    assert room.everything() == before


def test_applying_moves_attempts_results_and_what_they_reached(room: Room) -> None:
    handed_in(room)
    assert room.reached() == [(100.0, True, "wrong"), (0.0, False, "wrong")]
    found = room.applied()
    assert state(room, found) is State.APPLIED
    assert room.results() == NEW
    assert room.reached() == [(100.0, True, "corrected"), (100.0, True, "corrected")]
    with read_session(room.engine) as session:
        row = session.scalars(select(InterviewProblem).filter_by(interview_id=room.interview.id)).one()
        assert row.package_id == room.corrected.id
        first = session.scalars(select(Submission).order_by(Submission.id)).first()
        assert first is not None
        assert [(case.name, case.verdict) for case in first.cases] == [
            ("sample_format", "AC"),
            ("secret_canary_name", "AC"),
            ("secret_b", "AC"),
            ("secret_c", "AC"),
        ]
        assert session.scalars(select(RejudgeItem.old_rows)).all().count(None) == 0
    assert room.dispatched == []


def test_undoing_gives_everything_back(room: Room) -> None:
    handed_in(room)
    before = room.everything()
    found = room.applied()
    assert room.everything() != before
    room.undone(found)
    assert state(room, found) is State.UNDONE
    assert room.everything() == before


def test_what_is_handed_in_meanwhile_is_judged_with_the_new_version(room: Room) -> None:
    handed_in(room)
    found = room.previewed()
    judged, waiting = room.hand_in(room.attempts[1], WRONG, RIGHT, is_judged=False)
    room.judge(judged)
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(40))
    room.work()
    assert sorted(room.dispatched) == [judged, waiting]
    assert room.results() == [*NEW, (None, None), (None, None)]
    assert all(room.judge(key) for key in room.dispatched)
    assert room.results() == [*NEW, ("AC", 100.0), ("WA", 0.0)]
    room.dispatched.clear()
    room.undone(found)
    assert sorted(room.dispatched) == [judged, waiting]
    assert all(room.judge(key) for key in room.dispatched)
    assert room.results() == [*OLD, ("WA", 0.0), ("AC", 100.0)]
    assert room.reached() == [(100.0, True, "wrong"), (100.0, True, "wrong")]


def test_a_result_of_the_old_version_is_not_written_after_the_move(room: Room) -> None:
    (key,) = room.hand_in(room.attempts[0], WRONG, is_judged=False)
    room.hand_in(room.attempts[1], WRONG)
    judgement = make_judgement(Verdict.WA)
    room.applied()
    with read_session(room.engine) as session:
        assert session.get_one(Submission, key).verdict is Verdict.AC  # the preview had judged it
    (late,) = room.hand_in(room.attempts[0], WRONG, is_judged=False)
    assert not write_result(room.engine, late, judgement, after(60), judged_with=room.wrong.sha256)
    assert room.results()[-1] == (None, None)
    assert write_result(room.engine, late, judgement, after(60), judged_with=room.corrected.sha256)
    assert room.results()[-1] == ("WA", 40.0)


def test_an_attempt_without_submissions_moves_as_well(room: Room) -> None:
    room.hand_in(room.attempts[0], WRONG)
    found = room.applied()
    assert [version for _, _, version in room.reached()] == ["corrected", "corrected"]
    room.undone(found)
    assert [version for _, _, version in room.reached()] == ["wrong", "wrong"]


def test_two_workers_change_nothing_twice(room: Room) -> None:
    handed_in(room)
    found = room.create()
    workers = [threading.Thread(target=room.work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(40))
    workers = [threading.Thread(target=room.work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert room.results() == NEW
    with read_session(room.engine) as session:
        (key,) = session.scalars(select(Rejudge.id))
        told = select(AuditEntry.action).where(AuditEntry.action.startswith("rejudge.")).order_by(AuditEntry.id)
        actions = list(session.scalars(told))
    assert not rejudge_work.move(room.engine, key, lambda session, row: None, after(41))
    assert actions == ["rejudge.create", "rejudge.apply", "rejudge.applied"]
    assert room.results() == NEW


def test_a_result_of_an_item_is_written_once(room: Room) -> None:
    handed_in(room)
    room.create()
    with read_session(room.engine) as session:
        key = session.scalars(select(RejudgeItem.id).order_by(RejudgeItem.id)).first()
    assert key is not None
    with room.pool.lane() as lane:
        graded = rejudge_work.judge_item(room.engine, key, lane, room.cache, room.packages)
        assert graded is not None
        assert rejudge_work.write_item(room.engine, key, graded, NOON)
        assert not rejudge_work.write_item(room.engine, key, graded, NOON)
        assert rejudge_work.judge_item(room.engine, key, lane, room.cache, room.packages) is None


def test_nothing_is_applied_before_everything_is_judged(room: Room) -> None:
    handed_in(room)
    found = room.create()
    with write_session(room.engine) as session, pytest.raises(NotNow, match="not complete yet"):
        rejudge.apply(session, room.lead, found.public_id, room.packages, NOON)
    room.work()
    with write_session(room.engine) as session:
        item = session.scalars(select(RejudgeItem)).first()
        assert item is not None
        item.verdict, item.reason, item.score = Verdict.JE, Reason.JUDGE_ERROR, None
    with write_session(room.engine) as session, pytest.raises(NotNow, match="1 could not be judged"):
        rejudge.apply(session, room.lead, found.public_id, room.packages, NOON)
    with write_session(room.engine) as session:
        rejudge.judge_again(session, room.lead, found.public_id, NOON)
    room.work()
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, NOON)
        with pytest.raises(NotNow, match="applied before"):
            rejudge.apply(session, room.lead, found.public_id, room.packages, NOON)
    room.work()
    assert room.results() == NEW


def test_a_preview_can_be_thrown_away_and_an_applied_one_not(room: Room) -> None:
    handed_in(room)
    found = room.previewed()
    with write_session(room.engine) as session:
        rejudge.discard(session, room.lead, found.public_id, NOON)
    with read_session(room.engine) as session, pytest.raises(NotFound):
        rejudge.preview(session, room.lead, found.public_id, 1)
    applied = room.applied()
    with write_session(room.engine) as session, pytest.raises(NotNow, match="undo it to have the old results again"):
        rejudge.discard(session, room.lead, applied.public_id, NOON)
    room.undone(applied)
    with write_session(room.engine) as session, pytest.raises(NotNow, match="it is undone, and the old results count"):
        rejudge.discard(session, room.lead, applied.public_id, NOON)


def test_a_later_rejudge_is_undone_first(room: Room) -> None:
    handed_in(room)
    first = room.applied()
    third = room.version("third", statement="Third.\n")
    with write_session(room.engine) as session:
        second = rejudge.create(
            session,
            room.lead,
            room.interview.public_id,
            room.corrected.sha256,
            third.sha256,
            room.packages,
            NOON,
        )
    room.work()
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, second.public_id, room.packages, NOON)
    room.work()
    with write_session(room.engine) as session, pytest.raises(NotNow, match="undo that first"):
        rejudge.undo(session, room.lead, first.public_id, room.packages, NOON)
    room.undone(second)
    room.undone(first)
    assert room.results() == OLD


def test_who_may(room: Room) -> None:
    handed_in(room)
    others = [make_interviewer(room.engine, "Otto"), room.candidates[0]]
    for user in others:
        with write_session(room.engine) as session, pytest.raises(NotFound):
            rejudge.create(
                session,
                user,
                room.interview.public_id,
                room.wrong.sha256,
                room.corrected.sha256,
                room.packages,
                NOON,
            )
    found = room.previewed()
    for user in others:
        for change in (rejudge.apply, rejudge.undo):
            with write_session(room.engine) as session, pytest.raises(NotFound):
                change(session, user, found.public_id, room.packages, NOON)
        for other in (rejudge.judge_again, rejudge.discard):
            with write_session(room.engine) as session, pytest.raises(NotFound):
                other(session, user, found.public_id, NOON)
    admin = make_interviewer(room.engine, "Ada", is_admin=True)
    with write_session(room.engine) as session:
        rejudge.apply(session, admin, found.public_id, room.packages, NOON)


def test_only_versions_of_the_same_problem_that_are_accepted(room: Room) -> None:
    handed_in(room)
    with write_session(room.engine) as session:
        for new in (room.wrong.sha256, "0" * 64, room.packages.named("twice").sha256):
            with pytest.raises(NotFound):
                rejudge.create(
                    session,
                    room.lead,
                    room.interview.public_id,
                    room.wrong.sha256,
                    new,
                    room.packages,
                    NOON,
                )
        (choice,) = rejudge_versions.choices(session, room.lead, room.interview.public_id, room.packages)
        assert [version.sha256 for version in choice.versions] == [room.corrected.sha256]


def test_a_version_without_a_variant_that_was_given_is_refused(room: Room) -> None:
    handed_in(room)
    text = (room.root / "wrong" / "twice" / "problem.yaml").read_text()
    without = room.version(
        "without", problem=text.replace("  only: {starter: starters/only.py, planted: [thrice]}\n", "")
    )
    with write_session(room.engine) as session, pytest.raises(NotNow, match="the variant only"):
        rejudge.create(
            session,
            room.lead,
            room.interview.public_id,
            room.wrong.sha256,
            without.sha256,
            room.packages,
            NOON,
        )


def test_an_admin_has_everybodys_attempts_judged_with_the_folders_version(
    room: Room, problems: Path, engine: Engine
) -> None:
    candidate = make_candidate(engine)
    attempt = make_attempt(engine, room.packages, candidate)
    submission = make_submission(engine, candidate, attempt, RIGHT)
    room.judge(submission.id)
    old = room.packages.named("twice").sha256
    write_package(problems, statement="New.\n")
    fresh = Packages(problems)
    room.packages = fresh
    admin = make_interviewer(engine, "Ada", is_admin=True)
    with write_session(engine) as session:
        choices = {choice.package.slug: choice for choice in rejudge_versions.choices_everywhere(session, fresh)}
        (version,) = choices["twice"].versions
        assert version.created_at is None
        with pytest.raises(NotFound):
            rejudge.create(session, room.lead, None, old, version.sha256, fresh, NOON)
        found = rejudge.create(session, admin, None, old, version.sha256, fresh, NOON)
    room.work()
    with write_session(engine) as session:
        rejudge.apply(session, admin, found.public_id, room.packages, NOON)
    room.work()
    with read_session(engine) as session:
        row = session.get_one(Submission, submission.id)
        assert (row.verdict, row.attempt.package.sha256) == ("AC", version.sha256)
    with write_session(engine) as session:  # their account can still be deleted
        accounts.remove(session, candidate, NOON)
