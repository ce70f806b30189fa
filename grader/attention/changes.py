"""What a reader may change in the worked head: a closed table, in audit order; the first option of each is sound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final

from grader.errors import UserError

_SHOWN: Final = 40  # characters of a word that nobody expected


@dataclass(frozen=True)
class Option:
    """One way to compute a step."""

    value: str
    label: str  # a few words for a button
    sentence: str  # what it does
    unseen: str = ""  # what to add or know when no check tells the difference


@dataclass(frozen=True)
class Change:
    """One thing that can be changed."""

    name: str
    title: str
    options: tuple[Option, ...]

    @property
    def sound(self) -> Option:
        """The option that computes what the contract says."""
        return self.options[0]

    def option(self, value: str) -> Option:
        """Return the option of a value."""
        return next(option for option in self.options if option.value == value)


@dataclass(frozen=True)
class Changes:
    """A value for each change of the table; without arguments a sound head."""

    sizes: str = "as_given"
    inputs: str = "as_given"
    axes: str = "query_by_key"
    scale: str = "sqrt_key_size"
    mask: str = "before"
    softmax_axis: str = "keys"
    softmax: str = "stable"
    projection: str = "applied"

    def made(self) -> dict[str, str]:
        """Return the changes that were made, sound values left out."""
        return {name: value for name, value in asdict(self).items() if value != BY_NAME[name].sound.value}

    def options(self) -> tuple[Option, ...]:
        """Return the options that were chosen, sound ones left out."""
        return tuple(BY_NAME[name].option(value) for name, value in self.made().items())


CHANGES: Final = (
    Change(
        "sizes",
        "Shapes of the inputs",
        (
            Option("as_given", "as given", "The matrices keep their shapes."),
            Option(
                "wider_model",
                "d_model + 1",
                "All matrices get one more model feature, chosen so that everything up to H stays as it is.",
                "A sound head takes any sizes; where they differ, a missing or reversed W_O no longer hides.",
            ),
            Option("x_too_wide", "X too wide", "X gets a column that no projection has a row for."),
            Option("w_k_too_wide", "W_K too wide", "W_K gets a column that W_Q lacks: keys longer than queries."),
            Option("w_o_too_tall", "W_O too tall", "W_O gets a row that no value feature belongs to."),
        ),
    ),
    Change(
        "inputs",
        "Tokens",
        (
            Option("as_given", "as given", "X keeps its numbers."),
            Option(
                "thousandfold",
                "times 1000",
                "X is multiplied by 1000, so scores grow a millionfold.",
                "A stable softmax takes large scores; add softmax=unsafe to see what does not.",
            ),
            Option("huge", "times 1e200", "X is multiplied by 1e200: products of two such numbers overflow."),
            Option("infinite", "one infinity", "The first number of the last token is infinite."),
            Option("not_a_number", "one NaN", "The first number of the last token is not a number."),
        ),
    ),
    Change(
        "axes",
        "Scores",
        (
            Option("query_by_key", "Q K^T", "Q K^T compares each query with each key."),
            Option("swapped", "Q^T K", "Q^T K has positions and features swapped: it compares feature with feature."),
        ),
    ),
    Change(
        "scale",
        "Scores divided by",
        (
            Option("sqrt_key_size", "√d_k", "Scores are divided by the square root of the key size."),
            Option("none", "1", "Scores are not divided at all.", "With d_k = 1 there is nothing to divide by."),
            Option(
                "key_size", "d_k", "Scores are divided by d_k without the root.", "With d_k = 1 the root is 1 as well."
            ),
            Option(
                "sqrt_model_width",
                "√d_model",
                "Scores are divided by the square root of the full width, not of the key size.",
                "Where d_model = d_k both roots are the same; add sizes=wider_model to tell them apart.",
            ),
        ),
    ),
    Change(
        "mask",
        "Mask",
        (
            Option("before", "before softmax", "Scores of later keys become minus infinity before the softmax."),
            Option(
                "late", "after softmax", "Weights of later keys are set to 0 after the softmax has counted them in."
            ),
            Option("omitted", "omitted", "No score is hidden: every query reads the future."),
            Option("strict", "hides itself", "A query's own key is hidden too, so the first query has none left."),
        ),
    ),
    Change(
        "softmax_axis",
        "Softmax over",
        (
            Option("keys", "keys", "Each query row becomes a distribution over the keys."),
            Option(
                "queries",
                "queries",
                "Each key column is normalised, as if queries competed for a key.",
                "With one token both sums are 1.",
            ),
        ),
    ),
    Change(
        "softmax",
        "Exponentials",
        (
            Option(
                "stable", "largest subtracted", "The largest score is subtracted before exp, which changes no weight."
            ),
            Option(
                "unsafe",
                "as they are",
                "exp is taken of the raw scores.",
                "Small scores take it; add inputs=thousandfold to see exp overflow.",
            ),
        ),
    ),
    Change(
        "projection",
        "Output projection",
        (
            Option("applied", "H W_O", "The mixed values are led back to the model width by W_O."),
            Option("missing", "missing", "H is returned as it is.", "With W_O = I nothing is missed; use another W_O."),
            Option(
                "reversed",
                "W_O transposed",
                "H is multiplied by W_O transposed.",
                "A symmetric W_O is its own transpose; use another one.",
            ),
        ),
    ),
)
BY_NAME: Final[Mapping[str, Change]] = {change.name: change for change in CHANGES}
assert [field.name for field in fields(Changes)] == list(BY_NAME)


def choose(pairs: Iterable[tuple[str, str]]) -> Changes:
    """Return the changes that names and values ask for.

    Raises:
        UserError: a name or a value is not in the table, or a name stands twice.
    """
    chosen: dict[str, str] = {}
    for name, value in pairs:
        change = BY_NAME.get(name)
        if change is None:
            raise UserError(f"There is no change {name[:_SHOWN]!a}; change one of {', '.join(BY_NAME)}.")
        if name in chosen:
            raise UserError(f"{name} is changed twice; give it one value.")
        values = [option.value for option in change.options]
        if value not in values:
            raise UserError(f"{name} cannot be {value[:_SHOWN]!a}; write one of {', '.join(values)}.")
        chosen[name] = value
    return Changes(**chosen)
