"""A batch's results for gradebooks, JUnit readers and Gradescope, whatever candidates are called."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Final
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.report.gradebook import gradebook_csv, roster_csv
from grader.report.gradescope import gradescope_json
from grader.report.junit import junit_xml
from grader.report.result import csv_row
from grader.report.unusable import Unjudged
from grader.report.weakened import WEAKENED
from tests.report.results import result
from tests.report.test_visible import FORMULA, HOSTILE

RESULTS: Final = [
    result("bob", "q", "WA", 40.0),
    result("ann", "p"),
    result("ann", "q", "JE", None),
    result("eve", "p", "TLE", 0.0),
]
ROWS: Final = [csv_row(value) for value in RESULTS]
KIND: Final = {"AC": None, "WA": "failure", **dict.fromkeys(["RTE", "TLE", "MLE", "OLE", "CE", "JE"], "error")}


def test_a_gradebook_has_a_row_a_candidate_and_a_column_a_problem() -> None:
    assert gradebook_csv(ROWS, ["q", "p"], ["zoe", "ann"]) == (
        "candidate,q,p,total\nann,JE,100,100\nbob,40,,40\neve,,0,0\nzoe,,,0\n"
    )


def test_points_with_fractions_are_added_as_they_stand() -> None:
    rows = [csv_row(result("ann", "p", "WA", 37.5)), csv_row(result("ann", "q", "WA", 0.25))]
    assert gradebook_csv(rows, ["p", "q"]) == "candidate,p,q,total\nann,37.5,0.25,37.75\n"


def test_a_roster_table_tells_who_handed_in_what() -> None:
    assert roster_csv(ROWS, ["p", "q"], ["zoe", "ann", "bob"]) == (
        "candidate,status,missing_problems,unusable\n"
        "ann,handed_in,,\nbob,handed_in,p,\neve,extra,q,\nzoe,missing,p q,\n"
    )


def test_what_is_not_judged_yet_is_not_absent() -> None:
    waiting = {("bob", "p"), ("zoe", "q"), ("kim", "p")}
    assert gradebook_csv(ROWS, ["q", "p"], ["zoe", "ann"], {}, waiting) == (
        "candidate,q,p,total\nann,JE,100,100\nbob,40,not_judged_yet,40\neve,,0,0\n"
        "kim,,not_judged_yet,0\nzoe,not_judged_yet,,0\n"
    )
    assert roster_csv(ROWS, ["p", "q"], ["zoe", "ann", "bob", "tim"], {("zoe", "p"): "is a link"}, waiting) == (
        "candidate,status,missing_problems,unusable\n"
        "ann,handed_in,,\nbob,handed_in,,\neve,extra,q,\nkim,extra,q,\ntim,missing,p q,\n"
        "zoe,not_judged_yet,p,p is a link\n"
    )


def test_what_cannot_be_judged_is_not_absent() -> None:
    unusable = {("bob", "p"): "is a link", ("zoe", ""): "cannot be read"}
    assert gradebook_csv(ROWS, ["q", "p"], ["zoe", "ann"], unusable) == (
        "candidate,q,p,total\nann,JE,100,100\nbob,40,unusable,40\neve,,0,0\nzoe,unusable,unusable,0\n"
    )
    assert roster_csv(ROWS, ["p", "q"], ["zoe", "ann", "bob"], unusable) == (
        "candidate,status,missing_problems,unusable\n"
        "ann,handed_in,,\nbob,handed_in,p,p is a link\neve,extra,q,\nzoe,unusable,p q,cannot be read\n"
    )


WHY: Final = "is a link <&>\u202e"
UNJUDGED: Final = Unjudged("q", WHY)
TOLD: Final = "It cannot be judged: it is a link <&>\\u202e."


def test_gradescope_is_told_what_cannot_be_judged_without_a_score() -> None:
    shown = json.loads(gradescope_json([result("ann", "p")], [UNJUDGED]))
    assert (shown["score"], shown["output"].splitlines()[-1]) == (100.0, f"q: {TOLD}")
    assert shown["extra_data"]["q"] == {"verdict": None, "reason": "is a link <&>\\u202e"}
    assert shown["tests"][-1] == {
        "name": "q", "status": "failed", "output": TOLD, "visibility": "visible", "extra_data": {},
    }  # fmt: skip
    assert "score" not in json.loads(gradescope_json([], [UNJUDGED]))


def test_what_waits_is_told_apart_from_what_cannot_be_judged() -> None:
    told = "The batch was stopped before it; it is judged once the batch goes on."
    shown = json.loads(gradescope_json([], [Unjudged("q")]))
    assert shown["tests"] == [
        {"name": "q", "status": "failed", "output": told, "visibility": "visible", "extra_data": {}}
    ]
    assert shown["output"] == f"q: {told}"
    assert shown["extra_data"] == {"q": {"verdict": None, "reason": "not_judged_yet"}}
    assert junit_xml([], {("ann", "p"): "is a link"}, {("ann", "q")}) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites tests="2" failures="0" errors="1" skipped="1">\n'
        '  <testsuite name="p" tests="1" failures="0" errors="1" skipped="0">\n'
        '    <testcase classname="p" name="ann">\n'
        '      <error type="unusable" message="It cannot be judged: it is a link."/>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="q" tests="1" failures="0" errors="0" skipped="1">\n'
        '    <testcase classname="q" name="ann">\n'
        f'      <skipped message="{told}"/>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_gradescope_gets_no_points_while_something_waits() -> None:
    shown = json.loads(gradescope_json([result("ann", "p", "WA", 40.0)], [Unjudged("q")]))
    assert not any("score" in part or "max_score" in part for part in (shown, *shown["tests"]))
    assert shown["output"].splitlines()[0] == "p: Wrong answer, 40 of 100 points. It is wrong."
    assert [test["name"] for test in shown["tests"]] == ["p: samples", "p: values", "q"]


def test_junit_counts_what_cannot_be_judged_as_an_error() -> None:
    root = ElementTree.fromstring(junit_xml([result("ann", "p")], {("ann", "q"): WHY, ("eve", ""): "is a link"}))
    assert [root.attrib[name] for name in ("tests", "failures", "errors")] == ["3", "0", "2"]
    told = {case.attrib["classname"]: case.find("error") for case in root.iter("testcase")}
    assert {name: error.attrib for name, error in told.items() if error is not None} == {
        "A submission": {"type": "unusable", "message": "It cannot be judged: it is a link."},
        "q": {"type": "unusable", "message": TOLD},
    }


@given(st.lists(HOSTILE, max_size=4, unique=True))
@example(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1", "a,b", '"'])
def test_no_cell_of_a_gradebook_is_a_formula(names: list[str]) -> None:
    rows = [csv_row(result(name)) for name in names]
    for table in (gradebook_csv(rows, ["p"]), roster_csv(rows, ["p"], names)):
        read = list(csv.reader(io.StringIO(table)))
        assert len(read) == len(names) + 1
        assert not any(cell.startswith((*FORMULA, "\uff1d")) for line in read for cell in line)


@pytest.mark.parametrize("verdict", KIND)
def test_a_verdict_in_junit(verdict: str) -> None:
    suites = ElementTree.fromstring(junit_xml([result("ann", verdict=verdict, score=None if verdict == "JE" else 0.0)]))
    (case,) = suites.iter("testcase")
    assert case.attrib == {"classname": "p", "name": "ann"}
    assert [child.tag for child in case] == ([KIND[verdict]] if KIND[verdict] else [])
    counts = {name: int(suites.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    kind = KIND[verdict]
    assert counts == {"tests": 1, "failures": int(kind == "failure"), "errors": int(kind == "error"), "skipped": 0}


def test_junit_has_a_suite_for_each_problem() -> None:
    assert junit_xml(RESULTS[:2]) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites tests="2" failures="1" errors="0" skipped="0">\n'
        '  <testsuite name="p" tests="1" failures="0" errors="0" skipped="0">\n'
        '    <testcase classname="p" name="ann"/>\n'
        "  </testsuite>\n"
        '  <testsuite name="q" tests="1" failures="1" errors="0" skipped="0">\n'
        '    <testcase classname="q" name="bob">\n'
        '      <failure type="WA wrong_values" message="It is wrong.">40 of 100 points. It behaves like a fault.'
        "</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


@given(HOSTILE)
@example("\0\x1b\ufffe\uffff\ud800]]>&<\"'")
def test_junit_is_xml_whatever_stands_in_it(text: str) -> None:
    finding = {**result("ann", verdict="WA")["finding"], "sentence": text}
    ElementTree.fromstring(junit_xml([result(text, verdict="WA", message=text, finding=finding)]))


def gradescope(*values: Any) -> Any:
    """Return what Gradescope reads."""
    return json.loads(gradescope_json(list(values)))


def test_gradescope_gets_points_by_group_and_no_fault() -> None:
    assert gradescope(result("ann", "p", "WA", 40.0)) == {
        "score": 40.0,
        "execution_time": 0.013,
        "output": "p: Wrong answer, 40 of 100 points. It is wrong.",
        "visibility": "visible",
        "extra_data": {
            "p": {
                "verdict": "WA",
                "reason": "wrong_values",
                "first_wrong_stage": "weights",
                "faults": ["softmax-over-queries"],
                "source_sha256": "s" * 64,
                "package_sha256": "h" * 64,
            }
        },
        "tests": [
            {
                "name": "p: samples",
                "score": 0.0,
                "max_score": 0.0,
                "status": "passed",
                "output": "Accepted.",
                "visibility": "visible",
                "extra_data": {},
            },
            {
                "name": "p: values",
                "score": 40.0,
                "max_score": 100.0,
                "status": "failed",
                "output": "Wrong answer.",
                "visibility": "visible",
                "extra_data": {},
            },
        ],
    }


def test_gradescope_shows_nothing_of_secret_cases() -> None:
    shown = gradescope(result("ann", "p", "WA", 40.0))
    del shown["extra_data"]
    text = json.dumps(shown)
    assert not any(word in text for word in ("secret", "softmax", "weights", "behaves"))


def test_gradescope_adds_the_problems() -> None:
    assert gradescope(result("ann", "p"), result("ann", "q", "WA", 40.0))["score"] == 140.0


def test_what_a_weakened_sandbox_judged_says_so() -> None:
    weak = result("ann", "p", "WA", 40.0, sandbox={"layers": ["seccomp"], "weakened": True})
    assert gradescope(weak, result("ann", "q"))["output"].splitlines() == [
        f"p: Wrong answer, 40 of 100 points. It is wrong. {WEAKENED}",
        "q: Accepted, 100 of 100 points. Every case agrees with the reference.",
    ]
    root = ElementTree.fromstring(junit_xml([weak, result("bob", "p"), result("ann", "q")]))
    marked = {
        each.get("name"): [{**one.attrib} for one in each.findall("properties/property")]
        for each in (*root.iter("testsuite"), *root.findall("testsuite[@name='p']/testcase"))
    }
    told = [{"name": "weakened", "value": WEAKENED}]
    assert marked == {"p": told, "q": [], "ann": told, "bob": []}
    assert next(root.iter("testcase"))[-1].tag == "failure"


def test_our_failure_has_no_score() -> None:
    both = gradescope(result("ann", "p"), result("ann", "q", "JE", None))
    assert both["score"] == 100.0
    assert [("score" in test, test["status"]) for test in both["tests"]] == [
        (True, "passed"),
        (True, "passed"),
        (False, "failed"),
    ]
    assert "score" not in gradescope(result("ann", "q", "JE", None))
