"""What a rule for hidden cases is, and the words in which rules are written: sizes by role, arrays by parameter.

A rule looks at the secret cases of one entry. It knows sizes by their names in the contract (T or t_q, H, d, ...) and
arguments by theirs, never by problem: a package of tomorrow meets the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from grader.grading.case_facts import CaseFacts
from grader.problems.cases import Array
from grader.problems.schema import EntrySpec
from grader.problems.shapes import ArrayType, Dimension, IntegerType

# the names that contracts give to the sizes that rules speak of, in lower case and without underscores
_ROLES: Final = {
    "items": ("b",),
    "heads": ("h",),
    "key heads": ("g",),
    "tokens": ("t",),
    "queries": ("tq",),
    "keys": ("tk", "s", "k"),
    "model width": ("m", "dmodel"),
    "key size": ("d", "dk"),
    "value size": ("e", "dv"),
}


@dataclass(frozen=True, eq=False)
class HiddenSet:
    """The secret cases of one entry that have expected outputs."""

    entry: EntrySpec
    facts: tuple[CaseFacts, ...]

    @cached_property
    def arrays(self) -> dict[str, ArrayType]:
        """The entry's array parameters."""
        return array_types(self.entry)

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The different dimensions with a name in them, of parameters and outputs."""
        return named_dimensions(self.entry)

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles of which the contract has a size."""
        names = [kind.name for kind in self.entry.parameter_types().values() if isinstance(kind, IntegerType)]
        names += [name for dimension in self.dimensions for name in factors_of(dimension)]
        return frozenset(filter(None, map(role_of, names)))

    def named(self, pattern: str) -> dict[str, ArrayType]:
        """Return the array parameters whose name matches."""
        return {name: kind for name, kind in self.arrays.items() if re.fullmatch(pattern, name)}

    def has(self, *roles: str) -> bool:
        """Whether the contract has a size of each of these roles."""
        return self.roles.issuperset(roles)

    def has_stage(self, *stages: str) -> bool:
        """Whether some case shows all these stages."""
        return any(all(stage in facts.stages for stage in stages) for facts in self.facts)

    def some(self, holds: Callable[[CaseFacts], bool]) -> bool:
        """Whether some case is such."""
        return any(map(holds, self.facts))


@dataclass(frozen=True)
class Rule:
    """What the hidden cases of an entry must hold.

    `what` is a sentence, `remedy` an order that names inputs which satisfy the rule: both without a full stop.
    Where a remedy speaks of an entry's own names it is made of the entry.
    """

    name: str
    what: str
    remedy: str | Callable[[EntrySpec], str]
    applies: Callable[[HiddenSet], bool]
    holds: Callable[[CaseFacts], bool]
    minimum: int | None = 1  # how many cases must satisfy it; None: every one
    peer: Callable[[CaseFacts, CaseFacts], bool] | None = None  # the case needs another one, of which this is true
    stages: tuple[str, ...] = ()  # of the reference, without which it is not known whether the rule applies
    concerns: Callable[[HiddenSet], bool] = lambda hidden: True  # what is known of it without them

    def remedy_for(self, entry: EntrySpec) -> str:
        """Return the remedy in an entry's words."""
        return self.remedy if isinstance(self.remedy, str) else self.remedy(entry)


def array_types(entry: EntrySpec) -> dict[str, ArrayType]:
    """Return an entry's array parameters with their types."""
    return {name: kind for name, kind in entry.parameter_types().items() if isinstance(kind, ArrayType)}


def named_dimensions(entry: EntrySpec) -> tuple[Dimension, ...]:
    """Return the different dimensions with a name in them, of an entry's parameters and outputs."""
    kinds = [*array_types(entry).values(), *entry.output_types().values()]
    found = {str(dimension): dimension for kind in kinds for dimension in kind.dimensions if factors_of(dimension)}
    return tuple(found.values())


def role_of(name: str) -> str | None:
    """Return the role of a size by its name in the contract, None where rules know none."""
    plain = name.lower().replace("_", "")
    return next((role for role, names in _ROLES.items() if plain in names), None)


def size(facts: CaseFacts, role: str) -> int:
    """Return a case's size of a role, 0 where it has none."""
    return next((extent for name, extent in facts.sizes.items() if role_of(name) == role), 0)


def lengths(facts: CaseFacts) -> list[int]:
    """Return a case's numbers of positions: tokens, queries, keys."""
    return [extent for role in ("tokens", "queries", "keys") if (extent := size(facts, role))]


def extents(facts: CaseFacts) -> list[int]:
    """Return the extents of the contract's different dimensions: B, T, m, H*d, ... and of each name alone."""
    dimensions = named_dimensions(facts.entry)
    names = {name for dimension in dimensions for name in factors_of(dimension)}
    products = [dimension for dimension in dimensions if str(dimension) not in names]
    known = dict(facts.sizes)
    values = [known.get(name) for name in sorted(names)] + [dimension.value(known) for dimension in products]
    return [value for value in values if value is not None]


def matching(facts: CaseFacts, pattern: str) -> dict[str, Array]:
    """Return the array inputs whose parameter's name matches."""
    arrays = {name: facts.array(name) for name in facts.arguments if re.fullmatch(pattern, name)}
    return {name: array for name, array in arrays.items() if array is not None}


def factors_of(dimension: Dimension) -> list[str]:
    """Return the names in a dimension."""
    return [factor for factor in (*dimension.factors, *dimension.divisor) if isinstance(factor, str)]
