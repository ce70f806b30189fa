"""Package code as the attacker: whatever a package's files do, the package alone fails, and with a sentence.

`check_package` and `judge` are the doors: they raise nothing, in bounded time, and the next package is judged as ever.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.errors import InvalidPackage
from grader.grading.check import check_package
from grader.grading.judge import judge
from grader.grading.verdict import Verdict
from grader.problems import composition, package_code
from grader.problems.cache import CaseCache
from grader.problems.files import PackageFiles
from grader.problems.loader import Problem, load
from grader.sandbox.exchange import Limits
from grader.sandbox.pool import Lane, Pool
from grader.sandbox.wire import MAX_VALUES
from tests.packages import DATA, HONEST, text_of, tiny_with
from tests.processes import children_of, wait_until
from tests.sandbox.asking import CHANNEL

pytestmark = pytest.mark.sandbox


def marks_of(row: dict[str, Any]) -> list[pytest.MarkDecorator]:
    """Return how a row's test is marked: some are left out by default."""
    return [pytest.mark.long] if row.get("is_long") else []


ROWS: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "hostile_packages.yaml").read_text())
MARKED: Final = [pytest.param(row, id=row["id"], marks=marks_of(row)) for row in ROWS]
SHORT: Final = Limits(case_s=0.5, total_s=1.5, memory_mib=512)
SECONDS: Final = 12.0
WRONG: Final = text_of("submissions/wrong_answer/mask_missing.py").encode()
# the first answer to a question of the package, or every one after it, is FORGED in place of what was computed
FORGER: Final = f"""{CHANNEL}
import numpy as np
VALUES = []
def forging(descriptor, parts, writev=os.writev):
    data = b"".join(parts)
    if data[4:5] != b"V":
        return writev(descriptor, parts)
    VALUES.append(data)
    if (len(VALUES) == 1) is FIRST:
        data = frame(b"V", FORGED)
    send(data)
    return sum(map(len, parts))
os.writev = forging
forging.__module__ = ""
"""
UNSEEN: Final = 'for _each in (frame, send, at_the_end): _each.__module__ = ""  # no stages of the package\n'


def attacked(row: dict[str, Any]) -> PackageFiles:
    """Return the small package with a row's attack in the file that it names."""
    path, text = row["file"], text_of(row["file"])
    if "forged" in row:
        text = (
            FORGER
            + UNSEEN
            + f"FIRST = {row.get('first', True)}\nFORGED = {row['forged']}\n"
            + text.replace('"""', "#", 2)
        )
    else:
        text = f"{text}\n{CHANNEL}{UNSEEN}import numpy as np\n{row['append']}"
    slow = text_of("problem.yaml").replace("total_s: 1.5", "total_s: 1.0")
    return tiny_with({"problem.yaml": slow, path: text})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Package code gets seconds, not minutes."""
    monkeypatch.setattr(package_code, "PACKAGE_LIMITS", SHORT)
    monkeypatch.setattr(composition, "COMPOSED_LIMITS", SHORT)


def test_rows_are_many_and_apart() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS) >= 60


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("row", MARKED)
def test_attack_fails_its_own_package_alone(
    row: dict[str, Any], pool: Pool, tiny: Problem, cache: CaseCache, caplog: pytest.LogCaptureFixture
) -> None:
    files = attacked(row)
    started = time.monotonic()
    report = check_package(files, pool, CaseCache(None), lambda done, of: None)
    assert time.monotonic() - started < SECONDS
    if row.get("is_harmless") != "maybe":
        assert bool(report.findings) is not row.get("is_harmless", False), report.findings
    assert len(report.findings) <= MAX_VALUES
    assert all(finding.startswith(f"{files.slug}/") and len(finding) < 1000 for finding in report.findings)
    with pool.lane() as lane:
        zygote = lane.pid
        verdict = judge(load(files), WRONG, lane, CaseCache(None)).verdict
        assert verdict in (Verdict.WA, Verdict.JE)
        assert not caplog.records, caplog.records[0].exc_info
        assert lane.pid == zygote
        assert judge(tiny, HONEST, lane, cache).verdict is Verdict.AC
        assert judge(tiny, WRONG, lane, cache).verdict is Verdict.WA
        assert wait_until(lambda: len(children_of(lane.pid or 0)) == 1)


@pytest.mark.parametrize("source", sorted((DATA / "hostile").glob("[!T]*/*.py"))[::20], ids=lambda path: path.stem)
def test_hostile_source_as_reference_is_an_invalid_package(lane: Lane, source: Path) -> None:
    """What attacks the judge as a submission attacks it no better as the package's own reference."""
    files = tiny_with({"submissions/accepted/reference.py": source.read_bytes()})
    try:
        cases = CaseCache(None).cases(load(files), lane)
    except InvalidPackage as error:
        assert error.findings[0].startswith("tiny-attention/")  # noqa: PT017 - a wrong reference may be a whole one
    else:
        assert len(cases) == 8
    assert judge(load(tiny_with({})), HONEST, lane, CaseCache(None)).verdict is Verdict.AC
