"""How far traced stages are from the reference's, in the form in which they are right: no error speaks against them."""

from __future__ import annotations

from typing import Final

import pytest

from grader.grading.judge import examine
from grader.grading.reference import reference_of
from grader.grading.stage_errors import StageError
from grader.problems.cache import CaseCache
from grader.problems.loader import load_named
from grader.report.review_pictures import pictures
from grader.sandbox.pool import Lane
from tests.packages import DATA, SHIPPED

pytestmark = pytest.mark.sandbox
FOLDER: Final = DATA / "first_wrong"
WHERE: Final = "    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)\n"
SHIFT: Final = "    scores = scores - scores.max(axis=-1, keepdims=True)\n"
# stage, what is replaced in heads-never-mix/shifted_softmax.py, its form then
FORMS: Final = [
    ("masked_scores", (WHERE, WHERE), "equal"),
    ("masked_scores", (WHERE + SHIFT, SHIFT + WHERE), "shifted"),
    ("masked_scores", ("-np.inf", "-1e30"), "open"),
    ("queries", ("heads(w_q)", "heads(w_q / np.sqrt(w_q.shape[1] // n_heads))"), "scaled"),
    ("keys", (WHERE, WHERE), "equal"),
    ("mixed_values", (WHERE, WHERE), "equal"),
    ("output", (WHERE, WHERE), "returned"),
]


def drawn(slug: str, source: str, lane: Lane, cases_alone: CaseCache) -> dict[str, StageError]:
    """Return the stages that a review page draws of a source."""
    problem = load_named(slug, SHIPPED)
    cases = cases_alone.cases(problem, lane)
    examination = examine(problem, source.encode(), lane, cases_alone, build=False)
    found = pictures(problem, examination, cases, reference_of(problem, cases, lane, cases_alone), None)
    return {stage.stage: stage for stage in found.stages}


@pytest.mark.parametrize(("stage", "change", "form"), FORMS)
def test_a_stage_is_measured_in_the_form_in_which_it_is_right(
    stage: str, change: tuple[str, str], form: str, lane: Lane, cases_alone: CaseCache
) -> None:
    text = (FOLDER / "heads-never-mix" / "shifted_softmax.py").read_text()
    found = drawn("heads-never-mix", text.replace(*change), lane, cases_alone)[stage]
    assert found.form == form
    assert found.error is not None
    assert (float(found.error) == 0.0) is (stage != "output")


def test_a_mask_is_applied_and_not_measured(lane: Lane, cases_alone: CaseCache) -> None:
    text = (FOLDER / "sliding-window" / "scale_and_residual.py").read_text()
    found = drawn("sliding-window", text, lane, cases_alone)["in_window"]
    assert (found.form, found.error) == ("applied", None)


def test_what_is_off_is_measured_however_small_it_is_beside_the_largest(lane: Lane, cases_alone: CaseCache) -> None:
    text = (FOLDER / "sliding-window" / "small_weights_dropped.py").read_text()
    stages = drawn("sliding-window", text, lane, cases_alone)
    assert stages["weights"].error == 0.0
    assert float(stages["mixed_values"].error or 0.0) == pytest.approx(
        abs(float(stages["mixed_values"].returned) - float(stages["mixed_values"].expected))
    )
    assert float(stages["mixed_values"].error or 0.0) > 1e-4
