"""Makes cases and facts of contracts out of few words, without a sandbox: for tests of the rules for hidden cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import yaml

from grader.grading.case_facts import CaseFacts
from grader.problems.cases import Case
from grader.problems.files import PackageFiles
from grader.problems.loader import Problem
from grader.problems.schema import EntrySpec, ProblemSpec
from grader.problems.shapes import ArrayType

LINT: Final = Path(__file__).parents[1] / "data" / "lint"
CONTRACTS: Final[dict[str, dict[str, Any]]] = yaml.safe_load((LINT / "contracts.yaml").read_text())
Array = npt.NDArray[Any]
_STAGES: Final = ["scores", "masked_scores", "weights", "output"]


def contract(name: str) -> EntrySpec:
    """Return a contract of the data as an entry."""
    return EntrySpec.model_validate({key: value for key, value in CONTRACTS[name].items() if key != "sizes"})


def made_problem(entries: dict[str, EntrySpec], exemptions: dict[str, str] | None = None) -> Problem:
    """Return a problem of these entries that has no files."""
    spec = {
        "schema": 1,
        "title": "Made",
        "level": "L2",
        "minutes": 5,
        "tags": ["made"],
        "entries": {name: entry.model_dump() for name, entry in entries.items()},
        "variants": {"interview": {"starter": "starters/interview.py", "planted": ["some-fault"]}},
        "groups": [{"name": "values", "points": 1, "cases": ["secret_0"]}],
        "stages": _STAGES,
        "exemptions": exemptions or {},
    }
    return Problem(PackageFiles("made", {}), ProblemSpec.model_validate(spec))


def made_facts(name: str, words: dict[str, Any], number: int = 0, entry: str = "attend") -> CaseFacts:
    """Return an ordinary case of a contract, changed as the words say.

    Args:
        words: sizes by name; `args`, inputs by parameter; `layout`; `dtypes` by parameter; `scores` and `allowed`,
            the stages scores and masked_scores; `expected`, the only output.
    """
    spec = contract(name)
    sizes = CONTRACTS[name]["sizes"] | {key: value for key, value in words.items() if key in CONTRACTS[name]["sizes"]}
    rng = np.random.default_rng(words.get("seed", number))
    arguments = {parameter: _input(rng, kind, sizes, words) for parameter, kind in spec.parameter_types().items()}
    for parameter, value in words.get("args", {}).items():
        arguments[parameter] = value if isinstance(value, int) else _array(rng, value, arguments[parameter])
    for parameter, dtype in words.get("dtypes", {}).items():
        arguments[parameter] = np.asarray(arguments[parameter]).astype(dtype)
    expected = (np.array(words["expected"]),) if "expected" in words else ()
    raises = words.get("raises")
    case = Case(
        words.get("name", f"secret_{number}"), entry, arguments, words.get("layout", {}), expected, raises,
        (1e-6, 1e-9), (False,) * len(expected),
    )  # fmt: skip
    return CaseFacts(case, spec, sizes, _stages(words))


def _input(rng: np.random.Generator, kind: Any, sizes: dict[str, int], words: dict[str, Any]) -> Any:
    if not isinstance(kind, ArrayType):
        return sizes[kind.name]
    shape = [dimension.value(sizes) or 0 for dimension in kind.dimensions]
    shape = [*words.get("front", []), *shape] if kind.open_front else shape
    if kind.dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    return rng.integers(1, 9, shape) if kind.dtype == "int64" else rng.normal(size=shape)


def _array(rng: np.random.Generator, value: Any, instead_of: Any) -> Array:
    """Return an input from numbers, or from a word that says how it changes the ordinary one."""
    match value:
        case "identity":
            return np.asarray(np.eye(*instead_of.shape) + 0.01 * rng.normal(size=instead_of.shape))
        case "symmetric":
            return np.asarray(instead_of + instead_of.T)
        case "zero-token":
            return np.asarray(instead_of * (np.arange(instead_of.shape[-2]) != 1)[:, None])
        case "zero":
            return np.zeros_like(instead_of)
        case "equal-items":
            return np.asarray(np.broadcast_to(instead_of[:1], instead_of.shape))
        case "equal-heads":
            return np.asarray(np.broadcast_to(instead_of[:, :1], instead_of.shape))
        case "triangle":
            return np.tri(*instead_of.shape, dtype=bool)
        case "full":
            return np.ones(instead_of.shape, bool)
    assert not isinstance(value, str), value
    return np.array(value)


def _stages(words: dict[str, Any]) -> dict[str, Array]:
    if "scores" not in words:
        return {}
    scores = np.array(words["scores"], float)
    allowed = words.get("allowed", True)
    if allowed == "past":
        allowed = np.tri(*scores.shape[-2:], dtype=bool)
    return {"scores": scores, "masked_scores": np.where(np.array(allowed, bool), scores, -np.inf)}
