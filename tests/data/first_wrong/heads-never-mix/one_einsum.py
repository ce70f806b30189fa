import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (np.asarray(a, float) for a in (x, w_q, w_k, w_v, w_o))
    items, tokens, _ = x.shape
    seen = np.tri(tokens, dtype=bool)
    split = lambda a: a.reshape(items, tokens, n_heads, -1).swapaxes(1, 2)
    merge = lambda a: a.swapaxes(1, 2).reshape(items, tokens, -1)
    m = x.shape[-1]
    s = np.einsum("btm,mhd,nhd,bsn->bhts", x, w_q.reshape(m, n_heads, -1), w_k.reshape(m, n_heads, -1), x)
    s = np.where(seen, s / w_q.shape[1] ** 0.5, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return merge(w @ split(x @ w_v)) @ w_o, w
