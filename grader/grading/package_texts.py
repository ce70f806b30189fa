"""Looks through a package's texts: what cannot be shown, what the statement leaves out, what case names give away.

And through its code, as text: functions that stand twice, cases of no group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markdown_it.token import Token

from grader.errors import InvalidPackage
from grader.problems.cases import Case
from grader.problems.files import STANDARD
from grader.problems.loader import Problem
from grader.problems.schema import ToleranceSpec
from grader.problems.shapes import ArrayType
from grader.problems.stages import FILE
from grader.problems.texts import FormulaError, make_parser, mathml
from grader.sandbox.wire import encode

HEADINGS: Final = ("Contract", "Inputs and outputs", "What is graded")
_STATEMENT: Final = "statement.md"
_TOLERANCE: Final = re.compile(r"tolerance|relative|absolute|exact|bit for bit", re.IGNORECASE)
_RANGE: Final = re.compile(r"\brange\b|\bup to\b|\bat most\b|\bin size\b|\bbetween\b", re.IGNORECASE)
_SCORES: Final = re.compile(r"\bscores?\b", re.IGNORECASE)
_CAUSAL: Final = re.compile(r"\bcausal", re.IGNORECASE)
_CASES: Final = "cases.py"
_FUNCTION: Final = re.compile(r"^def ([A-Za-z0-9_]+)\(", re.MULTILINE)
_ALTERNATIVE: Final = re.compile(r"^def [a-z0-9_]+?__([a-z0-9_]+)\(", re.MULTILINE)
# a $ that an escape makes stays a token of its own, and so is told from one that opens a formula without an end
_MARKDOWN: Final = make_parser(recognises_html=True).disable("text_join")
_PLAIN: Final = make_parser(is_plain=True, recognises_html=True).disable("text_join")


@dataclass(frozen=True)
class Text:
    """A text of a package and where it stands."""

    where: str
    text: str
    is_plain: bool = True
    has_lines: bool = False  # whether its lines are those of its file

    def tokens(self) -> list[Token]:
        """Return its Markdown tokens, block level."""
        return (_PLAIN if self.is_plain else _MARKDOWN).parse(self.text)

    def place(self, block: Token, words: str) -> str:
        """Return where in the text a block's words stand."""
        if not self.has_lines or block.map is None:
            return self.where
        first, wanted = block.map[0], words.strip().partition("\n")[0]
        lines = self.text.split("\n")[first : block.map[1]]
        return f"{self.where} line {1 + first + next((n for n, line in enumerate(lines) if wanted in line), 0)}"


def text_findings(problem: Problem, cases: Sequence[Case]) -> list[str]:
    """Return what is to be corrected in a package's texts, in its cases' names, and in samples that tell too much."""
    statement = Text(f"{problem.slug}/{_STATEMENT}", problem.statement, is_plain=False, has_lines=True)
    texts = [statement, *_fault_texts(problem), *interview_texts(problem)]
    return [
        *(finding for text in texts for finding in _unreadable(text)),
        *(f"{statement.where}: {gap}" for gap in _gaps(problem, statement)),
        *_idle_functions(problem),
        *_telling_names(problem, cases),
        *_samples_among_secrets(problem, cases),
    ]


def _fault_texts(problem: Problem) -> Iterator[Text]:
    """Yield the texts of faults.yaml, none where it cannot be read: that has its own findings."""
    for path, fault in problem.described.items():
        key = f"{problem.slug}/faults.yaml: files.{path}"
        yield Text(f"{key}.sentence", fault.sentence)
        yield Text(f"{key}.hints.symptom", fault.hints.symptom)
        yield Text(f"{key}.hints.fault", fault.hints.fault)


def interview_texts(problem: Problem) -> Iterator[Text]:
    """Yield the texts of interview.yaml, none where it cannot be read: that has its own findings."""
    try:
        interview = problem.interview
    except InvalidPackage:
        return
    name = f"{problem.slug}/interview.yaml:"
    yield Text(f"{name} short_answer", interview.short_answer)
    yield Text(f"{name} full_answer", interview.full_answer, is_plain=False)
    yield Text(f"{name} why_old_tests_passed", interview.why_old_tests_passed)
    for follow_up in interview.follow_ups:
        key = f"{name} follow_ups {follow_up.id}:"
        yield Text(f"{key} question", follow_up.question)
        yield Text(f"{key} expected_answer", follow_up.expected_answer)
        yield from _listed(f"{key} rubric", follow_up.rubric)
    for number, wrong in enumerate(interview.wrong_answers):
        yield Text(f"{name} wrong_answers.{number}.answer", wrong.answer)
        yield Text(f"{name} wrong_answers.{number}.rebuttal", wrong.rebuttal)
    for question in interview.multiple_choice:
        key = f"{name} multiple_choice {question.id}:"
        yield Text(f"{key} question", question.question)
        yield from _listed(f"{key} choices", question.choices)
        yield Text(f"{key} hint", question.hint)
        yield Text(f"{key} solution", question.solution)
    yield from _listed(f"{name} lessons", interview.lessons)
    yield from _listed(f"{name} sources", interview.sources)


def _listed(key: str, texts: Sequence[str]) -> Iterator[Text]:
    return (Text(f"{key}.{number}", text) for number, text in enumerate(texts))


def _unreadable(text: Text) -> Iterator[str]:
    """Say what a page could not show as it was meant."""
    for block in text.tokens():
        for token in [block, *(block.children or [])]:
            if finding := _flaw(token):
                yield f"{text.place(block, token.content)}: {finding}"


def _flaw(token: Token) -> str:
    """Return what is wrong with a token, empty where nothing is."""
    match token.type:
        case "html_block" | "html_inline":
            return f"raw HTML, {_shown(token.content)}, is not rendered; write Markdown, or code in backticks."
        case "math_inline" | "math_block":
            try:
                mathml(token.content, "block" if token.type == "math_block" else "inline")
            except FormulaError as error:
                return f"the formula {_shown(token.content)} cannot be shown: {error}; correct its TeX."
        case "text" if "$" in token.content:
            return "a $ has no partner; close the formula, or write \\$."
    return ""


def _shown(text: str) -> str:
    shown = ascii(text.strip())
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _gaps(problem: Problem, statement: Text) -> Iterator[str]:
    """Say what the statement leaves out of the contract."""
    tokens = statement.tokens()
    headings = {after.content.strip().casefold() for token, after in pairwise(tokens) if token.type == "heading_open"}
    for heading in HEADINGS:
        if heading.casefold() not in headings:
            yield f"there is no heading {heading!r}; add it, with what belongs below."
    yield from _names_left_out(problem, tokens)
    for dtype in sorted(_dtypes(problem)):
        if not re.search(rf"\b{dtype}\b", statement.text):
            yield f"does not say {dtype}; name every dtype that problem.yaml names."
    spec = problem.spec
    if spec.tolerance != ToleranceSpec() and not _TOLERANCE.search(statement.text):
        yield "does not state the tolerance that problem.yaml sets; say how close numbers must be."
    if any(entry.exact_zeros for entry in spec.entries.values()) and not _CAUSAL.search(statement.text):
        yield "does not say that the function is causal; say who hides the future, and that weights are 0 there."
    paragraphs = [token.content for token in tokens if token.type == "inline"]
    if "scores" in spec.stages and not any(_SCORES.search(text) and _RANGE.search(text) for text in paragraphs):
        yield "does not state the range of scores that is graded; say how large they are, in a sentence with 'up to'."


def _names_left_out(problem: Problem, tokens: Sequence[Token]) -> Iterator[str]:
    quoted = [child.content for token in tokens for child in token.children or [] if child.type == "code_inline"]
    inline = set(re.findall(r"\w+", " ".join(quoted)))
    fenced = set(re.findall(r"\w+", " ".join(token.content for token in tokens if token.type == "fence")))
    for entry, spec in problem.spec.entries.items():
        if entry not in inline | fenced:  # a signature in a block of code will do
            yield f"does not name the entry {entry} in backticks; add it."
        for kind, names in (("parameter", spec.parameters), ("output", spec.outputs)):
            for name in names:
                if name not in inline:
                    yield f"does not name the {kind} {name} of {entry} in backticks; add it."


def _dtypes(problem: Problem) -> set[str]:
    found: set[str] = set()
    for entry in problem.spec.entries.values():
        kinds = [*entry.parameter_types().values(), *entry.output_types().values()]
        found |= {kind.dtype for kind in kinds if isinstance(kind, ArrayType)}
        found |= {dtype for dtypes in entry.accepts.values() for dtype in dtypes}
    return found


def _idle_functions(problem: Problem) -> Iterator[str]:
    """Name the functions that a later one of the same name hides, and the cases that no group has."""
    for path in (_CASES, FILE):
        names = _FUNCTION.findall(_code(problem, path))
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{problem.slug}/{path}: {name} is defined twice, and the first is never used; remove or rename one."
    grouped = {case for group in problem.spec.groups for case in group.cases}
    for name in dict.fromkeys(_FUNCTION.findall(_code(problem, _CASES))):
        if name.startswith(("sample_", "secret_")) and name not in grouped:
            yield f"{problem.slug}/{_CASES}: {name}: is in no group of problem.yaml; add it to one, or remove it."


def _code(problem: Problem, path: str) -> str:
    """Return a file of code as text; empty where it is missing or no text, which is found elsewhere."""
    try:
        return problem.files.text(path) if path in problem.files.contents else ""
    except InvalidPackage:
        return ""


def _telling_names(problem: Problem, cases: Sequence[Case]) -> Iterator[str]:
    """Name the secret cases whose names hold all words of a fault.

    Candidates of the service see a secret case as a number in its group; `grade --json` and reports have its name.
    """
    faults = _fault_ids(problem)
    for case in cases:
        words = case.name.split("_")
        told = next((fault for fault in faults if _holds_in_order(words, fault.split("-"))), None)
        if told and not case.is_sample:
            yield f"{problem.slug}/cases.py: {case.name}: the name says the fault {told}; name the inputs instead."


def _fault_ids(problem: Problem) -> list[str]:
    ids = {part for fault in problem.described.values() for part in fault.fault.split("+")}
    ids |= {fault for variant in problem.spec.variants.values() for fault in variant.planted}
    for path in (FILE, f"{STANDARD}/{problem.spec.standard}/{FILE}"):
        ids |= {name.replace("_", "-") for name in _ALTERNATIVE.findall(_code(problem, path))}
    return sorted(ids)


def _holds_in_order(words: Sequence[str], wanted: Sequence[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in wanted)


def _samples_among_secrets(problem: Problem, cases: Sequence[Case]) -> Iterator[str]:
    secret = {_inputs(case): case.name for case in cases if not case.is_sample}
    for case in cases:
        if case.is_sample and (same := secret.get(_inputs(case))):
            yield f"{problem.slug}/cases.py: {case.name}: has the inputs of {same}; give one of them other inputs."


def _inputs(case: Case) -> tuple[str, bytes]:
    return case.entry, encode(case.arguments)
