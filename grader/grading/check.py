"""Checks a package: judges its own sources, composes its stages and their alternatives, and lints its hidden cases.

All findings come in one run, each with file and remedy. What was found is kept by the package's hash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

from grader.errors import InvalidPackage
from grader.grading.case_facts import CaseFacts
from grader.grading.check_report import Report, RuleCases, SourceVerdict, pack, unpack
from grader.grading.fault_findings import (
    SLIPS,
    alike_findings,
    broken_findings,
    idle_findings,
    read_past,
    said,
    subset_findings,
)
from grader.grading.fault_runs import AT_ONCE, assembled
from grader.grading.fault_table import FaultRow, FaultTable, agrees, alternative_row
from grader.grading.fault_table import pack as pack_table
from grader.grading.footprint import footprint
from grader.grading.judge_run import Judged, judge_closely
from grader.grading.kill_matrix import KillMatrix
from grader.grading.left_over import template_notices
from grader.grading.lint import RuleResult, findings_of, lint, waiting
from grader.grading.package_texts import text_findings
from grader.grading.source_findings import expected_verdicts, stray_findings, verdict_finding
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.cases import Array, Case, generate_again, sizes_of
from grader.problems.composition import Outcome, compose_cases, stages_of, trace_cases
from grader.problems.files import PackageFiles
from grader.problems.loader import Problem, content_findings, format_findings, load
from grader.problems.stages import FILE, StageFunction, StageTree
from grader.sandbox.pool import Lane, Pool
from grader.sandbox.wire import encode

Done = Callable[[int, int], None]
Job = Callable[[Lane], None]


def check_package(files: PackageFiles, pool: Pool, cache: CaseCache, done: Done, at_once: int | None = None) -> Report:
    """Check a package in every respect and return all findings.

    Args:
        done: called with how many runs are over, of how many; what it raises ends the check.
        at_once: how many lanes may be taken at a time, so that others get some; None: all.
    """
    try:
        problem = load(files)
    except InvalidPackage:
        return Report(files.slug, tuple(format_findings(files)))
    known = cache.kept(problem, "check", unpack)
    if known is not None and known.slug == problem.slug:  # a copy under another name has the same hash
        return known
    try:
        with pool.lane() as lane:
            cases = cache.cases(problem, lane)
    except InvalidPackage as error:  # nothing can be judged; the rest is told all the same
        findings = [
            *content_findings(problem),
            *error.findings,
            *subset_findings(problem),
            *text_findings(problem, ()),
        ]
        return Report(files.slug, tuple(findings), notices=tuple(template_notices(problem)))
    report = _Check(problem, cases, cache).report(pool, done, at_once or pool.size)
    if _all_are_judged(report.sources):
        cache.keep(problem, "check", report, pack)
    return report


class _Check:
    """One check: the runs that it needs, and what they showed."""

    def __init__(self, problem: Problem, cases: tuple[Case, ...], cache: CaseCache) -> None:
        self._problem = problem
        self._cases = cases
        self._cache = cache
        self._judged: dict[str, Judged] = {}
        self._composed: dict[str, FaultRow] = {}
        self._findings: list[str] = []
        self._traces: list[Outcome] = []
        self._planted: dict[str, tuple[list[StageFunction], list[Outcome]]] = {}  # by variant
        self._tree: StageTree | None = None

    def report(self, pool: Pool, done: Done, at_once: int) -> Report:
        """Make all runs, then look at them together."""
        expected = expected_verdicts(self._problem)
        with pool.lane() as lane:
            self._read_stages(lane)
        self._run(pool, self._jobs(expected), done, at_once)
        sources = tuple(SourceVerdict.of(path, expected[path], self._judged[path].judgement) for path in expected)
        judged = {path: self._judged[path] for path in expected if self._has_row(path)}  # in an order no thread decides
        composed = [self._composed[name] for name in self._tree.by_name] if self._tree else []
        table = assembled(self._problem, self._cases, judged, composed)
        facts = self._facts()
        rules = lint(self._problem, facts)
        findings = self._all_findings(sources, table, rules)
        has_all_rows = len(judged) == len(expected) and _all_are_judged(sources)
        if self._tree is not None and has_all_rows:  # else faults are missing that cases are there for
            findings += idle_findings(self._problem, table, rules)
            self._cache.keep(self._problem, "faults", table, pack_table)
        return Report(
            self._problem.slug,
            tuple(findings),
            sources,
            KillMatrix.of(table),
            tuple(map(RuleCases.of, rules)),
            None if self._tree else waiting(self._problem, facts),
            tuple(template_notices(self._problem)),
        )

    def _all_findings(
        self, sources: Sequence[SourceVerdict], table: FaultTable, rules: Sequence[RuleResult]
    ) -> list[str]:
        """Return the findings but those of idle cases."""
        return [
            *content_findings(self._problem),
            *stray_findings(self._problem, [source.path for source in sources]),
            *(verdict_finding(self._problem, source) for source in sources if not source.is_right),
            *self._findings,
            *self._starter_findings(),
            *subset_findings(self._problem),
            *broken_findings(self._problem, table),
            *alike_findings(self._problem, table),
            *findings_of(self._problem, rules, has_stages=self._tree is not None),
            *text_findings(self._problem, self._cases),
        ]

    def _has_row(self, path: str) -> bool:
        """Whether it is known which fault a source has: of a wrong one faults.yaml must say it, and its stage."""
        fault = self._problem.described.get(path.removeprefix("submissions/"))
        if not path.startswith("submissions/wrong_answer/"):
            return True
        return fault is not None and (fault.stage is None or fault.stage in self._problem.spec.stages)

    def _jobs(self, expected: dict[str, Verdict | None]) -> list[Job]:
        """Return every run; those that are known to be slow come first, so that none of them is waited for alone."""
        slowest_first = sorted(expected, key=lambda path: expected[path] is not Verdict.TLE)
        jobs: list[Job] = [partial(self._judge, path) for path in slowest_first]
        jobs.append(self._generate_again)
        if self._tree is not None:
            names = list(self._tree.by_name)
            jobs += [partial(self._compose, names[start : start + AT_ONCE]) for start in range(0, len(names), AT_ONCE)]
            jobs.append(self._plant)
        return jobs

    @staticmethod
    def _run(pool: Pool, jobs: list[Job], done: Done, at_once: int) -> None:
        def run(job: Job) -> None:
            with pool.lane() as lane:
                job(lane)

        with ThreadPoolExecutor(at_once) as executor:
            try:
                for number, future in enumerate(as_completed([executor.submit(run, job) for job in jobs]), 1):
                    future.result()
                    done(number, len(jobs))
            except BaseException:
                executor.shutdown(cancel_futures=True)  # what has not begun is not worth waiting for
                raise

    def _read_stages(self, lane: Lane) -> None:
        """Read the stages and hold their composition against the reference."""
        try:
            tree = stages_of(self._problem, lane, self._cache)
        except InvalidPackage as error:
            self._findings += error.findings
            return
        self._traces = trace_cases(tree, self._cases, lane)
        wrong: dict[str, list[str]] = {}
        for case, trace in zip(self._cases, self._traces, strict=True):
            if not agrees(case, _outputs(tree, case, trace)):
                wrong.setdefault(_difference(case, trace), []).append(case.name)
        self._findings += [
            f"{self._problem.slug}/{FILE}: composed, {what} at {_few(names)}; correct the stage that differs."
            for what, names in wrong.items()
        ]
        if not wrong:  # alternatives of stages that are wrong themselves show nothing
            self._tree = tree

    def _judge(self, path: str, lane: Lane) -> None:
        self._judged[path] = judge_closely(self._problem, self._problem.files.contents[path], lane, self._cache)

    def _generate_again(self, lane: Lane) -> None:
        try:
            again = generate_again(self._problem, lane)
        except InvalidPackage as error:
            self._findings += [f"{text} It worked before: take every number from rng." for text in error.findings]
            return
        for case in self._cases:
            others = [cases[case.name] for cases in again]
            if any(encode(case.arguments) != encode(o["args"]) or case.layouts != o["layout"] for o in others):
                self._findings.append(
                    f"{self._problem.slug}/cases.py: {case.name}: gives other inputs when it is called again, or after "
                    "other cases; take every number from rng."
                )

    def _compose(self, names: Sequence[str], lane: Lane) -> None:
        assert self._tree is not None
        table = compose_cases(self._tree, self._cases, [(name,) for name in names], lane)
        for name, outcomes in zip(names, table, strict=True):
            self._composed[name] = alternative_row(self._tree.by_name[name], self._cases, outcomes)

    def _plant(self, lane: Lane) -> None:
        """Compose what each variant says is planted, where its faults are alternatives of different stages."""
        assert self._tree is not None
        by_fault = {alternative.fault: alternative for alternative in self._tree.alternatives}
        for name, variant in self._problem.spec.variants.items():
            planted = [by_fault[fault] for fault in variant.planted if fault in by_fault]
            if len({each.stage for each in planted}) == len(variant.planted):
                names = tuple(each.name for each in planted)
                self._planted[name] = planted, compose_cases(self._tree, self._cases, [names], lane)[0]

    def _starter_findings(self) -> list[str]:
        """Return the starters that do not behave as the faults that their variants name."""
        findings = []
        for name, (alternatives, outcomes) in self._planted.items():
            path = self._problem.spec.variants[name].starter
            if self._judged[path].judgement.verdict not in (Verdict.WA, Verdict.RTE):
                continue  # has its own finding
            for case, planted, got in zip(self._cases, outcomes, self._judged[path].outcomes, strict=True):
                if isinstance(planted, str) and planted in SLIPS:
                    break  # the alternative has its own finding
                if not case.is_sample and not footprint(case, planted).is_like(footprint(case, got), case):
                    findings.append(
                        f"{self._problem.slug}/{path}: does not behave at {case.name} as the stages do with the "
                        f"faults planted in variant {name}; {self._starter_remedy(alternatives)}."
                    )
                    break
        return findings

    def _starter_remedy(self, alternatives: Sequence[StageFunction]) -> str:
        """Return what to do about a starter that these alternatives together do not behave like."""
        remedy = "correct the starter or what is planted"
        past = read_past(self._tree, alternatives) if self._tree else ""
        return (
            f"{remedy}, or an alternative that reads past another planted fault's stage (here {past})"
            if past
            else remedy
        )

    def _facts(self) -> list[CaseFacts]:
        facts = []
        for position, case in enumerate(self._cases):
            if not case.is_sample:
                entry = self._problem.spec.entries[case.entry]
                facts.append(CaseFacts(case, entry, sizes_of(entry, case), self._stages(position)))
        return facts

    def _stages(self, position: int) -> dict[str, Array]:
        """Return the reference's stages on a case, nothing where it raises or there are none."""
        trace = self._traces[position] if self._traces else ""
        if isinstance(trace, str) or self._tree is None:
            return {}
        return dict(zip(self._tree.needed(self._cases[position].entry), trace, strict=True))


def _all_are_judged(sources: Sequence[SourceVerdict]) -> bool:
    """Whether no source is JE: that is our fault, it may pass, and nothing made without the source is kept."""
    return not any(source.verdict is Verdict.JE for source in sources)


def _outputs(tree: StageTree, case: Case, trace: Outcome) -> Outcome:
    """Return the stages of a trace that the entry returns."""
    if isinstance(trace, str):
        return trace
    values = dict(zip(tree.needed(case.entry), trace, strict=True))
    return tuple(values[stage] for stage in tree.outputs(case.entry))


def _difference(case: Case, trace: Outcome) -> str:
    """Say how a case's composed stages differ from the reference."""
    if isinstance(trace, str):
        return f"a stage {said(trace)}"
    return f"no stage raises {case.raises}" if case.raises else "the outputs are not the reference's"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return ", ".join(names[:2]) + more
