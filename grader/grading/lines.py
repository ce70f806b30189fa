"""Where a fault lies: the lines between arrays that are right and the first that is none of the contract."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from grader.grading.flow import Flow
from grader.grading.right_arrays import RightArrays
from grader.grading.seen import SeenStages
from grader.grading.source_lines import Functions
from grader.grading.stage_reach import Reach
from grader.grading.trace import Event
from grader.problems.cases import Array

SPAN_MAX: Final = 6  # lines that are told together


@dataclass(frozen=True)
class Place:
    """Lines of one function, and the line of the call that leads there; 0: it is the entry itself."""

    first: int
    last: int
    call: int = 0

    def __str__(self) -> str:
        joint = "and" if self.last == self.first + 1 else "to"
        inside = f"line {self.first}" if self.first == self.last else f"lines {self.first} {joint} {self.last}"
        return f"line {self.call}, inside the call {inside}" if self.call else inside


@dataclass(frozen=True, eq=False)
class WrongReturn:
    """What was returned and is wrong, by stage."""

    stages: Collection[str]  # that were to be returned
    arrays: Mapping[str, Array]
    line: int  # of the statement that returned them; 0: not known


class FaultSearch:
    """The search for the place of one fault.

    Where the stage was right once, it is what was done to it then; otherwise what was done to that which it is made
    from. A copy, and a right array with its axes in another order, merged or split, is right still.
    """

    def __init__(
        self,
        seen: SeenStages,
        wrong: str,
        reads: Mapping[str, Collection[str]],
        returned: WrongReturn,
        functions: Functions,
        entry: str,
    ) -> None:
        """Take a wrong stage, and what a trace shows.

        Args:
            reads: of each stage the stages and inputs that it reads.
            returned: where the stage was right until it was returned, and no step is seen, the return spoils it.
            functions: of the source.
            entry: that was called.
        """
        self._seen, self._wrong, self._returned = seen, wrong, returned
        self._functions, self._entry = functions, functions.named(entry)
        self._events, self._arrays = seen.trace.events, seen.trace.arrays
        self._flow = Flow(seen.trace)
        self._right = RightArrays(seen)
        self._reach = Reach(seen, self._right, wrong, reads, returned.stages)
        self._own = self._right.of(wrong)
        self._sources = self._right.of_all(reads[wrong])
        whole = self._right.of_all(name for name in seen.matches if name != wrong and seen.has(name))
        self._known = self._right.stages | self._right.inputs | self._sources | self._own | whole

    def place(self) -> Place | None:
        """Return the place, None where it is not seen."""
        spoilt = self._returned.arrays.get(self._wrong)
        if spoilt is not None and self._seen.has(self._wrong):
            return self._where_spoilt(spoilt)
        ends = {number for array in self._returned.arrays.values() for number in self._right.equal_to(array)}
        leading = self._flow.leading_to(ends, self._known)
        for on_the_way in (leading, None):
            for begun in (self._own, self._sources):
                if (found := self._around_first(begun, self._known, on_the_way)) is not None:
                    return found
        if spoilt is not None:  # what was returned is right, for something else
            return self._at_return(self._right.equal_to(spoilt))
        # nothing but right arrays follows from right ones: the last resort is where axes are turned, merged or split
        return self._around_first(self._sources, self._right.stages | self._right.given, None)

    def _where_spoilt(self, spoilt: Array) -> Place | None:
        """Return where an array that was right became what was returned: by a step that leads there, or at the end."""
        ends = self._right.equal_to(spoilt) - self._known
        on_the_way = self._flow.leading_to(ends, ())
        for position, event in self._steps(self._own, self._known):
            if event.result in on_the_way:
                return self._told(position, {event.line})
        made = next((position for position, event in enumerate(self._events) if event.result in ends), None)
        return self._told(made, {self._events[made].line}) if made is not None else self._at_return(set())

    def _at_return(self, arrays: set[int]) -> Place | None:
        """Return where what was returned was made, or, where that is right for something else, where it was taken."""
        line = self._returned.line
        if arrays and arrays.isdisjoint(self._known):
            made = next(at for at, event in enumerate(self._events) if event.result in arrays)
            return self._told(made, {self._events[made].line})
        others = self._right.of_all(stage for stage in self._returned.stages if stage != self._wrong)
        sighted = [event.line for event in self._events if event.line and event.result in arrays - others]
        lines = list(dict.fromkeys(one for one in sighted if self._functions.at(one) == self._entry))
        found = lines[-1] if len(lines) > 1 else line
        return Place(found, found) if found else None

    def _around_first(self, begun: set[int], right: set[int], on_the_way: set[int] | None) -> Place | None:
        """Return the place of the first step from some arrays, or what follows from them and is right, to another."""
        followed = self._following(begun)
        for position, event in self._steps(followed, right):
            if event.kind == "raised" or on_the_way is None or event.result in on_the_way:
                if self._reach.is_behind(event) and not followed.isdisjoint(event.operands):
                    return self._before(position, begun, followed)
                before = {event.line} | self._beside(position)
                if begun is not self._own:
                    before |= self._meanwhile(position, followed)
                return self._told(position, before | self._goes_on_at(position, on_the_way), before)
        return None

    def _following(self, begun: set[int]) -> set[int]:
        """Return arrays together with the right ones that follow from them."""
        found = set(begun)
        for event in self._events:
            if event.result in self._known and not found.isdisjoint(event.operands):
                found.add(event.result)
        return found

    def _steps(self, begun: set[int], right: set[int]) -> Iterator[tuple[int, Event]]:
        """Yield the steps from some arrays to one that is not right; writing into an array is such a step."""
        holds: dict[str, int] = {}  # by name
        made: set[int] = set()
        for position, event in enumerate(self._events):
            is_new = event.result not in right and event.result not in event.operands
            if event.kind in ("bin", "call", "raised"):
                is_seen = event.result >= 0 or event.kind == "raised"
                if is_new and is_seen and not begun.isdisjoint(event.operands):
                    yield position, event
                made.add(event.result)
            elif event.kind == "name":
                if is_new and event.result not in made and holds.get(event.name) in begun:
                    yield position, event
                holds[event.name] = event.result
            elif event.kind in ("item", "list") and is_new and event.result not in made:
                made.add(event.result)
                sizes = {self._arrays[one].size for one in begun.intersection(self._flow.sources(event.result))}
                if self._arrays[event.result].size in sizes:  # a part is as right as the whole
                    yield position, event

    def _before(self, position: int, begun: set[int], followed: set[int]) -> Place | None:
        """Return where a step of a stage behind gets what it uses for the wrong one."""
        event = self._events[position]
        used = min(followed.intersection(event.operands), key=self._reach.come_in.__contains__)
        named = self._named_again(used, position)[-1:] if used in begun else self._taken_at(used, position)
        for at in named:
            array, line = self._events[at].result, self._events[at].line
            made = next((before for before in range(at - 1, -1, -1) if self._events[before].result == array), at)
            return self._told(at, {line} | self._beside(made), {line})
        function = self._functions.at(event.line)
        is_handed_over = all(self._functions.at(line) != function for line in self._lines(used, position))
        call = next(self._calls_behind(position, function), 0)
        return Place(call, call) if call and is_handed_over else self._told(position, {event.line})

    def _taken_at(self, number: int, position: int) -> list[int]:
        """Return the step, if any, that made what is right for another stage once more, or gave it this name."""
        function = self._functions.at(self._events[position].line)
        sighted = self._sightings(number, position)
        names = [at for at in sighted if self._events[at].kind == "name"]
        named = [at for at in names if self._functions.at(self._events[at].line) == function]
        several = named if len(named) > 1 else sighted if len(set(self._lines(number, position))) > 1 else []
        return several[:1] if self._is_early(number) else several[-1:]

    def _lines(self, number: int, position: int) -> list[int]:
        return [self._events[at].line for at in self._sightings(number, position)]

    def _is_early(self, number: int) -> bool:
        """Whether the wrong stage comes before the one that an array is right for."""
        order = list(self._seen.matches)
        others = [name for name in self._right.names_of(number) if name in order]
        return bool(others) and order.index(self._wrong) < order.index(others[0])

    def _same_as(self, number: int) -> set[int]:
        """Return the arrays that are right for the same as an array is: turned, merged or split."""
        return {number}.union(*map(self._right.of, self._right.names_of(number)))

    def _sightings(self, number: int, position: int) -> list[int]:
        """Return the events before some step that show an array, or the same one turned, at a line."""
        same = self._same_as(number)
        return [at for at in range(position) if self._events[at].result in same and self._events[at].line]

    def _named_again(self, number: int, position: int) -> list[int]:
        """Return where, before some step, an array got another name than the one that it was made or given with."""
        sighted = self._sightings(number, position)
        made = self._events[sighted[0]].line if sighted and number not in self._right.inputs else 0
        named = [at for at in sighted if self._events[at].kind == "name" and self._events[at].line != made]
        return [at for at in named if self._events[at].name not in self._seen.inputs]

    def _meanwhile(self, position: int, followed: set[int]) -> set[int]:
        """Return the lines, in a step's function, at which what it uses was named again, or made from what is right.

        What is right up to what a softmax does not see may be made with a slip.
        """
        function = self._functions.at(self._events[position].line)
        lines: set[int] = set()
        for number in followed.intersection(self._events[position].operands):
            made = next((one for one in self._events[:position] if one.result == number), None)
            lines.update(self._events[at].line for at in self._named_again(number, position))
            if made is not None and number not in self._right.inputs and not followed.isdisjoint(made.operands):
                lines.add(made.line)
        return {line for line in lines if self._functions.at(line) == function}

    def _beside(self, position: int) -> set[int]:
        """Return the lines at which what a step uses was made of nothing in the contract: a mask, a factor."""
        lines: set[int] = set()
        for number in set(self._events[position].operands) - self._known:
            before = self._flow.leading_to([number], ())
            if before.isdisjoint(self._known):
                lines.update(event.line for event in self._events[:position] if event.result in before)
        return lines

    def _goes_on_at(self, position: int, on_the_way: set[int] | None) -> set[int]:
        """Return the lines of the steps behind the first one that still belong to the stage."""
        if not self._reach.has_end:
            return set()
        lines: set[int] = set()
        made = {self._events[position].result}
        other: set[int] = set()
        for event in self._events[position + 1 :]:
            is_step = event.kind in ("bin", "call") and not made.isdisjoint(event.operands)
            if is_step and self._reach.is_behind(event):
                break
            if event.result in self._known or (on_the_way is not None and event.result not in on_the_way):
                continue
            if not is_step and (event.kind not in ("name", "return") or event.result in other):
                continue
            if is_step or event.result in made or not made.isdisjoint(self._flow.sources(event.result)):
                made.add(event.result)
                lines.add(event.line)
            else:
                other.add(event.result)
        return lines

    def _told(self, position: int, *choices: set[int]) -> Place | None:
        """Return the first choice of lines that lie close together, in the function of a step, and its call's line."""
        line = self._events[position].line
        scope = self._functions.at(line)
        call = next(self._calls_behind(position, scope), 0)
        for chosen in (*choices, {line}):
            lines = [number for number in chosen if number and self._functions.at(number) == scope]
            if lines and max(lines) - min(lines) < SPAN_MAX:
                return Place(min(lines), max(lines), call)
        return Place(call, call) if call else None

    def _calls_behind(self, position: int, function: int) -> Iterator[int]:
        """Yield the lines, outside a step's function, of the calls of own functions that end behind it."""
        for event in self._events[position + 1 :] if function != self._entry else ():
            is_own = event.kind == "call" and event.name in self._functions.names
            if is_own and event.line and self._functions.at(event.line) != function:
                yield event.line
