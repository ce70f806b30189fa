"""Cases of one causal head: sizes that differ, and one in which they are equal."""


def _attend(rng, T, m, d, e):
    sizes = {"x": (T, m), "w_q": (m, d), "w_k": (m, d), "w_v": (m, e), "w_o": (e, m)}
    return {"entry": "attend", "args": {name: rng.normal(size=size) for name, size in sizes.items()}}


def sample_one_token(rng):
    return _attend(rng, T=1, m=2, d=2, e=2)


def secret_sizes_differ(rng):
    return _attend(rng, T=5, m=4, d=3, e=2)


def secret_other_sizes(rng):
    return _attend(rng, T=7, m=3, d=5, e=4)


def secret_square(rng):
    return _attend(rng, T=4, m=4, d=4, e=4)
