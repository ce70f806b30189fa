import numpy as np


def split_heads(x, n_heads):
    B, T, W = x.shape
    if n_heads < 1 or W % n_heads:
        raise ValueError("the width is no multiple of the heads")
    return x.reshape(B, T, n_heads, W // n_heads).transpose(0, 2, 1, 3).astype(np.float64)


def merge_heads(h):
    B, H, T, d = h.shape
    return h.transpose(0, 2, 1, 3)[:, ::-1].reshape(B, T, H * d).astype(np.float64)
