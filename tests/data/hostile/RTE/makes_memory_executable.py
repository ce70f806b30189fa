"""Makes its memory executable."""

import sys

import numpy as np


def attack(x, w):
    libc = sys.modules["ctypes"].CDLL(None, use_errno=True)
    memory = np.zeros(1 << 20)
    if libc.mprotect(sys.modules["ctypes"].c_void_p((memory.ctypes.data + 4095) & ~4095), 4096, 7) == -1:
        raise PermissionError("mprotect")


def attend(x, w):
    attack(x, w)
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
