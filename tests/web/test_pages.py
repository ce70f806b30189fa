"""What the pages show and do, without a browser."""

from __future__ import annotations

import html
import logging
import re
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.services import packages
from grader.web.app import WebSettings, create_app
from tests.services.made import make_judgement
from tests.services.tiny_package import SLUG, write_package
from tests.web.browsing import Browser, judge_last, sources
from tests.web.conftest import KEY, make_service

OWN = "I think that it multiplies by three."


def test_the_list_shows_what_was_reached(ada: Browser, engine: Engine) -> None:
    assert "Twice as much" in ada.text("/")
    assert "new" in ada.text("/")
    ada.start()
    assert "in progress" in ada.text("/")
    ada.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    assert "solved" in ada.text("/")


def test_an_empty_folder_says_so(engine: Engine, ada: Browser, problems: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "FRESH_S", -1.0)
    (problems / SLUG / "problem.yaml").unlink()
    assert "No problems yet" in ada.text("/")


def test_only_the_statements_first_paragraph_is_shown_before_the_start(ada: Browser) -> None:
    page = ada.text(f"/problems/{SLUG}")
    assert "Repair <code>twice</code>" in page
    assert "The contract as a table" not in page
    ada.start()
    assert "The contract as a table" in ada.text(ada.attempt)


def test_the_editor_has_the_variants_starter_then_the_last_source(ada: Browser) -> None:
    ada.start(variant="other")
    assert "# starter other" in edited(ada, ada.attempt)
    ada.submit("mine = 1\n")
    assert edited(ada, ada.attempt) == "mine = 1\n"
    assert "# starter other" in edited(ada, f"{ada.attempt}?source=starter")
    assert edited(ada, ada.attempt) == "mine = 1\n"


def edited(browser: Browser, path: str) -> str:
    """Return what the editor of a page holds."""
    found = re.search(r'<textarea[^>]* name="source"[^>]*>\n?(.*?)</textarea>', browser.text(path), re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("a = 1\r\nb = 2\r\n", b"a = 1\nb = 2\n"),
        ("\r\n\r\nx", b"\n\nx"),
        ("é\u202e\0", "é\u202e\0".encode()),
    ],
)
def test_typed_sources_keep_their_text(ada: Browser, engine: Engine, typed: str, stored: bytes) -> None:
    ada.start()
    assert ada.submit(typed).status_code == 303
    assert sources(engine) == [stored]


def test_a_leading_newline_survives_the_editor(ada: Browser) -> None:
    ada.start()
    ada.submit("\n\nx = 1\n")
    assert re.search(r"<textarea[^>]*>\n\n\nx = 1\n</textarea>", ada.text(ada.attempt))


@pytest.mark.parametrize("source", [b"\0\xff\xfe", b"a = 1\r\n", b"\xef\xbb\xbfx", b"#" * (1 << 20)])
def test_files_are_kept_byte_for_byte(ada: Browser, engine: Engine, source: bytes) -> None:
    ada.start()
    assert ada.submit_file(source).status_code == 303
    assert sources(engine) == [source]
    assert ada.get(f"{ada.attempt}/submissions/1").status_code == 200
    assert ada.get(ada.attempt).status_code == 200


def test_a_large_source_is_shown_in_part(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.submit_file(b"a = 1\n" + b"\0" * 1_000_000)
    judge_last(engine, make_judgement(Verdict.WA))
    page = ada.text(f"{ada.attempt}/submissions/1")
    assert "bytes more are stored" in page
    assert len(page) < 500_000


def test_the_samples_are_shown(ada: Browser) -> None:
    ada.start()
    assert "Sample <code>sample_format</code>" in ada.text(ada.attempt)
    page = ada.text(f"{ada.attempt}/samples")
    assert "sample_format" in page
    assert "secret" not in page


def test_a_request_without_a_source_is_told(ada: Browser) -> None:
    ada.start()
    reply = ada.post(f"{ada.attempt}/submissions")
    assert reply.status_code == 400
    assert "no source in this request" in reply.get_data(as_text=True)


def test_solving_leads_to_the_follow_ups(ada: Browser, engine: Engine) -> None:
    ada.start()
    path = ada.submit().location
    judge_last(engine, make_judgement(Verdict.AC))
    assert f"{ada.attempt}/follow-ups" in ada.text(path)
    assert "canary question one?" in ada.text(f"{ada.attempt}/follow-ups")


def test_a_solved_attempt_takes_another_source(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    assert "<h1>Grading</h1>" in ada.text(ada.submit("x = 2\n").location)


def test_giving_up_closes_the_editor_and_opens_the_answers(ada: Browser) -> None:
    ada.start()
    assert "They open when" in ada.text(f"{ada.attempt}/follow-ups")
    assert ada.post(f"{ada.attempt}/give-up").status_code == 303
    page = ada.text(ada.attempt)
    assert "<textarea" not in page
    assert "Start this variant again" in page
    assert ada.submit().status_code == 409
    assert ada.start() != page


def test_a_refused_answer_stays_in_its_field(ada: Browser) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    reply = ada.post(f"{ada.attempt}/answers/first", answer="too short")
    page = reply.get_data(as_text=True)
    assert reply.status_code == 400
    assert "20 characters or more" in page
    assert ">\ntoo short</textarea>" in page
    assert page.count("20 characters or more") == 1


def test_answering_opens_one_question_and_fixes_it(ada: Browser) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    reply = ada.post(f"{ada.attempt}/answers/first", answer=OWN)
    assert (reply.status_code, reply.location) == (303, f"{ada.attempt}/follow-ups#first")
    page = ada.text(f"{ada.attempt}/follow-ups")
    assert OWN in page
    assert "canary expected one" in page
    assert "canary expected two" not in page
    assert ada.post(f"{ada.attempt}/answers/first", answer=OWN + " Or not.").status_code == 409
    assert "Or not." not in ada.text(f"{ada.attempt}/follow-ups")


def test_a_choice_shows_hint_and_solution_afterwards(ada: Browser) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/give-up")
    assert ada.post(f"{ada.attempt}/answers/pick").status_code == 400
    assert ada.post(f"{ada.attempt}/answers/pick", answer="1").status_code == 303
    page = ada.text(f"{ada.attempt}/follow-ups")
    assert "canary hint" in page
    assert "canary solution" in page


@pytest.mark.parametrize(
    ("chosen", "attribute"), [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'), ("system", "")]
)
def test_the_theme_is_kept(ada: Browser, chosen: str, attribute: str) -> None:
    reply = ada.post("/theme", theme=chosen, next=f"/problems/{SLUG}")
    assert (reply.status_code, reply.location) == (303, f"/problems/{SLUG}")
    assert f'<html lang="en"{attribute}>' in ada.text("/")


@pytest.mark.parametrize(
    "path",
    ["/?level=L3&state=solved", f"/problems/{SLUG}?next=%2F%2Fevil.example", "/sign-in?next=%2Freviews%3Fshow%3Dall"],
)
def test_the_theme_keeps_what_an_address_says(anonymous: Browser, ada: Browser, path: str) -> None:
    browser = anonymous if path.startswith("/sign-in") else ada
    page = browser.text(path)
    form = page.partition('action="/theme"')[2]
    found = re.search(r'name="next" value="([^"]*)"', form)
    assert found
    assert browser.post("/theme", theme="dark", next=html.unescape(found[1])).location == path


def test_the_theme_of_a_refused_forms_page_leads_to_the_page_of_the_form(ada: Browser) -> None:
    ada.start()
    form = ada.submit("").get_data(as_text=True).partition('action="/theme"')[2]
    found = re.search(r'name="next" value="([^"]*)"', form)
    assert found
    assert ada.post("/theme", theme="dark", next=html.unescape(found[1])).location == ada.attempt


def test_an_unknown_theme_changes_nothing(ada: Browser) -> None:
    reply = ada.post("/theme", theme='"><script>', next="/")
    assert "theme=" not in reply.headers.get("Set-Cookie", "")


def test_health_is_one_word(ada: Browser) -> None:
    reply = ada.get("/healthz")
    assert (reply.data, reply.headers.get("Set-Cookie")) == (b"ok", None)


def test_an_unexpected_error_is_our_fault_without_a_traceback(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    @app.get("/broken")
    def broken() -> str:
        raise RuntimeError("canary of ours")

    ada = Browser(app)
    with caplog.at_level(logging.ERROR):
        reply = ada.get("/broken")
    page = reply.get_data(as_text=True)
    assert reply.status_code == 500
    assert "Our fault, not yours" in page
    assert "canary of ours" not in page
    assert "Traceback" not in page
    reference = re.search(r"<code>([0-9a-f]{16})</code>", page)
    assert reference
    assert reference[1] == reply.headers["X-Request-ID"]
    assert "canary of ours" in caplog.text


def test_a_package_that_breaks_later_is_our_fault(
    ada: Browser, problems: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "FRESH_S", -1.0)
    ada.start()
    write_package(problems, interview="schema: 1\n")
    assert "Repair <code>twice</code>" in ada.text(ada.attempt)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nope", 404),
        ("GET", "/problems/nosuch", 404),
        ("PUT", "/", 405),
        ("DELETE", "/theme", 405),
    ],
)
def test_errors_are_pages(ada: Browser, method: str, path: str, status: int) -> None:
    token = ada.token()
    reply = ada.client.open(path, method=method, headers={"X-CSRFToken": token})
    assert reply.status_code == status
    assert "To the problems" in reply.get_data(as_text=True)
    assert ("Allow" in reply.headers) == (status == 405)


def test_every_page_says_that_the_sandbox_is_weakened(ada: Browser, engine: Engine, problems: Path) -> None:
    weak = Browser(create_app(WebSettings(KEY, is_sandbox_weakened=True), make_service(engine, problems)))
    weak.start()
    for path in ("/", "/lesson", f"/problems/{SLUG}", weak.attempt, "/nowhere"):
        assert "Weakened sandbox." in weak.get(path).get_data(as_text=True), path
    assert "Weakened sandbox." not in ada.text("/")
