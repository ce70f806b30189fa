"""What a reviewer reads of each stage's numbers beside its state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.grading.stage_errors import StageError
from grader.report.review_pictures import Pictures, from_json, to_json
from grader.report.stage_rows import stage_facts, stage_row

ROWS: Final[list[list[Any]]] = yaml.safe_load(Path(__file__).with_name("stage_rows.yaml").read_text())


def stage(form: Any, error: float | None, line: int | None = None) -> StageError:
    return StageError("weights", (2, 3), line, error, (0, 1), 0.5, 0.25, form)


@pytest.mark.parametrize(("form", "error", "state", "said", "shown", "fact"), ROWS)
def test_the_words_agree_with_the_state(
    form: str, error: float | None, state: str, said: str, shown: float | None, fact: str
) -> None:
    assert stage_row(stage(form, error), state) == (said, shown)
    assert stage_facts([stage(form, error)], {"weights": state}) == {"weights": f"2 × 3 · {fact}"}


@pytest.mark.parametrize(
    ("line", "error", "form", "kept"),
    [(10, 5.86, "other_form", None), (None, 0.25, "returned", 0.25), (None, None, "none", None)],
)
def test_what_older_records_measured_of_a_traced_stage_is_no_error(
    line: int | None, error: float | None, form: str, kept: float | None
) -> None:
    data = json.loads(to_json(Pictures("secret_one", (stage("equal", error, line),), (), None)))
    del data["stages"][0]["form"]
    (read,) = from_json(json.dumps(data)).stages
    assert (read.form, read.error) == (form, kept)
