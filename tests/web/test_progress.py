"""The page of the own progress: what it says, and that it is one's own."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from grader.grading.verdict import Finding, Verdict
from tests.services.made import make_judgement
from tests.services.tiny_package import SLUG
from tests.web.browsing import Browser, judge_last


def plain(page: str) -> str:
    """Return a page's text without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def judged(browser: Browser, engine: Engine, verdict: Verdict) -> None:
    browser.submit()
    finding = Finding("…", first_wrong_stage="output", faults=("thrice",)) if verdict is Verdict.WA else Finding("…")
    judge_last(engine, replace(make_judgement(verdict), finding=finding))


def test_who_has_practised_nothing_is_shown_where_to_start(ada: Browser) -> None:
    page = ada.text("/progress")
    assert "Nothing practised yet" in page
    assert f'<a class="btn primary wide-s" href="/problems/{SLUG}">Start with Twice as much</a>' in page
    assert 'aria-current="page">My progress</a>' in page


def test_an_attempt_under_way_names_its_stage_and_no_fault(ada: Browser, engine: Engine) -> None:
    ada.start()
    judged(ada, engine, Verdict.WA)
    text = plain(ada.text("/progress"))
    assert "0 problems solved, 1 attempt, 1 submission." in text
    assert "Twice as much in progress 40 of 100" in re.sub(r"1 attempt, 1 submission ", "", text)
    assert re.search(r"First wrong stage .* output 1", text)
    assert "thrice" not in text
    assert "It is the easiest problem that you have not solved yet." in text


def test_a_fault_that_is_over_is_listed_and_leads_back(ada: Browser, engine: Engine) -> None:
    ada.start()
    judged(ada, engine, Verdict.WA)
    ada.post(f"{ada.attempt}/give-up")
    page = ada.text("/progress")
    assert re.search(r'<th scope="row">thrice<.*?not mastered', page, re.S)
    assert "a fault that you made and have not mastered comes up there" in page
    assert f'<a class="tap" href="{ada.attempt}/follow-ups">Twice as much, 2 questions not answered</a>' in page


def test_solving_masters_it(ada: Browser, engine: Engine) -> None:
    ada.start()
    judged(ada, engine, Verdict.WA)
    judged(ada, engine, Verdict.AC)
    page = ada.text("/progress")
    assert re.search(r'<th scope="row">thrice<.*?</svg>mastered<', page, re.S)
    assert "2 follow-up questions of <b>Twice as much</b> wait for your answer." in page


def test_nothing_left_to_do_is_said(ada: Browser, engine: Engine) -> None:
    ada.start()
    judged(ada, engine, Verdict.AC)
    for question in ("first", "second"):
        ada.post(f"{ada.attempt}/answers/{question}", answer="x" * 30)
    ada.post(f"{ada.attempt}/answers/pick", answer="0")
    ada.post(f"{ada.attempt}/answers/first/rating", rating="3")
    page = ada.text("/progress")
    assert "Every problem is solved and every follow-up question answered." in page
    text = plain(page)
    assert "Questions answered 2 of 2 Rated “had it” 1 Rated “in part” 0 Rated “missed it” 0" in text
    assert "Right choices 1 of 1 taken 1 of 1" in text


@pytest.mark.parametrize("path", ["/progress", "/"])
def test_another_user_sees_nothing_of_it(ada: Browser, eve: Browser, engine: Engine, path: str) -> None:
    before = eve.text(path)
    ada.start()
    judged(ada, engine, Verdict.WA)
    ada.post(f"{ada.attempt}/give-up")
    blank = re.compile(r'nonce="[^"]*"|value="[^"]*"')
    assert blank.sub("", eve.text(path)) == blank.sub("", before)


def test_bars_need_no_style(ada: Browser, engine: Engine) -> None:
    ada.start()
    judged(ada, engine, Verdict.WA)
    page = ada.text("/progress")
    assert " style=" not in page
    assert '<rect class="b1" width="100.0" height="6"/>' in page
