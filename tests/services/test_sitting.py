"""Who sits a problem in one interview reads nothing hidden of it through another, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.problems.files import read_folder
from grader.services import deadline, evidence, exports, packets, rejudge_versions, uploads
from grader.services.packages import Packages
from grader.store import package_queries, review_queries
from grader.store import review_queue_queries as queue
from grader.store.interview_models import Interview
from grader.store.models import Attempt, Package, User
from grader.store.queries import package_of
from grader.store.review_queue_queries import Filters, Wanted
from grader.store.session import read_session, write_session
from grader.store.sitting_queries import SatByReader
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_judgement
from tests.services.reviewing import END, make_judged, make_led
from tests.services.tiny_package import SLUG, write_package

EVERYTHING: Final = Filters(Wanted.ALL)


@dataclass
class Sitter:
    """Who leads one interview and is a candidate in another one with the same problem."""

    engine: Engine
    packages: Packages
    user: User
    interview: Interview  # that they lead
    attempt: Attempt  # of its candidate
    own: Attempt

    def package(self, session: Session) -> Package:
        found = package_of(session, self.packages.named(SLUG).sha256)
        assert found is not None
        return found

    def read_packet(self, session: Session) -> None:
        assert self.attempt.invitation_id is not None
        place = session.get_one(Attempt, self.attempt.id).invitation
        assert place is not None
        packets.packet(session, self.user, self.interview.public_id, place.public_id, self.packages, END)

    def rejudge(self, session: Session) -> None:
        rejudge_versions.choices(session, self.user, self.interview.public_id, self.packages)

    def review(self, session: Session) -> None:
        review_queries.attempt_reviewed(session, self.user, self.attempt.public_id)

    def ask_evidence(self, session: Session) -> None:
        evidence.ask(session, self.user, self.attempt.public_id, 1, END)

    def queued(self) -> int:
        with read_session(self.engine) as session:
            return queue.number_in(session, self.user, EVERYTHING, END)


DOORS: Final[dict[str, Callable[[Sitter, Session], None]]] = {
    "review": Sitter.review,
    "evidence": Sitter.ask_evidence,
    "packet": Sitter.read_packet,
    "rejudges": Sitter.rejudge,
}


@pytest.fixture
def sitter(engine: Engine, packages: Packages, problems: Path) -> Sitter:
    lead, interview = make_led(engine, packages)
    attempt = make_judged(engine, lead, interview, "Candidate", make_judgement(Verdict.WA, ("thrice",)))
    # the other interview has a later version of the problem, which is the same to who sits it
    write_package(problems, **{"statement": "The same in other words.\n"})
    newer = Packages(problems)
    other = make_interviewer(engine, "Olga")
    theirs = make_interview(engine, newer, other)
    (invited,) = make_invitations(engine, other, theirs, "Somebody")
    own = begin(engine, invited.token, lead, after(1))
    assert own.package_id != attempt.package_id
    return Sitter(engine, newer, lead, interview, attempt, own)


def end(sitter: Sitter) -> None:
    assert sitter.own.invitation_id is not None
    deadline.close_one(sitter.engine, sitter.own.invitation_id, sitter.packages, lambda session, row: None, END)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_is_closed_while_one_sits_the_problem_and_opens_then(sitter: Sitter, door: str) -> None:
    with pytest.raises(SatByReader, match="sitting this problem yourself"), write_session(sitter.engine) as session:
        DOORS[door](sitter, session)
    end(sitter)
    with write_session(sitter.engine) as session:
        DOORS[door](sitter, session)


@pytest.mark.parametrize("kind", exports.Kind)
def test_of_the_downloads_scores_alone_are_open(sitter: Sitter, kind: exports.Kind) -> None:
    def take() -> str:
        found = exports.export(sitter.engine, sitter.user, sitter.interview.public_id, kind.value, END)
        return "".join(found.pieces)

    if kind is exports.Kind.WIDE:
        assert "Candidate" in take()
        return
    with pytest.raises(SatByReader):
        take()
    end(sitter)
    take()


def test_the_queue_leaves_out_what_one_sits(sitter: Sitter) -> None:
    assert sitter.queued() == 0
    end(sitter)
    assert sitter.queued() == 1


def test_an_own_package_is_closed_as_well(engine: Engine, packages: Packages, tmp_path: Path) -> None:
    ada, bob = make_interviewer(engine, "Ada"), make_interviewer(engine, "Bob")
    write_package(tmp_path / "other", **{"statement": "Mine.\n"})
    data = read_folder(tmp_path / "other" / SLUG).archive()
    with write_session(engine) as session:
        check = uploads.upload(session, ada, uploads.read(ada, data, "mine", "mine.zip"), packages, NOON)
        check.is_accepted, check.checked_at = True, NOON
        sha256 = check.package.sha256
        mine = check.package
    interview = make_interview(engine, packages, bob)
    with write_session(engine) as session:
        stored = session.get_one(Interview, interview.id)
        stored.problems[0].package_id = mine.id
    (invited,) = make_invitations(engine, bob, interview, "Ada")
    begin(engine, invited.token, ada, NOON)
    with pytest.raises(SatByReader), write_session(engine) as session:
        uploads.download(session, ada, sha256, after(1))
    with read_session(engine) as session:
        assert package_queries.check_of(session, bob, sha256).package_id == mine.id
