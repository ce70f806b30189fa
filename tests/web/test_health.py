"""What machines ask: liveness, readiness and figures, which tell nobody else anything."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, update

from grader.grading.verdict import Verdict
from grader.sandbox.pool import Pool
from grader.services.load import READY_S
from grader.store.models import Submission
from grader.store.session import write_session
from grader.web.app import WebSettings, create_app
from grader.web.service import Service
from tests.web.browsing import Browser
from tests.web.conftest import KEY, make_service

TOKEN = "a-token-of-the-test"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def service(engine: Engine, problems: Path) -> Service:
    return make_service(engine, problems)


@pytest.fixture
def app(service: Service) -> Flask:
    app = create_app(WebSettings(KEY, metrics_token=TOKEN), service)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return app


def figures(browser: Browser) -> dict[str, float]:
    reply = browser.get("/metrics", headers=BEARER)
    assert reply.status_code == 200
    assert reply.content_type.startswith("text/plain; version=")
    lines = [line for line in reply.get_data(as_text=True).splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def wait_since(engine: Engine, seconds: float) -> None:
    """Let every submission have been handed in so long ago."""
    with write_session(engine) as session:
        session.execute(update(Submission).values(created_at=datetime.now(UTC) - timedelta(seconds=seconds)))


@pytest.mark.parametrize(("path", "word"), [("/healthz", b"ok"), ("/readyz", b"ready")])
def test_all_is_well_in_one_word(anonymous: Browser, path: str, word: bytes) -> None:
    for host in ("localhost", "10.0.0.7:8000"):
        reply = anonymous.get(path, headers={"Host": host})
        assert (reply.status_code, reply.data, reply.headers.get("Set-Cookie")) == (200, word, None)


@pytest.mark.parametrize(("seconds", "status"), [(READY_S - 20, 200), (READY_S + 20, 503)])
def test_it_is_not_ready_while_submissions_wait_too_long(
    app: Flask, service: Service, ada: Browser, engine: Engine, seconds: float, status: int
) -> None:
    ada.start()
    ada.submit()
    wait_since(engine, seconds)
    object.__setattr__(service, "started_at", datetime.now(UTC) - timedelta(days=1))
    reply = ada.get("/readyz")
    assert (reply.status_code, reply.data) == (status, b"ready" if status == 200 else b"not ready")
    assert ada.get("/healthz").status_code == 200


def test_what_a_stopped_process_left_did_not_wait_for_this_one(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.submit()
    wait_since(engine, 3 * 86400)
    assert ada.get("/readyz").status_code == 200


def test_it_is_not_ready_without_its_database(anonymous: Browser, engine: Engine, tmp_path: Path) -> None:
    engine.dispose()
    (tmp_path / "data" / "grader.sqlite3").write_bytes(b"no database " * 1000)
    reply = anonymous.get("/readyz")
    assert (reply.status_code, reply.data) == (503, b"not ready")
    assert anonymous.get("/healthz").data == b"ok"
    assert re.search(r"^grader_waiting NaN$", anonymous.get("/metrics", headers=BEARER).get_data(as_text=True), re.M)


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xff"])
def test_figures_need_the_token(anonymous: Browser, given: str) -> None:
    reply = anonymous.get("/metrics", headers={"Authorization": given})
    assert (reply.status_code, reply.data) == (401, b"not allowed")


def test_without_a_token_set_there_are_no_figures(service: Service) -> None:
    closed = create_app(WebSettings(KEY), service)
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer None"}):
        assert closed.test_client().get("/metrics", headers=headers).status_code == 404


def test_requests_are_counted_by_route(ada: Browser) -> None:
    ada.start()
    for _ in range(3):
        ada.get(ada.attempt)
    ada.client.open("/nowhere", method="CANARY")
    found = figures(ada)
    assert found['grader_requests_total{method="GET",route="/attempts/<public_id>",status="200"}'] == 3
    assert found['grader_request_seconds_count{route="/attempts/<public_id>"}'] == 3
    assert found['grader_requests_total{method="other",route="none",status="400"}'] == 1
    assert not [name for name in found if ada.attempt.rsplit("/", 1)[-1] in name or "CANARY" in name]


def test_strangers_cannot_make_many_figures(anonymous: Browser) -> None:
    before = len(figures(anonymous))
    for number in range(50):
        anonymous.get(f"/nowhere/{number}?{number}", headers={"User-Agent": str(number)})
        anonymous.client.open(f"/problems/{number}", method=f"M{number}")
    assert len(figures(anonymous)) < before + 40


def test_refused_sign_ins_are_counted(ada: Browser) -> None:
    ada.post("/sign-out")
    ada.sign_in("Ada", "not the password")
    assert figures(ada)["grader_sign_in_failures_total"] == 1


def test_judging_and_the_queue_are_counted(service: Service, ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.submit()
    ada.submit()
    wait_since(engine, 0)
    service.metrics.judging.judged(Verdict.WA, 0.03)
    found = figures(ada)
    assert found["grader_waiting"] == 2
    assert 0 <= found["grader_oldest_waiting_seconds"] < 60
    assert (found['grader_judged_total{verdict="WA"}'], found['grader_judged_total{verdict="AC"}']) == (1, 0)
    assert (found["grader_judging_seconds_sum"], found["grader_judging_seconds_count"]) == (0.03, 1)


def test_the_process_is_measured(anonymous: Browser) -> None:
    found = figures(anonymous)
    assert found["process_resident_memory_bytes"] > 1e6
    assert found["process_open_fds"] > 3


@pytest.mark.sandbox
def test_the_sandbox_and_the_database_are_watched(engine: Engine, problems: Path, pool: Pool) -> None:
    service = replace(make_service(engine, problems))
    service.metrics.watch(engine, pool)
    browser = Browser(create_app(WebSettings(KEY, metrics_token=TOKEN), service))
    with pool.lane():
        found = figures(browser)
    assert (found["grader_lanes"], found["grader_lanes_busy"]) == (pool.size, 1)
    assert found["grader_zygotes_started_total"] >= 1
    assert found["grader_database_errors_total"] == 0
