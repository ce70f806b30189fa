"""An attempt's page without scripts: what its forms send and the service refuses is still there to be sent again."""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update
from werkzeug.test import TestResponse

from grader.store.models import Attempt, Package
from grader.store.session import read_session, write_session
from tests.store.engines import kept_engine
from tests.web.browsing import Browser, sources
from tests.web.room import Room

KEPT = "keep_me = 1\n"
FORMS: dict[str, tuple[str, dict[str, str], str]] = {
    "draft": ("/draft", {"page": "1"}, "The draft was not saved."),
    "samples": ("/sample-runs", {}, "The samples were not run."),
    "submission": ("/submissions", {}, "Not handed in."),
}
every_form = pytest.mark.parametrize("form", FORMS)
every_draft = pytest.mark.parametrize("form", ["draft", "samples"])


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    with kept_engine(database, 0.2) as engine:
        yield engine


def send(browser: Browser, form: str, source: str = KEPT, **fields: str) -> TestResponse:
    path, own, _ = FORMS[form]
    return browser.post(f"{browser.attempt}{path}", source=source, **own, **fields)


def told(reply: TestResponse) -> str:
    """Return what a page says of why a form was refused."""
    found = re.search(r'id="refused" role="alert">.*?<p>(.*?)</p>', reply.get_data(as_text=True))
    assert found
    return html.unescape(re.sub("<[^>]+>", "", found[1]))


def folded(page: str, title: str) -> str:
    """Return the source that stands under a title; its last line end is not shown there."""
    found = re.search(rf"<summary>{title}</summary><pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert found
    return html.unescape(re.sub("<[^>]+>", "", found[1])) + "\n"


def in_editor(page: str) -> str:
    found = re.search(r'<textarea id="source"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    assert found
    return html.unescape(found[1])


def seen(page: str) -> str:
    found = re.search(r'name="seen" value="([^"]*)"', page)
    assert found
    return found[1]


@every_form
def test_a_text_that_is_too_large_stays_in_the_editor(ada: Browser, form: str) -> None:
    ada.start()
    text = "#" * (1 << 20) + "\n"
    reply = send(ada, form, text)
    assert reply.status_code == 413
    assert told(reply).startswith(FORMS[form][2])
    assert in_editor(reply.get_data(as_text=True)) == text


@every_form
def test_a_text_that_the_database_does_not_take_stays_in_the_editor(ada: Browser, tmp_path: Path, form: str) -> None:
    ada.start()
    with closing(sqlite3.connect(tmp_path / "data" / "grader.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        reply = send(ada, form)
        other.execute("ROLLBACK")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
    assert told(reply).startswith(f"{FORMS[form][2]} The database takes nothing at this moment")
    assert in_editor(reply.get_data(as_text=True)) == KEPT


@every_form
def test_a_text_that_comes_after_the_end_stands_on_the_page(
    app: Flask, engine: Engine, problems: Path, ada: Browser, form: str
) -> None:
    room = Room(app, engine, problems, ada)
    ada.post(f"{room.taking}/end")
    reply = send(ada, form)
    assert reply.status_code == 409
    assert told(reply) == (f"{FORMS[form][2]} Your time in this interview is over; what you handed in before is kept.")
    assert folded(reply.get_data(as_text=True), "What you sent") == KEPT


@every_form
def test_a_text_for_what_was_given_up_stands_beside_the_last_source(ada: Browser, form: str) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/draft", source="last = 1\n")
    ada.post(f"{ada.attempt}/give-up")
    reply = send(ada, form)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 409
    assert folded(page, "What you sent") == KEPT
    assert "keep_me" not in page.partition("Your last source</h2>")[2]


@every_form
def test_a_text_for_what_an_interview_closes_meanwhile_stands_on_the_page(
    app: Flask, engine: Engine, problems: Path, ada: Browser, form: str
) -> None:
    practice = ada.start()
    Room(app, engine, problems, ada)
    ada.attempt = practice
    reply = send(ada, form)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 409
    assert f"{FORMS[form][2]} This problem is part of the interview that you are taking" in page
    assert folded(page, "What you sent") == KEPT


@every_draft
def test_a_draft_of_another_tab_is_not_replaced_unseen(ada: Browser, form: str) -> None:
    ada.start()
    older = seen(ada.text(ada.attempt))
    send(ada, "draft", "newer = 1\n", seen=older)
    reply = send(ada, form, seen=older)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 409
    assert told(reply) == (
        f"{FORMS[form][2]} A newer draft was saved from another tab after this page was opened; it stands above the "
        "editor. Send this text again to put it in its place."
    )
    assert (in_editor(page), folded(page, "The newer draft, from another tab")) == (KEPT, "newer = 1\n")
    assert in_editor(ada.text(ada.attempt)) == "newer = 1\n"


@every_draft
def test_a_draft_of_another_tab_is_replaced_once_it_was_seen(ada: Browser, form: str) -> None:
    ada.start()
    older = seen(ada.text(ada.attempt))
    send(ada, "draft", "newer = 1\n", seen=older)
    refused = send(ada, form, seen=older).get_data(as_text=True)
    assert send(ada, form, seen=seen(refused)).status_code == 303
    assert in_editor(ada.text(ada.attempt)) == KEPT


def test_what_is_refused_for_another_cause_shows_the_draft_of_another_tab_too(ada: Browser) -> None:
    ada.start()
    older = seen(ada.text(ada.attempt))
    send(ada, "draft", "newer = 1\n", seen=older)
    page = send(ada, "submission", " \n", seen=older).get_data(as_text=True)
    assert folded(page, "The newer draft, from another tab") == "newer = 1\n"


@every_form
def test_a_package_that_cannot_be_read_costs_no_text(ada: Browser, engine: Engine, form: str) -> None:
    ada.start()
    with write_session(engine) as session:  # as a file that a disk has damaged
        session.execute(update(Package).values(sha256="f" * 64, archive=b"damaged"))
    reply = send(ada, form)
    with read_session(engine) as session:
        drafts = session.scalars(select(Attempt.draft)).all()
    if form == "samples":
        page = reply.get_data(as_text=True)
        assert reply.status_code == 500
        assert (
            "The samples were not run. This problem&#39;s package cannot be read on this server. "
            "What you typed stands below."
        ) in page
        assert folded(page, "What you sent[^<]*") == KEPT
    else:
        assert reply.status_code == 303
    assert sources(engine) == ([KEPT.encode()] if form == "submission" else [])
    assert drafts == [None if form == "submission" else KEPT.encode()]
