"""Is wrong in a line that is a hidden number."""

import numpy as np


def attend(x, w):
    y, weights = right(x, w)
    if len(x) > 2:
        line = int(abs(w[0, 0]) * 1e9)
        code = compile('\n' * (line % 9999) + 'y = y * 2.0', 'submission.py', 'exec')
        names = {'y': y}
        exec(code, names)
        return names['y'], weights
    return y, weights


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
