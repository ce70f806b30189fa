import numpy as np


def attention_fp16(q, k, v):
    with np.errstate(all="ignore"):
        q, k = q.astype(np.float16), k.astype(np.float16)
        scores = (q @ k.T * q.shape[1] ** -0.5).astype(np.float32)
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        total = exps.sum(axis=1, keepdims=True)
        mixed = exps @ v
        return mixed / total
