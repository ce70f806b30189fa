"""Kill matrices as text and as a page: every row, case and rule is there, and nothing of a package is markup."""

from __future__ import annotations

import os
from html.parser import HTMLParser
from typing import Final

from grader.grading.check_report import Report, RuleCases
from grader.grading.kill_matrix import KillMatrix, KillRow
from grader.report.kill_matrix import matrix_page, matrix_text
from tests.packages import DATA, tiny_attention
from tests.report.wide import marked, unreachable

GOLDEN: Final = DATA / "kill_matrix.txt"
VOID: Final = {"meta", "br", "hr", "img", "input", "link"}
CASES: Final = ("sample_one", *(f"secret_{number}" for number in range(2, 12)))
MATRIX: Final = KillMatrix(
    CASES,
    (
        KillRow("mask-missing", "masked_scores", "submissions/wrong_answer/mask_missing.py", (True,) * 11),
        KillRow("input-changed", None, "submissions/wrong_answer/input_changed.py", (False,) * 10 + (True,)),
        KillRow("mask-missing", "masked_scores", "masked_scores__mask_missing", (True,) * 11),
        KillRow("a-fault-whose-name-is-longer-than-the-column", "weights", "weights__long", (False,) * 11),
        KillRow("scale-missing", "scores", "scores__scale_missing", (False, True) + (False,) * 9),
    ),
)
RULES: Final = (
    RuleCases("one-token", "attend", 1, ("secret_2", "secret_3"), False),
    RuleCases("many-tokens", "attend", None, (), False),
    RuleCases("zero-token", "attend", 1, (), True),
)


class Parsed(HTMLParser):
    """A page's tags, balanced or not, and its texts by the innermost tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip() and self.open[-1] != "style":
            self.texts.append((self.open[-1], data.strip()))

    def of(self, tag: str) -> list[str]:
        """Return the texts of one kind of tag."""
        return [text for kind, text in self.texts if kind == tag]


def test_text_is_the_golden_one() -> None:
    text = matrix_text(MATRIX)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_starters_and_alternatives_are_marked() -> None:
    rows = tuple(
        KillRow("mask-missing", "masked_scores", origin, (True,))
        for origin in ("submissions/wrong_answer/mask.py", "starters/first.py", "masked_scores__mask_missing")
    )
    lines = matrix_text(KillMatrix(("secret_a",), rows)).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["mask-missing", ">mask-missing", "~mask-missing"]
    assert lines[6] == "~ alternative, > starter"
    page = Parsed(matrix_page([Report("attn", (), matrix=KillMatrix(("secret_a",), rows))], {}))
    assert {"mask-missing", ">mask-missing", "~mask-missing"} <= set(page.of("text"))
    assert "~ alternative, > starter" in page.of("p")


def test_page_has_every_cell_case_and_rule() -> None:
    page = Parsed(matrix_page([Report("attn", (), matrix=MATRIX, rules=RULES)], {}))
    assert page.open == []
    assert page.tags.count("rect") == 5 * 11
    titles = page.of("title")
    assert titles[0] == "Kill matrices"
    assert sum("kills" in title.split() for title in titles) == 11 + 1 + 11 + 0 + 1
    assert titles.count("secret_2 kills scale-missing") == 1
    assert titles.count("secret_3 does not kill scale-missing") == 1
    cells = page.of("td")[8:]  # behind the row of the index
    assert cells[:8] == ["1", "sample_one", "2", "0", "2", "secret_2", "3", "1"]
    assert cells[-9:] == [
        *("one-token (attend)", "1", "secret_2, secret_3"),
        *("many-tokens (attend)", "all", "no case"),
        *("zero-token (attend)", "1", "exempt"),
    ]
    assert "in order" in page.of("p")


def test_what_goes_on_to_the_right_says_so() -> None:
    page = matrix_page([Report("attn", (), matrix=MATRIX, rules=RULES)], {})
    assert (unreachable(page), marked(page)) == ([], ["Problems", "Kill matrix", "Cases", "Rules"])


def test_stages_stand_in_order_and_contract_faults_last() -> None:
    page = Parsed(matrix_page([Report("attn", (), matrix=MATRIX)], {}))
    heads = [text for text in page.of("text") if text in ("masked_scores", "weights", "scores", "contract, no stage")]
    assert heads == ["masked_scores", "weights", "scores", "contract, no stage"]


def test_the_index_leads_to_each_problem_with_what_its_cases_kill() -> None:
    problem = tiny_attention()
    reports = [Report("tiny-attention", (), matrix=MATRIX), Report("attn", ("attn/cases.py: one.",))]
    page = matrix_page(reports, {"tiny-attention": problem.spec})
    assert '<a href="#tiny-attention">tiny-attention</a>' in page
    assert '<h2 id="tiny-attention">' in page
    parsed = Parsed(page)
    assert parsed.of("caption")[0] == "2 problems, 1 in order; 0 sources."
    spec = problem.spec
    assert parsed.of("span")[:2] == [spec.title, "cannot be read"]
    first = [spec.level, str(spec.minutes), ", ".join(spec.tags), "0", "10", "4 of 5", "2", "in order"]
    assert parsed.of("td")[:16] == [*first, "–", "–", "–", "0", "–", "–", "–", "1 finding"]


def test_names_and_findings_are_no_markup() -> None:
    evil = "<script>alert('\u202e')</script>"
    matrix = KillMatrix(("secret_<b>",), (KillRow(evil, evil, "<i>.py", (True,)),))
    report = Report(evil, (f"{evil}: & <b>.",), matrix=matrix, rules=(RuleCases(evil, evil, 1, (evil,), False),))
    page = matrix_page([report], {})
    parsed = Parsed(page)
    assert parsed.open == []
    assert not {"script", "b", "i"} & set(parsed.tags)
    assert parsed.of("li") == ["<script>alert('\\u202e')</script>: & <b>."]
    assert any(title.startswith("secret_<b> kills <script>") for title in parsed.of("title"))
    assert "\u202e" not in matrix_text(matrix)


def test_report_without_matrix_has_its_findings() -> None:
    page = Parsed(matrix_page([Report("attn", ("attn/cases.py: one.", "attn/cases.py: two."))], {}))
    assert page.of("h2") == ["attn"]
    assert page.of("p") == ["The table goes on to the right.", "2 findings"]
    assert page.of("li") == ["attn/cases.py: one.", "attn/cases.py: two."]
    assert "svg" not in page.tags
