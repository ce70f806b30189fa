"""Cases of "A tiny attention": two entries, one of them with a case that must raise."""

import numpy as np


def _attend(rng, T, m, n):
    return {"entry": "attend", "args": {"x": rng.normal(size=(T, m)), "w": rng.normal(size=(m, n))}}


def sample_two_tokens(rng):
    x = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    w = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]])
    return {"entry": "attend", "args": {"x": x, "w": w}}


def secret_values(rng):
    return _attend(rng, T=4, m=3, n=2)


def secret_values_again(rng):
    return {**_attend(rng, T=4, m=3, n=2), "layout": {"x": "every_second"}}


def secret_layouts(rng):
    return {**_attend(rng, T=5, m=4, n=3), "layout": {"x": "fortran", "w": "reversed"}}


def secret_integers(rng):
    case = _attend(rng, T=4, m=3, n=5)
    case["args"]["x"] = rng.integers(-2, 3, size=(4, 3), dtype=np.int64)
    return case


def secret_single_precision(rng):
    case = _attend(rng, T=6, m=5, n=4)
    case["args"] = {name: array.astype(np.float32) for name, array in case["args"].items()}
    return case


def secret_widths_differ(rng):
    args = {"x": rng.normal(size=(3, 4)), "w": rng.normal(size=(5, 2))}
    return {"entry": "attend", "args": args, "raises": "ValueError"}


def secret_lengths(rng):
    lengths = rng.integers(0, 8, size=5, dtype=np.int64)
    return {"entry": "visible", "args": {"lengths": lengths, "n_tokens": 7}}
