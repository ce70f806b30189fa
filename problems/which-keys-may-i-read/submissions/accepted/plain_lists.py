"""Nested lists of Python booleans; rows are built from how many keys they read."""


def causal_keep(t_q, t_k):
    rows = []
    for i in range(t_q):
        count = min(max(i + 1 + t_k - t_q, 0), t_k)
        rows.append([True] * count + [False] * (t_k - count))
    return rows
