"""What goes into one attention head: the worked example, and matrices that a person brings along."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.errors import UserError
from grader.wording import counted

FloatArray = NDArray[np.float64]

NAMES: Final = ("x", "w_q", "w_k", "w_v", "w_o")
SIZE_MAX: Final = 8  # rows and columns: every matrix is printed whole
BYTES_MAX: Final = 64 << 10
_FORM: Final = "give x, w_q, w_k, w_v and w_o, each as a list of rows"
_NAME_SHOWN: Final = 40  # characters of a name that nobody expected


@dataclass(frozen=True, eq=False)
class Inputs:
    """The arguments of one head; a token is a row and stands left of its matrix.

    T tokens, d_model model width, d_k key size, d_v value size. Nothing here demands that they agree.
    """

    x: FloatArray  # (T, d_model)
    w_q: FloatArray  # (d_model, d_k)
    w_k: FloatArray  # (d_model, d_k)
    w_v: FloatArray  # (d_model, d_v)
    w_o: FloatArray  # (d_v, d_model)

    def named(self) -> dict[str, FloatArray]:
        """Return the matrices by name, in the order of the contract."""
        return {name: getattr(self, name) for name in NAMES}

    def equals(self, other: Inputs) -> bool:
        """Whether every number is the same."""
        theirs = other.named()
        return all(np.array_equal(matrix, theirs[name]) for name, matrix in self.named().items())


def _matrix(rows: list[list[float]]) -> FloatArray:
    matrix = np.array(rows, dtype=np.float64)
    matrix.flags.writeable = False
    return matrix


# the exercise states H_LAST and Y_LAST alone; these inputs were searched for so that both come out to three decimals
WORKED: Final = Inputs(
    x=_matrix([[-2, -0.5], [0, 0.5], [0, 1], [-0.5, -1]]),
    w_q=_matrix([[0.5, 0.5], [-0.5, 0.5]]),
    w_k=_matrix([[2, 0.5], [-0.5, 0.5]]),
    w_v=_matrix([[-1, 2], [0.5, -0.5]]),
    w_o=_matrix([[1, 0.5], [-1, 2]]),
)
H_LAST: Final = (0.592, -1.279)
Y_LAST: Final = (1.871, -2.262)


def read_inputs(text: str) -> Inputs:
    """Return the matrices that a JSON object holds; whether they fit each other is the lesson's to find out.

    Raises:
        UserError: it is no such object, or a matrix is empty, ragged or too large to be printed.
    """
    if len(text.encode(errors="replace")) > BYTES_MAX:
        raise UserError(
            f"The inputs have more than {BYTES_MAX >> 10} KiB; {SIZE_MAX} by {SIZE_MAX} matrices need less."
        )
    try:
        # a number of many digits becomes infinite instead of an error: the lesson shows what that does
        found = json.loads(text, parse_int=float, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"The inputs are no JSON from {where} on; {_FORM}.") from None
    except RecursionError:
        raise UserError(f"The inputs are nested too deeply; {_FORM}.") from None
    if not isinstance(found, dict):
        raise UserError(f"The inputs are no JSON object; {_FORM}.")
    for name in found:
        if name not in NAMES:
            raise UserError(f"The inputs name {name[:_NAME_SHOWN]!a}, which is no matrix of a head; {_FORM}.")
    missing = [name for name in NAMES if name not in found]
    if missing:
        raise UserError(f"The inputs lack {', '.join(missing)}; {_FORM}.")
    return Inputs(**{name: _matrix(_rows(name, found[name])) for name in NAMES})


def as_text(inputs: Inputs) -> str:
    """Return the JSON object that `read_inputs` reads, a matrix on each line."""
    lines = (f'  "{name}": {_plain(matrix)}' for name, matrix in inputs.named().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(matrix: FloatArray) -> str:
    rows = [[int(number) if number == np.rint(number) else number for number in row] for row in matrix.tolist()]
    return json.dumps(rows)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"The inputs give {name[:_NAME_SHOWN]!a} twice; leave one of them out.")
    return dict(pairs)


def _rows(name: str, found: object) -> list[list[float]]:
    if not isinstance(found, list) or not found or not all(isinstance(row, list) and row for row in found):
        raise UserError(f"{name} is no matrix; write a list of rows, each a list of numbers: [[1, 0], [0, 1]].")
    if max(len(found), *map(len, found)) > SIZE_MAX:
        raise UserError(f"{name} is too large to be printed; give it at most {SIZE_MAX} rows and {SIZE_MAX} columns.")
    for position, row in enumerate(found, 1):
        if len(row) != len(found[0]):
            raise UserError(
                f"Row {position} of {name} has {counted(len(row), 'number')} and row 1 has {len(found[0])}; "
                "make all rows equally long."
            )
        for column, number in enumerate(row, 1):
            if type(number) is not float:
                raise UserError(f"Number {column} in row {position} of {name} is none; write digits, as in -0.5.")
    return found
