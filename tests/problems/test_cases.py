"""Cases are generated and answered in the sandbox; a package that breaks its own contract is told where."""

from __future__ import annotations

import numpy as np
import pytest

from grader.problems.cases import build_cases, pack, seed_of, unpack
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from grader.sandbox.wire import WireError, encode
from tests.packages import edited, tiny_problem_with
from tests.problems.building import findings_of

pytestmark = pytest.mark.sandbox


def test_cases_are_built_in_judging_order(lane: Lane, tiny: Problem) -> None:
    cases = {case.name: case for case in build_cases(tiny, lane)}
    assert list(cases) == [name for group in tiny.spec.groups for name in group.cases]
    values = cases["secret_values"]
    assert values.entry == "attend"
    assert list(values.arguments) == ["x", "w"]
    y, weights = values.expected
    assert (y.shape, weights.shape) == ((4, 2), (4, 4))
    assert np.allclose(weights.sum(-1), 1)
    assert not np.triu(weights, 1).any()
    assert np.allclose(y, weights @ values.arguments["x"] @ values.arguments["w"])
    assert cases["secret_layouts"].layouts == {"x": "fortran", "w": "reversed"}
    assert cases["secret_integers"].arguments["x"].dtype == np.int64
    assert cases["secret_widths_differ"].raises == "ValueError"
    assert cases["secret_widths_differ"].expected == ()
    (mask,) = cases["secret_lengths"].expected
    assert mask.dtype == bool
    assert cases["sample_two_tokens"].is_sample
    assert not values.is_sample


def test_cases_are_the_same_every_time(lane: Lane, tiny: Problem) -> None:
    first = pack(build_cases(tiny, lane))
    lane.close()
    assert pack(build_cases(tiny, lane)) == first


def test_seed_is_the_names_alone() -> None:
    assert seed_of("secret_values") == 272082926756219
    assert seed_of("secret_values") != seed_of("secret_values_again")


def test_packed_cases_come_back(lane: Lane, tiny: Problem) -> None:
    packed = pack(build_cases(tiny, lane))
    assert pack(unpack(packed)) == packed


@pytest.mark.parametrize("value", [None, 7, [], {}, [1], [[]], [[1] * 8], [["name"] * 7], [None]], ids=repr)
def test_other_value_is_no_cases(value: object) -> None:
    if value in ([], {}):
        assert unpack(encode(value)) == ()
    else:
        with pytest.raises(WireError):
            unpack(encode(value))


GENERATOR = "    return _attend(rng, T=4, m=3, n=2)\n\n\ndef secret_values_again"
# what secret_values does in place of its return statement, and what is then said of cases.py
GENERATORS = {
    "nothing": ("pass", "secret_values: must return a dict with entry, args and maybe layout, raises; correct it."),
    "a list": ("return []", "secret_values: must return a dict with entry, args and maybe layout, raises; correct it."),
    "no entry": (
        "return {'args': {}}",
        "secret_values: must return a dict with entry, args and maybe layout, raises; correct it.",
    ),
    "something else": (
        "return _attend(rng, 4, 3, 2) | {'expected': 1}",
        "secret_values: must return a dict with entry, args and maybe layout, raises; correct it.",
    ),
    "another entry": (
        "return _attend(rng, 4, 3, 2) | {'entry': 'attention'}",
        "secret_values: entry must be one of attend, visible; correct it.",
    ),
    "an array for an entry": (
        "return _attend(rng, 4, 3, 2) | {'entry': np.ones(2)}",
        "secret_values: entry must be one of attend, visible; correct it.",
    ),
    "an argument less": (
        "return {'entry': 'attend', 'args': {'x': rng.normal(size=(4, 3))}}",
        "secret_values: args must name exactly x, w; correct it.",
    ),
    "an argument more": (
        "case = _attend(rng, 4, 3, 2); case['args']['v'] = 1; return case",
        "secret_values: args must name exactly x, w; correct it.",
    ),
    "arguments in a list": (
        "return {'entry': 'attend', 'args': [1, 2]}",
        "secret_values: args must name exactly x, w; correct it.",
    ),
    "a shape that does not fit": (
        "case = _attend(rng, 4, 3, 2); case['args']['w'] = rng.normal(size=(5, 2)); return case",
        "secret_values: the arguments break the contract: m is 3 elsewhere and 5 here; correct it.",
    ),
    "an axis more": (
        "case = _attend(rng, 4, 3, 2); case['args']['w'] = rng.normal(size=(3, 2, 1)); return case",
        "secret_values: w has 3 axes, the contract says (m, n); correct it.",
    ),
    "a dtype that is not accepted": (
        "case = _attend(rng, 4, 3, 2); case['args']['w'] = np.ones((3, 2), int); return case",
        "secret_values: w must be an array of float32 or float64; correct it.",
    ),
    "half precision": (
        "case = _attend(rng, 4, 3, 2); case['args']['x'] = np.ones((4, 3), np.float16); return case",
        "secret_values: x must be an array of float32 or float64 or int64; correct it.",
    ),
    "a dtype that is not carried": (
        "case = _attend(rng, 4, 3, 2); case['args']['x'] = np.ones((4, 3), complex); return case",
        "secret_values: arrays of complex128 are not carried; return numbers, texts, lists and arrays of bool, int64 "
        "or floats.",
    ),
    "a number for an array": (
        "case = _attend(rng, 4, 3, 2); case['args']['w'] = 1.0; return case",
        "secret_values: w must be an array of float32 or float64; correct it.",
    ),
    "a float for an int": (
        "return {'entry': 'visible', 'args': {'lengths': np.array([1]), 'n_tokens': 7.0}}",
        "secret_values: n_tokens must be a Python int; correct it.",
    ),
    "a bool for an int": (
        "return {'entry': 'visible', 'args': {'lengths': np.array([1]), 'n_tokens': True}}",
        "secret_values: n_tokens must be a Python int; correct it.",
    ),
    "an unknown layout": (
        "return _attend(rng, 4, 3, 2) | {'layout': {'x': 'diagonal'}}",
        "secret_values: layout.x must be one of c, fortran, reversed, every_second; correct it.",
    ),
    "an array for a layout": (
        "return _attend(rng, 4, 3, 2) | {'layout': {'x': np.ones(2)}}",
        "secret_values: layout.x must be one of c, fortran, reversed, every_second; correct it.",
    ),
    "a layout of nothing": (
        "return _attend(rng, 4, 3, 2) | {'layout': {'v': 'c'}}",
        "secret_values: layout.v: no array argument has this name; name one of x, w.",
    ),
    "a layout of an int": (
        "return {'entry': 'visible', 'args': {'lengths': np.array([1]), 'n_tokens': 7}, 'layout': {'n_tokens': 'c'}}",
        "secret_values: layout.n_tokens: no array argument has this name; name one of lengths.",
    ),
    "layouts in a list": (
        "return _attend(rng, 4, 3, 2) | {'layout': ['c']}",
        "secret_values: layout must be a dict; correct it.",
    ),
    "no layouts": (
        "return _attend(rng, 4, 3, 2) | {'layout': None}",
        "secret_values: layout must be a dict; correct it.",
    ),
    "an exception of no kind": (
        "return _attend(rng, 4, 3, 2) | {'raises': 'ShapeError'}",
        "secret_values: raises must name a built-in exception; correct it.",
    ),
    "an exception that exits": (
        "return _attend(rng, 4, 3, 2) | {'raises': 'SystemExit'}",
        "secret_values: raises must name a built-in exception; correct it.",
    ),
    "a class for an exception": (
        "return _attend(rng, 4, 3, 2) | {'raises': ValueError}",
        "secret_values: a value of type type is not carried; return numbers, texts, lists and arrays of bool, int64 "
        "or floats.",
    ),
    "raises": ("raise RuntimeError('no\\nluck')", "secret_values: line 17: RuntimeError: no; correct it."),
    "raises a long text": (
        "raise RuntimeError('x' * 9999)",
        f"secret_values: line 17: RuntimeError: {'x' * 286}; correct it.",
    ),
    "a KeyError of its own": ("return {}['entry']", "secret_values: line 17: KeyError: 'entry'; correct it."),
    "an exit": ("raise SystemExit(0)", "secret_values: line 17: SystemExit: 0; correct it."),
    "reads a file": (
        "return open('/etc/passwd').read()",
        "secret_values: line 17: PermissionError: [Errno 1] Operation not permitted: '/etc/passwd'; package code may "
        "not do that: compute with NumPy alone.",
    ),
    "an exit of the process": (
        "__import__('os')._exit(3)",
        "secret_values: gives no answer that can be read (the process ended by itself with status 3); return plain "
        "arrays, of some MiB at most.",
    ),
    "a crash": (
        "__import__('sys').modules['ctypes'].string_at(0)",
        "secret_values: crashes (killed by SIGSEGV); correct it.",
    ),
    "a flood of prints": (
        "print('x' * 3_000_000)",
        "secret_values: prints more than 1 MiB; print nothing.",
    ),
    "inputs beyond all bounds": (
        "return _attend(rng, T=1 << 15, m=257, n=2)",
        "secret_values: its inputs are larger than 16 MiB; make them smaller.",
    ),
}


@pytest.mark.parametrize(("body", "finding"), GENERATORS.values(), ids=GENERATORS)
def test_generator_that_breaks_the_contract_is_told(lane: Lane, body: str, finding: str) -> None:
    lines = "".join(f"    {line.strip()}\n" for line in body.split(";"))
    cases = edited("cases.py", GENERATOR, f"{lines}\n\ndef secret_values_again")
    assert findings_of(lane, tiny_problem_with({"cases.py": cases})) == [f"cases.py: {finding}"]


def test_endless_generator_ends(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.problems import package_code
    from grader.sandbox.exchange import Limits

    monkeypatch.setattr(package_code, "PACKAGE_LIMITS", Limits(case_s=0.3, total_s=0.6, memory_mib=256))
    endless = edited("cases.py", GENERATOR, "    while True: pass\n\n\ndef secret_values_again")
    assert findings_of(lane, tiny_problem_with({"cases.py": endless})) == [
        "cases.py: secret_values: takes longer than 0.3 s, or all calls longer than 0.6 s; make it faster."
    ]


WHOLE_GENERATORS = {
    "a generator less": (
        ("def secret_lengths", "def other"),
        "cases.py: secret_lengths: there is no such function; define it.",
    ),
    "no function": (
        ("def secret_lengths", "secret_lengths = 7\ndef other"),
        "cases.py: secret_lengths: TypeError: 'int' object is not callable; correct it.",
    ),
    "no Python": (
        ("import numpy as np", "import numpy as"),
        "cases.py line 3: SyntaxError: invalid syntax; correct it.",
    ),
    "an import that fails": (
        ("import numpy as np", "import numpy as np\nimport torch"),
        "cases.py line 4: ModuleNotFoundError: No module named 'torch'; correct it.",
    ),
}


@pytest.mark.parametrize(("edit", "finding"), WHOLE_GENERATORS.values(), ids=WHOLE_GENERATORS)
def test_generators_that_do_not_load_are_told(lane: Lane, edit: tuple[str, str], finding: str) -> None:
    assert findings_of(lane, tiny_problem_with({"cases.py": edited("cases.py", *edit)})) == [finding]


def test_generator_may_use_what_submissions_may_not(lane: Lane) -> None:
    cases = edited("cases.py", "import numpy as np", "import inspect\nimport unicodedata\nimport numpy as np")
    build_cases(tiny_problem_with({"cases.py": cases}), lane)


def test_inputs_are_bounded_together(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.problems.cases.BYTES_MAX", 500)
    assert findings_of(lane, tiny_problem_with({})) == [
        "cases.py: secret_layouts: the inputs of all cases are larger than 0 MiB; make the arrays smaller."
    ]
