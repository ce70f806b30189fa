"""Each rule for hidden cases is satisfied by the inputs that it speaks of, and broken without them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
import yaml

from grader.grading.lint import RULES, RuleResult, findings_of, lint, waiting
from tests.grading.facts import CONTRACTS, LINT, contract, made_facts, made_problem

EXPECTED: Final[dict[str, dict[str, Any]]] = yaml.safe_load((LINT / "rules.yaml").read_text())
SILENT: Final[dict[str, list[str]]] = yaml.safe_load((LINT / "silent.yaml").read_text())


def _result(rule: str, of_contract: str, cases: list[dict[str, Any]]) -> RuleResult:
    facts = [made_facts(of_contract, words, number) for number, words in enumerate(cases)]
    results = lint(made_problem({"attend": contract(of_contract)}), facts)
    (result,) = [result for result in results if result.rule.name == rule]
    return result


def test_every_rule_is_tried_and_has_a_name_of_its_own() -> None:
    assert [rule.name for rule in RULES] == list(EXPECTED)


@pytest.mark.parametrize("rule", EXPECTED)
def test_cases_that_hold_what_a_rule_asks_satisfy_it(rule: str) -> None:
    cases = EXPECTED[rule]["holds"]
    result = _result(rule, EXPECTED[rule]["contract"], cases)
    assert result.cases == tuple(f"secret_{number}" for number in range(len(cases)))
    assert result.is_satisfied


@pytest.mark.parametrize("rule", EXPECTED)
def test_cases_without_it_break_the_rule(rule: str) -> None:
    result = _result(rule, EXPECTED[rule]["contract"], EXPECTED[rule]["fails"])
    assert result.cases == ()
    assert not result.is_satisfied


@pytest.mark.parametrize(("rule", "name"), [(rule, name) for rule, names in SILENT.items() for name in names])
def test_rule_is_silent_where_the_contract_has_no_such_thing(rule: str, name: str) -> None:
    results = lint(made_problem({"attend": contract(name)}), [made_facts(name, {})])
    assert rule in EXPECTED
    assert rule not in [result.rule.name for result in results]


@pytest.mark.parametrize("name", CONTRACTS)
def test_package_without_cases_that_return_breaks_rules_and_nothing_else(name: str) -> None:
    raising = made_facts(name, {"raises": "ValueError"})
    results = lint(made_problem({"attend": contract(name)}), [raising])
    assert all(result.cases == () and result.total == 0 for result in results)


def test_samples_satisfy_nothing() -> None:
    results = lint(made_problem({"attend": contract("slopes")}), [made_facts("slopes", {"name": "sample_0"})])
    assert {result.cases for result in results} == {()}


def test_entries_are_held_against_the_rules_each_for_itself() -> None:
    entries = {"slopes": contract("slopes"), "keep": contract("causal-keep")}
    facts = [made_facts("slopes", {}, 0, "slopes"), made_facts("causal-keep", {}, 1, "keep")]
    results = {(result.entry, result.rule.name): result.cases for result in lint(made_problem(entries), facts)}
    assert results[("slopes", "sizes-differ")] == ("secret_0",)
    assert results[("keep", "sizes-differ")] == ("secret_1",)
    assert ("keep", "odd-heads") not in results


def test_finding_names_file_rule_and_remedy() -> None:
    problem = made_problem({"attend": contract("slopes")})
    facts = [made_facts("slopes", words, number) for number, words in enumerate([{"H": 12, "T": 40}, {"H": 1, "T": 1}])]
    assert findings_of(problem, lint(problem, facts)) == [
        "made/cases.py: rule heads-equal-tokens: there must be a case with H = T, in which heads can be taken for "
        "tokens; add a case with H = T = 4, or say in problem.yaml why it does not apply: "
        "exemptions.heads-equal-tokens.",
        "made/cases.py: rule odd-heads: there must be a case with an odd number of heads above 1: slopes, halves and "
        "powers of two do not fit it; add a case with H = 3, or say in problem.yaml why it does not apply: "
        "exemptions.odd-heads.",
        "made/cases.py: rule few-tokens: there must be a case with 3 to 9 positions, whose faults a reader can "
        "follow; add a case with 5 positions, or say in problem.yaml why it does not apply: exemptions.few-tokens.",
    ]


# of a contract that has neither x nor the usual sizes: the remedy is in its own words
REMEDIES: Final = {
    ("grouped", "sizes-differ"): "add a case such as B, H, T, d, G, e = 2, 6, 5, 4, 3, 7",
    ("window", "sizes-differ"): "add a case such as T, d, e = 5, 4, 6",
    ("cross", "sizes-differ"): "add a case such as T_q, m, T_k, d, e = 3, 7, 8, 4, 6",
    ("window", "layout-fortran"): 'add layout {"q": "fortran"} to an ordinary case',
    ("multi-head", "layout-reversed"): 'add layout {"x": "reversed"} to an ordinary case',
}


@pytest.mark.parametrize(("name", "rule"), REMEDIES)
def test_remedy_names_the_packages_own_sizes_and_inputs(name: str, rule: str) -> None:
    problem = made_problem({"attend": contract(name)})
    findings = findings_of(problem, lint(problem, []))
    (finding,) = [finding for finding in findings if finding.startswith(f"made/cases.py: rule {rule}: ")]
    assert f"; {REMEDIES[name, rule]}, or say in problem.yaml" in finding


@pytest.mark.parametrize("name", [name for name, spec in CONTRACTS.items() if len(spec["sizes"]) > 2])
def test_sizes_that_a_remedy_names_satisfy_its_rule(name: str) -> None:
    problem = made_problem({"attend": contract(name)})
    found = [text for text in findings_of(problem, lint(problem, [])) if " rule sizes-differ: " in text]
    for text in found:
        names, numbers = text.partition("such as ")[2].partition(", or say")[0].split(" = ")
        sizes = dict(zip(names.split(", "), map(int, numbers.split(", ")), strict=True))
        (result,) = [each for each in lint(problem, [made_facts(name, sizes)]) if each.rule.name == "sizes-differ"]
        assert result.cases == ("secret_0",)


WAITING: Final = {"window": 9, "multi-head": 10, "single-head": 8, "biased": 7, "numbers": 6}


@pytest.mark.parametrize("name", WAITING)
def test_rules_that_speak_of_stages_are_counted_where_there_are_none(name: str) -> None:
    problem = made_problem({"attend": contract(name)})
    ordinary = made_facts(name, {})
    looked_at = {result.rule.name for result in lint(problem, [ordinary])}
    assert waiting(problem, [ordinary]) == WAITING[name]
    scores = {"scores": np.zeros((2, 2)), "masked_scores": np.array([[0.0, -np.inf], [0.0, 0.0]])}
    with_stages = {result.rule.name for result in lint(problem, [replace(ordinary, stages=scores)])}
    assert looked_at < with_stages


def test_finding_names_the_entry_where_there_are_several() -> None:
    problem = made_problem({"slopes": contract("slopes"), "keep": contract("causal-keep")})
    findings = findings_of(problem, lint(problem, []))
    assert any(finding.startswith("made/cases.py: rule sizes-differ (keep): ") for finding in findings)


EXEMPTIONS: Final = {
    "odd-head": "there is no such rule; did you mean odd-heads?",
    "sizes-differ": "the hidden cases satisfy this rule; remove the exemption.",
    "zero-token": "the rule does not apply to this package; remove the exemption.",
}


@pytest.mark.parametrize("name", EXEMPTIONS)
def test_exemption_that_is_not_needed_is_a_finding(name: str) -> None:
    problem = made_problem({"attend": contract("slopes")}, {name: "there is a reason"})
    findings = findings_of(problem, lint(problem, [made_facts("slopes", {})]))
    assert findings[-1] == f"made/problem.yaml: exemptions.{name}: {EXEMPTIONS[name]}"


def test_exempt_rule_is_no_finding() -> None:
    problem = made_problem({"attend": contract("slopes")}, {"many-heads": "the series ends at 8 heads"})
    results = {result.rule.name: result for result in lint(problem, [made_facts("slopes", {})])}
    assert results["many-heads"].is_exempt
    assert not any("many-heads" in finding for finding in findings_of(problem, tuple(results.values())))
    assert results["odd-heads"].cases == ("secret_0",)


STRANGE: Final = {
    "no axis": np.array(3.0),
    "nothing": np.zeros((5, 0)),
    "one row": np.zeros(4),
    "no number": np.full((5, 5), np.nan),
    "too large": np.full((2, 3, 5, 5), np.inf),
    "too small": np.full((5, 5), -np.inf),
    "flags": np.ones((5, 5), bool),
    "integers": np.arange(25).reshape(5, 5),
    "half": np.full((5, 5), 6e4, np.float16),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_stages_of_any_kind_are_looked_at_without_an_error(name: str) -> None:
    ordinary, problem = made_facts(name, {}), made_problem({"attend": contract(name)})
    for scores, masked in itertools.product(STRANGE.values(), repeat=2):
        results = lint(problem, [replace(ordinary, stages={"scores": scores, "masked_scores": masked})])
        assert all(result.total == 1 for result in results)


@pytest.mark.parametrize("name", CONTRACTS)
def test_empty_inputs_are_looked_at_without_an_error(name: str) -> None:
    nothing = dict.fromkeys(CONTRACTS[name]["sizes"], 0)
    results = lint(made_problem({"attend": contract(name)}), [made_facts(name, nothing)])
    assert all(result.total == 1 for result in results)
