"""A batch's results as JUnit XML: a suite for each problem, a test case for each candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import escape, quoteattr  # writes only

from grader.report.unusable import Keys, Reasons, Unjudged, unjudged_of
from grader.report.visible import visible
from grader.report.weakened import WEAKENED
from grader.wording import counted


def junit_xml(values: Iterable[Mapping[str, Any]], unusable: Reasons = MappingProxyType({}), waiting: Keys = ()) -> str:
    """Return the results: WA is a failure, every other verdict that is not AC an error. Times are left out.

    What was judged by a weakened sandbox has a property that says so, and so has its suite.

    Args:
        unusable: what cannot be judged, which is an error too.
        waiting: what is not judged yet, which is skipped.
    """
    suites: dict[str, list[tuple[str, str]]] = {}
    weakened: set[str] = set()  # suites with results of a weakened sandbox
    for value in values:
        if value["sandbox"]["weakened"]:
            weakened.add(value["problem"])
        suites.setdefault(value["problem"], []).append((value["verdict"], _case(value)))
    for candidate, it in unjudged_of(unusable, waiting):
        suites.setdefault(it.name, []).append(("unusable" if it.why else "waiting", _unjudged(candidate, it)))
    every = [verdict for cases in suites.values() for verdict, _ in cases]
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n', f"<testsuites{_counts(every)}>\n"]
    for problem in sorted(suites):
        cases = suites[problem]
        parts.append(f"  <testsuite name={_attribute(problem)}{_counts([verdict for verdict, _ in cases])}>\n")
        parts += [_properties("    ")] if problem in weakened else []
        parts += [text for _, text in cases]
        parts.append("  </testsuite>\n")
    return "".join([*parts, "</testsuites>\n"])


def _counts(verdicts: list[str]) -> str:
    failures, skipped = verdicts.count("WA"), verdicts.count("waiting")
    errors = len(verdicts) - failures - skipped - verdicts.count("AC")
    return f' tests="{len(verdicts)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'


def _case(value: Mapping[str, Any]) -> str:
    head = f"    <testcase classname={_attribute(value['problem'])} name={_attribute(str(value['candidate']))}"
    verdict = value["verdict"]
    properties = _properties("      ") if value["sandbox"]["weakened"] else ""
    if verdict == "AC":
        return f"{head}>\n{properties}    </testcase>\n" if properties else f"{head}/>\n"
    kind = "failure" if verdict == "WA" else "error"
    what = f"{verdict} {value['reason']}" if value["reason"] else verdict
    points = "" if value["score"] is None else f"{value['score']:g} of {counted(value['max_score'], 'point')}. "
    text = escape(visible(f"{points}{value['finding']['sentence']}", keep=""))
    attributes = f"type={_attribute(what)} message={_attribute(value['message'])}"
    return f"{head}>\n{properties}      <{kind} {attributes}>{text}</{kind}>\n    </testcase>\n"


def _properties(indent: str) -> str:
    return (
        f"{indent}<properties>\n"
        f'{indent}  <property name="weakened" value={_attribute(WEAKENED)}/>\n'
        f"{indent}</properties>\n"
    )


def _unjudged(candidate: str, it: Unjudged) -> str:
    head = f"    <testcase classname={_attribute(it.name)} name={_attribute(candidate)}>\n"
    element = 'error type="unusable"' if it.why else "skipped"
    return f"{head}      <{element} message={_attribute(it.sentence)}/>\n    </testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(visible(text, keep=""))  # no character is left that XML cannot hold
