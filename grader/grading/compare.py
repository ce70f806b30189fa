"""Compares one answer with what a case expects; the order of the checks decides the reason.

Everything that arrives was claimed by untrusted code: decoded by the strict parser, compared here and nowhere else.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.verdict import Failure, Reason
from grader.problems.cases import Case
from grader.problems.schema import EntrySpec, ToleranceSpec
from grader.problems.shapes import ArrayType
from grader.sandbox.run import Answer, Raised
from grader.sandbox.wire import Refused, WireError, decode

SINGLE_PRECISION: Final = (1e-4, 1e-5)  # rtol, atol where an input of the case is float32
Array = npt.NDArray[Any]
_REFUSED_WORDS: Final = {
    "none": "None (is the return statement missing?)",
    "scalar": "a single number ({})",
    "subclass": "a subclass of ndarray ({})",
    "byte_order": "an array of foreign byte order ({})",
    "list": "a list that holds something else than numbers",
    "ragged": "a list of rows of unequal length",
    "type": "a {}",
}
_KNOWN_DTYPES: Final = frozenset({"bool", "int64", "uint64", "float16", "complex64", "complex128", "object"})
_KNOWN_TYPES: Final = frozenset(
    {name for name, value in vars(builtins).items() if isinstance(value, type)}
    | {"generator", "coroutine", "function", "MaskedArray", "matrix", "recarray", "memmap", "range", "array", ">f8"}
    | {name for name, value in vars(np).items() if isinstance(value, type) and issubclass(value, np.generic)}
)


class Malformed(Exception):
    """The answer's bytes are not what a child sends: bad_answer."""


@dataclass(frozen=True)
class Contract:
    """An entry's outputs as the comparison needs them, made once for a problem."""

    entry: str
    outputs: tuple[tuple[str, ArrayType], ...]
    zeros: frozenset[str]  # outputs that are exactly 0 above the diagonal
    rtol: float
    atol: float

    @classmethod
    def of(cls, entry: str, spec: EntrySpec, tolerance: ToleranceSpec) -> Contract:
        """Return the contract of an entry."""
        outputs = tuple(spec.output_types().items())
        return cls(entry, outputs, frozenset(spec.exact_zeros), tolerance.rtol, tolerance.atol)

    @property
    def wanted(self) -> str:
        """What the entry returns, in words."""
        names = [name for name, _ in self.outputs]
        return f"the array {names[0]}" if len(names) == 1 else f"({', '.join(names)}) as a tuple"

    def tolerances(self, case: Case) -> tuple[float, float]:
        """Return (rtol, atol) for a case; only the inputs' dtype widens them."""
        if case.single_precision:
            return max(self.rtol, SINGLE_PRECISION[0]), max(self.atol, SINGLE_PRECISION[1])
        return self.rtol, self.atol


def compare(contract: Contract, case: Case, answer: Answer) -> Failure | None:
    """Return why an answer is wrong, None when it is right in every respect that one case shows.

    Raises:
        Malformed: the answer is not of the wire's form.
    """
    outputs = _outputs(contract, answer.first)
    if isinstance(outputs, Failure):
        return outputs
    failure = _first_failure(contract, case, outputs)
    if failure is not None:
        return failure
    if not answer.unchanged:
        return Failure.of(Reason.MUTATED_INPUT, entry=contract.entry)
    if answer.again != answer.first and not _same(contract, case, outputs, answer.again):
        return Failure.of(Reason.NOT_REPEATABLE, entry=contract.entry)
    return None


def _outputs(contract: Contract, data: bytes) -> list[Array] | Failure:
    """Return the outputs' arrays, or why what was returned is no such thing."""
    is_sequence, count, items = _answer(data)
    wanted = len(contract.outputs)
    facts = {"entry": contract.entry, "wanted": contract.wanted}
    if is_sequence != (wanted > 1):
        got = "a tuple" if is_sequence else _words(items[0])
        return Failure.of(Reason.WRONG_CONTAINER, got=got, **facts)
    if count != wanted:
        return Failure.of(Reason.WRONG_COUNT, got=count if count <= 8 else "many more", **facts)
    for (name, kind), item in zip(contract.outputs, items, strict=True):
        failure = _type_failure(name, kind, item)
        if failure is not None:
            return failure
    return items


def _answer(data: bytes) -> tuple[bool, int, list[Any]]:
    try:
        value = decode(data)
    except WireError as error:
        raise Malformed(str(error)) from None
    if type(value) is not list or [type(part) for part in value] != [bool, int, list]:
        raise Malformed("an answer is [sequence, count, items]")
    is_sequence, count, items = value
    if not all(isinstance(item, np.ndarray | Refused) for item in items):
        raise Malformed("an answer's items are arrays")
    if (len(items) != count and (items or not is_sequence)) or (not is_sequence and len(items) != 1):
        raise Malformed("an answer's count is not that of its items")
    return is_sequence, count, items


def _words(item: Array | Refused) -> str:
    if not isinstance(item, Refused):
        return "one array"
    # a class's name is the submission's to choose and could carry a hidden value out: only known ones are shown
    detail = item.detail if item.detail in _KNOWN_TYPES else "class of your own"
    return _REFUSED_WORDS.get(item.kind, "something else").format(detail)


def _dtype_word(detail: str) -> str:
    return detail if detail in _KNOWN_DTYPES else "of another kind"


def _type_failure(name: str, kind: ArrayType, item: Array | Refused) -> Failure | None:
    if isinstance(item, Refused):
        if item.kind == "dtype":
            return Failure.of(Reason.WRONG_DTYPE, output=name, wanted=kind.dtype, got=_dtype_word(item.detail))
        if item.kind == "huge":
            return Failure.of(Reason.WRONG_SHAPE, output=name, wanted=kind.shape_text(), got="is far larger")
        return Failure.of(Reason.WRONG_TYPE, output=name, got=_words(item))
    if item.dtype.kind != np.dtype(kind.dtype).kind:
        return Failure.of(Reason.WRONG_DTYPE, output=name, wanted=kind.dtype, got=item.dtype.name)
    return None


def _first_failure(contract: Contract, case: Case, outputs: list[Array]) -> Failure | None:
    for check in (_shape_failure, _finite_failure, _value_failure, _zero_failure):
        for (name, kind), expected, output in zip(contract.outputs, case.expected, outputs, strict=True):
            failure = check(contract, case, name, kind, expected, output)
            if failure is not None:
                return failure
    return None


def _shape_failure(
    contract: Contract, case: Case, name: str, kind: ArrayType, expected: Array, output: Array
) -> Failure | None:
    if output.shape == expected.shape:
        return None
    if output.ndim != expected.ndim:
        got = f"has {output.ndim} axes"
    else:
        axis = next(i for i, pair in enumerate(zip(output.shape, expected.shape, strict=True)) if pair[0] != pair[1])
        got = f"has another size in axis {axis}"
    return Failure.of(Reason.WRONG_SHAPE, f"{output.shape}, not {expected.shape}", output=name, wanted=kind.shape_text(), got=got)


def _finite_failure(
    contract: Contract, case: Case, name: str, kind: ArrayType, expected: Array, output: Array
) -> Failure | None:
    # a sum is finite unless a part is not, or it overflows: then look closely
    if output.dtype.kind != "f" or np.isfinite(_sum(output)) or np.isfinite(output).all():
        return None
    worst = np.unravel_index(int(np.argmin(np.isfinite(output))), output.shape)
    return Failure.of(Reason.NONFINITE, f"{name}{_index(worst)} is {output[worst]}", output=name)


def _sum(array: Array) -> Any:
    with np.errstate(all="ignore"):
        return array.sum()


def _value_failure(
    contract: Contract, case: Case, name: str, kind: ArrayType, expected: Array, output: Array
) -> Failure | None:
    if _close(contract, case, expected, output):
        return None
    error = np.abs(output.astype(np.float64) - expected.astype(np.float64))
    worst = np.unravel_index(int(error.argmax()), error.shape)
    detail = f"{name}{_index(worst)} is {output[worst]}, not {expected[worst]}"
    return Failure.of(Reason.WRONG_VALUES, detail, output=name)


def _zero_failure(
    contract: Contract, case: Case, name: str, kind: ArrayType, expected: Array, output: Array
) -> Failure | None:
    if name not in contract.zeros or not np.triu(output, 1).any():
        return None
    return Failure.of(Reason.NOT_EXACTLY_ZERO, output=name)


def _close(contract: Contract, case: Case, expected: Array, output: Array) -> bool:
    """|output - expected| <= atol + rtol |expected| everywhere; exact for integers and booleans."""
    if output.dtype.kind != "f":
        return bool((output == expected).all())
    rtol, atol = contract.tolerances(case)
    bound = np.abs(expected)
    bound *= rtol
    bound += atol
    with np.errstate(all="ignore"):
        return bool((np.abs(output - expected) <= bound).all())


def _same(contract: Contract, case: Case, outputs: list[Array], again: bytes | Raised) -> bool:
    """Whether the second call's answer is the first one's within the tolerance."""
    if isinstance(again, Raised):
        return False
    second = _outputs(contract, again)
    if isinstance(second, Failure):
        return False
    pairs = list(zip(outputs, second, strict=True))
    return all(a.shape == b.shape and _close(contract, case, a, b) for a, b in pairs)


def _index(index: tuple[Any, ...]) -> str:
    return f"[{', '.join(str(int(i)) for i in index)}]"
