"""An interview whose package was wrong, and the corrected version beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Engine, select

from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import rejudge, uploads
from grader.services.background import Background
from grader.services.interview_settings import Chosen
from grader.services.judged_rows import judge_row, write_result
from grader.services.packages import Packages
from grader.store.interview_models import Interview, InterviewProblem, PackageCheck, Rejudge
from grader.store.models import Attempt, CaseResult, GroupResult, Package, Submission, SubmissionFault, User
from grader.store.session import read_session, write_session
from tests.archives import small_package, zipped
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate
from tests.services.tiny_package import RIGHT, WRONG

# in the corrected version twice is wrong and thrice is right
CORRECTED = {
    "statement": "Corrected.\n",
    "submissions__accepted__reference": "def twice(x):\n    return x * 3.0\n",
    "submissions__wrong_answer__thrice": "def twice(x):\n    return x * 2.0\n",
}


def accepted_version(engine: Engine, packages: Packages, lead: User, folder: Path, **changes: str) -> Package:
    """Upload a small package and let it pass for one whose check found nothing."""
    data = zipped(small_package(folder, **changes), "mine")
    with write_session(engine) as session:
        package = uploads.upload(session, lead, uploads.read(lead, data, "", "mine.zip"), packages, NOON).package
        check = session.scalars(select(PackageCheck).filter_by(package_id=package.id)).one()
        check.checked_at, check.is_accepted = NOON, True
    return package


@dataclass
class Room:
    """What a test works with."""

    engine: Engine
    pool: Pool
    cache: CaseCache
    packages: Packages
    root: Path
    dispatched: list[int] = field(default_factory=list)

    def set_up(self) -> None:
        """Upload both versions, set an interview up with the wrong one, and let two candidates begin."""
        self.lead = make_interviewer(self.engine, "Lena")
        self.wrong = self.version("wrong", statement="Wrong.\n")
        self.corrected = self.version("corrected", **CORRECTED)
        problems = (Chosen(self.wrong.sha256, "only"),)
        self.interview: Interview = make_interview(self.engine, self.packages, self.lead, problems=problems)
        made = make_invitations(self.engine, self.lead, self.interview, "Ines", "Tomasz")
        self.candidates = [make_candidate(self.engine, name) for name in ("ines", "tomasz")]
        self.attempts = [
            begin(self.engine, invited.token, candidate, NOON)
            for invited, candidate in zip(made, self.candidates, strict=True)
        ]

    def version(self, name: str, **changes: str) -> Package:
        return accepted_version(self.engine, self.packages, self.lead, self.root / name, **changes)

    def hand_in(self, attempt: Attempt, *sources: bytes, is_judged: bool = True) -> list[int]:
        """Store sources and have them judged with the version that the attempt has."""
        keys = []
        for source in sources:
            with write_session(self.engine) as session:
                number = len(session.scalars(select(Submission.id).filter_by(attempt_id=attempt.id)).all()) + 1
                row = Submission(attempt_id=attempt.id, ordinal=number, source=source, created_at=after(number))
                session.add(row)
                session.flush()
                keys.append(row.id)
        for key in keys if is_judged else []:
            self.judge(key)
        return keys

    def judge(self, key: int) -> bool:
        with self.pool.lane() as lane:
            graded = judge_row(self.engine, key, lane, self.cache, self.packages)
        assert graded is not None
        judgement = graded.judgement
        return write_result(self.engine, key, judgement, after(30), graded.sample_outputs, judgement.package_sha256)

    def create(self, user: User | None = None) -> Rejudge:
        with write_session(self.engine) as session:
            return rejudge.create(
                session,
                user or self.lead,
                self.interview.public_id,
                self.wrong.sha256,
                self.corrected.sha256,
                self.packages,
                NOON,
            )

    def background(self) -> Background:
        return Background(
            self.engine,
            self.pool,
            self.cache,
            self.packages,
            lambda session, row: self.dispatched.append(row.id),
        )

    def work(self) -> None:
        """Do everything that waits in the background."""
        background = self.background()
        while background.turn():
            pass

    def previewed(self) -> Rejudge:
        found = self.create()
        self.work()
        return found

    def applied(self) -> Rejudge:
        found = self.previewed()
        with write_session(self.engine) as session:
            rejudge.apply(session, self.lead, found.public_id, self.packages, after(40))
        self.work()
        return found

    def undone(self, found: Rejudge) -> None:
        with write_session(self.engine) as session:
            rejudge.undo(session, self.lead, found.public_id, self.packages, after(50))
        self.work()

    def results(self) -> list[tuple[str | None, float | None]]:
        with read_session(self.engine) as session:
            rows = session.scalars(select(Submission).order_by(Submission.id))
            return [(row.verdict, row.score) for row in rows]

    def reached(self) -> list[tuple[float | None, bool, str]]:
        """Return each attempt's best score, whether it is solved, and the version that it has."""
        names = {self.wrong.id: "wrong", self.corrected.id: "corrected"}
        with read_session(self.engine) as session:
            rows = session.scalars(select(Attempt).order_by(Attempt.id))
            return [(row.best_score, row.solved_at is not None, names[row.package_id]) for row in rows]

    def everything(self) -> Sequence[object]:
        """Return all that judging stored, and what attempts came to; but for what work besides does, findings due."""
        with read_session(self.engine) as session:
            found: list[object] = []
            left_out = ("id", "judged_at", "is_finding_due")
            for table in (Submission, CaseResult, GroupResult, SubmissionFault, Attempt, InterviewProblem):
                columns = [column for column in table.__table__.columns if column.name not in left_out]
                keys = ("submission_id", "attempt_id", "ordinal", "position")
                order = [column for column in columns if column.name in keys]
                found += [tuple(row) for row in session.execute(select(*columns).order_by(*order, *columns[:1]))]
            return found


SOURCES = (WRONG, RIGHT)
