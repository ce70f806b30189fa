"""What the rules for hidden cases look at: a case's sizes, inputs, and the reference's stages on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.problems.cases import Array, Case, arrays_of
from grader.problems.schema import EntrySpec
from grader.sandbox.wire import Value


@dataclass(frozen=True, eq=False)
class CaseFacts:
    """One secret case as the rules see it."""

    case: Case
    entry: EntrySpec
    sizes: Mapping[str, int]  # of the names in the entry's shapes: B, T, m, H, d, e, ...
    stages: Mapping[str, Array]  # the reference's, as far as the entry has them; empty where the case must raise

    @property
    def arguments(self) -> Mapping[str, Value]:
        """The inputs by the entry's parameters."""
        return self.case.arguments

    def array(self, name: str) -> Array | None:
        """Return an array input, None where there is none of that name."""
        value = self.case.arguments.get(name)
        return value if value is not None and not isinstance(value, int | float | dict | list) else None

    @property
    def arrays(self) -> list[Array]:
        """All arrays within the inputs."""
        return arrays_of(self.case.arguments)
