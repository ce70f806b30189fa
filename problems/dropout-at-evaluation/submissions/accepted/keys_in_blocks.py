"""Unusual: keys come in blocks of three; maximum, total and mix are rescaled, and only the mix knows of dropout."""

import numpy as np

BLOCK = 3


def attention(q, k, v, live, rate, training):
    tokens = len(q)
    multipliers = live / (1 - rate) if training else np.ones((tokens, tokens))
    top, total = np.full((tokens, 1), -np.inf), np.zeros((tokens, 1))
    mixed, seen = np.zeros(v.shape), []
    for start in range(0, tokens, BLOCK):
        part = slice(start, start + BLOCK)
        seen.append(q @ k[part].T / np.sqrt(q.shape[1]))
        higher = np.maximum(top, seen[-1].max(axis=1, keepdims=True))
        exps, shrink = np.exp(seen[-1] - higher), np.exp(top - higher)
        total = total * shrink + exps.sum(axis=1, keepdims=True)
        mixed = mixed * shrink + (exps * multipliers[:, part]) @ v[part]
        top = higher
    return mixed / total, np.exp(np.hstack(seen) - top) / total
