"""The doors and the account page: signing up, in and out, sessions, taking along, deleting."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import Engine, func, select

from grader.services import accounts
from grader.store.credential_models import WebSession
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.app import WebSettings, create_app
from tests.services.made import NOON
from tests.web.browsing import PASSWORD, Browser, cookie, dump, is_signed_in, make_user, with_cookie
from tests.web.conftest import KEY

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def test_signing_up_signs_in_and_leads_on(anonymous: Browser) -> None:
    page = anonymous.text("/sign-up?next=/progress")
    assert 'name="next" value="/progress"' in page
    reply = anonymous.post("/sign-up", name="Ines Okafor", password=PASSWORD, next="/progress")
    assert (reply.status_code, reply.location) == (303, "/progress")
    assert "Ines Okafor" in anonymous.text("/me")


@pytest.mark.parametrize(
    ("name", "password", "status", "sentence", "wrong"),
    [
        ("", PASSWORD, 400, "Enter a name", "name"),
        ("a\u200bb", PASSWORD, 400, "do not show", "name"),
        ("ADA", PASSWORD, 409, "is taken", "name"),
        ("Ines", "x1!", 400, "too short", "password"),
        ("Ines Okafor", "ines okafor", 400, "is the name", "password"),
        ("Ines", "1234567890", 400, "everybody tries", "password"),
        ("Ines", "x1 y2 z3" * 40, 400, "200 characters", "password"),
    ],
)
def test_a_refused_sign_up_says_why_and_marks_the_field(
    ada: Browser, anonymous: Browser, name: str, password: str, status: int, sentence: str, wrong: str
) -> None:
    reply = anonymous.post("/sign-up", name=name, password=password)
    page = reply.get_data(as_text=True)
    assert reply.status_code == status
    assert sentence in page
    assert re.findall(r'<input class="in" id="(\w+)"[^>]*aria-invalid', page) == [wrong]
    assert password not in page.replace("Ines", "")
    assert not is_signed_in(anonymous)


def test_where_sign_up_is_closed_there_is_no_way_in(app: Flask, engine: Engine) -> None:
    closed = Browser(create_app(WebSettings(KEY, is_signup_open=False), app.extensions["grader"]), None)
    assert closed.get("/sign-up").status_code == 404
    assert closed.post("/sign-up", name="Ines", password=PASSWORD).status_code == 404
    assert "/sign-up" not in closed.text("/sign-in")
    with read_session(engine) as session:
        assert session.scalar(select(func.count(User.id))) == 0


def test_wrong_and_unknown_names_get_the_same_page(app: Flask) -> None:
    make_user(app.extensions["grader"].engine, "Ada")
    pages = set()
    for name in ("Ada", "Eve"):
        browser = Browser(app, None)
        reply = browser.sign_in(name, "a wrong guess")
        page = re.sub(r'(nonce|value)="[^"]*"', "", reply.get_data(as_text=True))
        pages.add((reply.status_code, page))
    assert len(pages) == 1
    assert "do not belong together" in pages.pop()[1]


def test_too_many_guesses_are_told_when_to_come_back(ada: Browser, anonymous: Browser) -> None:
    for _ in range(5):
        assert anonymous.sign_in("Ada", "a wrong guess").status_code == 400
    slowed = anonymous.sign_in("Ada")
    assert slowed.status_code == 429
    assert 1 <= int(slowed.headers["Retry-After"]) <= 10
    assert "wait 10 seconds" in slowed.get_data(as_text=True)
    fields = {"csrf_token": anonymous.token(), "name": "Ada", "password": PASSWORD}
    elsewhere = anonymous.client.post("/sign-in", data=fields, environ_base={"REMOTE_ADDR": "198.51.100.7"})
    assert elsewhere.status_code == 303


@pytest.mark.long
def test_who_guesses_keeps_no_neighbour_out(app: Flask, ada: Browser) -> None:
    guesser = Browser(app, None)
    token = guesser.token()
    for name in range(110):
        for _ in range(5):
            guesser.client.post(
                "/sign-in", data={"csrf_token": token, "name": f"name {name}", "password": "a wrong guess"}
            )
    for number in range(30):
        make_user(app.extensions["grader"].engine, f"Student {number}")
        assert Browser(app, None).sign_in(f"Student {number}").status_code == 303
    assert guesser.sign_in("name 0").status_code == 429
    assert ada.post("/me/password", password=PASSWORD, new="eight noisy otters").status_code == 303


@pytest.mark.parametrize(("proxies", "last"), [(0, 429), (1, 303), (2, 429)])
def test_only_as_many_proxies_are_believed_as_there_are(app: Flask, proxies: int, last: int) -> None:
    own = create_app(WebSettings(KEY, proxies=proxies), app.extensions["grader"])
    make_user(app.extensions["grader"].engine, "Ada")
    browser = Browser(own, None)

    def enter(password: str, *forwarded: str) -> int:
        fields = {"csrf_token": browser.token(), "name": "Ada", "password": password}
        headers = {"X-Forwarded-For": ", ".join(forwarded)}
        return browser.client.post("/sign-in", data=fields, headers=headers).status_code

    for number in range(5):
        assert enter("a wrong guess", f"203.0.113.{number}", "192.0.2.1", "192.0.2.9") == 400
    assert enter(PASSWORD, "203.0.113.99", "192.0.2.1", "198.51.100.7") == last


def test_the_token_changes_when_somebody_signs_in(app: Flask, anonymous: Browser) -> None:
    make_user(app.extensions["grader"].engine, "Ada")
    anonymous.text("/sign-in")
    planted = cookie(anonymous)
    anonymous.sign_in("Ada")
    assert cookie(anonymous) != planted
    assert not is_signed_in(with_cookie(app, planted))
    assert is_signed_in(with_cookie(app, cookie(anonymous)))


def test_signing_in_again_ends_the_session_before(app: Flask, ada: Browser) -> None:
    before = cookie(ada)
    ada.sign_in("Ada")
    assert not is_signed_in(with_cookie(app, before))


def test_signing_out_ends_every_copy_of_the_cookie(app: Flask, ada: Browser) -> None:
    copied = cookie(ada)
    assert ada.post("/sign-out").location == "/sign-in?notice=out"
    assert "You are signed out." in ada.text("/sign-in?notice=out")
    assert not is_signed_in(ada)
    assert not is_signed_in(with_cookie(app, copied))


def test_a_notice_is_one_of_ours(anonymous: Browser) -> None:
    assert "callout" not in anonymous.text("/sign-in?notice=Your+account+was+hacked")


def test_the_cookie_is_kept_only_when_that_is_wanted(app: Flask, engine: Engine) -> None:
    browser = Browser(app)
    assert "Max-Age" not in browser.sign_in("Ada").headers["Set-Cookie"]
    assert "Max-Age=7776000" in browser.sign_in("Ada", keep="1").headers["Set-Cookie"]


def test_rights_are_those_of_the_moment_and_a_change_signs_out(engine: Engine, ada: Browser) -> None:
    with write_session(engine) as session:
        accounts.set_rights(session, accounts.named(session, "Ada"), NOON, is_interviewer=True, is_admin=None)
    assert not is_signed_in(ada)
    ada.sign_in("Ada")
    assert '<span class="tag hide-s">interviewer</span>' in ada.text("/me")


def test_an_ended_session_of_another_browser_opens_nothing(app: Flask, engine: Engine, ada: Browser) -> None:
    other = Browser(app, None)
    fields = {"csrf_token": other.token(), "name": "Ada", "password": PASSWORD}
    other.client.post("/sign-in", data=fields, headers={"User-Agent": FIREFOX})
    page = ada.text("/me")
    assert "Firefox on Linux" in page
    (session_id,) = re.findall(r'name="session" value="(\w+)"', page)
    eve = Browser(app, "Eve")
    eve.post("/me/sessions", session=session_id)
    assert is_signed_in(other)
    ada.post("/me/sessions", session=session_id)
    assert not is_signed_in(other)
    assert is_signed_in(ada)


def test_use_is_marked_at_most_every_few_minutes(engine: Engine, ada: Browser) -> None:
    def seen() -> object:
        with read_session(engine) as session:
            return session.scalars(select(WebSession.seen_at)).one()

    first = seen()
    ada.text("/me")
    assert seen() == first
    with write_session(engine) as session:
        session.scalars(select(WebSession)).one().seen_at -= timedelta(minutes=6)
    ada.text("/me")
    assert seen() > first  # type: ignore[operator]


def test_another_name_is_taken_at_once(ada: Browser, eve: Browser) -> None:
    assert ada.post("/me/name", name=" Ada  Lovelace ").location == "/me?done=name#change-name"
    assert "Your name is changed" in ada.text("/me?done=name")
    assert "Ada Lovelace" in ada.text("/")
    refused = ada.post("/me/name", name="EVE")
    assert refused.status_code == 409
    assert "is taken" in refused.get_data(as_text=True)


def test_another_password_signs_all_others_out_and_changes_the_token(app: Flask, ada: Browser) -> None:
    other, before = Browser(app), cookie(ada)
    reply = ada.post("/me/password", password=PASSWORD, new="nine loud badgers")
    assert reply.location == "/me?done=password#change-password"
    assert is_signed_in(ada)
    assert not is_signed_in(other)
    assert not is_signed_in(with_cookie(app, before))
    assert other.sign_in("Ada").status_code == 400
    assert other.sign_in("Ada", "nine loud badgers").status_code == 303


@pytest.mark.parametrize(
    ("current", "new", "wrong"),
    [("a wrong guess", "nine loud badgers", "password"), (PASSWORD, "short", "new"), (PASSWORD, "Ada", "new")],
)
def test_a_refused_password_changes_nothing(app: Flask, ada: Browser, current: str, new: str, wrong: str) -> None:
    reply = ada.post("/me/password", password=current, new=new)
    assert reply.status_code == 400
    page = reply.get_data(as_text=True)
    assert re.findall(r'<input class="in" id="([\w-]+)"[^>]*aria-invalid', page) == [wrong]
    assert is_signed_in(ada)
    assert Browser(app, None).sign_in("Ada").status_code == 303


def test_what_is_stored_is_handed_out(ada: Browser, eve: Browser) -> None:
    ada.start()
    ada.submit("mine = 1\n")
    reply = ada.get("/me/data")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="grader-data.json"'
    assert reply.content_type == "application/json"
    data = json.loads(reply.get_data())
    assert data["attempts"][0]["submissions"][0]["source"] == {"text": "mine = 1\n"}
    assert "mine = 1" not in eve.text("/me/data")


def test_deleting_asks_for_the_password_and_leaves_nothing(app: Flask, engine: Engine, ada: Browser) -> None:
    eve = Browser(app, "Eve")
    untouched = dump(engine)
    mallory, other = Browser(app, "Mallory"), Browser(app, "Mallory")
    mallory.start()
    mallory.submit("canary source")
    refused = mallory.post("/me/delete", password="a wrong guess")
    assert refused.status_code == 400
    assert "<details open>" in refused.get_data(as_text=True)
    assert mallory.post("/me/delete", password=PASSWORD).location == "/sign-in?notice=deleted"
    assert "Your account is deleted" in mallory.text("/sign-in?notice=deleted")
    assert not is_signed_in(other)
    assert is_signed_in(eve)
    kept = dump(engine)
    assert "canary source" not in kept
    assert "allory" not in kept
    assert untouched.count("Ada") == kept.count("Ada")


def test_under_https_cookies_name_their_host(app: Flask, engine: Engine) -> None:
    make_user(engine, "Ada")
    own = create_app(WebSettings(KEY, "https://grader.example"), app.extensions["grader"])
    client = own.test_client()
    page = client.get("/sign-in", base_url="https://grader.example").get_data(as_text=True)
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found
    fields = {"csrf_token": found[1], "name": "Ada", "password": PASSWORD}
    reply = client.post("/sign-in", data=fields, base_url="https://grader.example")
    assert reply.status_code == 303
    assert re.fullmatch(r"__Host-grader=[\w-]{43}; Secure; HttpOnly; Path=/; SameSite=Lax", reply.headers["Set-Cookie"])
    link = client.get(f"/links/{'x' * 43}", base_url="https://grader.example").headers["Set-Cookie"]
    assert link.startswith("__Host-grader-link=")
    assert "Secure; HttpOnly; Path=/; SameSite=Lax" in link


def test_signing_in_needs_the_forms_token_and_the_own_origin(app: Flask, engine: Engine) -> None:
    make_user(engine, "Ada")
    browser = Browser(app, None)
    fields = {"name": "Ada", "password": PASSWORD}
    assert browser.client.post("/sign-in", data=fields).status_code == 400
    fields["csrf_token"] = browser.token()
    evil = {"Origin": "https://evil.example"}
    assert browser.client.post("/sign-in", data=fields, headers=evil).status_code == 400
    assert Browser(app, None).client.post("/sign-in", data=fields).status_code == 400, "another browser's token"
    assert not is_signed_in(browser)
    assert browser.client.post("/sign-in", data=fields).status_code == 303
