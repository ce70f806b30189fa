"""Which changes of the worked head show a fault that problem packages name, where its switches can show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grader.attention.changes import Changes

# by the fault's id; each makes a check of the audit fail
FAULT_CHANGES: Final[Mapping[str, Changes]] = {
    "scores-over-features": Changes(axes="swapped"),
    "scores-of-shape-d-by-d": Changes(axes="swapped"),
    "scale-missing": Changes(scale="none"),
    "scale-without-root": Changes(scale="key_size"),
    "scale-by-model-width": Changes(scale="sqrt_model_width", sizes="wider_model"),
    "scale-model-width": Changes(scale="sqrt_model_width", sizes="wider_model"),
    "scale-full-width": Changes(scale="sqrt_model_width", sizes="wider_model"),
    "mask-missing": Changes(mask="omitted"),
    "mask-after-softmax": Changes(mask="late"),
    "own-key-closed-first-row-empty": Changes(mask="strict"),
    "softmax-over-queries": Changes(softmax_axis="queries"),
    "unsafe-softmax": Changes(softmax="unsafe", inputs="thousandfold"),
    "unsafe-softmax-over-queries": Changes(softmax_axis="queries", softmax="unsafe", inputs="thousandfold"),
    "no-output-projection": Changes(projection="missing"),
    "projection-transposed": Changes(projection="reversed"),
}
