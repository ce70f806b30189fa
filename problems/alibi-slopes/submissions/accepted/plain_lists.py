"""Unusual: plain Python numbers and nested lists, no NumPy."""


def alibi_bias(n_heads, T):
    n = 1
    while n * 2 <= n_heads:
        n += n
    exponents = [8 * k / n for k in range(1, n + 1)] + [4 * k / n for k in range(1, 2 * n, 2)]
    slopes = [0.5**exponent for exponent in exponents[:n_heads]]
    return [[[slope * (j - i) for j in range(T)] for i in range(T)] for slope in slopes]
