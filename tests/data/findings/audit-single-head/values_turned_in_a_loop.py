import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ k.T / np.sqrt(q.shape[1])
    a = np.zeros_like(s)
    for i in range(len(x)):
        e = np.exp(s[i, : i + 1] - s[i, : i + 1].max())
        a[i, : i + 1] = e / e.sum()
    return a @ v[:, ::-1] @ w_o, a
