import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    b, t, c = x.shape
    return np.zeros((b, t, c)), np.zeros((b, n_heads, t, t))
