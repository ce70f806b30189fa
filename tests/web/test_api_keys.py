"""An Idempotency-Key: the same request is answered as before, and stores nothing twice."""

from __future__ import annotations

import threading

import pytest
from flask import Flask
from sqlalchemy import Engine, text

from grader.store.session import write_session
from tests.web.browsing import sources
from tests.web.calling import Program, document_of, problem_of


def test_the_same_key_and_body_are_answered_as_before(app: Flask, engine: Engine, ada_program: Program) -> None:
    ada_program.start()
    first, again = ada_program.submit("a", "key 1".replace(" ", "-")), ada_program.submit("a", "key-1")
    assert (first.status_code, first.data) == (again.status_code, again.data)
    assert document_of(ada_program.submit("a", "key-2"))["number"] == 2
    assert problem_of(ada_program.submit("b", "key-1"))[0] == 422
    assert sources(engine) == [b"a", b"a"]
    with write_session(engine) as session:
        session.execute(text("UPDATE attempt SET given_up_at = started_at"))
    assert ada_program.submit("a", "key-1").data == first.data  # it was in time
    assert problem_of(ada_program.submit("a", "key-3"))[0] == 409


def test_keys_are_the_callers_own(ada_program: Program, eve_program: Program, engine: Engine) -> None:
    ada_program.start()
    eve_program.start()
    ada_program.submit("a", "key")
    assert document_of(eve_program.submit("b", "key"))["number"] == 1
    eve_program.attempt = ada_program.attempt
    assert eve_program.submit("a", "key").status_code == 404
    other = ada_program.start("other")
    assert document_of(ada_program.submit("c", "key"))["attempt"] == other.removeprefix("/attempts/")
    assert sources(engine) == [b"a", b"b", b"c"]


@pytest.mark.parametrize("key", [" ", "a b", "x" * 201, "é"])
def test_a_key_that_cannot_be_one_is_refused(ada_program: Program, engine: Engine, key: str) -> None:
    ada_program.start()
    assert problem_of(ada_program.submit("a", key))[0] in (400, 422)
    assert sources(engine) == []


def test_many_requests_with_one_key_store_one_source(app: Flask, engine: Engine, ada_program: Program) -> None:
    ada_program.start()
    replies: list[bytes] = []
    together = threading.Barrier(8)

    def send() -> None:
        program = Program.__new__(Program)
        program.client, program.token, program.attempt = app.test_client(), ada_program.token, ada_program.attempt
        together.wait()
        replies.append(program.submit("a", "one").data)

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 8
    assert len(set(replies)) == 1
    assert sources(engine) == [b"a"]
