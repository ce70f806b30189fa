"""Unusual: nested Python lists, no NumPy."""


class WidthError(ValueError):
    """The heads do not divide the width."""


def split_heads(x, n_heads):
    width = x.shape[2]
    if n_heads < 1 or width % n_heads:
        raise WidthError(f"{width} columns, {n_heads} heads")
    size = width // n_heads
    return [[[row[h * size : (h + 1) * size] for row in item] for h in range(n_heads)] for item in x.tolist()]


def merge_heads(h):
    return [[[number for head in rows for number in head] for rows in zip(*item)] for item in h.tolist()]
