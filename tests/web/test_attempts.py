"""The problem list, a problem's page and the attempt page, without a browser."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, event, select

from grader.errors import JudgeError
from grader.grading.verdict import Reason, Verdict
from grader.problems.loader import Problem
from grader.services import packages, sample_runs
from grader.services.sample_runs import RunResult
from grader.services.samples import SampleView
from grader.store.models import SampleRun, Submission
from grader.store.session import read_session
from grader.web.app import WebSettings, create_app
from tests.services.made import after, make_judgement
from tests.services.tiny_package import HIDDEN, SLUG, write_package
from tests.web.browsing import Browser, judge_last, sources
from tests.web.conftest import KEY, make_service

SETS = "schema: 1\nsets:\n  pair: {title: A pair, minutes: 9, problems: [twice]}\n"


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "FRESH_S", -1.0)


@pytest.fixture
def statements(engine: Engine) -> Iterator[list[str]]:
    """Every statement that the database is sent."""
    sent: list[str] = []

    def note(*arguments: object) -> None:
        sent.append(str(arguments[2]))

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def finish_run(engine: Engine, result: RunResult) -> None:
    with read_session(engine) as session:
        key = session.query(SampleRun.id).order_by(SampleRun.id.desc()).limit(1).scalar()
    assert sample_runs.write_result(engine, key, result, after(1))


def test_the_list_takes_as_many_questions_however_long_it_is(
    ada: Browser, engine: Engine, problems: Path, statements: list[str]
) -> None:
    ada.start()
    ada.text("/")
    statements.clear()
    ada.text("/")
    few = len(statements)
    for number in range(12):
        (problems / f"copy-{number}").mkdir()
        for path in (problems / SLUG).rglob("*"):
            if path.is_file():
                target = problems / f"copy-{number}" / path.relative_to(problems / SLUG)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        assert ada.post(f"/problems/copy-{number}/attempts", variant="only").status_code == 303
        ada.submit()
    statements.clear()
    assert ada.text("/").count('class="main"') == 13
    assert len(statements) == few


def test_the_list_shows_points_less_what_hints_cost(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.submit()
    judge_last(engine, make_judgement(Verdict.WA))
    assert re.search(r'<span class="b">40</span><span class="sub">of 100', ada.text("/"))


def test_filters_that_leave_nothing_can_be_cleared(ada: Browser) -> None:
    page = ada.text("/?q=nosuch&level=L2")
    assert "No problem is left" in page
    assert 'href="/?level=L2"' in page
    assert "Twice as much" not in page


def test_a_set_has_its_title_minutes_and_order(ada: Browser, problems: Path) -> None:
    (problems / "sets.yaml").write_text(SETS)
    page = ada.text("/?set=pair")
    assert "<b>A pair</b>: 9 minutes for all of it, in this order." in page
    assert 'href="/?set=pair&amp;order=minutes"' in page
    assert "A pair" in ada.text(f"/problems/{SLUG}")


def test_broken_sets_are_logged_once_and_not_offered(
    ada: Browser, problems: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (problems / "sets.yaml").write_text("schema: 2\n")
    with caplog.at_level(logging.ERROR):
        assert "Any set" not in ada.text("/")
        ada.text("/")
    assert len([record for record in caplog.records if "problem sets" in record.message]) == 1


@pytest.mark.parametrize("key", ["q", "tag", "set", "level", "status", "role", "order"])
def test_what_is_asked_for_is_shown_as_text(ada: Browser, key: str) -> None:
    page = ada.text(f"/?{key}=%3Cscript%3E%E2%80%AE")
    assert "<script>\u202e" not in page
    assert "\u202e" not in page.replace('value="&lt;script&gt;\u202e"', "")


def test_a_problem_says_what_it_is_about_and_no_more(ada: Browser) -> None:
    page = ada.text(f"/problems/{SLUG}")
    assert "Repair <code>twice</code>, so that" in page
    assert "return y" not in page
    assert "elsewhere" not in page


def test_a_problem_starts_goes_on_and_starts_again(ada: Browser, engine: Engine) -> None:
    assert ">Start</button>" in ada.text(f"/problems/{SLUG}")
    first = ada.start()
    assert ">Start or go on</button>" in ada.text(f"/problems/{SLUG}")
    assert ada.start() == first
    ada.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    page = ada.text(f"/problems/{SLUG}")
    assert ">Start again</button>" in page
    assert 'Only <span class="dim">solved</span>' in page
    assert ada.start() != first


def test_the_contract_and_the_samples_are_folded_in(ada: Browser) -> None:
    page = ada.text(ada.start())
    assert "<caption><code>twice(x)</code></caption>" in page
    assert "Sample <code>sample_format</code>" in page
    assert not [word for word in (*HIDDEN, "secret_b") if word in page]


@pytest.mark.parametrize("text", ["", " \r\n\t\r\n", "\ufeff"])
def test_an_empty_source_is_not_handed_in(ada: Browser, engine: Engine, text: str) -> None:
    ada.start()
    reply = ada.submit(text)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 400
    assert "The source is empty, so nothing was counted: write or choose the whole repaired file." in page
    assert '<textarea id="source" name="source"' in page
    with read_session(engine) as session:
        assert session.query(Submission).count() == 0


def test_an_empty_file_is_not_handed_in_and_the_text_stays(ada: Browser, engine: Engine) -> None:
    ada.start()
    reply = ada.submit_file(b"\n")
    assert reply.status_code == 400
    assert ">\nignored</textarea>" in reply.get_data(as_text=True)


def test_a_source_that_is_too_large_is_not_counted_and_the_text_stays(ada: Browser, engine: Engine) -> None:
    ada.start()
    reply = ada.submit_file(b"#" * ((1 << 20) + 1))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 413
    assert "The source is larger than 1 MiB, so nothing was counted: hand in the repaired file alone." in page
    assert ">\nignored</textarea>" in page
    assert sources(engine) == []


def test_without_its_samples_the_page_still_has_an_editor(engine: Engine, problems: Path) -> None:
    def fail(problem: Problem) -> list[SampleView]:
        raise JudgeError("no sandbox")

    service = make_service(engine, problems)
    app = create_app(WebSettings(KEY), type(service)(engine, service.packages, service.dispatch, fail))
    bob = Browser(app, "Bob")
    page = bob.text(bob.start())
    assert f'href="{bob.attempt}/samples"' in page
    assert "<textarea" in page


def draft(browser: Browser, text: str, seen: str = "") -> tuple[int, str | None, bool]:
    reply = browser.post(f"{browser.attempt}/draft", source=text, seen=seen)
    assert reply.data == b"" or reply.status_code != 204
    return reply.status_code, reply.headers.get("Draft-Saved"), "Draft-Replaced" in reply.headers


def test_a_draft_is_kept_and_told_of_when_it_replaces_an_unseen_one(ada: Browser) -> None:
    ada.start()
    status, saved, replaced = draft(ada, "one = 1\r\n")
    assert (status, replaced) == (204, False)
    assert f'name="seen" value="{saved}"' in ada.text(ada.attempt)
    assert "one = 1\n</textarea>" in ada.text(ada.attempt)
    assert draft(ada, "two = 2\n", saved or "")[2] is False
    assert draft(ada, "three = 3\n", saved or "")[2] is True
    assert draft(ada, "four = 4\n", "yesterday")[2] is True


def test_a_draft_without_scripts_leads_back_to_the_editor(ada: Browser) -> None:
    ada.start()
    reply = ada.post(f"{ada.attempt}/draft", source="mine = 1\n", page="1")
    assert (reply.status_code, reply.location) == (303, f"{ada.attempt}#editing")


def test_a_reset_keeps_the_draft(ada: Browser) -> None:
    ada.start()
    draft(ada, "mine = 1\n")
    page = ada.text(f"{ada.attempt}?source=starter")
    assert "# starter only\n</textarea></div>" in page.split('id="starter"')[0]
    assert "back to your text" in page
    assert "mine = 1" in ada.text(ada.attempt)


def test_drafts_are_refused_for_others_and_when_too_large(ada: Browser, eve: Browser) -> None:
    ada.start()
    eve.attempt = ada.attempt
    assert draft(eve, "mine now")[0] == 404
    assert draft(ada, "#" * ((1 << 20) + 1))[0] == 413
    ada.post(f"{ada.attempt}/give-up")
    assert draft(ada, "late")[0] == 409


def test_a_run_waits_and_is_then_shown(ada: Browser, engine: Engine) -> None:
    ada.start()
    reply = ada.post(f"{ada.attempt}/sample-runs", source="def twice(x): return x")
    run = f"{ada.attempt}/sample-runs/1"
    assert (reply.status_code, reply.location) == (303, run)
    assert '<meta http-equiv="refresh" content="1">' in ada.text(run)
    assert ada.get(f"{run}/panel").status_code == 204
    finish_run(
        engine, RunResult(Verdict.CE, Reason.EMPTY_SOURCE, "It is <empty>.", '{"import_prints": "", "cases": []}')
    )
    for path in (run, f"{run}/panel", ada.attempt):
        page = ada.text(path)
        assert "It is &lt;empty&gt;." in page
        assert "Secret cases were not run." in page
        assert "http-equiv" not in page


def test_a_run_without_scripts_keeps_what_was_typed(ada: Browser) -> None:
    ada.start()
    run = ada.post(f"{ada.attempt}/sample-runs", source="mine = 1 < 2\r\n", seen="").location
    assert '<span class="line"><span class="n">mine</span>' in ada.text(run)
    assert "mine = 1 &lt; 2\n</textarea>" in ada.text(ada.attempt)


def test_a_file_that_is_run_leaves_the_draft_to_the_editor(ada: Browser, engine: Engine) -> None:
    ada.start()
    file = (io.BytesIO(b"filed = 1\n"), "mine.py")
    ada.post(f"{ada.attempt}/sample-runs", source="typed = 1\n", file=file)
    ada.post(f"{ada.attempt}/sample-runs", file=(io.BytesIO(b"filed = 2\n"), "mine.py"))
    with read_session(engine) as session:
        assert session.scalars(select(SampleRun.source).order_by(SampleRun.id)).all() == [
            b"filed = 1\n",
            b"filed = 2\n",
        ]
    assert "typed = 1\n</textarea>" in ada.text(ada.attempt)


def test_what_is_not_run_is_kept_all_the_same(ada: Browser) -> None:
    ada.start()
    for number in (1, 2):
        ada.post(f"{ada.attempt}/sample-runs", source=f"run = {number}\n")
    reply = ada.post(f"{ada.attempt}/sample-runs", source="third = 3\n")
    page = reply.get_data(as_text=True)
    assert reply.status_code == 429
    assert '<span class="b">The samples were not run.</span> 2 of your sample runs still wait' in page
    assert "third = 3\n</textarea>" in page
    assert "third = 3\n</textarea>" in ada.text(ada.attempt)


def test_a_text_that_is_too_large_for_a_draft_is_not_run(ada: Browser) -> None:
    ada.start()
    reply = ada.post(f"{ada.attempt}/sample-runs", source="#" * ((1 << 20) + 1))
    assert reply.status_code == 413
    assert "The draft is larger than 1 MiB and is not kept; shorten it." in reply.get_data(as_text=True)
    assert ada.get(f"{ada.attempt}/sample-runs/1").status_code == 404


def test_a_script_saves_its_drafts_itself(ada: Browser) -> None:
    ada.start()
    _, saved, _ = draft(ada, "one = 1\n")
    ada.client.post(
        f"{ada.attempt}/sample-runs",
        data={"csrf_token": ada.token(), "source": "two = 2\n", "seen": saved},
        headers={"HX-Request": "true"},
    )
    assert draft(ada, "two = 2\n", saved or "")[2] is False


def test_a_run_asked_for_by_a_script_is_answered_by_its_panel(ada: Browser) -> None:
    ada.start()
    token = ada.token()
    reply = ada.client.post(
        f"{ada.attempt}/sample-runs",
        data={"csrf_token": token, "source": "x = 1"},
        headers={"HX-Request": "true"},
    )
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200
    assert page.lstrip().startswith('<section class="sec" id="sample-run"')
    assert f'hx-get="{ada.attempt}/sample-runs/1/panel"' in page


def test_runs_are_bounded_and_private(ada: Browser, eve: Browser) -> None:
    ada.start()
    for status in (303, 303, 429):
        assert ada.post(f"{ada.attempt}/sample-runs", source="x").status_code == status
    for path in ("", "/panel"):
        assert eve.get(f"{ada.attempt}/sample-runs/1{path}").status_code == 404
        assert ada.get(f"{ada.attempt}/sample-runs/9{path}").status_code == 404
    assert eve.post(f"{ada.attempt}/sample-runs", source="x").status_code == 404


def test_a_run_that_failed_through_us_looks_like_it(ada: Browser, engine: Engine) -> None:
    ada.start()
    ada.post(f"{ada.attempt}/sample-runs", source="x")
    finish_run(
        engine, RunResult(Verdict.JE, Reason.JUDGE_ERROR, "The grader failed.", '{"import_prints": "", "cases": []}')
    )
    assert re.search(r'<span class="st ours">.*Our fault, not yours', ada.text(ada.attempt))


def test_a_source_that_cannot_be_run_agrees_and_disagrees_with_nothing(ada: Browser, engine: Engine) -> None:
    ada.start()
    run = ada.post(f"{ada.attempt}/sample-runs", source="x").location
    case = '{"name": "sample_format", "verdict": null, "message": null, "prints": ""}'
    outcome = f'{{"import_prints": "", "cases": [{case}]}}'
    finish_run(engine, RunResult(Verdict.CE, Reason.TOO_LARGE, "It is too large.", outcome))
    page = ada.text(run)
    assert re.search(r'<span class="st bad">.*Cannot be run', page)
    assert "does not agree" not in page


def test_only_the_attempt_page_lets_a_script_make_styles(app: Flask, ada: Browser) -> None:
    ada.start()
    policy = ada.get(ada.attempt).headers["Content-Security-Policy"]
    assert re.search(r"style-src 'self' 'nonce-[\w-]{20,}';", policy)
    for path in ("/", f"/problems/{SLUG}", f"{ada.attempt}/samples", "/lesson"):
        assert "style-src 'self';" in ada.get(path).headers["Content-Security-Policy"], path


def test_a_problem_without_samples_offers_no_run(ada: Browser, problems: Path) -> None:
    text = (problems / SLUG / "problem.yaml").read_text()
    write_package(problems, problem=text.replace("  - {name: samples, points: 0, cases: [sample_format]}\n", ""))
    page = ada.text(ada.start())
    assert "Run samples" not in page
    assert ada.post(f"{ada.attempt}/sample-runs", source="x").status_code == 409
