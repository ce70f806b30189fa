"""Compares one answer with what a case expects; the order of the checks decides the reason.

Everything that arrives was claimed by untrusted code: decoded by the strict parser, compared here and nowhere else.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.received import Received
from grader.grading.verdict import Failure, Reason
from grader.problems.cases import Case
from grader.problems.schema import EntrySpec
from grader.problems.shapes import ArrayType
from grader.sandbox.exchange import Answer, Raised
from grader.sandbox.wire import Refused

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
_SINGULAR: Final = ("as", "is", "ss", "us")  # a bias, a mass
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
    """An entry's outputs as the comparison needs them."""

    entry: str
    outputs: tuple[tuple[str, ArrayType], ...]

    @classmethod
    def of(cls, entry: str, spec: EntrySpec) -> Contract:
        """Return the contract of an entry."""
        return cls(entry, tuple(spec.output_types().items()))

    @property
    def wanted(self) -> str:
        """What the entry returns, in words."""
        names = [name for name, _ in self.outputs]
        return f"the array {names[0]}" if len(names) == 1 else f"({', '.join(names)}) as a tuple or list"


def compare(contract: Contract, case: Case, answer: Answer, received: Received) -> Failure | None:
    """Return why an answer is wrong, None when it is right in every respect that one case shows.

    Args:
        received: the first call's answer, decoded.

    Raises:
        Malformed: the answer is not of the wire's form.
    """
    if not _is_right_at_once(case, received):
        outputs = _outputs(contract, received)
        failure = outputs if isinstance(outputs, Failure) else _first_failure(contract, case, outputs)
        if failure is not None:
            return failure
    if not answer.unchanged:
        return Failure.of(Reason.MUTATED_INPUT, entry=contract.entry)
    if answer.again != answer.first and not _same(contract, case, received, answer.again):
        return Failure.of(Reason.NOT_REPEATABLE, entry=contract.entry)
    return None


def _is_right_at_once(case: Case, received: Received) -> bool:
    """Whether an answer is right as one look at all of its numbers tells; another one may be right all the same."""
    if received.flat is None:
        return received.is_expected
    return bool(_closeness(received.flat, case.flat, case.flat_bounds).all())


def _outputs(contract: Contract, received: Received) -> list[Array] | Failure:
    """Return the outputs' arrays, or why what was returned is no such thing."""
    if received.broken:
        raise Malformed(received.broken)
    wanted, count, items = len(contract.outputs), received.count, received.items
    if received.is_sequence != (wanted > 1):
        got = "a tuple" if received.is_sequence else _words(items[0])
        return Failure.of(Reason.WRONG_CONTAINER, got=got, entry=contract.entry, wanted=contract.wanted)
    if count != wanted:
        got = "one value" if count == 1 else f"{count} values" if count <= 8 else "many more values"
        return Failure.of(Reason.WRONG_COUNT, got=got, entry=contract.entry, wanted=contract.wanted)
    if len(items) != count:
        raise Malformed("an answer without its items")
    for (name, kind), item in zip(contract.outputs, items, strict=True):
        failure = _type_failure(name, kind, item)
        if failure is not None:
            return failure
    return [item for item in items if not isinstance(item, Refused)]  # all of them, by now


def _words(item: Array | Refused) -> str:
    if not isinstance(item, Refused):
        return "one array"
    # a class's name is the submission's to choose and could carry a hidden value out: only known ones are shown
    detail = item.detail if item.detail in _KNOWN_TYPES else "class of your own"
    return _REFUSED_WORDS.get(item.kind, "something else").format(detail)


def _dtype_word(detail: str) -> str:
    return detail if detail in _KNOWN_DTYPES else "another kind"


def _wanted_dtype(kind: ArrayType) -> str:
    return "float64, or float32 where that is precise enough" if kind.dtype.startswith("float") else kind.dtype


def _type_failure(name: str, kind: ArrayType, item: Array | Refused) -> Failure | None:
    if isinstance(item, Refused):
        if item.kind == "dtype":
            return Failure.of(Reason.WRONG_DTYPE, output=name, wanted=_wanted_dtype(kind), got=_dtype_word(item.detail))
        if item.kind == "huge":
            return Failure.of(Reason.WRONG_SHAPE, output=name, wanted=kind.shape_text(), got="is far larger")
        return Failure.of(Reason.WRONG_TYPE, output=name, got=_words(item))
    if item.dtype.kind != np.dtype(kind.dtype).kind:
        return Failure.of(Reason.WRONG_DTYPE, output=name, wanted=_wanted_dtype(kind), got=item.dtype.name)
    return None


def is_right(case: Case, outputs: Sequence[Array]) -> bool:
    """Whether shapes, values and exact zeros are all right; says quickly what nearly every answer is."""
    return all(right_outputs(case, outputs))


def right_outputs(case: Case, outputs: Sequence[Array]) -> Iterator[bool]:
    """Yield of each output whether its shape, values and exact zeros are right."""
    for output, expected, bound, future in zip(outputs, case.expected, case.bounds, case.future, strict=True):
        is_like = output.shape == expected.shape and _is_close(output, expected, bound)
        yield is_like and not leaks(output, future)


def leaks(output: Array, future: npt.NDArray[np.bool_] | None) -> bool:
    """Whether an output (..., T, S) is not exactly zero somewhere where `future` (T, S) is True; None is nowhere."""
    return future is not None and bool(((output != 0) & future).any())  # gathering what is there takes four times that


def _is_close(output: Array, expected: Array, bound: Array) -> bool:
    """Whether |output - expected| <= bound everywhere, which no NaN is; exact for integers and booleans."""
    if output.dtype.kind != "f":
        return bool((output == expected).all())
    return bool(_closeness(output, expected, bound).all())


def _closeness(output: Array, expected: Array, bound: Array) -> npt.NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        difference = np.asarray(output - expected)
        np.absolute(difference, difference)  # in place: a large array more takes longer than what is computed
        close: npt.NDArray[np.bool_] = difference <= bound
    return close


def _first_failure(contract: Contract, case: Case, outputs: list[Array]) -> Failure | None:
    """Return the first failure in the order of the checks, each over all outputs."""
    for (name, kind), output, expected in zip(contract.outputs, outputs, case.expected, strict=True):
        if output.shape != expected.shape:
            return _shape_failure(name, kind, expected, output)
    names = [name for name, _ in contract.outputs]
    pairs = zip(outputs, case.expected, case.bounds, strict=True)
    off = [at for at, parts in enumerate(pairs) if not _is_close(*parts)]
    for at in off:
        output = outputs[at]
        if output.dtype.kind == "f" and not (finite := np.isfinite(output)).all():
            worst = np.unravel_index(int(np.argmin(finite)), output.shape)
            return Failure.of(Reason.NONFINITE, f"{names[at]}{_index(worst)} is {output[worst]}", output=names[at])
    if off:
        wrong, right = [names[at] for at in off], [name for at, name in enumerate(names) if at not in off]
        first = off[0]
        worst_of = partial(_worst, wrong[0], outputs[first], case.expected[first], case.bounds[first])
        return _value_failure(wrong, right, worst_of)
    for (name, _), output, future in zip(contract.outputs, outputs, case.future, strict=True):
        if leaks(output, future):
            return Failure.of(Reason.NOT_EXACTLY_ZERO, output=name)
    return None


def _shape_failure(name: str, kind: ArrayType, expected: Array, output: Array) -> Failure:
    if output.ndim != expected.ndim:
        got = f"has {output.ndim} {'axis' if output.ndim == 1 else 'axes'}"
    else:
        axis = next(i for i, pair in enumerate(zip(output.shape, expected.shape, strict=True)) if pair[0] != pair[1])
        got = f"has another size in axis {axis}"
    detail = f"{output.shape}, not {expected.shape}"
    return Failure.of(Reason.WRONG_SHAPE, detail, output=name, wanted=kind.shape_text(), got=got)


def _value_failure(wrong: list[str], right: list[str], detail: Callable[[], str]) -> Failure:
    beside = f" while {_listed(right, 'is', 'are')} right" if right else ""
    return Failure.of(Reason.WRONG_VALUES, detail, output=_listed(wrong, "has", "have"), right=beside)


def _listed(names: list[str], one: str, several: str) -> str:
    """Return names as the subject of a sentence; an output named in the plural (weights) takes a plural verb."""
    is_one = len(names) == 1 and (not names[0].endswith("s") or names[0].endswith(_SINGULAR))
    return f"{' and '.join(names)} {one if is_one else several}"


def _worst(name: str, output: Array, expected: Array, bound: Array) -> str:
    with np.errstate(all="ignore"):  # a number too large for the difference is the worst
        error = np.abs(output.astype(np.float64, copy=False) - expected) / np.maximum(bound, np.finfo(float).tiny)
    worst = np.unravel_index(int(error.argmax()), error.shape)
    return f"{name}{_index(worst)} is {output[worst]}, not {expected[worst]}"


def _same(contract: Contract, case: Case, received: Received, again: bytes | Raised) -> bool:
    """Whether the second call's answer is the first one's within the tolerance, and right as that was."""
    if isinstance(again, Raised):
        return False
    first, second = _outputs(contract, received), _outputs(contract, Received.of(case, again))
    if isinstance(first, Failure) or isinstance(second, Failure):
        return False
    pairs = zip(first, second, case.bounds, strict=True)
    is_same = all(a.shape == b.shape and _is_close(b, a, bound) for a, b, bound in pairs)
    return is_same and is_right(case, second)


def _index(index: tuple[Any, ...]) -> str:
    return f"[{', '.join(str(int(i)) for i in index)}]"
