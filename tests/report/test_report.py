"""The report: one self-contained page, in which nothing untrusted is markup and no value of a secret case stands."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any, Final

import numpy as np
import pytest

from grader.grading.extra_runs import ExtraRuns, Moved, Perturbation, Rung, Stability
from grader.grading.judge import Examination, examine
from grader.grading.judge_run import Judged
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.cases import arrays_of
from grader.problems.loader import Problem
from grader.report.report import report
from grader.sandbox.pool import Lane, Pool
from tests.packages import HONEST, TINY
from tests.report.judgements import not_judged
from tests.report.wide import marked, unreachable

VOID: Final = {"meta", "line", "path", "circle", "rect", "use"}
ESCAPED: Final = "<img src=x onerror=alert(1)>"
TELLS: Final = b"""
import numpy as np
print("<script>alert(1)</script> \\x1b[31m")
def attend(x, w):
    \"\"\"<img src=x onerror=alert(1)> \\u202e\"\"\"
    print("x is", x.tolist(), "<img src=x onerror=alert(1)>")
    if len(x) > 4:
        raise ValueError(repr(x.tolist()))
    return x @ w, x @ x.T
def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
"""
SOURCES: Final = {
    "accepted": HONEST,
    "mask_missing": (TINY / "submissions/wrong_answer/mask_missing.py").read_bytes(),
    "rewritten": TELLS + b"".join(b"def f%d(x):\n    return [x @ x for _ in range(%d)]\n" % (n, n) for n in range(9)),
    "tells": TELLS,
    "bidi": TELLS + "# \u202e evil\r\n".encode(),
    "returns_nothing": b"def attend(x, w):\n    return None\ndef visible(lengths, n_tokens):\n    return None\n",
    "wrong_shape": b"def attend(x, w):\n    return x, x\ndef visible(lengths, n_tokens):\n    return lengths\n",
    "does_not_compile": b"def attend(:\n",
    "empty": b"",
    "not_utf8": b"# \xff\n",
    "many_lines": b"x = 1\n" * 3000,
    "long_line": b"x = '" + b"y" * 5000 + b"'\n",
}


class Page(HTMLParser):
    """Reads a page: its tags, attributes and texts; whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


@pytest.fixture(scope="module")
def examined(tiny: Problem, pool: Pool, cache: CaseCache) -> dict[str, Examination]:
    with pool.lane() as lane:
        return {name: examine(tiny, source, lane, cache) for name, source in SOURCES.items()}


@pytest.fixture
def pages(tiny: Problem, lane: Lane, cache: CaseCache, examined: dict[str, Examination]) -> dict[str, str]:
    cases = cache.cases(tiny, lane)
    return {name: report(tiny, source, f"{name}.py", examined[name], cases) for name, source in SOURCES.items()}


@pytest.mark.sandbox
def test_every_report_is_well_formed_and_fetches_nothing(pages: dict[str, str]) -> None:
    for text in pages.values():
        page = Page(text)
        assert page.open == []
        assert not {"script", "img", "link", "iframe", "object", "form"} & set(page.tags)
        names = {name for name, _ in page.attributes}
        assert not {name for name in names if name.startswith("on")} | {"style", "src", "srcset"} & names
        targets = [value for name, value in page.attributes if name in ("href", "fill") and value]
        assert all(re.match(r"#|url\(#|currentColor", value) for value in targets)
        assert not re.search(r"@import|url\((?!#)|https?:", text)


@pytest.mark.sandbox
def test_what_goes_on_to_the_right_says_so(pages: dict[str, str]) -> None:
    assert {name: found for name, page in pages.items() if (found := unreachable(page))} == {}
    assert marked(pages["mask_missing"]) == ["Weights on the secret cases"]
    assert marked(pages["accepted"]) == []  # what stands there fits


@pytest.mark.sandbox
def test_ids_are_unique_and_references_lead_somewhere(pages: dict[str, str]) -> None:
    for text in pages.values():
        attributes = Page(text).attributes
        ids = [value for name, value in attributes if name == "id" and value]
        assert len(ids) == len(set(ids))
        used = [value[1:] for name, value in attributes if name == "href" and value]
        used += [value[5:-1] for name, value in attributes if name == "fill" and value and value.startswith("url(")]
        used += [part for name, value in attributes if name == "aria-labelledby" and value for part in value.split()]
        assert set(used) <= set(ids)


@pytest.mark.sandbox
def test_hostile_texts_are_text(pages: dict[str, str]) -> None:
    page = Page(pages["bidi"])
    assert page.text.count(ESCAPED) >= 3  # in the source twice, and among the prints of the sample
    assert "<script>alert(1)</script> \\x1b[31m" in page.text
    assert "# \\u202e evil" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", pages["bidi"])


@pytest.mark.sandbox
def test_a_hostile_file_name_is_text(
    tiny: Problem, lane: Lane, cache: CaseCache, examined: dict[str, Examination]
) -> None:
    name = "</title><script>\u202e\n.py"
    page = Page(report(tiny, HONEST, f"somewhere/{name}", examined["accepted"], cache.cases(tiny, lane)))
    assert "script" not in page.tags
    assert "title><script>\\u202e\\n.py" in page.text
    standard = Page(report(tiny, HONEST, "-", examined["accepted"], cache.cases(tiny, lane)))
    assert "A tiny attention · standard input" in standard.text


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["tells", "mask_missing", "wrong_shape"])
def test_no_value_of_a_secret_case_is_shown(
    name: str, tiny: Problem, lane: Lane, cache: CaseCache, pages: dict[str, str], examined: dict[str, Examination]
) -> None:
    cases = cache.cases(tiny, lane)
    outcomes = examined[name].judged.outcomes
    shown: set[str] = set()
    hidden: set[str] = set()
    for case, outcome in zip(cases, outcomes, strict=True):
        arrays = [*arrays_of(case.arguments), *case.expected, *(outcome if isinstance(outcome, tuple) else ())]
        texts = {f"{abs(number):.4f}" for array in arrays for number in np.asarray(array, np.float64).ravel()}
        (shown if case.is_sample else hidden).update(text for text in texts if np.isfinite(float(text)))
    secret = {text for text in hidden - shown if float(text) % 1}  # a whole number may be a count
    assert len(secret) > 30
    numbers = {f"{float(number):.4f}" for number in re.findall(r"\d+\.\d{3,}", Page(pages[name]).text)}
    assert numbers & secret == set()


@pytest.mark.sandbox
def test_prints_of_secret_cases_are_counted_only(pages: dict[str, str]) -> None:
    text = Page(pages["tells"]).text
    assert "x is [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]" in text
    assert text.count("x is [[") == 2  # every case is called twice
    assert "It prints in 6 secret cases as well; the evidence record has those prints." in text


SAYS: Final[dict[str, list[str]]] = {
    "accepted": ["Accepted", "They agree.", "In 5 of 5 cases every row sums to 1 and no hidden key has weight."],
    "mask_missing": [
        "First wrong stage: masked scores",
        "0 of 1 right",
        "Submission",
        "Reference",
        "It changes 8 syntax nodes of the starter interview; the smallest accepted repair changes 25.",
    ],
    "rewritten": ["It is written anew for the most part (", "whole rewrite"],
    "returns_nothing": ["The submission returned no weights here; expected were (2, 2)."],
    "wrong_shape": ["have the shape (2, 3) in place of (2, 2) and are not drawn."],
    "does_not_compile": [
        "Cannot be run",
        "CE · syntax_error",
        "The source does not parse, so it cannot be compared by its syntax.",
    ],
    "empty": ["CE · empty_source"],
    "not_utf8": ["CE · not_python", "The source is no UTF-8 text, so it cannot be compared."],
    "many_lines": ["The source has 3000 lines; only up to 2000 are compared."],
}


@pytest.mark.sandbox
@pytest.mark.parametrize("name", SAYS)
def test_reports_say_what_there_is(name: str, pages: dict[str, str]) -> None:
    text = Page(pages[name]).text
    assert "For interviewers and authors: this page names secret cases." in text
    assert [words for words in SAYS[name] if words not in text] == []


def test_a_judgement_that_failed_is_our_fault(tiny: Problem) -> None:
    failed = not_judged(Reason.JUDGE_ERROR)
    page = Page(report(tiny, HONEST, "fix.py", Examination(failed, Judged(failed, ())), ()))
    assert ("class", "verdict ours") in page.attributes
    assert "Judging failed" in page.text
    assert "not counted" in page.text
    assert "the operator's detail" not in page.text
    assert "Weights on the sample" not in page.text


@pytest.mark.sandbox
def test_reports_are_bounded(pages: dict[str, Any]) -> None:
    frame = len(pages["empty"])
    assert max(map(len, pages.values())) < frame + 60_000


EXTRA: Final[dict[str, tuple[ExtraRuns, list[str]]]] = {
    "trouble": (
        ExtraRuns(
            Perturbation(
                "secret_values",
                ("x", "z"),
                3,
                "disagrees",
                "values",
                (Moved("y", 6, 4, 0.7), Moved("weights", 9, 0, 0.0)),
            ),
            Stability(
                "secret_square",
                "w_q",
                (Rung(1.0, "agrees"), Rung(100.0, "disagrees", "values"), Rung(10000.0, "not_finite")),
            ),
        ),
        [
            "in the submission's own process: neither verdict nor points rest on it.",
            "secret_values, token 3 of x and z exchanged: do the rows before it move?",
            "4 of 6 numbers moved",
            "stay as they are",
            "secret_square, w_q multiplied, and the logits with it: first trouble at ×100.",
            "other values",
            "NaN or infinity",
        ],
    ),
    "none": (
        ExtraRuns(
            Perturbation("secret_values", ("x",), 3, "raised", "KeyError"),
            Stability("secret_square", "w_q", (Rung(1.0, "agrees"), Rung(100.0, "ended", "time_limit"))),
        ),
        ["raises KeyError", "first trouble at ×100", "no answer: time limit"],
    ),
    "well": (
        ExtraRuns(
            Perturbation("secret_values", ("x",), 3, "agrees", "", (Moved("y", 0, 0, 0.0),)),
            Stability("secret_square", "w_q", (Rung(1.0, "agrees"),)),
        ),
        ["the reference's move as well", "no trouble up to the last", "×1agrees"],
    ),
    "left out": (ExtraRuns(left_out=("No token was exchanged <here>.",)), ["No token was exchanged <here>."]),
}


@pytest.mark.sandbox
@pytest.mark.parametrize(("extra", "says"), EXTRA.values(), ids=EXTRA)
def test_extra_runs_have_a_section(
    extra: ExtraRuns,
    says: list[str],
    tiny: Problem,
    lane: Lane,
    cache: CaseCache,
    examined: dict[str, Examination],
) -> None:
    page = Page(report(tiny, HONEST, "fix.py", examined["accepted"], cache.cases(tiny, lane), extra))
    assert page.open == []
    assert "Perturbation and stability" in page.text
    assert [words for words in says if words not in page.text] == []


@pytest.mark.sandbox
def test_without_extra_runs_there_is_no_section(pages: dict[str, str]) -> None:
    assert "Perturbation and stability" not in Page(pages["accepted"]).text
