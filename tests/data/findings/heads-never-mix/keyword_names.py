import numpy as np


def scaled(line, function, name=1.0):
    return line @ function * name


class Mask:
    def hidden(self, receiver, name, kind=None):
        return np.where(np.tri(receiver.shape[-1], dtype=bool), receiver, name)


def split(a, h):
    b, t, w = a.shape
    return a.reshape(b, t, h, w // h).transpose(0, 2, 1, 3)


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (np.asarray(a, dtype=np.float64) for a in (x, w_q, w_k, w_v, w_o))
    q, k, v = (split(a=x @ w, h=n_heads) for w in (w_q, w_k, w_v))
    s = scaled(line=q, function=k.swapaxes(-1, -2), name=q.shape[-1] ** -0.37)
    s = Mask().hidden(receiver=s, name=-np.inf, kind="future")
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    return (a @ v).transpose(0, 2, 1, 3).reshape(len(x), x.shape[1], -1) @ w_o, a
