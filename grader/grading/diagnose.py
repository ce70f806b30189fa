"""Says what is wrong with a submission that was not accepted: the first wrong stage, and the faults it behaves like.

In this order, and the first that applies: a contract fault names itself and no stage; faults of the package that
return the same on every secret case; pairs of them; what a trace of failing cases shows; what the returned pair alone
shows. What cannot be told stays untold, and nothing here touches verdict or points.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from grader.errors import InvalidPackage
from grader.grading import pair_table
from grader.grading.compare import right_outputs
from grader.grading.contract import CONTRACT, is_compared
from grader.grading.fault_runs import fault_table, is_built
from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.fingerprint import recognised, tell_nothing
from grader.grading.first_wrong import FirstWrong, Rules
from grader.grading.footprint import NOT_REACHED, RAISED, Footprint, footprint
from grader.grading.judge_run import Judged
from grader.grading.lines import FaultSearch, Place, WrongReturn
from grader.grading.looks import Look, looks_at
from grader.grading.reference import Reference, reference_of
from grader.grading.seen import carried_states, with_ancestors
from grader.grading.source_lines import Functions, return_line
from grader.grading.trace import TRACES, lines_told
from grader.grading.verdict import Finding, Method, Verdict
from grader.grading.wrong_outputs import WrongOutputs
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.composition import stages_of
from grader.problems.loader import Problem
from grader.problems.stages import output_stages
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane
from grader.wording import listed

_STATE: Final = (
    "A failing case is right when it is asked alone, in a fresh process: something is kept from earlier calls. Look "
    "for caches, buffers and defaults that outlive a call."
)
_BLANK: Final = (
    "Nothing of the contract is recognised in what it computes, so that no stage can be named: none of the stages is "
    "there, and what they begin with is not used."
)
_NOT_LOOKED_UP: Final = "Known faults were not looked up."
_ENDED: Final = frozenset({Verdict.TLE, Verdict.MLE, Verdict.OLE})  # what failed was not the answer
_PAIRS_MAX: Final = 40  # that are composed anew to be held against a submission


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """A finding, and the traced cases that it was looked for in."""

    finding: Finding
    looks: tuple[Look, ...] = ()


def diagnose(
    problem: Problem, source: bytes, judged: Judged, lane: Lane, cache: CaseCache, trace: bool, build: bool = True
) -> Diagnosis:
    """Return what is wrong with a submission that is not accepted.

    Args:
        trace: failing cases may be run again, to see what the submission computes.
        build: fault tables that the cache lacks are made; otherwise the finding does without them, and says so.
    """
    judgement = judged.judgement
    untold = Diagnosis(Finding(judgement.message))
    reasons = [case.failure.reason for case in judgement.cases if case.failure]
    if judgement.verdict is Verdict.AC or not is_compared(judgement.verdict, reasons):
        return untold
    try:
        cases = cache.cases(problem, lane)
        with np.errstate(all="ignore"):  # whatever numbers came
            return _Diagnosing(problem, source, judged, cases, lane, cache).diagnosis(trace, build)
    except (InvalidPackage, SandboxLost):
        return Diagnosis(replace(untold.finding, is_looked_up=False))


class _Diagnosing:
    """The steps of one diagnosis."""

    def __init__(
        self,
        problem: Problem,
        source: bytes,
        judged: Judged,
        cases: tuple[Case, ...],
        lane: Lane,
        cache: CaseCache,
    ) -> None:
        self._problem = problem
        self._source = source
        self._judged = judged
        self._cases = cases
        self._lane = lane
        self._cache = cache
        self._outcomes = judged.outcomes
        self._mine = tuple(map(footprint, cases, self._outcomes))
        self._is_looked_up = False

    def diagnosis(self, trace: bool, build: bool) -> Diagnosis:
        """Return the first finding that applies."""
        if self._is_swapped():
            return Diagnosis(Finding("The outputs are returned in the wrong order; each of them is right."))
        rows: list[FaultRow] = []
        table = FaultTable(self._cases, ())
        self._is_looked_up = build or is_built(self._problem, self._cases, self._cache)
        if self._is_looked_up:
            table = fault_table(self._problem, self._cases, self._lane, self._cache)
            rows = recognised(table, self._mine, [case.failure is not None for case in self._judged.judgement.cases])
            if not rows and not self._is_only_returned_wrongly():
                rows = self._pairs(table)
            rows = [] if tell_nothing(rows) else rows
        reference = reference_of(self._problem, self._cases, self._lane, self._cache)
        wrong = WrongOutputs.of(self._problem, self._cases, self._judged.judgement.cases, self._outcomes, reference)
        chosen = wrong.telling(self._failing(reference), TRACES) if trace else []
        looks = looks_at(self._problem, self._source, chosen, reference, self._lane)
        is_cut_off = self._judged.judgement.verdict in _ENDED
        if looks and looks[0].is_right_alone and not is_cut_off:  # the later ones have had calls before them
            return Diagnosis(Finding(_STATE, is_looked_up=self._is_looked_up), looks)
        if rows:
            return Diagnosis(self._named(table, rows, wrong, looks), looks)
        if looks and all(look.is_blank for look in looks):
            return Diagnosis(Finding(_BLANK, is_looked_up=self._is_looked_up), looks)
        found = self._unknown(reference, wrong, looks) or Diagnosis(Finding(self._judged.judgement.message), looks)
        return replace(found, finding=replace(found.finding, is_looked_up=self._is_looked_up))

    def _is_swapped(self) -> bool:
        """Whether every secret case returns the expected arrays, but in another order."""
        pairs = [
            (outcome, case)
            for outcome, case in zip(self._outcomes, self._cases, strict=True)
            if not case.is_sample and not case.raises
        ]
        return bool(pairs) and all(
            outcome is not None
            and not isinstance(outcome, str)
            and len(outcome) == len(case.expected) > 1
            and footprint(case, tuple(reversed(outcome))).is_like(footprint(case, case.expected), case)
            for outcome, case in pairs
        )

    def _is_only_returned_wrongly(self) -> bool:
        """Whether the last stage is right wherever it is returned: an earlier one was right then, when it was used."""
        last = self._problem.spec.stages[-1]
        found = []
        for case, outcome in zip(self._cases, self._outcomes, strict=True):
            names = output_stages(self._problem.spec.entries[case.entry], self._problem.spec.stages)
            if not case.is_sample and last in names and outcome and not isinstance(outcome, str):
                right = list(right_outputs(case, outcome)) if len(outcome) == len(case.expected) else []
                found.append(bool(right) and right[names.index(last)] and len(right) > 1)
        return bool(found) and all(found)

    def _pairs(self, table: FaultTable) -> list[FaultRow]:
        """Return the pairs of faults that the submission behaves like, as rows."""
        pairs = pair_table.pairs_of(self._problem, table, lambda: nullcontext(self._lane), self._cache)
        if pairs is None:
            return []
        reached = [position for position, mine in enumerate(self._mine) if self._is_usable(position, mine)]
        like = pairs.like({self._cases[at].name: (self._cases[at], self._mine[at]) for at in reached})[:_PAIRS_MAX]
        if not like:
            return []
        tree = stages_of(self._problem, self._lane, self._cache)
        cases = [self._cases[at] for at in reached]
        found = pair_table.confirmed(tree, cases, [self._mine[at] for at in reached], like, self._lane)
        return [pair_table.as_row(tree, pair) for pair in found]

    def _is_usable(self, position: int, mine: Footprint) -> bool:
        return not self._cases[position].is_sample and mine.key != NOT_REACHED and not mine.key.startswith(RAISED)

    def _failing(self, reference: Reference) -> list[Case]:
        """Return the cases that show what it computes: a broken contract names itself, and hides what was returned."""
        results = self._judged.judgement.cases
        failing = {case.name for case in results if case.failure and case.failure.reason not in CONTRACT}
        return [case for case in self._cases if case.name in failing and case.name in reference.stages]

    def _named(
        self, table: FaultTable, rows: Sequence[FaultRow], wrong: WrongOutputs, looks: Sequence[Look]
    ) -> Finding:
        """Return the finding of faults that are recognised: of several that agree, what they have in common."""
        common = frozenset.intersection(*(row.parts for row in rows))
        if common and len(rows) > 1:
            rows = table.by_parts.get(common, rows)
        faults = tuple(dict.fromkeys(part for row in rows for part in row.fault.split("+")))
        stage = min((row.stage for row in rows if row.stage is not None), key=self._problem.spec.stages.index)
        if len({row.parts for row in rows}) == 1:
            like = f"It behaves like {rows[0].fault}: {_lowered(rows[0].sentence)}"
            sentence = rows[0].sentence if rows[0].origin.startswith("starters/") else like
        else:
            ids = list(dict.fromkeys(row.fault for row in rows))
            sentence = f"It behaves like {' and like '.join(ids)}, which no case tells apart."
        found = self._finding(stage, sentence, faults, "fingerprint", wrong, looks)
        return replace(found, fault_sentences=tuple(table.sentences.get(fault, "") for fault in faults))

    def _unknown(self, reference: Reference, wrong: WrongOutputs, looks: tuple[Look, ...]) -> Diagnosis | None:
        """Return the diagnosis of a fault that the package does not know, the look that shows it in front."""
        tree = stages_of(self._problem, self._lane, self._cache)
        returned = {case.name: outcome for case, outcome in zip(self._cases, self._outcomes, strict=True)}
        rules = Rules(tree, reference, wrong, self._failing(reference), returned, looks, self._lane)
        named = rules.first()
        if named is None:
            return None
        others = [look for look in looks if look is not named.look]
        looks = (named.look, *others) if named.look else looks
        sentence = self._sentence(named)
        shown = looks[:1] if named.look else ()
        return Diagnosis(self._finding(named.stage, sentence, (), named.method, wrong, shown), looks)

    def _sentence(self, named: FirstWrong) -> str:
        if named.is_only_one_left:
            return "Every other stage is right."
        if named.look is not None:
            agrees = "What it computes there agrees with no fault that is known."
            return agrees if self._is_looked_up else _NOT_LOOKED_UP
        like = "The returned arrays are related as they would be then"
        return f"{like}; no fault that is known agrees." if self._is_looked_up else f"{like}. {_NOT_LOOKED_UP}"

    def _finding(
        self,
        stage: str,
        sentence: str,
        faults: tuple[str, ...],
        method: Method,
        wrong: WrongOutputs,
        looks: Sequence[Look],
    ) -> Finding:
        parents = wrong.reference.parents
        look = next((look for look in looks if stage in look.seen.matches), None)
        place: Place | None = None
        known = carried_states(wrong.order, stage, parents)
        if look is not None:
            place = self._place(stage, look, wrong)
            known = look.seen.states(stage, parents, wrong.by_case.get(look.case.name, ()), wrong.anywhere)
        where = f" ({place})" if place else ""
        earlier = with_ancestors([stage], parents) & wrong.reference.shown - {stage}
        before = {name: known.get(name, "not_seen") for name in wrong.order if name in earlier}
        unseen = _unseen(list(before)) if method == "trace" and set(before.values()) == {"not_seen"} else ""
        return Finding(
            sentence=f"First wrong stage: {stage.replace('_', ' ')}{where}. {unseen}{sentence}",
            first_wrong_stage=stage,
            faults=faults,
            method=method,
            stages=tuple((dict.fromkeys(wrong.order, "not_seen") | known).items()),
        )

    def _place(self, stage: str, look: Look, wrong: WrongOutputs) -> Place | None:
        """Return where a look shows a wrong stage's fault to lie; that of a mask shows in what it is applied to."""
        at = stage
        if look.seen.is_mask(stage):
            at = next((name for name in wrong.order if stage in wrong.reference.parents.get(name, ())), stage)
        tree = stages_of(self._problem, self._lane, self._cache)
        reads = {name: one.parameters for name, one in tree.stages.items()}
        functions, entry = Functions(self._source), look.case.entry
        return FaultSearch(look.seen, at, reads, self._wrong_return(look, wrong), functions, entry).place()

    def _wrong_return(self, look: Look, wrong: WrongOutputs) -> WrongReturn:
        """Return what a look shows to be returned and is wrong."""
        names = output_stages(self._problem.spec.entries[look.case.entry], self._problem.spec.stages)
        returned = look.trace.returned or ()
        if len(returned) != len(names):
            return WrongReturn(names, {}, 0)
        here = wrong.by_case.get(look.case.name, ())
        arrays = {name: array for name, array in zip(names, returned, strict=True) if name in here}
        line = return_line(self._source, look.case.entry, look.trace)
        return WrongReturn(names, arrays, line if line in lines_told(self._source) else 0)


def _unseen(stages: Sequence[str]) -> str:
    """Return the sentence that says which stages were not seen, before the first one that was."""
    names = listed([stage.replace("_", " ") for stage in stages])
    return f"It is the first thing that is seen to be wrong; not seen: {names}. "


def _lowered(sentence: str) -> str:
    """Return a sentence as it stands after a colon: its first word small, unless it is a name or a symbol."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first[1:].islower() or first == "A" else sentence
