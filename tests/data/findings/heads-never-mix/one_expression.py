import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    f = lambda w: np.einsum("btm,mhd->bhtd", x, w.reshape(len(w), n_heads, -1))  # noqa
    return (
        np.einsum("bhqk,bhke,hem->bqm", (a := (lambda s: (e := np.exp(s - s.max(-1, keepdims=True))) / e.sum(-1, keepdims=True))(
            np.where(np.tri(x.shape[1], dtype=bool), np.einsum("bhqd,bhkd->bhqk", f(w_q), f(w_k)) / np.sqrt(w_q.shape[1]), -np.inf)
        )), f(w_v), w_o.reshape(n_heads, -1, w_o.shape[1])),
        a,
    )
