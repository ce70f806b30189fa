"""Five symptoms, what they most likely mean, what to look at first, and the changes that show each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from grader.attention.changes import Changes


@dataclass(frozen=True)
class Symptom:
    """A row of the table.

    `shown_by` are changes that bring it about, `fires` the checks (stage/check) that it can meet first.
    """

    seen: str
    error: str
    first_look: str
    shown_by: tuple[Changes, ...]
    fires: tuple[str, ...]


SYMPTOMS: Final = (
    Symptom(
        "Scores come out as (d_k, d_k)",
        "positions and features were swapped",
        "the shapes of Q and of K transposed",
        (Changes(axes="swapped"),),
        ("scores/shape",),
    ),
    Symptom(
        "Columns sum to 1, rows do not",
        "the softmax ran over the queries",
        "row sums beside column sums",
        (Changes(softmax_axis="queries"),),
        ("weights/row_sums",),
    ),
    Symptom(
        "Future entries stay above 0",
        "the mask was omitted, or came after the softmax",
        "the masked scores, before the softmax",
        (Changes(mask="omitted"), Changes(mask="late")),
        ("masked_scores/future_hidden",),
    ),
    Symptom(
        "The output is d_v wide",
        "the output projection is missing or reversed",
        "W_O: is it (d_v, d_model), and is it used",
        (
            Changes(projection="missing", sizes="wider_model"),
            Changes(projection="reversed", sizes="wider_model"),
            Changes(projection="missing"),
        ),
        ("output/shape", "output/product", "output/by_hand"),
    ),
    Symptom(
        "NaN or infinity appears",
        "an unsafe softmax, bad inputs, or a row without a readable key",
        "the first object that is not finite",
        (
            Changes(softmax="unsafe", inputs="thousandfold"),
            Changes(inputs="infinite"),
            Changes(inputs="huge"),
            Changes(mask="strict"),
        ),
        ("weights/finite", "inputs/finite", "scores/finite", "masked_scores/row_not_empty"),
    ),
)


def symptom_of(stage: str, check: str) -> Symptom | None:
    """Return the symptom that a first failing check points to, if the table has one."""
    return next((symptom for symptom in SYMPTOMS if f"{stage}/{check}" in symptom.fires), None)
