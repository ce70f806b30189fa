"""Raises markup."""

import numpy as np


def attack(x, w):
    raise ValueError('</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{7*7}} ${7*7} [bold]AC[/bold] [link=file:///etc]')


def attend(x, w):
    attack(x, w)
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
