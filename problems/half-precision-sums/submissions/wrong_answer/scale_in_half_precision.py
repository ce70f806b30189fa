import numpy as np


def attention_fp16(q, k, v):
    with np.errstate(all="ignore"):
        scores = q @ k.T * np.float32(np.float16(q.shape[1] ** -0.5))
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        total = exps.sum(axis=1, keepdims=True)
        mixed = exps @ v
        return mixed / total
