"""A form that is sent twice does its act once: one after the other, and at the same time on two processes."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, func, select
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse

from grader.services.packages import Packages
from grader.store.credential_models import ApiToken
from grader.store.interview_models import Interview, Invitation
from grader.store.session import make_engine, read_session
from grader.store.time_models import Extension
from grader.web.app import WebSettings, create_app
from grader.web.service import now
from tests.services.conftest import database_url, engine, postgres_url, sqlite_url, standing_place
from tests.services.interviewing import begin
from tests.services.made import make_candidate
from tests.services.tiny_package import SLUG
from tests.store.conftest import postgres_server, upgraded_database
from tests.web.browsing import Browser, cookie, sources, with_cookie
from tests.web.conftest import KEY, make_service
from tests.web.test_interviews import FORM, browse_as, invitation_ids, invite

__all__ = [
    "database_url",
    "engine",
    "postgres_server",
    "postgres_url",
    "sqlite_url",
    "standing_place",
    "upgraded_database",
]
AT_ONCE: Final = 8


@pytest.fixture
def lena(app: Flask, engine: Engine) -> Browser:
    return browse_as(app, engine, "Lena")


@pytest.fixture
def form(problems: Path) -> dict[str, str]:
    """What sets an interview up."""
    return {**FORM, "problem": Packages(problems).named(SLUG).sha256, "variant": "only"}


def hidden_of(browser: Browser, page: str, action: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    whole = browser.text(page)
    (found,) = re.findall(rf'<form[^>]* action="{re.escape(action)}".*?</form>', whole, re.DOTALL)
    return dict(re.findall(r'<input type="hidden" name="(form_key|csrf_token)" value="([^"]+)"', found))


def send(browser: Browser, path: str, fields: Mapping[str, str]) -> TestResponse:
    return browser.client.post(path, data=dict(fields))


def number_of(engine: Engine, table: type) -> int:
    with read_session(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_source_that_is_sent_twice_is_one_submission(ada: Browser, engine: Engine) -> None:
    page = ada.start()
    fields = {**hidden_of(ada, page, f"{page}/submissions"), "source": "x = 1\n"}
    first, again = (send(ada, f"{page}/submissions", fields) for _ in range(2))
    assert (first.status_code, again.status_code) == (303, 303)
    assert first.location == again.location == f"{page}/submissions/1"
    assert sources(engine) == [b"x = 1\n"]


def test_a_source_that_was_changed_is_another_submission(ada: Browser, engine: Engine) -> None:
    page = ada.start()
    fields = hidden_of(ada, page, f"{page}/submissions")
    for source in ("x = 1\n", "x = 2\n"):
        assert send(ada, f"{page}/submissions", {**fields, "source": source}).status_code == 303
    assert sources(engine) == [b"x = 1\n", b"x = 2\n"]


def test_a_new_form_hands_the_same_source_in_again(ada: Browser, engine: Engine) -> None:
    page = ada.start()
    for _ in range(2):
        send(ada, f"{page}/submissions", {**hidden_of(ada, page, f"{page}/submissions"), "source": "x = 1\n"})
    assert sources(engine) == [b"x = 1\n", b"x = 1\n"]


@pytest.mark.parametrize(("contents", "stored"), [((b"a", b"a"), [b"a"]), ((b"a", b"b"), [b"a", b"b"])])
def test_a_file_counts_by_what_is_in_it(
    ada: Browser, engine: Engine, contents: tuple[bytes, ...], stored: list[bytes]
) -> None:
    page = ada.start()
    fields = {**hidden_of(ada, page, f"{page}/submissions"), "source": "x"}
    for content in contents:
        data = {**fields, "file": FileStorage(io.BytesIO(content), "mine.py")}
        assert ada.client.post(f"{page}/submissions", data=data).status_code == 303
    assert sources(engine) == stored


def test_what_was_refused_can_be_sent_again(ada: Browser, engine: Engine) -> None:
    page = ada.start()
    fields = hidden_of(ada, page, f"{page}/submissions")
    assert [send(ada, f"{page}/submissions", {**fields, "source": " "}).status_code for _ in range(2)] == [400, 400]
    assert send(ada, f"{page}/submissions", {**fields, "source": "x"}).status_code == 303
    assert sources(engine) == [b"x"]


def test_a_key_is_its_users_own(ada: Browser, eve: Browser, engine: Engine) -> None:
    fields = {}
    for browser in (ada, eve):
        page = browser.start()
        fields = hidden_of(browser, page, f"{page}/submissions") | {"form_key": "k" * 22, "source": "x"}
        assert send(browser, f"{page}/submissions", fields).location == f"{page}/submissions/1"
    assert sources(engine) == [b"x", b"x"]


def test_an_interview_is_set_up_once(lena: Browser, engine: Engine, form: dict[str, str]) -> None:
    fields = form | hidden_of(lena, "/interviews/new", "/interviews/new")
    first, again = (send(lena, "/interviews/new", fields) for _ in range(2))
    assert first.location == again.location
    assert number_of(engine, Interview) == 1


def test_an_interview_is_copied_once(lena: Browser, engine: Engine, form: dict[str, str]) -> None:
    page = lena.post("/interviews/new", **form).location.partition("?")[0]
    fields = hidden_of(lena, page, f"{page}/clone")
    first, again = (send(lena, f"{page}/clone", fields) for _ in range(2))
    assert first.location == again.location
    assert number_of(engine, Interview) == 2


def test_time_is_given_once(lena: Browser, engine: Engine, form: dict[str, str]) -> None:
    page = lena.post("/interviews/new", **form).location.partition("?")[0]
    (token,) = invite(lena, page, "Ines")
    begin(engine, token, make_candidate(engine), now())
    own = f"{page}/candidates/{invitation_ids(engine)[0]}"
    fields = hidden_of(lena, own, f"{own}/extend") | {"minutes": "10", "reason": "Fire alarm"}
    assert [send(lena, f"{own}/extend", fields).status_code for _ in range(2)] == [303, 303]
    assert number_of(engine, Extension) == 1


def links_on(reply: TestResponse) -> list[str]:
    """Return the tokens of the links that a page shows."""
    return re.findall(r'name="token" value="([^"]+)"', reply.get_data(as_text=True))


def opened(lena: Browser, page: str, tokens: list[str]) -> list[str]:
    """Return whose links still work."""
    table = lena.post(f"{page}/links.csv", token=tokens).get_data(as_text=True)
    return [row[0] for row in csv.reader(table.splitlines()[1:])]


def invite_form(lena: Browser, page: str, which: int) -> dict[str, str]:
    """Return the hidden fields of one of the two forms that invite."""
    forms = re.findall(r'<form class="panel.*?</form>', lena.text(f"{page}/invite"), re.DOTALL)
    return dict(re.findall(r'<input type="hidden" name="(form_key|csrf_token)" value="([^"]+)"', forms[which]))


@pytest.mark.parametrize("which", [0, 1], ids=["typed", "file"])
def test_links_that_nobody_saw_are_made_anew(lena: Browser, engine: Engine, form: dict[str, str], which: int) -> None:
    page = lena.post("/interviews/new", **form).location.partition("?")[0]
    invite(lena, page, "Kim")
    fields = invite_form(lena, page, which)
    replies = []
    for _ in range(2):
        file = FileStorage(io.BytesIO(b"Ines\nTomasz\nKim\n"), "names.csv")
        data = {**fields, **({"file": file} if which else {"names": "Ines\nTomasz\nKim"})}
        replies.append(lena.client.post(f"{page}/invite", data=data))
    first, again = (links_on(reply) for reply in replies)
    told = replies[1].get_data(as_text=True)
    for reply in replies:
        reply.close()
    assert (len(first), len(again), number_of(engine, Invitation)) == (2, 2, 3)
    assert "This form came twice" in told
    assert "2 new links" in told
    assert "<li>Kim</li>" in told
    assert [opened(lena, page, tokens) for tokens in (first, again)] == [[], ["Ines", "Tomasz"]]


def test_a_link_that_was_accepted_meanwhile_stays(lena: Browser, engine: Engine, form: dict[str, str]) -> None:
    page = lena.post("/interviews/new", **form).location.partition("?")[0]
    fields = invite_form(lena, page, 0) | {"names": "Ines\nTomasz"}
    ines, _ = links_on(send(lena, f"{page}/invite", fields))
    begin(engine, ines, make_candidate(engine), now())
    told = send(lena, f"{page}/invite", fields)
    assert len(links_on(told)) == 1
    assert "<li>Ines</li>" in told.get_data(as_text=True)


def test_an_invitation_that_was_revoked_meanwhile_stays_so(lena: Browser, engine: Engine, form: dict[str, str]) -> None:
    page = lena.post("/interviews/new", **form).location.partition("?")[0]
    fields = invite_form(lena, page, 0) | {"names": "Ines"}
    send(lena, f"{page}/invite", fields)
    lena.post(f"{page}/candidates/{invitation_ids(engine)[0]}/revoke")
    told = send(lena, f"{page}/invite", fields)
    assert links_on(told) == []
    assert "no link to make again" in told.get_data(as_text=True)


def token_on(reply: TestResponse) -> str:
    """Return the token that a page shows."""
    (found,) = re.findall(r"grd_[\w-]{43}", reply.get_data(as_text=True))
    return str(found)


def opens(browser: Browser, token: str) -> int:
    """Return what a program is told that shows a token."""
    headers = {"Authorization": f"Bearer {token}"}
    return browser.client.application.test_client().get("/api/v1/me", headers=headers).status_code


def test_a_token_that_nobody_saw_is_made_anew(ada: Browser, engine: Engine) -> None:
    fields = hidden_of(ada, "/me/tokens", "/me/tokens") | {"name": "ci", "scope": "practice", "days": "7"}
    first, again = (token_on(send(ada, "/me/tokens", fields)) for _ in range(2))
    assert number_of(engine, ApiToken) == 1
    assert (opens(ada, first), opens(ada, again)) == (401, 200)


def test_a_token_in_use_stays(ada: Browser, engine: Engine) -> None:
    fields = hidden_of(ada, "/me/tokens", "/me/tokens") | {"name": "ci", "scope": "practice", "days": "7"}
    token = token_on(send(ada, "/me/tokens", fields))
    assert opens(ada, token) == 200
    again = send(ada, "/me/tokens", fields)
    assert again.status_code == 400
    assert "which is in use" in again.get_data(as_text=True)
    assert opens(ada, token) == 200


def test_two_processes_take_one_form_once(
    app: Flask, ada: Browser, engine: Engine, database_url: str, problems: Path
) -> None:
    page = ada.start()
    fields = {**hidden_of(ada, page, f"{page}/submissions"), "source": "x = 1\n"}
    other = make_engine(database_url)
    apps = (app, create_app(WebSettings(KEY), make_service(other, problems)))
    browsers = [with_cookie(apps[number % 2], cookie(ada)) for number in range(AT_ONCE)]
    together, told = threading.Barrier(AT_ONCE), []

    def click(browser: Browser) -> None:
        together.wait()
        told.append(send(browser, f"{page}/submissions", fields).location)

    threads = [threading.Thread(target=click, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.dispose()
    assert told == [f"{page}/submissions/1"] * AT_ONCE
    assert sources(engine) == [b"x = 1\n"]
