"""The verdict's page: while it waits, what it shows of a judged submission, and what it never shows."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Engine, select

from grader.grading.verdict import Failure, Judgement, Reason, Verdict
from grader.report.sample_outputs import Kept, SampleOutputs, to_json
from grader.services.judged_rows import write_result
from grader.store.models import Attempt, Submission
from grader.store.session import read_session
from tests.services.made import after, make_judgement
from tests.services.tiny_package import HIDDEN, HINTS, NEVER, RIGHT, WRONG
from tests.web.browsing import Browser, judge_last

WA = make_judgement(Verdict.WA, ("thrice",), "output")


def judged(ada: Browser, engine: Engine, judgement: Judgement, source: str = "x = 1\n") -> str:
    """Hand a source in, give it a judgement, and return its page's address."""
    if not ada.attempt:
        ada.start()
    path = ada.submit(source).location
    judge_last(engine, judgement)
    return path


def words(page: str) -> str:
    """Return a page's text without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def hint_state(engine: Engine) -> tuple[int, float]:
    with read_session(engine) as session:
        attempt = session.scalars(select(Attempt)).one()
        return attempt.hint_level, attempt.hint_cost


def test_a_page_that_waits_asks_for_the_verdict(ada: Browser, engine: Engine) -> None:
    ada.start()
    path = ada.submit().location
    page = ada.text(path)
    assert "<h1>Grading</h1>" in page
    assert f'hx-get="{path}/verdict" hx-trigger="load, every 1s" hx-swap="outerHTML"' in page
    assert '<noscript><meta http-equiv="refresh" content="1"></noscript>' in page
    assert re.search(r'<script src="/static/htmx\.js\?v=[0-9a-f]{12}" nonce="[^"]+" defer>', page)
    assert words(page).count("not judged yet") == 4
    assert "– / 60" in page
    waiting = ada.get(f"{path}/verdict")
    assert (waiting.status_code, waiting.data) == (204, b"")
    judge_last(engine, WA)
    taken = ada.text(f"{path}/verdict")
    assert taken.startswith("<title>Wrong answer, submission 1")
    assert '<p id="said" hx-swap-oob="innerHTML">Wrong answer, submission 1' in taken
    assert '<div class="stack-l" id="verdict">' in taken
    assert "<body" not in taken
    page = ada.text(path)
    for word in ("hx-get", "refresh", "htmx"):
        assert word not in page
    assert _main(taken) == _main(page)


def _main(page: str) -> str:
    """Return the verdict's part of a page, without the words that are new in each reply."""
    part = page.partition('id="verdict">')[2].partition("</main>")[0]
    return " ".join(re.sub(r'(name="csrf_token" value=)"[^"]+"', r"\1", part).split())


def test_a_young_submission_is_waited_for(ada: Browser, engine: Engine) -> None:
    ada.start()
    path = ada.submit().location
    asked: list[tuple[int, float]] = []

    def wait(key: int, seconds: float) -> None:
        asked.append((key, seconds))
        judge_last(engine, WA)

    app = ada.client.application
    app.extensions["grader"] = replace(app.extensions["grader"], wait=wait)
    assert ada.get(f"{path}/verdict").status_code == 200
    assert ada.get(f"{path}/verdict").status_code == 200
    assert asked == [(1, 0.2)]


def test_a_wrong_answer_shows_groups_points_and_own_prints(ada: Browser, engine: Engine) -> None:
    page = words(ada.text(judged(ada, engine, WA)))
    for text in ("Wrong answer", "wrong_values", "y has the right shape", "40 of 100 points", "0 / 60", "40 / 40"):
        assert text in page
    assert "case 1 WA case 2 AC" in page
    assert "Values 1 of 2 right" in page
    assert "Your points so far: 40." in page
    assert "printed at import" in page
    assert "printed in the sample \\u202e\\x1b[31m" in page
    assert "Edit and try again" in page


def test_our_fault_is_violet_and_costs_nothing(ada: Browser, engine: Engine) -> None:
    page = ada.text(judged(ada, engine, make_judgement(Verdict.JE)))
    assert "Our fault, not yours" in page
    assert 'class="verdict ours"' in page
    for kind in ('"verdict bad"', '"st bad"', "canary detail", "Hints", "Groups and cases"):
        assert kind not in _main(page)
    assert "not counted" in page
    assert "Points lost none" in words(page)
    assert ada.post(f"{ada.attempt}/submissions/1/hints", level="2").status_code == 409
    assert hint_state(engine) == (1, 0.0)
    assert "100 of 100 points" in words(ada.text(judged(ada, engine, make_judgement(Verdict.AC))))


def test_the_headline_begins_with_the_groups_that_it_speaks_of(ada: Browser, engine: Engine) -> None:
    wrong_shape = Failure.of(Reason.WRONG_SHAPE, output="y", wanted="(1, 2)", got="is (2,)")
    shaped = tuple(
        replace(case, verdict=Verdict.WA, failure=wrong_shape) if case.group == "shapes" else case for case in WA.cases
    )
    page = words(ada.text(judged(ada, engine, replace(WA, cases=shaped))))
    assert "In the group values: y has the right shape and wrong numbers: compare" in page
    assert "Shapes: y must have the shape (1, 2); yours is (2,)." in page


def test_a_headline_that_all_groups_share_names_none(ada: Browser, engine: Engine) -> None:
    failed = WA.cases[1].failure
    cases = tuple(replace(case, verdict=Verdict.WA, failure=failed) for case in WA.cases)
    assert "In the group" not in words(ada.text(judged(ada, engine, replace(WA, cases=cases))))


def test_hints_open_one_by_one_for_the_price_on_the_button(ada: Browser, engine: Engine) -> None:
    path = judged(ada, engine, WA)
    shown = []
    for level in (1, 2, 3):
        page = ada.text(path)
        for text in (page, ada.text(f"{path}/verdict"), ada.text(ada.attempt)):
            assert not [word for word in HINTS[level - 1 :] if word in text]
            assert not [word for word in (*HIDDEN, *NEVER) if word in text]
        shown.append(re.findall(r"Open hint \d for \d+ points", page))
        if level < 3:
            reply = ada.post(f"{path}/hints", level=str(level + 1))
            assert (reply.status_code, reply.location) == (303, f"{path}#hints")
    assert shown == [["Open hint 2 for 5 points"], ["Open hint 3 for 10 points"], []]
    assert all(word in ada.text(path) for word in HINTS)
    assert "Your points so far: 25, 40 less 15 for hints." in words(ada.text(path))
    assert ada.post(f"{path}/hints", level="3").status_code == 303
    assert hint_state(engine) == (3, 15.0)


def test_hints_take_nothing_from_no_points(ada: Browser, engine: Engine) -> None:
    nothing = replace(WA, score=0.0, groups=tuple(replace(group, points=0.0) for group in WA.groups))
    path = judged(ada, engine, nothing)
    ada.post(f"{path}/hints", level="2")
    page = words(ada.text(path))
    assert "Your points so far: 0." in page
    assert "less" not in page.split("Your points so far")[1][:40]


@pytest.mark.parametrize(("level", "status"), [("3", 409), ("", 400), ("4", 400), ("two", 400)])
def test_a_hint_that_is_not_offered_costs_nothing(ada: Browser, engine: Engine, level: str, status: int) -> None:
    path = judged(ada, engine, WA)
    assert ada.post(f"{path}/hints", level=level).status_code == status
    assert hint_state(engine) == (1, 0.0)


def test_where_nothing_more_is_known_no_hint_is_offered(ada: Browser, engine: Engine) -> None:
    path = judged(ada, engine, make_judgement(Verdict.WA))
    page = words(ada.text(path))
    assert "no hint is offered and nothing is charged" in page
    assert "Open hint" not in page
    only_stage = words(ada.text(judged(ada, engine, make_judgement(Verdict.WA, (), "output"))))
    assert only_stage.count("nothing is known there of this submission, so it is not offered") == 2
    assert "The first stage that goes wrong is output" in only_stage


def test_afterwards_everything_is_open_and_free(ada: Browser, engine: Engine) -> None:
    path = judged(ada, engine, WA, WRONG.decode())
    assert not [word for word in HINTS if word in ada.text(path)]
    solved = judged(ada, engine, make_judgement(Verdict.AC), RIGHT.decode())
    page = ada.text(path)
    assert all(word in page for word in HINTS)
    assert "every hint is open and costs nothing" in page
    assert "Open hint" not in page
    assert "Your points so far: 100." in words(page)
    assert "It changes no syntax node of the starter only; the smallest accepted repair changes 1." in page
    assert "It changes 1 syntax node of the starter only; the smallest accepted repair changes 1." in ada.text(solved)


def test_a_level_of_nothing_shows_verdict_and_points_alone(ada: Browser, engine: Engine) -> None:
    path = judged(ada, engine, WA)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE attempt SET hint_level = 0")
    page = _main(ada.text(path))
    assert "Where it goes wrong" not in page
    assert "goes wrong is" not in page
    assert "40" in page


def test_what_changed_since_the_submission_before(ada: Browser, engine: Engine) -> None:
    first = judged(ada, engine, WA)
    assert "Since the submission before" not in ada.text(first)
    judged(ada, engine, make_judgement(Verdict.JE))
    third = words(ada.text(judged(ada, engine, make_judgement(Verdict.AC), "x = 2\n")))
    assert "Since the submission before It is the same source as before. 60 points more than before." in third
    assert "It no longer behaves like thrice." in third
    assert "Since the submission before" not in ada.text(f"{ada.attempt}/submissions/2")


def sample(returned: list[float] | None) -> str:
    def kept(values: list[float]) -> Kept:
        return Kept("float64", (1, 2), np.array([values]))

    back = None if returned is None else (kept(returned),)
    one = SampleOutputs(
        "sample_format", "f", ("weights",), (kept([1.0, 0.0]),), (False,), (1e-6, 1e-9), None, back, "KeyError"
    )
    return to_json([one])


@pytest.mark.parametrize(
    ("returned", "drawn", "told"),
    [
        ([0.25, 0.75], 2, "weights: 2 of 2 numbers are off on the sample, most of all [0, 0]"),
        ([1.0, 0.0], 2, "weights: all 2 numbers agree on the sample."),
        (None, 0, "KeyError was raised on the sample."),
    ],
)
def test_the_samples_weights_are_drawn(
    ada: Browser, engine: Engine, returned: list[float] | None, drawn: int, told: str
) -> None:
    ada.start()
    path = ada.submit().location
    with read_session(engine) as session:
        key = session.scalars(select(Submission.id)).one()
    write_result(engine, key, WA, after(5), sample(returned))
    page = _main(ada.text(path))
    assert page.count('<figure class="heatf">') == drawn
    assert told in page
    assert ("<details><summary>Your weights" in page) == (returned == [1.0, 0.0])


def test_own_lines_are_shown_and_texts_of_several_groups_once(ada: Browser, engine: Engine) -> None:
    failure = Failure.of(Reason.EXCEPTION, "canary", got="ValueError", line=" in line 3", remedy="look there.")
    other = Failure.of(Reason.EXCEPTION, "canary", got="KeyError", line=" in line 4", remedy="look here.")
    cases = [
        replace(case, verdict=Verdict.RTE, failure=failure if case.name.endswith("name") else other)
        for case in WA.cases
    ]
    page = ada.text(judged(ada, engine, replace(WA, verdict=Verdict.RTE, failure=failure, cases=tuple(cases))))
    assert "ValueError was raised in line 3: look there." in page
    assert "<li>Samples, shapes: KeyError was raised in line 4: look here.</li>" in page
    assert "canary" not in page


def test_a_diagnosis_is_given_on_the_attempts_page_and_shown_at_the_end(ada: Browser, engine: Engine) -> None:
    ada.start()
    page = ada.text(ada.attempt)
    assert f'action="{ada.attempt}/diagnosis"' in page
    assert ada.post(f"{ada.attempt}/diagnosis", stage="nowhere").status_code == 400
    reply = ada.post(f"{ada.attempt}/diagnosis", stage="output")
    assert (reply.status_code, reply.location) == (303, ada.attempt)
    assert "Your diagnosis: output." in ada.text(ada.attempt)
    assert ada.post(f"{ada.attempt}/diagnosis", stage="output").status_code == 409
    path = judged(ada, engine, WA)
    assert "Your diagnosis" not in ada.text(path)
    ada.post(f"{ada.attempt}/give-up")
    page = words(ada.text(path))
    assert "Your diagnosis output right What was planted output. A diagnosis counts for no points." in page
    assert hint_state(engine) == (1, 0.0)
