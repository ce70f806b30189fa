"""Pages tell answers to questions that the package of now does not have, and rubric points by their rubric."""

from __future__ import annotations

import html
import re
from typing import Final

import pytest
from sqlalchemy import Engine, select, update

from grader.store.models import Attempt, FollowUpAnswer
from grader.store.session import write_session
from tests.services.made import NOON
from tests.web.browsing import Browser
from tests.web.test_packages import EVIL, Scene, lead, packages, scene

__all__ = ["lead", "packages", "scene"]

# the test's client leaves a large form's temporary file to the collector
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SAID = r"answered .*, not asked in the package that it is judged by now Question gone Answer <script>.*\\u202e"


@pytest.fixture
def answers(scene: Scene, engine: Engine) -> None:
    with write_session(engine) as session:
        for key in ("gone", "first"):
            session.add(FollowUpAnswer(attempt_id=scene.attempt.id, question_id=key, text=EVIL, created_at=NOON))


def shown(page: str) -> list[str]:
    found = re.findall(r'<section class="qa stack" id="earlier_.*?</section>', page, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", one)).split()) for one in found]


@pytest.mark.usefixtures("answers")
def test_an_answer_to_a_question_that_is_gone_is_shown_and_marked(lead: Browser, scene: Scene) -> None:
    for page in (
        lead.text(f"/reviews/{scene.attempt.public_id}"),
        lead.post(f"{scene.path}/exports/packet", invitation=scene.invitation).get_data(as_text=True),
    ):
        (one,) = shown(page)
        assert re.fullmatch(SAID, one)
        assert "<script>alert" not in page


def test_a_candidate_reads_the_own_answer_to_a_question_that_is_gone(ada: Browser, engine: Engine) -> None:
    ada.start()
    assert ada.post(f"{ada.attempt}/give-up").status_code == 303
    assert shown(ada.text(f"{ada.attempt}/follow-ups")) == []
    with write_session(engine) as session:
        attempt = session.scalars(select(Attempt)).one()
        session.add(FollowUpAnswer(attempt_id=attempt.id, question_id="gone", text=EVIL, created_at=NOON))
    (one,) = shown(ada.text(f"{ada.attempt}/follow-ups"))
    assert re.fullmatch(SAID, one)


def told(page: str) -> str:
    """Return a page's words."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


READ: Final = r"Answered when the question read: “Was it <script>alert\(1\)</script>\\u202e\?”"


@pytest.mark.usefixtures("answers")
def test_reviewers_read_the_question_that_was_answered(lead: Browser, scene: Scene, engine: Engine) -> None:
    with write_session(engine) as session:
        put = update(FollowUpAnswer).where(FollowUpAnswer.question_id == "first").values(question=f"Was it {EVIL}?")
        session.execute(put)
    for page in (
        lead.text(f"/reviews/{scene.attempt.public_id}"),
        lead.post(f"{scene.path}/exports/packet", invitation=scene.invitation).get_data(as_text=True),
    ):
        assert len(re.findall(READ, told(page))) == 1
        assert "<script>alert" not in page


def test_a_candidate_reads_the_question_that_was_answered(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    ada.post(f"{ada.attempt}/answers/first", answer="an answer that is long enough")
    ada.post(f"{ada.attempt}/answers/pick", answer="1")
    before = ada.text(f"{ada.attempt}/follow-ups")
    assert (told(before).count("three your choice"), "Answered when" in before) == (1, False)
    with write_session(engine) as session:
        session.execute(update(FollowUpAnswer).values(question=f"Was it {EVIL}?"))
        gone = update(FollowUpAnswer).where(FollowUpAnswer.question_id == "pick").values(choice=f"thirty {EVIL}")
        session.execute(gone)
    page = ada.text(f"{ada.attempt}/follow-ups")
    assert len(re.findall(READ, told(page))) == 2
    assert "<script>alert" not in page
    assert "Your choice thirty <script>alert(1)</script>\\u202e The package that" in told(page)
    assert ("your choice" in page, 'type="radio"' in page) == (False, False)


def test_an_answer_to_a_question_that_was_reworded_meanwhile_stays_in_its_field(ada: Browser) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    page = ada.text(f"{ada.attempt}/follow-ups")
    first, _, pick = re.findall(r'name="question" value="(\w+)"', page)
    answer = "an answer that is long enough"
    for question, digest in (("first", pick), ("pick", first)):
        reply = ada.post(f"{ada.attempt}/answers/{question}", answer=answer, question=digest)
        assert (reply.status_code, "was reworded after the page was opened" in reply.get_data(as_text=True)) == (
            409,
            True,
        )
        assert (answer in reply.get_data(as_text=True)) == (question == "first")
    assert ada.post(f"{ada.attempt}/answers/first", answer=answer, question=first).status_code == 303
    assert ada.post(f"{ada.attempt}/answers/pick", answer="1", question=pick).status_code == 303


@pytest.mark.usefixtures("answers")
def test_a_preview_warns_of_answers_that_it_leaves_behind(lead: Browser, scene: Scene, engine: Engine) -> None:
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    assert "1 answer belongs to questions that the new package does not have." in lead.text(page)
    with write_session(engine) as session:
        text = "another one"
        session.add(FollowUpAnswer(attempt_id=scene.attempt.id, question_id="away", text=text, created_at=NOON))
    assert "2 answers belong to questions that the new package does not have." in lead.text(page)
    with write_session(engine) as session:
        put = update(FollowUpAnswer).where(FollowUpAnswer.question_id == "first").values(question="Was it?")
        session.execute(put)
    assert "1 answer was given to questions that the new package words differently." in lead.text(page)
    scene.judged()
    lead.post(f"{page}/apply")
    assert "that the new package does not have" not in lead.text(page)
