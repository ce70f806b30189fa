"""The interface for programs: what opens it, what it tells, what it refuses, and that its document says so."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import Engine, event, text

from grader.grading.verdict import Verdict
from grader.services import accounts, load, tokens
from grader.services.names import name_key
from grader.store import account_queries
from grader.store.base import Base
from grader.store.session import write_session
from grader.web.service import now
from tests.services.made import make_judgement
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, HIDDEN, HINTS, NEVER, SLUG
from tests.web.browsing import Browser, judge_last, sources
from tests.web.calling import Program, api_routes, document_of, practice_routes, problem_of
from tests.web.test_routes import content, filled


def test_an_attempt_from_the_list_to_the_verdict(ada_program: Program, engine: Engine) -> None:
    (line,) = ada_program.told("/problems")["problems"]
    assert (line["slug"], line["status"], line["variants"], line["max_points"]) == (SLUG, "new", ["only", "other"], 100)
    before = ada_program.told(f"/problems/{SLUG}")
    assert before["about"] == "Repair `twice`, so that $y = 2x$."
    assert "starter" not in json.dumps(before)
    started = document_of(ada_program.post(f"/problems/{SLUG}/attempts", {}))
    assert started["starter"] == "def twice(x):\n    return x * 3  # starter only\n"
    assert started["contract"]["entries"][0]["signature"] == "twice(x)"
    assert document_of(ada_program.post(f"/problems/{SLUG}/attempts", {}))["id"] == started["id"]
    ada_program.attempt = f"/attempts/{started['id']}"
    made = ada_program.submit("def twice(x):\n    return 2 * x\n")
    assert made.status_code == 202
    assert (document_of(made)["attempt"], document_of(made)["number"]) == (started["id"], 1)
    path = document_of(made)["url"].removeprefix("/api/v1")
    waiting = ada_program.told(path)
    assert (waiting["is_judged"], waiting["verdict"], waiting["score"]) == (False, None, None)
    judge_last(engine, make_judgement(Verdict.AC))
    judged = ada_program.told(path)
    assert (judged["is_judged"], judged["verdict"], judged["score"], judged["max_score"]) == (True, "AC", 100, 100)
    assert [(group["name"], group["points"]) for group in judged["groups"]] == [
        ("samples", 0),
        ("values", 60),
        ("shapes", 40),
    ]
    shown = ada_program.told(ada_program.attempt)
    assert (shown["status"], shown["points"], shown["submissions"][0]["verdict"]) == ("solved", 100, "AC")


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/x-python", "text/x-python; charset=utf-8"])
def test_a_source_is_taken_as_it_is(ada_program: Program, engine: Engine, kind: str) -> None:
    ada_program.start()
    source = b"\xef\xbb\xbfx = '\0\xff'\r\n"
    reply = ada_program.call("POST", f"{ada_program.attempt}/submissions", data=source, content_type=kind)
    assert reply.status_code == 202
    assert sources(engine) == [source]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x"])
def test_other_kinds_are_refused(ada_program: Program, engine: Engine, kind: str) -> None:
    ada_program.start()
    reply = ada_program.call("POST", f"{ada_program.attempt}/submissions", data=b'{"source": "x"}', content_type=kind)
    assert problem_of(reply) == (
        415,
        "Send the body as application/json, application/octet-stream or text/x-python, and say so in Content-Type.",
    )
    assert sources(engine) == []


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 400, "Invalid JSON"),
        (b"[]", 422, "should be an object"),
        (b"{}", 422, "source: Field required"),
        (b'{"source": 1}', 422, "source: Input should be a valid string"),
        (b'{"source": null}', 422, "source: Input should be a valid string"),
        (b'{"source": "x", "score": 100}', 422, "score: no such field"),
        (b'{"source": "x", "\\u202e": 1}', 422, "\\u202e: no such field"),
        (b'{"source": "\\ud800"}', 400, "Invalid JSON"),
        (b'{"source": "x"', 400, "Send one JSON object."),
        (b"[" * 10_000, 400, "Invalid JSON"),
        (b'{"source": "x"}\xff', 400, "Invalid JSON"),
    ],
)
def test_a_body_that_does_not_fit_is_refused(
    ada_program: Program, engine: Engine, body: bytes, status: int, sentence: str
) -> None:
    ada_program.start()
    path = f"{ada_program.attempt}/submissions"
    answered, told = problem_of(ada_program.call("POST", path, data=body, content_type="application/json"))
    assert answered == status
    assert sentence in told
    assert sources(engine) == []


def test_no_column_can_be_written_from_outside(ada_program: Program, engine: Engine) -> None:
    ada_program.start()
    columns = sorted({column.name for table in Base.metadata.tables.values() for column in table.columns})
    before = content(engine)
    for name in columns:
        if name not in ("source", "variant"):
            assert ada_program.post(f"{ada_program.attempt}/submissions", {"source": "x", name: 1}).status_code == 422
            assert ada_program.post(f"/problems/{SLUG}/attempts", {name: 1}).status_code == 422
            assert ada_program.get(f"/attempts?{name}=1").status_code == 422
    assert content(engine) == before


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page=", "page=1&page=2", "page=100001", "page=1e3", "x=1", "PAGE=1"]
)
def test_an_address_that_does_not_fit_is_refused(ada_program: Program, query: str) -> None:
    assert problem_of(ada_program.get(f"/attempts?{query}"))[0] == 422
    assert problem_of(ada_program.get(f"/me?{query}"))[0] == 422


def test_attempts_come_in_pages_of_as_many_questions(ada_program: Program, app: Flask, engine: Engine) -> None:
    ids = []
    for _ in range(51):
        ada_program.start()
        ids.append(ada_program.attempt.removeprefix("/attempts/"))
        with write_session(engine) as session:
            session.execute(text("UPDATE attempt SET given_up_at = started_at"))
    sent: list[object] = []
    event.listen(engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
    first = ada_program.told("/attempts")
    questions = len(sent)
    second = ada_program.told("/attempts?page=2")
    assert [line["id"] for line in first["attempts"] + second["attempts"]] == ids[::-1]
    assert (first["next_page"], second["next_page"]) == (2, None)
    assert len(sent) == 2 * questions
    assert ada_program.told("/attempts?page=3") == {"attempts": [], "next_page": None}


def test_nothing_but_the_document_is_open(app: Flask, engine: Engine, ada: Browser) -> None:
    ada.start()
    before = content(engine)
    for method, rule in api_routes(app):
        path = filled(rule, ada.attempt)
        for client in (app.test_client(), ada.client):  # a cookie opens nothing
            reply = client.open(path, method=method, json={"source": "x"} if method == "POST" else None)
            assert problem_of(reply)[0] == 401, (method, rule)
            assert reply.headers["WWW-Authenticate"] == 'Bearer realm="grader"'
            assert "Set-Cookie" not in reply.headers
    assert content(engine) == before
    assert app.test_client().get("/api/v1/openapi.json").status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic {0}",
        "{0}",
        "Bearer {0}x",
        "Bearer {0} x",
        "Bearer  {0}",
        "Token {0}",
        "Bearer é",
    ],
)
def test_a_token_counts_in_its_header_alone(app: Flask, ada_program: Program, header: str) -> None:
    token, client = ada_program.token, app.test_client()
    assert client.get("/api/v1/me", headers={"Authorization": f"bearer {token}"}).status_code == 200
    headers = {"Authorization": header.format(token)}
    assert problem_of(client.get("/api/v1/me", headers=headers))[0] == 401
    assert client.get(f"/api/v1/me?token={token}&access_token={token}").status_code == 401
    client.set_cookie("grader", token)
    assert client.get("/api/v1/me").status_code == 401
    assert client.get("/", headers={"Authorization": f"Bearer {token}"}).status_code == 303  # and it opens no page


def test_wrong_tokens_are_slowed_down_and_a_right_one_or_a_password_never(
    app: Flask, ada_program: Program, anonymous: Browser
) -> None:
    client = app.test_client()
    tried = [client.get("/api/v1/me", headers={"Authorization": f"Bearer {'x' * n}"}) for n in range(1, 56)]
    assert [reply.status_code for reply in tried] == [401] * 50 + [429] * 5
    assert int(tried[-1].headers["Retry-After"]) >= 1
    assert problem_of(tried[-1])[0] == 429
    assert ada_program.get("/me").status_code == 200
    assert anonymous.post("/sign-in", name="Nobody", password="wrong wrong").status_code == 400


def test_a_token_of_another_scope_is_told_so(app: Flask, engine: Engine) -> None:
    Browser(app, "Ines")
    with write_session(engine) as session:
        user = account_queries.user_named(session, name_key("Ines"))
        assert user is not None
        accounts.set_rights(session, user, now(), is_interviewer=True, is_admin=None)
    program = Program(app, "Ines", "review")
    assert program.told("/me")["scopes"] == ["review"]
    reply = program.get("/problems")
    assert problem_of(reply) == (
        403,
        "This token has not the scope practice; make one that has it on your account's page.",
    )
    assert 'error="insufficient_scope"' in reply.headers["WWW-Authenticate"]


def test_anothers_attempt_is_as_if_it_were_not_there(
    app: Flask, engine: Engine, ada_program: Program, eve_program: Program
) -> None:
    ada_program.start()
    ada_program.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    bearing = [(method, rule) for method, rule in practice_routes(app) if "<public_id>" in rule]
    assert len(bearing) >= 3
    before = content(engine)
    for method, rule in bearing:
        replies = []
        for attempt in (ada_program.attempt, "/attempts/aaaaaaaaaaaa"):
            path = filled(rule, attempt).removeprefix("/api/v1")
            reply = eve_program.call(method, path, json={"source": "x"} if method == "POST" else None)
            replies.append((reply.status_code, reply.data))
        assert replies[0] == replies[1]
        assert replies[0][0] == 404
    after = content(engine)
    after["api_token"] = before["api_token"]  # when it was used
    assert after == before


def test_no_get_changes_anything(app: Flask, engine: Engine, ada_program: Program) -> None:
    ada_program.start()
    ada_program.submit()
    before = content(engine)
    for _, rule in practice_routes(app):
        for method in ("GET", "HEAD", "OPTIONS"):
            path = filled(rule, ada_program.attempt).removeprefix("/api/v1")
            assert ada_program.call(method, path).status_code in (200, 405)
    assert content(engine) == before


@pytest.mark.parametrize("verdict", [Verdict.AC, Verdict.WA, Verdict.JE])
def test_nothing_secret_is_told(ada_program: Program, engine: Engine, verdict: Verdict) -> None:
    ada_program.start()
    ada_program.submit()
    judge_last(engine, make_judgement(verdict, ("thrice",) if verdict is Verdict.WA else (), "output"))
    told = "".join(
        ada_program.get(path).get_data(as_text=True)
        for path in (f"{ada_program.attempt}/submissions/1", ada_program.attempt, "/attempts", f"/problems/{SLUG}")
    )
    secrets = [*HIDDEN, *NEVER, *AFTER_THE_ANSWER, *AFTER_THE_ATTEMPT, *HINTS, "canary detail", "secret_"]
    assert [word for word in secrets if word in told] == []
    labels = [
        case["label"]
        for group in ada_program.told(f"{ada_program.attempt}/submissions/1")["groups"]
        for case in group["cases"]
    ]
    assert labels == ([] if verdict is Verdict.JE else ["sample_format", "1", "2", "1"])


def test_who_has_too_much_waiting_is_told_to_come_again(ada_program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    ada_program.start()
    replies = [ada_program.submit() for _ in range(6)]
    assert [reply.status_code for reply in replies] == [202] * 5 + [429]
    assert problem_of(replies[-1])[0] == 429
    assert replies[-1].headers["Retry-After"] == "3"
    monkeypatch.setattr(load, "WAITING_MAX", 5)
    full = ada_program.submit()
    assert problem_of(full)[0] == 503
    assert full.headers["Retry-After"] == "10"


def test_a_request_that_an_address_does_not_take_is_told_those_that_it_takes(ada_program: Program) -> None:
    reply = ada_program.call("DELETE", "/me")
    assert problem_of(reply) == (405, "/api/v1/openapi.json says what each address takes.")
    assert reply.headers["Allow"] == "GET, HEAD, OPTIONS"
    posts = ada_program.get(f"/problems/{SLUG}/attempts")
    assert (posts.status_code, posts.headers["Allow"]) == (405, "OPTIONS, POST")


def test_every_error_is_a_document(app: Flask, ada_program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem_of(ada_program.get("/nothing"))[0] == 404
    assert problem_of(ada_program.get("/problems/nothing"))[0] == 404
    assert problem_of(ada_program.call("DELETE", "/me"))[0] == 405
    assert problem_of(app.test_client().post("/api/"))[0] == 404
    assert problem_of(ada_program.get("/me", headers={"Content-Encoding": "gzip"}))[0] == 415
    ada_program.start()
    path = f"{ada_program.attempt}/submissions"
    large = ada_program.call("POST", path, data=b"x" * (5 << 20), content_type="text/x-python")
    assert problem_of(large)[0] == 413
    monkeypatch.setattr(tokens, "recognise", lambda *arguments: 1 / 0)
    logging.disable(logging.ERROR)
    broken = ada_program.get("/me")
    logging.disable(logging.NOTSET)
    assert problem_of(broken) == (500, "Something broke on this server. What you handed in before is kept.")
    assert json.loads(broken.data)["reference"] == broken.headers["X-Request-ID"]


@pytest.mark.parametrize(
    "sent",
    [
        {"data": b"#" * ((1 << 20) + 1), "content_type": "text/x-python"},
        {"data": b"#" * ((1 << 20) + 1), "content_type": "application/octet-stream"},
        {"json": {"source": "#" * ((1 << 20) + 1)}},
    ],
    ids=lambda sent: sent.get("content_type", "json"),
)
def test_a_source_that_is_too_large_is_not_counted(
    ada_program: Program, engine: Engine, sent: dict[str, object]
) -> None:
    path = f"{ada_program.start()}/submissions"
    refused = ada_program.call("POST", path, headers={"Idempotency-Key": "large"}, **sent)
    told = "The source is larger than 1 MiB, so nothing was counted: hand in the repaired file alone."
    assert problem_of(refused) == (413, told)
    assert sources(engine) == []


def test_pages_of_other_sites_learn_nothing(ada_program: Program) -> None:
    headers = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert problem_of(ada_program.post("/problems/twice/attempts", {}, headers=headers))[0] == 400
    reply = ada_program.get("/me", headers=headers)
    assert not [name for name, _ in reply.headers if name.startswith("Access-Control-")]
    assert reply.headers["Cache-Control"] == "no-store"


def test_an_expired_token_is_refused_as_an_unknown_one(app: Flask, ada_program: Program, engine: Engine) -> None:
    with write_session(engine) as session:
        session.execute(text("UPDATE api_token SET expires_at = :then"), {"then": now() - timedelta(seconds=1)})
    unknown = app.test_client().get("/api/v1/me", headers={"Authorization": f"Bearer grd_{'x' * 43}"})
    assert ada_program.get("/me").data == unknown.data
