"""While an interview closes its problem, no page that its candidate can ask tells what practice left behind of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from flask import Flask
from sqlalchemy import Engine

from grader.grading.verdict import Finding, Verdict
from grader.services import taking
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.store.interview_models import Shown
from grader.store.models import Package, User
from grader.store.session import write_session
from grader.web.service import now
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import make_judgement
from tests.services.rejudging import accepted_version
from tests.services.tiny_package import SLUG
from tests.web.browsing import Browser, judge_last
from tests.web.calling import Program
from tests.web.test_routes import routes
from tests.web.world import named

DATA: Final = Path(__file__).parents[1] / "data"
WORDS: Final[dict[str, str]] = yaml.safe_load((DATA / "closed_meanwhile.yaml").read_text())
OWN_PAGES: Final = ("/attempts/<", "/taking/<")  # which have an id
ELSEWHERE: Final = (
    "/interviews/<",
    "/reviews/<",
    "/rejudges/<",
    "/packages/<",
    "/admin",
    "/static",
    "/links",
    "/metrics",
    "/lesson",  # everybody reads the same there
)
SOURCE: Final = "canary_source = 1\n"
ANSWER: Final = "canary of a long own answer"


@dataclass
class Candidate:
    """Ada, her program, and what she has practised and taken."""

    app: Flask
    engine: Engine
    packages: Packages
    ada: Browser
    program: Program
    user: User
    lead: User
    ids: dict[str, list[str]] = field(default_factory=lambda: {start: [] for start in OWN_PAGES})

    def take(self, since: datetime, package: Package | None = None, **settings: object) -> str:
        """Let her begin an interview; return her attempt's id."""
        sha256 = package.sha256 if package else self.packages.named(SLUG).sha256
        problems = (Chosen(sha256, "only"),)
        interview = make_interview(self.engine, self.packages, self.lead, problems=problems, **settings)
        (invited,) = make_invitations(self.engine, self.lead, interview, "Ada L.")
        attempt = begin(self.engine, invited.token, self.user, since)
        with write_session(self.engine) as session:
            place = taking.find(session, invited.token, self.user, now()).public_id
        self.ids["/taking/<"].append(place)
        return attempt.public_id

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield every page that she can ask with what it answers; the attempts are those of `ids`."""
        for method, rule in routes(self.app):
            path = rule.removeprefix("/api/v1")
            if method != "GET" or path.startswith(ELSEWHERE):
                continue
            own = next((ids for start, ids in self.ids.items() if path.startswith(start)), [""])
            for key in own:
                filled = path.replace("<public_id>", key).replace("<slug>", SLUG).replace("<ordinal>", "1")
                reply = self.program.get(filled) if path != rule else self.ada.get(filled.replace("<token>", "x" * 43))
                yield rule, reply.get_data(as_text=True)
                reply.close()

    def told(self) -> dict[str, list[str]]:
        """Return the words of practice that she reads, each with the pages that tell it."""
        found: dict[str, list[str]] = {}
        for rule, text in self.pages():
            for word in WORDS:
                if word in text:
                    found.setdefault(word, []).append(rule)
        return found


@pytest.fixture
def candidate(app: Flask, engine: Engine, problems: Path, ada: Browser, ada_program: Program) -> Candidate:
    lead = make_interviewer(engine, "Lena")
    return Candidate(app, engine, Packages(problems), ada, ada_program, named(engine, "ada"), lead)


def practise(candidate: Candidate) -> None:
    """Leave something of every kind behind: one attempt that is over, and one under way with its hints open."""
    ada, wrong = candidate.ada, make_judgement(Verdict.WA, ("thrice",), "weights")
    wrong = replace(wrong, finding=Finding("…", "weights", ("thrice",), "fingerprint", (("weights", "wrong"),)))
    for variant in ("only", "other"):
        candidate.ids["/attempts/<"].append(ada.start(variant).rsplit("/", 1)[-1])
        ada.post(f"{ada.attempt}/diagnosis", stage="output")
        ada.submit(SOURCE)
        judge_last(candidate.engine, wrong)
        ada.post(f"{ada.attempt}/sample-runs", source="canary_run = 1\n")
        ada.post(f"{ada.attempt}/draft", source="canary_draft = 1\n")
        if variant == "only":
            ada.post(f"{ada.attempt}/give-up")
            for question, answer in {"first": ANSWER, "pick": "1"}.items():
                ada.post(f"{ada.attempt}/answers/{question}", answer=answer)
            ada.post(f"{ada.attempt}/answers/first/rating", rating="2")
        for level in ("2", "3"):
            ada.post(f"{ada.attempt}/submissions/1/hints", level=level)


def take_an_earlier_one(candidate: Candidate) -> None:
    """Let her take an interview with everything shown, which is over and closed."""
    closes_at = now() - timedelta(hours=1)
    shown: dict[str, Any] = {"verdicts": Shown.AT_ONCE, "points": Shown.AT_ONCE, "answers": Shown.AFTER_END}
    attempt = candidate.take(now() - timedelta(hours=3), closes_at=closes_at, **shown)
    candidate.ids["/attempts/<"].append(attempt)


def test_every_kind_of_word_is_told_before(candidate: Candidate) -> None:
    practise(candidate)
    take_an_earlier_one(candidate)
    assert set(WORDS) - set(candidate.told()) == set()


def test_none_is_told_while_the_interview_closes_the_problem(candidate: Candidate) -> None:
    practise(candidate)
    take_an_earlier_one(candidate)
    candidate.take(now())
    assert candidate.told() == {}
    page = candidate.ada.text("/progress")
    assert "closes, faults, stages, answers and diagnoses are left out from here on, until your time there" in page


def test_all_is_told_where_the_interview_leaves_practice_open(candidate: Candidate) -> None:
    practise(candidate)
    before = candidate.told()
    candidate.take(now(), locks_practice=False)
    assert candidate.told() == before


def test_what_a_private_problem_is_called_inside_is_told_nowhere(candidate: Candidate, tmp_path: Path) -> None:
    package = accepted_version(
        candidate.engine, candidate.packages, candidate.lead, tmp_path / "private", statement="Sent.\n"
    )
    candidate.ids["/attempts/<"].append(candidate.take(now() - timedelta(hours=3), package))
    candidate.take(now(), package)
    inside = (f'"{package.slug}"', package.sha256[:12])
    assert [(rule, word) for rule, text in candidate.pages() for word in inside if word in text] == []
