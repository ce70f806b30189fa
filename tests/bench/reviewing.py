"""How fast the pages of reviewers are with many attempts in the database.

    .venv/bin/python -m tests.bench.reviewing [--attempts 2000] [--submissions 10] [--rounds 40] [--json]

It makes one interview with all of them, which is the worst case, asks each page again and again in this process, and
tells the median and the 99th percentile in milliseconds beside the number of queries.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, event, insert, select

from grader.grading.verdict import Verdict
from grader.report.result import json_line, result
from grader.services.packages import Packages
from grader.store.base import Base, Mode, new_public_id
from grader.store.interview_models import Interview, InterviewMember, InterviewProblem, Invitation, Part, Shown
from grader.store.migrate import upgrade
from grader.store.models import Attempt, CaseResult, GroupResult, Submission, SubmissionFault, User
from grader.store.session import make_engine, write_session
from grader.web.app import WebSettings, create_app
from grader.web.service import Service
from tests.bench.loopback import percentile
from tests.services.made import NOON, cheap_passwords, make_judgement
from tests.web.browsing import Browser, make_user
from tests.web.serving import ROOT

SLUG: Final = "heads-never-mix"
CASES: Final = 40
FAULTS: Final = 25


def fill(engine: Engine, packages: Packages, attempts: int, submissions: int) -> tuple[str, str]:
    """Make an interview of attempts with submissions each; return its id and that of an attempt in its middle."""
    problem = packages.named(SLUG)
    folder = ROOT / "problems" / SLUG / "submissions"
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    judgement = json_line(result(make_judgement(Verdict.WA, ("thrice",), "output")))
    with write_session(engine) as session:
        lead = session.scalars(select(User).filter_by(name="Lena")).one()
        lead.is_interviewer = True
        package = packages.remember(session, problem, NOON)
        interview = Interview(
            public_id=new_public_id(), title="Everybody", created_at=NOON, minutes=60, submissions_max=submissions,
            hint_level=0, verdicts=Shown.NEVER, points=Shown.NEVER, answers=Shown.NEVER, locks_practice=False,
        )  # fmt: skip
        session.add(interview)
        session.flush()
        row = InterviewProblem(interview_id=interview.id, position=1, package_id=package.id, variant="interview")
        session.add_all([row, InterviewMember(interview_id=interview.id, user_id=lead.id, part=Part.LEAD)])
        session.flush()
        keys = range(1, attempts + 1)
        rows: dict[type[Base], list[dict[str, Any]]] = {
            User: [_user(key) for key in keys],
            Invitation: [_invitation(key, interview.id) for key in keys],
            Attempt: [_attempt(key, package.id, row.id) for key in keys],
            Submission: [],
            SubmissionFault: [],
            GroupResult: [],
            CaseResult: [],
        }
        for key in range(1, attempts * submissions + 1):
            attempt, ordinal = divmod(key - 1, submissions)
            is_right = ordinal == submissions - 1 and attempt % 2 == 0
            source = sources[(key * 7) % len(sources)]
            rows[Submission].append(_submission(key, attempt + 1, ordinal + 1, source, is_right, judgement))
            if not is_right:
                rows[SubmissionFault].append(
                    {"submission_id": key, "position": 0, "fault": f"fault-{key % FAULTS}", "sentence": "It is wrong."}
                )
            rows[GroupResult].append(
                {"submission_id": key, "position": 0, "name": "values", "points": 0, "max_points": 100, "verdict": "WA"}
            )
            rows[CaseResult] += [_case(key, position, is_right) for position in range(CASES)]
        connection = session.connection()
        for table, values in rows.items():
            for start in range(0, len(values), 5000):
                connection.execute(insert(table), values[start : start + 5000])
        middle = rows[Attempt][attempts // 2]["public_id"]
        return interview.public_id, str(middle)


def _user(key: int) -> dict[str, Any]:
    return {
        "id": key + 10, "public_id": new_public_id(), "name": f"User {key}", "name_key": f"user {key}", "epoch": 1,
        "is_interviewer": False, "is_admin": False, "created_at": NOON,
    }  # fmt: skip


def _invitation(key: int, interview: int) -> dict[str, Any]:
    return {
        "id": key, "public_id": new_public_id(), "interview_id": interview, "label": f"Person {key}",
        "token_sha256": f"{key:064d}", "created_at": NOON, "user_id": key + 10, "accepted_at": NOON,
        "started_at": NOON, "ends_at": NOON + timedelta(hours=1), "ended_at": NOON + timedelta(hours=1),
    }  # fmt: skip


def _attempt(key: int, package: int, problem: int) -> dict[str, Any]:
    return {
        "id": key, "public_id": new_public_id(), "candidate_id": key + 10, "package_id": package,
        "variant": "interview", "mode": Mode.INTERVIEW, "started_at": NOON, "best_score": float(key % 101),
        "solved_at": NOON + timedelta(minutes=30) if key % 2 else None, "hint_level": 0, "hint_cost": 0.0,
        "invitation_id": key, "interview_problem_id": problem,
    }  # fmt: skip


def _submission(key: int, attempt: int, ordinal: int, source: bytes, is_right: bool, judgement: str) -> dict[str, Any]:
    return {
        "id": key, "attempt_id": attempt, "ordinal": ordinal, "source": source, "is_by_clock": False,
        "created_at": NOON + timedelta(minutes=ordinal), "judged_at": NOON + timedelta(minutes=ordinal),
        "verdict": Verdict.AC if is_right else Verdict.WA, "message": "It is wrong.", "score": 40.0,
        "max_score": 100.0, "judgement": judgement, "first_wrong_stage": None if is_right else "weights",
    }  # fmt: skip


def _case(submission: int, position: int, is_right: bool) -> dict[str, Any]:
    verdict = Verdict.AC if is_right or (submission + position) % 3 else Verdict.WA
    return {
        "submission_id": submission, "position": position, "name": f"secret_{position}", "group": "values",
        "visibility": "secret", "verdict": verdict, "message": None, "detail": "one of its values", "prints": "",
    }  # fmt: skip


@contextmanager
def counting(engine: Engine) -> Iterator[list[str]]:
    """Collect the queries of a block."""
    asked: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def measured(browser: Browser, engine: Engine, path: str, rounds: int) -> dict[str, float]:
    """Ask a page again and again."""
    with counting(engine) as asked:
        browser.text(path)
    times, work = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        browser.text(path)
        times.append(time.perf_counter() - began)
        work.append(time.process_time() - worked)
    return {
        "p50_ms": percentile(times, 0.5),
        "p99_ms": percentile(times, 0.99),
        "work_p50_ms": percentile(work, 0.5),  # of this process alone, whatever else the machine does
        "queries": len(asked),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=2000)
    parser.add_argument("--submissions", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'grader.sqlite3'}"
        upgrade(url)
        engine = make_engine(url)
        packages = Packages(ROOT / "problems")
        make_user(engine, "Lena")
        interview, attempt = fill(engine, packages, options.attempts, options.submissions)
        service = Service(engine, packages, lambda session, row: None, lambda problem: [], passwords=cheap_passwords())
        browser = Browser(create_app(WebSettings(b"k" * 32), service), "Lena")
        pages = {
            "queue": "/reviews",
            "queue, last page": f"/reviews?show=all&page={options.attempts // 50}",
            "queue by fault": "/reviews?fault=fault-3",
            "queue by verdict": "/reviews?show=all&verdict=AC",
            "review": f"/reviews/{attempt}",
            "review, between": f"/reviews/{attempt}?compare=previous",
            "cohort": f"/interviews/{interview}/cohort",
            "similar": f"/interviews/{interview}/cohort/similar",
        }
        gc.collect()
        gc.freeze()  # as the web server does once it is ready: no page waits for a look through all that stays
        found = {name: measured(browser, engine, path, options.rounds) for name, path in pages.items()}
        engine.dispose()
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for name, figures in found.items():
        p50, p99, work = figures["p50_ms"], figures["p99_ms"], figures["work_p50_ms"]
        print(f"{name:18} p50 {p50:7.1f}  p99 {p99:7.1f}  own work {work:7.1f} ms  {figures['queries']} queries")


if __name__ == "__main__":
    main()
