"""A package author's mistakes: `check_package` names each by file and remedy, and what was found is kept."""

from __future__ import annotations

import builtins
import keyword
import re
import shutil
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grader.grading.check import check_package
from grader.grading.check_report import Report
from grader.grading.judge import judge
from grader.grading.verdict import Verdict
from grader.problems import composition, package_code
from grader.problems.cache import CaseCache
from grader.problems.files import PackageFiles, read_folder
from grader.problems.loader import REFERENCE, load
from grader.sandbox.exchange import Limits
from grader.sandbox.pool import Pool
from tests.packages import DATA, TINY, edited, text_of, tiny_with

pytestmark = pytest.mark.sandbox
ROWS: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "checked_packages.yaml").read_text())
SHORT: Final = Limits(case_s=1, total_s=20, memory_mib=2048)
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{7,}")


def changed(row: dict[str, Any]) -> PackageFiles:
    """Return the small package with a row's edits, each made upon those before it."""
    changes: dict[str, str | bytes | None] = {}
    if "while True" not in str(row):  # a loaded machine is no mistake of the author's
        changes["problem.yaml"] = edited("problem.yaml", "case_s: 0.5, total_s: 1.5", "case_s: 5, total_s: 20")
    for edit in row.get("edits", [row]):
        path = edit["file"]
        before = changes.get(path)
        text = before if isinstance(before, str) else text_of(path) if (TINY / path).is_file() else ""
        if "edit" in edit:
            old, new = edit["edit"]
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
            changes[path] = text.replace(old, new)
        elif "append" in edit:
            changes[path] = text + edit["append"]
        elif "copy" in edit:
            changes[path] = text_of(edit["copy"])
        else:
            changes[path] = None if edit.get("missing") else edit["content"]
    return tiny_with(changes)


def checked(files: PackageFiles, pool: Pool, cache: CaseCache | None = None) -> tuple[Report, list[tuple[int, int]]]:
    """Return a package's report, and the steps that were told while it was made."""
    steps: list[tuple[int, int]] = []
    return check_package(files, pool, cache or CaseCache(None), lambda done, of: steps.append((done, of))), steps


def findings_of(files: PackageFiles, pool: Pool) -> list[str]:
    """Return the findings without the package's name, numbers rounded to six digits."""
    report, _ = checked(files, pool)
    assert all(finding.startswith(f"{files.slug}/") and finding.endswith((".", "?")) for finding in report.findings)
    assert all(len(finding) < 700 for finding in report.findings)
    return [
        _LONG_NUMBER.sub(lambda match: f"{float(match[0]):.6g}", finding.removeprefix(f"{files.slug}/"))
        for finding in report.findings
    ]


# names that composed code could take for its own, for a parameter (w) and for a stage
RENAMED: Final = [
    ("w", "names"),
    ("w", "arguments"),
    ("w", "p_x"),
    ("w", "_p_x"),
    ("output", "names"),
    ("output", "p_x"),
    ("output", "s_scores"),
    ("output", "k_scores"),
]


@pytest.mark.parametrize(("old", "new"), RENAMED)
def test_parameters_and_stages_have_any_name(old: str, new: str, pool: Pool) -> None:
    paths = ("problem.yaml", "cases.py", "stages.py", "statement.md")
    files = tiny_with({path: re.sub(rf"\b{old}\b", new, text_of(path)) for path in paths})
    report, _ = checked(files, pool)
    assert report.findings == ()


UNKNOWN: Final = edited(REFERENCE, "/ np.sqrt(x.shape[1])", "/ x.shape[1]")  # a fault that only a trace shows
STAGES: Final = ("scores", "masked_scores", "output")
# of Python, of what composed code is made of, and of what its own code is called; those that the package itself uses
# would change what it computes
OURS: Final = ("kind", "found", "names", "arguments", "answers", "before", "pairs", "error", "values", "copies")
WORKING: Final = sorted(
    {*dir(builtins), *keyword.softkwlist, *OURS, "keys_", "_x", "self", "submission", "X9"}
    - {name for name in dir(builtins) if keyword.iskeyword(name) or name.startswith("__")}
    - {"bool", "len", "ValueError", "_"}
)


def with_names(names: dict[str, str]) -> PackageFiles:
    """Return the small package with stages and the parameter w renamed, wherever they stand."""
    paths = ("problem.yaml", "cases.py", "stages.py", "statement.md", "faults.yaml")
    word = re.compile(rf"\b({'|'.join(names)})(?=\b|__)(?!-)")
    return tiny_with({path: word.sub(lambda match: names[match[0]], text_of(path)) for path in paths})


@settings(max_examples=25)
@given(st.lists(st.sampled_from(WORKING), min_size=4, max_size=4, unique=True))
@example(["any", "hasattr", "zip", "globals"])
@example(["type", "str", "list", "Exception"])
@example(["keys_", "x" * 61, "match", "_w"])
def test_what_python_has_may_name_a_stage_or_a_parameter(pool: Pool, drawn: list[str]) -> None:
    stages = drawn[:-1]
    assume(not any(stage.startswith("_") for stage in stages))
    files = with_names(dict(zip((*STAGES, "w"), drawn, strict=True)))
    report, _ = checked(files, pool)
    assert [each for each in report.findings if "the rule does not apply" not in each] == []  # rules go by names, too
    with pool.lane() as lane:
        judgement = judge(load(files), UNKNOWN.encode(), lane, CaseCache(None))
    assert judgement.finding
    assert judgement.finding.first_wrong_stage == stages[0]


def test_name_that_is_too_long_is_told(pool: Pool) -> None:
    long = "x" * 201
    stages = text_of("stages.py").replace("scores__scale_missing(x, w)", f"scores__{long}(x, {long})")
    assert findings_of(tiny_with({"stages.py": stages}), pool) == [
        f"stages.py line 22: scores__{'x' * 32}... has 209 characters; use at most 200.",
        f"stages.py line 22: {'x' * 40}... has 201 characters; use at most 200.",
    ]


def test_rows_are_many_and_apart() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS) >= 190


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_each_mistake_is_told_by_file_and_remedy(
    row: dict[str, Any], pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if row.get("is_slow"):
        monkeypatch.setattr(package_code, "PACKAGE_LIMITS", SHORT)
        monkeypatch.setattr(composition, "COMPOSED_LIMITS", SHORT)
    assert findings_of(changed(row), pool) == row["findings"]


def test_stages_that_are_no_text_are_told(pool: Pool) -> None:
    findings = findings_of(tiny_with({"stages.py": b"\xff\xfe"}), pool)
    assert findings == ["stages.py: the file is not UTF-8; save it as UTF-8."]


def test_names_of_a_package_are_told_as_they_are(pool: Pool) -> None:
    """A finding is data; whoever shows it makes it harmless."""
    stages = text_of("stages.py").replace("def weights(", "raise ValueError('\x1b[31m\u202e')\n\n\ndef weights(")
    assert findings_of(tiny_with({"stages.py": stages}), pool) == [
        "stages.py line 36: ValueError: \x1b[31m\u202e; correct it."
    ]


def test_a_whole_package_is_in_order(pool: Pool) -> None:
    report, steps = checked(read_folder(TINY), pool)
    assert (report.slug, report.findings) == ("tiny-attention", ())
    assert [(source.path, source.expected, source.verdict) for source in report.sources] == [
        ("submissions/accepted/reference.py", Verdict.AC, Verdict.AC),
        ("submissions/accepted/corrected.py", Verdict.AC, Verdict.AC),
        ("submissions/wrong_answer/mask_missing.py", Verdict.WA, Verdict.WA),
        ("submissions/wrong_answer/scale_missing.py", Verdict.WA, Verdict.WA),
        ("starters/interview.py", None, Verdict.WA),
    ]
    assert steps == [(number, len(steps)) for number in range(1, len(steps) + 1)]
    assert report.matrix is not None
    assert {row.fault: "".join(".x"[kills] for kills in row.kills) for row in report.matrix.rows if row.stage} == {
        "mask-missing": "xxxxxx..",
        "scale-missing": ".xxxxx..",
        "mask-missing+scale-missing": "xxxxxx..",
        "own-length-counts": ".......x",
    }
    assert [row.origin for row in report.matrix.rows] == [
        "submissions/wrong_answer/mask_missing.py",
        "submissions/wrong_answer/scale_missing.py",
        "starters/interview.py",
        "mask__own_length_counts",
        "scores__scale_missing",
        "masked_scores__mask_missing",
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A private folder for a cache."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    return cache


@pytest.mark.parametrize("row", [{"file": "stages.py", "append": ""}, ROWS[-1]], ids=["whole", "with a finding"])
def test_what_was_found_is_kept(row: dict[str, Any], pool: Pool, folder: Path) -> None:
    first, steps = checked(changed(row), pool, CaseCache(folder))
    assert steps
    again, steps = checked(changed(row), pool, CaseCache(folder))
    assert steps == []  # nothing was run
    assert again.as_object() == first.as_object()


def test_a_package_that_changed_is_checked_anew(pool: Pool, folder: Path) -> None:
    checked(read_folder(TINY), pool, CaseCache(folder))
    path = "submissions/accepted/corrected.py"
    files = tiny_with({path: text_of("submissions/wrong_answer/mask_missing.py")})
    report, steps = checked(files, pool, CaseCache(folder))
    assert steps
    assert [source.path for source in report.sources if not source.is_right] == [path]
    assert len(report.findings) == 1


def test_a_damaged_report_is_made_anew(pool: Pool, folder: Path) -> None:
    first, _ = checked(read_folder(TINY), pool, CaseCache(folder))
    (kept,) = folder.glob("*.check")
    kept.write_bytes(kept.read_bytes()[:-1])
    again, steps = checked(read_folder(TINY), pool, CaseCache(folder))
    assert steps
    assert again.as_object() == first.as_object()


def test_a_copy_under_another_name_is_told_by_its_own(pool: Pool, folder: Path, tmp_path: Path) -> None:
    checked(read_folder(TINY), pool, CaseCache(folder))
    shutil.copytree(TINY, tmp_path / "other")
    assert checked(read_folder(tmp_path / "other"), pool, CaseCache(folder))[0].slug == "other"
