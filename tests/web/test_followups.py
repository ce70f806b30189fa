"""The follow-ups page: what it shows and in which order, ratings, choices, and that nothing opens before its answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.attention.fault_changes import FAULT_CHANGES
from grader.grading.verdict import Verdict
from grader.services import packages
from tests.services.made import make_judgement
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, SLUG, write_package
from tests.web.browsing import Browser, judge_last

OWN = "I think that it multiplies by three."
ANSWERS = {"first": OWN, "second": OWN, "pick": "1"}


@pytest.fixture
def given_up(ada: Browser) -> Browser:
    ada.start()
    assert ada.post(f"{ada.attempt}/give-up").status_code == 303
    return ada


def page(browser: Browser) -> str:
    return browser.text(f"{browser.attempt}/follow-ups")


def answer(browser: Browser, question: str) -> None:
    assert browser.post(f"{browser.attempt}/answers/{question}", answer=ANSWERS[question]).status_code == 303


def test_the_index_tells_what_is_answered_and_whose_turn_it_is(given_up: Browser) -> None:
    def index() -> list[tuple[str, str]]:
        return re.findall(r'<a href="#(\w+)" aria-label="([^"]+)">', page(given_up))

    assert index() == [("first", "Question 1, your turn"), ("second", "Question 2, not answered")]
    answer(given_up, "first")
    assert index() == [("first", "Question 1, answered"), ("second", "Question 2, your turn")]
    assert '<a class="btn quiet" href="#second">Next unanswered question</a>' in page(given_up)
    answer(given_up, "second")
    assert index() == [("first", "Question 1, answered"), ("second", "Question 2, answered")]
    assert "Next unanswered question" not in page(given_up)


def test_every_place_of_the_index_is_there(given_up: Browser) -> None:
    shown = page(given_up)
    for target in re.findall(r'href="#([^"]+)"', shown):
        assert f'id="{target}"' in shown
    ids = re.findall(r' id="([^"]+)"', shown)
    assert len(ids) == len(set(ids))


def test_a_question_says_which_submission_puts_it_first(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.submit()
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",)))
    ada.post(f"{ada.attempt}/give-up")
    shown = page(ada)
    assert re.findall(r'<section class="qa stack" id="(\w+)"', shown) == ["second", "first"]
    assert f'because <a href="{ada.attempt}/submissions/1">submission 1</a> behaved like thrice.' in shown


def test_an_answer_keeps_its_lines(given_up: Browser) -> None:
    typed = "It multiplies by three:\r\n\r\n  y = 3 x <b>"
    assert given_up.post(f"{given_up.attempt}/answers/first", answer=typed).status_code == 303
    assert '<p class="typed">It multiplies by three:\n\n  y = 3 x &lt;b&gt;</p>' in page(given_up)


def pressed(browser: Browser) -> list[str]:
    return re.findall(r'value="(\d)" aria-pressed="true"', page(browser))


def test_an_answer_is_rated_and_rated_again(given_up: Browser) -> None:
    answer(given_up, "first")
    assert pressed(given_up) == []
    for rating in ("3", "1"):
        reply = given_up.post(f"{given_up.attempt}/answers/first/rating", rating=rating)
        assert (reply.status_code, reply.location) == (303, f"{given_up.attempt}/follow-ups#first")
        assert pressed(given_up) == [rating]
    assert "Own rating: missed it." in page(given_up)


@pytest.mark.parametrize(
    ("question", "rating", "status", "sentence"),
    [
        ("first", "4", 400, "Rate your answer with one of: missed it, in part, had it."),
        ("second", "3", 409, "Answer this question first; then rate your answer beside the expected one."),
        ("pick", "3", 404, "There is no such question"),
        ("nosuch", "3", 404, "There is no such question"),
    ],
)
def test_a_rating_that_cannot_be_is_told(
    given_up: Browser, question: str, rating: str, status: int, sentence: str
) -> None:
    answer(given_up, "first")
    reply = given_up.post(f"{given_up.attempt}/answers/{question}/rating", rating=rating)
    assert reply.status_code == status
    assert sentence in reply.get_data(as_text=True)
    assert pressed(given_up) == []


def test_a_hint_may_be_read_before_the_choice_and_the_solution_only_after_it(given_up: Browser) -> None:
    before = page(given_up)
    assert "canary hint" in before
    assert "canary solution" not in before
    assert "your choice" not in before
    answer(given_up, "pick")
    shown = page(given_up)
    assert "canary solution" in shown
    assert re.findall(r'<p class="opt (\w+)">', shown) == ["ok", "bad"]
    assert given_up.post(f"{given_up.attempt}/answers/pick", answer="0").status_code == 409


def test_the_corrected_source_stands_against_the_own_starter(ada: Browser) -> None:
    ada.start(variant="other")
    ada.post(f"{ada.attempt}/give-up")
    rows = re.findall(r'<tr class="(add|del)">.*?<td>([^<]*)</td></tr>', page(ada))
    assert rows == [("del", "    return 3 * x  # starter other"), ("add", "    return x * 2.0")]


def test_faults_that_the_lesson_shows_lead_there(ada: Browser, problems: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "FRESH_S", -1.0)
    for file in (problems / SLUG).glob("*.yaml"):
        file.write_text(re.sub(r"(fault: |\[)thrice", r"\1unsafe-softmax", file.read_text()))
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    links = re.findall(r'<a href="(/lesson[^"]*)">([^<]+)</a>', page(ada).partition('id="to_in_the_lesson"')[2])
    assert links == [("/lesson?inputs=thousandfold&amp;softmax=unsafe#trace", "unsafe softmax")]


@pytest.mark.parametrize("fault", FAULT_CHANGES)
def test_the_lesson_has_a_page_for_every_fault_that_it_shows(app: Flask, fault: str) -> None:
    made = FAULT_CHANGES[fault].made()
    reply = Browser(app, None).client.get("/lesson", query_string=made)
    shown = reply.get_data(as_text=True)
    assert reply.status_code == 200
    for name, value in made.items():
        assert re.search(rf'name="{name}" value="{value}" checked', shown)
    assert ">fails first</span>" in shown


def everything(app: Flask, browser: Browser) -> str:
    """Return head and body of whatever the routes answer, asked with and without a body; ratings are no answers."""
    attempt = browser.attempt.rsplit("/", 1)[-1]
    token, parts = browser.token(), []
    for rule in app.url_map.iter_rules():
        path = rule.rule.replace("<public_id>", attempt).replace("<slug>", SLUG).replace("<question>", "first")
        path = re.sub(r"<int[^>]*>", "1", path)
        if "<" in path or rule.endpoint in ("accounts.sign_out", "attempts.give_up", "account_page.delete"):
            continue
        for method in sorted((rule.methods or set()) & {"GET", "HEAD", "POST"}):
            fields = {"csrf_token": token, "answer": "too short", "rating": "9"} if method == "POST" else None
            with browser.client.open(path, method=method, data=fields) as reply:
                parts += [str(reply.headers), reply.get_data(as_text=True)]
    return "\n".join(parts)


def test_no_route_tells_an_expected_answer_before_the_own_one(app: Flask, ada: Browser) -> None:
    ada.start()
    under_way = everything(app, ada)
    for word in (*AFTER_THE_ATTEMPT, *AFTER_THE_ANSWER):
        assert word not in under_way, word
    ada.post(f"{ada.attempt}/give-up")
    opened = everything(app, ada)
    assert "canary question one?" in opened
    for word in AFTER_THE_ANSWER:
        assert word not in opened, word
    answer(ada, "first")
    first = everything(app, ada)
    assert "canary expected one" in first
    assert "canary expected two" not in first
    assert "canary solution" not in first


def test_nothing_of_a_reply_depends_on_the_expected_answer(
    ada: Browser, problems: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "FRESH_S", -1.0)
    sizes = []
    for expected in ("canary expected one", "canary expected one, which is much longer than before"):
        folder = write_package(problems)
        interview = (folder / "interview.yaml").read_text()
        interview = interview.replace("canary expected one", expected).replace("canary solution", expected)
        write_package(problems, interview=interview)
        ada.start()
        ada.post(f"{ada.attempt}/give-up")
        reply = ada.get(f"{ada.attempt}/follow-ups")
        assert "ETag" not in reply.headers
        assert "Last-Modified" not in reply.headers
        sizes.append(len(re.sub(r'nonce="[^"]*"', "", reply.get_data(as_text=True))))
    assert sizes[0] == sizes[1]


def test_the_quiz_leads_to_the_questions_of_an_attempt_that_is_over(ada: Browser) -> None:
    sealed = ada.text(f"/problems/{SLUG}/quiz")
    assert "There is 1. It opens with the follow-up questions" in sealed
    assert "canary" not in sealed
    ada.start()
    assert "There is 1." in ada.text(f"/problems/{SLUG}/quiz")
    ada.post(f"{ada.attempt}/give-up")
    reply = ada.get(f"/problems/{SLUG}/quiz")
    assert (reply.status_code, reply.location) == (302, f"{ada.attempt}/follow-ups#to_check_yourself")
    assert ada.get("/problems/nosuch/quiz").status_code == 404


def test_a_problem_without_such_questions_says_so(
    ada: Browser, problems: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "FRESH_S", -1.0)
    file = problems / SLUG / "interview.yaml"
    file.write_text(file.read_text().partition("multiple_choice:")[0])
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    assert "This problem has none." in ada.text(f"/problems/{SLUG}/quiz")
    assert "Check yourself" not in page(ada)
