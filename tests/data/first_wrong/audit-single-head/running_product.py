import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    x, w_q, w_k, w_v, w_o = (np.asarray(a, float) for a in (x, w_q, w_k, w_v, w_o))
    seen = np.tri(len(x), dtype=bool)
    decay = 1 / (1 + np.exp(-x.mean(-1)))
    w = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        left = 1.0
        for j in range(i, -1, -1):
            w[i, j] = left * (1 - decay[j])
            left *= decay[j]
    return w @ (x @ w_v) @ w_o, w
