"""What a candidate sees of a sample run: samples are no secret, so values stand beside the expected ones in full."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from grader.grading.verdict import Verdict
from grader.report.sample_outputs import Kept, SampleOutputs, from_json
from grader.report.visible import visible
from grader.services.samples import assignment
from grader.store.models import SampleRun

DIFFERENCES_MAX: Final = 12  # numbers of one output that are set side by side
NUMBERS_MAX: Final = 1000  # of one array that are written out; of a larger one the corners
_NOTHING: Final = '{"import_prints": "", "cases": []}'


@dataclass(frozen=True)
class Difference:
    """One number that is off."""

    index: str
    returned: str
    expected: str


@dataclass(frozen=True)
class OutputView:
    """One output beside what is expected; differing None: the two cannot be compared number by number."""

    name: str
    shape: str
    expected_shape: str
    differing: int | None
    size: int
    differences: tuple[Difference, ...]
    returned: str  # as Python
    expected: str


@dataclass(frozen=True)
class SampleResult:
    """One sample; verdict None: not reached."""

    name: str
    verdict: Verdict | None
    message: str
    prints: str
    outputs: tuple[OutputView, ...]


@dataclass(frozen=True)
class SampleRunView:
    """A run; verdict None: it still waits or runs."""

    ordinal: int
    created_at: datetime
    verdict: Verdict | None
    message: str
    import_prints: str
    samples: tuple[SampleResult, ...]

    @property
    def agreeing(self) -> int:
        """How many samples agree."""
        return sum(sample.verdict is Verdict.AC for sample in self.samples)


def view(run: SampleRun) -> SampleRunView:
    """Return the view of a stored run."""
    outcome: dict[str, Any] = json.loads(run.outcome or _NOTHING)
    outputs = {sample.case: sample for sample in from_json(outcome.get("outputs", "[]"))}
    return SampleRunView(
        ordinal=run.ordinal,
        created_at=run.created_at,
        verdict=run.verdict,
        message=visible(run.message or "", keep=""),
        import_prints=visible(outcome["import_prints"]),
        samples=tuple(_sample(case, outputs.get(case["name"])) for case in outcome["cases"]),
    )


def _sample(case: Mapping[str, Any], outputs: SampleOutputs | None) -> SampleResult:
    return SampleResult(
        name=case["name"],
        verdict=Verdict(case["verdict"]) if case["verdict"] else None,
        message=visible(case["message"] or "", keep=""),
        prints=visible(case["prints"]),
        outputs=_outputs(outputs) if outputs else (),
    )


def _outputs(sample: SampleOutputs) -> tuple[OutputView, ...]:
    """Return the outputs that came back as arrays, as far as the contract has names for them."""
    if sample.returned is None or sample.raises is not None:
        return ()
    pairs = zip(sample.names, sample.expected, sample.returned, strict=False)
    return tuple(_output(sample, position, *pair) for position, pair in enumerate(pairs))


def _output(sample: SampleOutputs, position: int, name: str, expected: Kept, returned: Kept) -> OutputView:
    off = sample.off(position)
    mine, right = returned.values, expected.values
    differences: Sequence[Difference] = ()
    if off is not None and mine is not None and right is not None:
        hidden = sample.hidden(position)
        if hidden is not None:
            off = off | (hidden & (mine != 0))
        at = np.argwhere(off)[:DIFFERENCES_MAX].tolist()
        differences = [Difference(_index(i), str(mine[tuple(i)]), str(right[tuple(i)])) for i in at]
    return OutputView(
        name=name,
        shape=_shape(returned),
        expected_shape=_shape(expected),
        differing=None if off is None else int(off.sum()),
        size=int(np.prod(expected.shape)),
        differences=tuple(differences),
        returned=_text(name, returned),
        expected=_text(name, expected),
    )


def _index(index: Sequence[int]) -> str:
    return f"[{', '.join(map(str, index))}]"


def _shape(kept: Kept) -> str:
    return f"({', '.join(map(str, kept.shape))}{',' if len(kept.shape) == 1 else ''})"


def _text(name: str, kept: Kept) -> str:
    if kept.values is None:
        return f"# {name}: {kept.dtype}, shape {_shape(kept)}, not written out"
    return assignment(name, kept.values, NUMBERS_MAX)
