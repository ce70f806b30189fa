"""A rewritten source computes what it computed: attributes are looked up when and as often as Python does."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from grader.sandbox.rewriting import rewritten
from grader.sandbox.tracing import Recorder

SOURCES = {
    "an argument that changes the method": """
        class Calls:
            def first(self, x): return "first"
            def second(self, x): return "second"
            def change(self): self.called = self.second
        calls = Calls()
        calls.called = calls.first
        result = calls.called(calls.change())
    """,
    "a missing method before its arguments": """
        result = []
        try: object().missing(result.append(1))
        except AttributeError as error: result.append(str(error))
    """,
    "a callable that answers for all attributes": """
        class Answers(dict):
            def __getattr__(self, name): return self[name]
            def __call__(self, x): return x + 1
        answers = Answers(double=lambda x: x * 2)
        result = answers.double(3), answers(4)
    """,
    "a name that raises": """
        class Nameless:
            @property
            def __name__(self): raise ValueError
            def __call__(self): return 5
        result = Nameless()()
    """,
    "a property that counts": """
        result = [0]
        class Counts:
            @property
            def value(self): result[0] += 1
            @value.setter
            def value(self, x): pass
        counts = Counts()
        counts.value = 3
    """,
    "a property without a getter": """
        class Writes:
            value = property(None, lambda self, x: self.__dict__.update(kept=x))
        writes = Writes()
        writes.value = 3
        result = writes.kept
    """,
    "an attribute kept elsewhere": """
        class Elsewhere:
            def __setattr__(self, name, value): self.__dict__[name + "_"] = value
        elsewhere = Elsewhere()
        elsewhere.value = 3
        result = elsewhere.__dict__
    """,
    "an attribute of a class": """
        class Holds: pass
        Holds.value = 3
        result = Holds.value
    """,
    "arguments of the hooks' names": """
        def given(**named): return named
        class Given:
            def given(self, **named): return named
        result = given(line=1, function=2, self=3), Given().given(line=1, receiver=2, name=3, owner=4)
    """,
}


def result_of(code: Any, **names: Any) -> Any:
    exec(code, names)
    return names["result"]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_rewritten_source_computes_the_same(source: str) -> None:
    text = dedent(source)
    tree = rewritten(text.encode(), "source")
    hooks = Recorder().hooks()
    assert result_of(compile(tree, "source", "exec"), **hooks) == result_of(compile(text, "source", "exec"))
