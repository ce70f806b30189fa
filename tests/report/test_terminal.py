"""What a person sees of a judgement, as golden texts; UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Final

import pytest
from rich.console import Console

from grader.grading.verdict import Judgement, Verdict
from grader.report.terminal import judgement_view, next_step, points_text, print_view, verdict_text
from tests.report.judgements import VIEWS, WRONG, judgement

GOLDEN: Final = Path(__file__).parent / "golden"
SECRETS: Final = ("secret_", "3.5", "operator's detail")  # names and details that no candidate may see


def rendered(view: Judgement, columns: int, terminal: bool = False) -> str:
    """Return a judgement's view as text."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=columns, force_terminal=terminal, highlight=False, markup=False, emoji=False)
    console.print(judgement_view(view, "fix.py"))
    return "".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines())


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_the_golden_ones(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    text = rendered(VIEWS[name], 200)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text)
    assert text == path.read_text()


def test_no_golden_text_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(VIEWS)


@pytest.mark.parametrize("name", VIEWS)
def test_views_tell_no_secret(name: str) -> None:
    assert [word for word in SECRETS if word in rendered(VIEWS[name], 200)] == []


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
@pytest.mark.parametrize("name", VIEWS)
def test_views_keep_to_the_width(name: str, columns: int) -> None:
    assert max(map(len, rendered(VIEWS[name], columns).splitlines())) <= columns


def test_a_piped_view_is_plain(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    print_view(judgement_view(VIEWS["wrong_answer"], "fix.py"))
    assert capsys.readouterr().out == (GOLDEN / "wrong_answer.txt").read_text()


def test_colours_go_with_symbols_and_words() -> None:
    shown = {verdict: verdict_text(verdict, verdict.word) for verdict in Verdict}
    assert all(text.plain[0] in "✓✗!" and text.plain.endswith(verdict.word) for verdict, text in shown.items())
    assert {verdict for verdict, text in shown.items() if text.style == "green"} == {Verdict.AC}
    assert verdict_text(None).plain == "– not run"


def test_a_hostile_file_name_does_nothing() -> None:
    buffer = io.StringIO()
    Console(file=buffer, width=200, markup=False).print(judgement_view(VIEWS["accepted"], "[red]\x1b[31m\n\u202e.py"))
    assert buffer.getvalue().splitlines()[0] == "heads-never-mix · [red]\\x1b[31m\\n\\u202e.py"


@pytest.mark.parametrize("name", VIEWS)
def test_there_is_always_a_next_step(name: str) -> None:
    assert next_step(VIEWS[name])


def test_a_sample_that_fails_is_named_and_a_secret_case_is_not() -> None:
    assert "the sample sample_format fails first" in next_step(judgement({"sample_format": WRONG}))
    assert "a secret case of the group mask fails first" in next_step(judgement({"secret_mask": WRONG}))


@pytest.mark.parametrize(
    ("points", "of", "text"),
    [(None, None, "–"), (None, 10.0, "–"), (0.0, 0.0, "–"), (0.0, 10.0, "0 of 10"), (12.5, 40.0, "12.5 of 40")],
)
def test_points_in_words(points: float | None, of: float | None, text: str) -> None:
    assert points_text(points, of) == text
