"""What an interview's pages tell its candidate is what is so at that moment: results, names, answers, what is used."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from flask import Flask
from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.services.names import READERS
from grader.store.interview_models import Shown
from tests.services.made import make_judgement
from tests.web.browsing import PASSWORD, Browser, judge_last
from tests.web.calling import Program
from tests.web.room import Room, words

DATA: Final = Path(__file__).parents[1] / "data"
SENTENCES: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "interview_words.yaml").read_text())
RIGHT: Final = make_judgement(Verdict.AC)
WRONG: Final = make_judgement(Verdict.WA)


def begun(app: Flask, engine: Engine, problems: Path, ada: Browser, **settings: object) -> Room:
    return Room(app, engine, problems, ada, **settings)


def plain(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def tried_and_failed_later(room: Room, engine: Engine) -> None:
    for judgement in (RIGHT, WRONG):
        room.ada.submit()
        judge_last(engine, judgement)


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: f"{row['verdicts']}, {row['points']}")
def test_the_end_tells_what_is_shown_then(
    app: Flask, engine: Engine, problems: Path, ada: Browser, row: dict[str, str]
) -> None:
    room = begun(app, engine, problems, ada, verdicts=Shown(row["verdicts"]), points=Shown(row["points"]))
    ada.post(f"{room.taking}/end")
    kept = "Your time is over, and what you handed in is kept. "
    assert kept + row["over"] + " The follow-up" in plain(ada.text(room.taking))
    room.lena.post(f"/interviews/{room.interview.public_id}/release")
    assert kept + row["released"] + " The follow-up" in plain(ada.text(room.taking))


def test_a_verdict_that_never_shows_is_not_promised(app: Flask, engine: Engine, problems: Path, ada: Browser) -> None:
    begun(app, engine, problems, ada, verdicts=Shown.NEVER, points=Shown.NEVER)
    ada.submit()
    assert "Its verdict is not shown here." in ada.text(f"{ada.attempt}/submissions/1")


def test_the_state_of_a_problem_is_the_best_submissions(
    app: Flask, engine: Engine, problems: Path, ada: Browser
) -> None:
    room = begun(app, engine, problems, ada, points=Shown.AT_ONCE)
    tried_and_failed_later(room, engine)
    told = words(ada.text(room.taking), 'id="tasks"')
    assert "AC the last: WA 3 of 5 100" in told


def test_interviewers_see_the_best_verdict_beside_the_score(
    app: Flask, engine: Engine, problems: Path, ada: Browser
) -> None:
    room = begun(app, engine, problems, ada)
    tried_and_failed_later(room, engine)
    told = words(room.lena.text(f"/interviews/{room.interview.public_id}"), 'id="matrix"')
    assert "100 AC 2 submissions, the last WA" in told


def test_programs_get_the_verdict_that_belongs_to_the_score(
    app: Flask, engine: Engine, problems: Path, ada: Browser
) -> None:
    room = begun(app, engine, problems, ada)
    tried_and_failed_later(room, engine)
    path = f"/interviews/{room.interview.public_id}/candidates"
    (tried,) = Program(app, "Lena", "review").told(path)["candidates"][0]["problems"]
    assert (tried["verdict"], tried["score"], tried["last_verdict"]) == ("AC", 100, "WA")


def test_a_finding_names_its_faults_in_words(app: Flask, engine: Engine, problems: Path, ada: Browser) -> None:
    room = begun(app, engine, problems, ada)
    ada.submit()
    sentence = (
        "First wrong stage: output. It behaves like by-three+no-bias and like by-three, which no case tells apart."
    )
    finding = replace(WRONG.finding, sentence=sentence, faults=("by-three", "no-bias"), method="fingerprint")
    judge_last(engine, replace(WRONG, finding=finding))
    told = sentence.replace("by-three+no-bias", "by three together with no bias").replace("by-three", "by three")
    assert told in room.lena.text(room.review)
    packet = room.lena.post(f"{room.exports}/packet", invitation=room.invitation).get_data(as_text=True)
    assert told in packet


def test_a_released_score_by_hand_is_the_one_on_every_page(
    app: Flask, engine: Engine, problems: Path, ada: Browser
) -> None:
    room = begun(app, engine, problems, ada, points=Shown.AT_ONCE)
    tried_and_failed_later(room, engine)
    ada.post(f"{room.taking}/end")
    fields = {"score": "60", "reason": "It was copied in part.", "password": PASSWORD, "version": "0"}
    assert room.lena.post(f"{room.review}/override", **fields).status_code == 303
    page = f"{ada.attempt}/submissions/1"
    assert "Your points: 100." in plain(ada.text(page))
    room.lena.post(f"/interviews/{room.interview.public_id}/release")
    assert "Your points: 60, set by hand by an interviewer; 100 automatically." in plain(ada.text(page))
    assert "60 of 100, set by hand by an interviewer; 100 automatically" in plain(ada.text(ada.attempt))
    assert "60 by hand, automatic 100" in plain(ada.text(room.taking))


def test_with_no_submission_left_nothing_offers_one(app: Flask, engine: Engine, problems: Path, ada: Browser) -> None:
    begun(app, engine, problems, ada, submissions_max=1)
    before = ada.text(ada.attempt)
    ada.submit()
    after = ada.text(ada.attempt)
    buttons = r'<button class="btn[^"]*"(?: id="submit"| form="editing")( disabled)?>'
    assert re.findall(buttons, before) == ["", ""]
    assert re.findall(buttons, after) == [" disabled", " disabled"]
    assert "Every submission that the interview allows for this problem is used." in after


@pytest.mark.parametrize("answers", [Shown.WHEN_RELEASED, Shown.NEVER])
def test_a_short_answer_promises_nothing_that_does_not_open(
    app: Flask, engine: Engine, problems: Path, ada: Browser, answers: Shown
) -> None:
    room = begun(app, engine, problems, ada, answers=answers)
    ada.submit()
    ada.post(f"{room.taking}/end")
    page = ada.post(f"{ada.attempt}/answers/first", answer="too short").get_data(as_text=True)
    assert "Answer in your own words with 20 characters or more; then it can be fixed." in page
    assert "expected answer opens" not in page


def test_who_reads_a_name_is_told_where_one_is_given(ada: Browser, anonymous: Browser) -> None:
    for page in (anonymous.text("/sign-up"), ada.text("/me")):
        assert READERS in page


def test_who_reads_a_name_is_told_to_who_gives_none(ada: Browser) -> None:
    assert READERS in ada.post("/sign-up", name=" ", password=PASSWORD).get_data(as_text=True)


def test_a_packet_says_whom_it_is_for_and_what_is_in_it(
    app: Flask, engine: Engine, problems: Path, ada: Browser
) -> None:
    room = begun(app, engine, problems, ada)
    offered = room.lena.text(room.exports)
    assert "for interviewers: do not hand it to the candidate" in offered
    assert "scores set by hand with their reasons, and what changed the time with the reasons" in offered
    packet = room.lena.post(f"{room.exports}/packet", invitation=room.invitation).get_data(as_text=True)
    assert "For interviewers: do not hand it to the candidate." in packet
