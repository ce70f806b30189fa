"""Holds a package's hidden cases against the rules that hidden cases must obey, each where the contract has its matter.

A rule that cannot hold in a package is exempted in problem.yaml, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from grader.grading import lint_rules_inputs, lint_rules_masks, lint_rules_scores, lint_rules_sizes
from grader.grading.case_facts import CaseFacts
from grader.grading.lint_rule import HiddenSet, Rule
from grader.problems.loader import Problem

__all__ = ["RULES", "Rule", "RuleResult", "findings_of", "lint", "waiting"]

RULES: Final[tuple[Rule, ...]] = (
    *lint_rules_sizes.RULES,
    *lint_rules_inputs.RULES,
    *lint_rules_scores.RULES,
    *lint_rules_masks.RULES,
)


@dataclass(frozen=True)
class RuleResult:
    """How a rule stands with the hidden cases of one entry to which it applies."""

    rule: Rule
    entry: str
    cases: tuple[str, ...]  # names of the secret cases that satisfy it
    total: int  # how many secret cases the entry has
    is_exempt: bool

    @property
    def is_satisfied(self) -> bool:
        """Whether enough cases satisfy the rule."""
        minimum = self.rule.minimum
        return len(self.cases) >= (self.total if minimum is None else minimum)


def lint(problem: Problem, facts: Sequence[CaseFacts]) -> tuple[RuleResult, ...]:
    """Return every rule that applies, for each entry of a package, with the secret cases that satisfy it.

    Args:
        facts: of all secret cases; those that must raise are left out of account.
    """
    hidden_sets = _hidden_sets(problem, facts).items()
    return tuple(
        _result(rule, entry, hidden, problem) for entry, hidden in hidden_sets for rule in RULES if rule.applies(hidden)
    )


def waiting(problem: Problem, facts: Sequence[CaseFacts]) -> int:
    """Return how many rules may apply that are not looked at, for they speak of stages and the facts hold none."""
    known = set(problem.spec.stages)
    rules = [rule for rule in RULES if rule.stages and known.issuperset(rule.stages)]
    hidden_sets = _hidden_sets(problem, facts).values()
    return sum(any(rule.concerns(hidden) and not rule.applies(hidden) for hidden in hidden_sets) for rule in rules)


def _hidden_sets(problem: Problem, facts: Sequence[CaseFacts]) -> dict[str, HiddenSet]:
    own = [f for f in facts if f.case.raises is None and not f.case.is_sample]
    return {
        entry: HiddenSet(spec, tuple(f for f in own if f.case.entry == entry))
        for entry, spec in problem.spec.entries.items()
    }


def _result(rule: Rule, entry: str, hidden: HiddenSet, problem: Problem) -> RuleResult:
    holding = [facts for facts in hidden.facts if rule.holds(facts)]
    if peer := rule.peer:
        holding = [one for one in holding if any(peer(one, other) for other in holding if other is not one)]
    names = tuple(facts.case.name for facts in holding)
    return RuleResult(rule, entry, names, len(hidden.facts), rule.name in problem.spec.exemptions)


def findings_of(problem: Problem, results: Sequence[RuleResult], has_stages: bool = True) -> list[str]:
    """Return a finding for each broken rule, and for each exemption that is not needed or not known.

    Args:
        has_stages: whether the facts hold stages; without them it is not known which rules apply.
    """
    several = len(problem.spec.entries) > 1
    findings = []
    for result in results:
        if not result.is_satisfied and not result.is_exempt:
            rule, entry = result.rule, f" ({result.entry})" if several else ""
            remedy = rule.remedy_for(problem.spec.entries[result.entry])
            findings.append(
                f"{problem.slug}/cases.py: rule {rule.name}{entry}: {rule.what}; {remedy}, or say in problem.yaml "
                f"why it does not apply: exemptions.{rule.name}."
            )
    idle = _idle_exemptions(problem, results) if has_stages else []
    return findings + [_exemption_finding(problem, name, results) for name in idle]


def _idle_exemptions(problem: Problem, results: Sequence[RuleResult]) -> list[str]:
    broken = {result.rule.name for result in results if not result.is_satisfied}
    return [name for name in problem.spec.exemptions if name not in broken]


def _exemption_finding(problem: Problem, name: str, results: Sequence[RuleResult]) -> str:
    where = f"{problem.slug}/problem.yaml: exemptions.{name}:"
    if name in {result.rule.name for result in results}:
        return f"{where} the hidden cases satisfy this rule; remove the exemption."
    known = [rule.name for rule in RULES]
    if name in known:
        return f"{where} the rule does not apply to this package; remove the exemption."
    near = get_close_matches(name, known, n=1, cutoff=0.0)
    return f"{where} there is no such rule; did you mean {near[0]}?" if near else f"{where} there is no such rule."
