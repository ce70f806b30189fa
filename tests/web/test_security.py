"""Rules for every request: which host it names, who sent it, what a reply may carry."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.web.app import FORM_PARTS_MAX, WebSettings, create_app
from grader.web.gathering import BODY_BYTES_MAX
from tests.services.made import make_judgement
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, HIDDEN, HINTS, NEVER, SLUG
from tests.web.browsing import Browser, judge_last
from tests.web.conftest import KEY


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"Origin": "http://localhost"}, True),
        ({"Origin": "https://localhost"}, True),  # a proxy may speak https for us
        ({"Origin": "null"}, True),  # what a page under no-referrer sends; the token decides
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "http://localhost.evil.example"}, False),
        ({"Origin": "http://localhost:81"}, False),
        ({"Origin": "http://[::"}, False),
        ({"Origin": ""}, False),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "same-site"}, False),
    ],
)
def test_posts_come_from_our_own_pages(app: Flask, ada: Browser, headers: dict[str, str], allowed: bool) -> None:
    ada.start()
    reply = ada.client.post(
        f"{ada.attempt}/submissions", data={"csrf_token": ada.token(), "source": "x"}, headers=headers
    )
    assert reply.status_code == (303 if allowed else 400)


@pytest.mark.parametrize(
    ("public_url", "host", "status"),
    [
        (None, "localhost", 200),
        (None, "localhost:8000", 200),
        (None, "127.0.0.1:8000", 200),
        (None, "[::1]:8000", 200),
        (None, "evil.example", 400),
        (None, "localhost.evil.example", 400),
        (None, "localhost@evil.example", 400),
        (None, "localhost:x", 400),
        (None, "", 400),
        ("https://Grader.example", "grader.example", 200),
        ("https://grader.example:8443/", "grader.example:8443", 200),
        ("https://grader.example", "localhost", 400),
        ("https://grader.example", "www.grader.example", 400),
    ],
)
def test_only_known_hosts_are_answered(app: Flask, public_url: str | None, host: str, status: int) -> None:
    own = create_app(WebSettings(KEY, public_url), app.extensions["grader"])
    assert own.test_client().get("/healthz", headers={"Host": host}).status_code == 200, "asked by address as well"
    for path in ("/lesson", "/nope"):
        reply = own.test_client().get(path, headers={"Host": host})
        assert reply.status_code == (404 if path == "/nope" and status == 200 else status)
        assert "evil" not in reply.get_data(as_text=True)


def test_a_public_https_address_makes_cookies_secure_and_pins_the_origin(app: Flask) -> None:
    own = create_app(WebSettings(KEY, "https://grader.example"), app.extensions["grader"])
    client = own.test_client()
    reply = client.get("/lesson", base_url="https://grader.example")
    cookie = reply.headers["Set-Cookie"]
    assert cookie.startswith("__Host-grader=")
    assert "Secure; HttpOnly; Path=/; SameSite=Lax" in cookie
    found = re.search(r'name="csrf_token" value="([^"]+)"', reply.get_data(as_text=True))
    assert found
    for origin, status in {
        "https://grader.example": 303,
        "https://grader.example:443": 303,
        "http://grader.example": 400,
        "https://grader.example:444": 400,
    }.items():
        reply = client.post(
            "/theme",
            data={"csrf_token": found[1], "theme": "dark"},
            headers={"Origin": origin},
            base_url="https://grader.example",
        )
        assert reply.status_code == status
    assert "Secure" in client.post(
        "/theme", data={"csrf_token": found[1], "theme": "dark"}, base_url="https://grader.example"
    ).headers.get("Set-Cookie", "")


def test_every_reply_has_the_headers(ada: Browser) -> None:
    ada.start()
    ada.submit()
    nonces = set()
    for path in (
        "/",
        ada.attempt,
        f"{ada.attempt}/submissions/1",
        f"{ada.attempt}/follow-ups",
        "/me",
        "/nope",
        "/healthz",
    ):
        reply = ada.get(path)
        policy = reply.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Referrer-Policy"] == "no-referrer"
        assert reply.headers["Cache-Control"] == "no-store"
        assert "Cookie" in reply.headers["Vary"]
        for nonce in re.findall(r'nonce="([^"]+)"', reply.get_data(as_text=True)):
            assert f"'nonce-{nonce}'" in policy
            nonces.add(nonce)
    assert len(nonces) == 6
    static = ada.get("/static/grader.css")
    assert static.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" not in static.headers["Cache-Control"]
    static.close()


def test_the_cookie_is_out_of_reach_of_scripts(ada: Browser) -> None:
    cookie = ada.sign_in("Ada").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


@pytest.mark.parametrize("forged", ["", "x", "eyJjYW5kaWRhdGUiOiJhIn0.aaaaaa.bbbbbbbbbbbb", "x" * 4_000])
def test_a_forged_cookie_is_nobody(ada: Browser, anonymous: Browser, forged: str) -> None:
    ada.start()
    anonymous.client.set_cookie("grader", forged)
    assert anonymous.get(ada.attempt).location == f"/sign-in?next={ada.attempt}"


def test_secrets_stay_out_of_every_page(app: Flask, engine: Engine, ada: Browser) -> None:
    def pages() -> str:
        paths = ("/", f"/problems/{SLUG}", ada.attempt, f"{ada.attempt}/follow-ups", f"{ada.attempt}/samples")
        found = [ada.text(path) for path in paths]
        found += [ada.text(f"{ada.attempt}/submissions/{number}") for number in range(1, judged + 1)]
        return "\n".join(found)

    ada.start()
    judged = 0
    for verdict in (Verdict.WA, Verdict.JE):
        ada.submit()
        judge_last(engine, make_judgement(verdict, ("thrice",)))
        judged += 1
    before = pages()
    after = (*HINTS, *AFTER_THE_ATTEMPT)
    for word in (*HIDDEN, *NEVER, *after, *AFTER_THE_ANSWER, "secret_b", "secret_c", "canary detail"):
        assert word not in before, word
    ada.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    judged += 1
    opened = pages()
    for word in (*HIDDEN, *NEVER, *AFTER_THE_ANSWER, "secret_b", "secret_c", "canary detail"):
        assert word not in opened, word
    assert all(word in opened for word in after)
    for question, answer in {"first": "x" * 30, "second": "y" * 30, "pick": "1"}.items():
        ada.post(f"{ada.attempt}/answers/{question}", answer=answer)
    answered = pages()
    assert all(word in answered for word in AFTER_THE_ANSWER)
    for word in (*HIDDEN, *NEVER, "secret_b", "secret_c", "canary detail"):
        assert word not in answered, word


def test_compressed_requests_are_refused(ada: Browser) -> None:
    ada.start()
    fields = {"csrf_token": ada.token(), "source": "x"}
    reply = ada.client.post(f"{ada.attempt}/submissions", data=fields, headers={"Content-Encoding": "gzip"})
    assert reply.status_code == 415
    assert "It is compressed or encoded; send it as it is." in reply.get_data(as_text=True)


def test_requests_are_bounded(ada: Browser) -> None:
    ada.start()
    reply = ada.submit("x" * (BODY_BYTES_MAX + 1))
    assert reply.status_code == 413
    assert "A source may have 1 MiB. Hand in the repaired file alone." in reply.get_data(as_text=True)
    many = {f"field{number}": "x" for number in range(FORM_PARTS_MAX + 1)}
    many_parts = ada.client.post(
        f"{ada.attempt}/submissions",
        data={"csrf_token": ada.token(), "source": "x", **many},
        content_type="multipart/form-data",
    )
    assert many_parts.status_code == 413
