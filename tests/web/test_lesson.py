"""The lesson's page: what it shows of each change, own matrices, the question, and nothing unescaped."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.attention.changes import CHANGES
from grader.attention.inputs import WORKED, as_text
from grader.attention.symptoms import SYMPTOMS
from grader.problems.loader import slugs
from grader.web.app import WebSettings, create_app
from grader.web.lesson import PRACTICE
from tests.packages import SHIPPED
from tests.services.tiny_package import SLUG
from tests.web.browsing import Browser
from tests.web.conftest import KEY, make_service

OWN = as_text(WORKED).replace("-0.5, -1]", "-0.5, 1]").strip()
PAYLOADS = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</textarea><b>", "{{ 7 * 7 }}", "\u202e\0"]


def plain(page: str) -> str:
    """Return a page's text without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


def where(browser: Browser, **asked: str) -> str:
    return f"/lesson?{urlencode(asked)}"


def test_the_worked_example_is_shown(ada: Browser) -> None:
    page = ada.text("/lesson")
    text = plain(page)
    assert "Every check holds: shape and meaning agree at every arrow." in text
    assert "h4 = [0.592, −1.279]" in text
    assert "y4 = [1.871, −2.262]" in text
    assert page.count('class="trace"') == 9
    assert 'aria-current="page">Lesson</a>' in page
    assert " style=" not in page


def test_other_pages_lead_to_it(ada: Browser) -> None:
    assert '<a href="/lesson">Lesson</a>' in ada.text("/")


@pytest.mark.parametrize("change", [(c.name, option.value) for c in CHANGES for option in c.options], ids="=".join)
def test_every_change_has_its_page(ada: Browser, change: tuple[str, str]) -> None:
    path = f"/lesson?{urlencode([change])}"
    reply = ada.get(path)
    if reply.status_code == 302:  # a sound value is not part of the address
        assert reply.location == "/lesson"
        return
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200
    assert re.search(rf'name="{change[0]}" value="{change[1]}" checked', page)
    assert len(re.findall(r'<input type="radio" [^>]* checked>', page)) == len(CHANGES)
    assert "Traceback" not in page


def test_the_failing_stage_stands_out(ada: Browser) -> None:
    page = ada.text("/lesson?softmax_axis=queries")
    assert re.findall(r'class="trace( fail| after|)" id="(\w+)"', page)[-3:] == [
        (" fail", "weights"),
        (" after", "mixed_values"),
        (" after", "output"),
    ]
    assert page.count(">fails first</span>") == 1
    assert re.findall(r'class="off">([\d.]+)', page) == ["0.816", "0.407", "1.141", "1.635"]
    assert page.count('<tr class="sel">') == 1


def test_the_form_leads_to_the_shortest_address(ada: Browser) -> None:
    form = {change.name: change.sound.value for change in CHANGES} | {"mask": "late", "matrices": as_text(WORKED)}
    reply = ada.get(where(ada, **form))
    assert (reply.status_code, reply.location) == (302, "/lesson?mask=late")
    assert ada.get("/lesson?mask=late&mask=omitted&x=1").location == "/lesson?mask=late"


def test_links_of_the_symptoms_show_them(ada: Browser) -> None:
    page = ada.text("/lesson")
    links = re.findall(r'<a href="(/lesson\?[^"#]+)#trace">', page)
    assert len(links) == sum(len(symptom.shown_by) for symptom in SYMPTOMS)
    for link in links:
        assert "First failing check" in ada.text(link.replace("&amp;", "&"))


def test_own_matrices_are_traced(ada: Browser) -> None:
    reply = ada.get(where(ada, matrices=OWN.replace("\n", "\r\n") + "\r\n"))
    assert reply.status_code == 302
    assert dict(parse_qsl(urlsplit(reply.location).query)) == {"matrices": OWN}
    page = ada.text(reply.location)
    assert "no inputs. These were searched for" not in plain(page)
    assert '"x": [[-2, -0.5], [0, 0.5], [0, 1], [-0.5, 1]]' in page.replace("&#34;", '"')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[",
            "The inputs are no JSON from line 1, column 2 on; give x, w_q, w_k, w_v and w_o, each as a list of rows.",
        ),
        ("[]" * 601, "The matrices have over 1200 characters; grader lesson --inputs FILE takes more."),
    ],
)
def test_matrices_that_are_none_stay_in_their_field(ada: Browser, text: str, sentence: str) -> None:
    reply = ada.get(where(ada, matrices=text, mask="late"))
    page = reply.get_data(as_text=True)
    assert reply.status_code == 400
    assert sentence in page
    assert f"\n{text}</textarea>" in page
    assert re.search('name="mask" value="late" checked', page)


def test_a_change_that_there_is_not_is_told(ada: Browser) -> None:
    reply = ada.get("/lesson?mask=never")
    assert reply.status_code == 400
    assert "mask cannot be &#39;never&#39;; write one of before, late, omitted, strict." in reply.get_data(as_text=True)


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("field", ["matrices", "mask", "answer", "unknown"])
def test_nothing_typed_becomes_markup(ada: Browser, field: str, payload: str) -> None:
    for text in (payload, f'{{"{payload}": 1}}'):
        reply = ada.client.get(where(ada, **{field: text}), follow_redirects=True)
        assert reply.status_code in (200, 400)
        page = reply.get_data(as_text=True)
        assert [markup for markup in ("<script>alert", "<img", "<b>", "\0", "\u202e") if markup in page] == []


def test_the_answer_is_not_on_the_page_before_it_is_given(ada: Browser) -> None:
    assert "last axis, the key positions" not in plain(ada.text("/lesson"))
    assert "last axis, the key positions" not in plain(ada.get("/lesson?answer=7", follow_redirects=True).text)


@pytest.mark.parametrize(("answer", "marks"), [("0", ["ok", "none", "none"]), ("2", ["ok", "none", "bad"])])
def test_an_answer_shows_the_solution(ada: Browser, answer: str, marks: list[str]) -> None:
    page = ada.text(f"/lesson?mask=late&answer={answer}")
    assert "Apply the softmax along the last axis, the key positions." in plain(page)
    assert re.findall(r'<p class="opt (\w+)">', page) == marks
    assert re.search('name="mask" value="late" checked', page)


def test_its_problems_lead_to_it(engine: Engine) -> None:
    shipped = Browser(create_app(WebSettings(KEY), make_service(engine, SHIPPED)))
    leading = [slug for slug in slugs(SHIPPED) if 'class="tap" href="/lesson"' in shipped.text(f"/problems/{slug}")]
    assert leading == sorted(PRACTICE)


def test_a_problem_leads_to_its_questions(ada: Browser) -> None:
    link = f'<a class="tap" href="/problems/{SLUG}/quiz">1 multiple-choice question</a>'
    assert link in ada.text(f"/problems/{SLUG}")


def test_it_is_open_to_everybody(app: Flask) -> None:
    reply = Browser(app, None).get("/lesson?mask=late")
    assert reply.status_code == 200
    assert "My progress" not in reply.get_data(as_text=True)
