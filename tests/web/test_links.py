"""Links that let somebody choose a password once: clean addresses, one use, one answer for those that ended."""

from __future__ import annotations

import logging
import re
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import Engine, select

from grader.services import accounts, links
from grader.store.credential_models import WebSession
from grader.store.session import read_session, write_session
from tests.services.made import NOON
from tests.web.browsing import PASSWORD, PASSWORD_HASH, Browser, cookie, dump, is_signed_in, make_user, with_cookie


def make_link(engine: Engine, name: str | None, lifetime: timedelta = links.RESET) -> str:
    with write_session(engine) as session:
        user = accounts.named(session, name) if name else None
        return links.make(session, user, NOON + timedelta(days=36500), lifetime)


def test_a_link_leads_to_a_clean_address_and_is_told_nowhere(
    app: Flask, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    make_user(engine, "Ada")
    token = make_link(engine, "Ada")
    browser = Browser(app, None)
    with caplog.at_level(logging.DEBUG):
        replies = [browser.get(f"/links/{token}"), browser.get("/link")]
        replies.append(browser.post("/link", password="short"))
        replies.append(browser.post("/link", password="nine loud badgers"))
        replies.append(browser.get("/"))
    assert [reply.status_code for reply in replies] == [303, 200, 400, 303, 200]
    assert [reply.location for reply in replies] == ["/link", None, None, "/", None]
    assert all(token not in reply.get_data(as_text=True) for reply in replies)
    assert replies[0].headers["Referrer-Policy"] == "no-referrer"
    assert token not in caplog.text
    assert token not in dump(engine)
    assert browser.client.get_cookie("grader-link") is None


def test_looking_at_a_link_uses_nothing_up(app: Flask, engine: Engine) -> None:
    make_user(engine, "Ada")
    token = make_link(engine, "Ada")
    for _ in range(5):
        scanner = Browser(app, None)
        scanner.get(f"/links/{token}")
        assert "Ada" in scanner.text("/link")
    owner = Browser(app, None)
    owner.get(f"/links/{token}")
    assert owner.post("/link", password="nine loud badgers").status_code == 303
    assert is_signed_in(owner)


def test_links_that_do_not_work_all_say_the_same(app: Flask, engine: Engine) -> None:
    make_user(engine, "Ada")
    make_user(engine, "Eve")
    used, expired = make_link(engine, "Ada"), make_link(engine, "Eve", timedelta(days=-36600))
    first = Browser(app, None)
    first.get(f"/links/{used}")
    assert first.post("/link", password="nine loud badgers").status_code == 303
    pages = set()
    for token in (used, expired, "x" * 43, "x" * 5000):
        browser = Browser(app, None)
        assert browser.get(f"/links/{token}").location == "/link"
        for reply in (browser.get("/link"), browser.post("/link", password="nine loud badgers")):
            pages.add((reply.status_code, re.sub(r'(nonce|value)="[^"]*"', "", reply.get_data(as_text=True))))
    assert len(pages) == 1
    assert "each one serves once" in pages.pop()[1]


@pytest.mark.parametrize("has_password", [False, True])
def test_a_link_speaks_of_browsers_where_there_can_be_some(app: Flask, engine: Engine, has_password: bool) -> None:
    with write_session(engine) as session:
        accounts.add(session, "Ada", PASSWORD_HASH if has_password else None, NOON)
    browser = Browser(app, None)
    browser.get(f"/links/{make_link(engine, 'Ada')}")
    assert ("Every browser that is signed in with it" in browser.text("/link")) is has_password


def test_a_reset_signs_every_browser_out(app: Flask, engine: Engine, ada: Browser) -> None:
    browser = Browser(app, None)
    browser.get(f"/links/{make_link(engine, 'Ada')}")
    browser.post("/link", password="nine loud badgers")
    assert not is_signed_in(ada)
    assert is_signed_in(browser)


def test_the_first_link_asks_for_a_name_and_makes_an_admin(app: Flask, engine: Engine) -> None:
    browser = Browser(app, None)
    browser.get(f"/links/{make_link(engine, None)}")
    assert "Set this service up" in browser.text("/link")
    assert browser.post("/link", name="Root", password=PASSWORD).status_code == 303
    assert '<span class="tag hide-s">admin</span>' in browser.text("/me")
    second = Browser(app, None)
    assert second.get("/link").status_code == 404


def test_words_of_one_purpose_serve_no_other(app: Flask, engine: Engine, ada: Browser) -> None:
    """A form's token, a session's, a link's and their hashes: none opens another's door."""
    token = make_link(engine, "Ada")
    with read_session(engine) as session:
        stored = session.scalars(select(WebSession.token_sha256)).all()
    form = ada.token()
    for word in (token, form, form.partition(".")[2], *stored):
        assert not is_signed_in(with_cookie(app, word))
    for word in (cookie(ada), form, *stored):
        browser = Browser(app, None)
        browser.get(f"/links/{word}")
        assert browser.get("/link").status_code == 404
    for word in (cookie(ada), token, *stored):
        assert ada.client.post("/theme", data={"csrf_token": word}).status_code == 400
        assert ada.client.post("/theme", data={"csrf_token": f"{'0' * 16}.{word}"}).status_code == 400
