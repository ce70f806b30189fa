"""What people write stays text on every page that shows it, as a real browser reads the page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page
from sqlalchemy import Engine, select

from grader.grading.verdict import Verdict
from grader.report.visible import visible
from grader.services.sample_runs import RunResult, write_result
from grader.store.models import SampleRun
from grader.store.session import read_session
from tests.services.made import after, make_judgement
from tests.web.browsing import Browser, judge_last
from tests.web.markup import IN_A_BROWSER, PAYLOADS, active

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def parser(chromium: Chromium) -> Iterator[Page]:
    page = chromium.new_page()
    yield page
    page.close()


def acting(parser: Page, pages: list[str]) -> list[str]:
    """Return what could act on pages, as Chromium parses them."""
    return [what for found in parser.evaluate(IN_A_BROWSER, pages) for what in found]


def test_there_are_sixty_payloads_and_the_finders_find_them(parser: Page) -> None:
    assert len(set(PAYLOADS)) >= 60
    raw = [f"<p>{payload}" for payload in PAYLOADS]
    found = parser.evaluate(IN_A_BROWSER, raw)
    harmless = [payload for payload, what in zip(PAYLOADS, found, strict=True) if not what]
    assert len(harmless) < 28, harmless  # those that need another place than the middle of a text
    assert sum(bool(active(page)) for page in raw) > 30


def test_names_stay_text(app: Flask, parser: Page) -> None:
    browser = Browser(app)
    pages = []
    for payload in PAYLOADS:
        assert browser.post("/me/name", name=payload).status_code == 303
        page = browser.text("/me")
        shown = parser.evaluate(
            "page => new DOMParser().parseFromString(page, 'text/html').querySelector('.me').textContent", page
        )
        assert shown == " ".join(payload.split())
        pages += [page, browser.text("/"), browser.get("/nowhere").get_data(as_text=True)]
    assert acting(parser, pages) == []


def test_names_and_addresses_typed_at_the_door_stay_text(app: Flask, parser: Page) -> None:
    browser = Browser(app, None)
    pages = []
    for number, payload in enumerate(PAYLOADS):
        elsewhere = {"REMOTE_ADDR": f"192.0.2.{number}"}
        fields = {"csrf_token": browser.token(), "name": payload, "next": payload, "password": "short"}
        for path in ("/sign-in", "/sign-up"):
            reply = browser.client.post(path, data=fields, environ_base=elsewhere)
            assert reply.status_code == 400
            pages.append(reply.get_data(as_text=True))
        pages.append(browser.client.get("/sign-in", query_string={"next": payload}).get_data(as_text=True))
    assert acting(parser, pages) == []


def test_sources_prints_and_drafts_stay_text(app: Flask, engine: Engine, parser: Page) -> None:
    browser = Browser(app)
    browser.start()
    pages = []
    for number, payload in enumerate(PAYLOADS, 1):
        browser.submit(payload)
        judgement = make_judgement(Verdict.WA)
        cases = tuple(dataclasses.replace(case, prints=payload) for case in judgement.cases)
        judge_last(engine, dataclasses.replace(judgement, import_prints=payload, cases=cases))
        assert browser.post(f"{browser.attempt}/draft", source=payload).status_code == 204
        pages += [browser.text(f"{browser.attempt}/submissions/{number}"), browser.text(browser.attempt)]
        assert visible(payload)[:5] in parser.evaluate(
            "page => new DOMParser().parseFromString(page, 'text/html').body.textContent", pages[-2]
        )
    assert acting(parser, pages) == []


def test_sample_runs_stay_text(app: Flask, engine: Engine, parser: Page) -> None:
    browser = Browser(app)
    browser.start()
    pages = []
    for payload in PAYLOADS:
        reply = browser.post(f"{browser.attempt}/sample-runs", source=payload)
        assert reply.status_code == 303
        outcome = json.dumps({"import_prints": payload, "cases": [], "outputs": "[]"})
        with read_session(engine) as session:
            key = session.scalars(select(SampleRun.id).order_by(SampleRun.id.desc()).limit(1)).one()
        write_result(engine, key, RunResult(Verdict.RTE, None, payload, outcome), after(1))
        pages.append(browser.text(reply.location))
    assert acting(parser, pages) == []


def test_answers_stay_text(app: Flask, parser: Page) -> None:
    browser = Browser(app)
    pages = []
    for payload in PAYLOADS:
        browser.start()
        browser.post(f"{browser.attempt}/give-up")
        answer = f"{payload} and some more words"
        assert browser.post(f"{browser.attempt}/answers/first", answer=answer).status_code == 303
        refused = browser.post(f"{browser.attempt}/answers/second", answer=payload[:15])
        pages += [browser.text(f"{browser.attempt}/follow-ups"), refused.get_data(as_text=True)]
    pages.append(browser.text("/progress"))
    assert acting(parser, pages) == []
