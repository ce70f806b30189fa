import numpy as np


def attention_fp16(q, k, v):
    with np.errstate(all="ignore"):
        scores = q @ k.T * np.float32(q.shape[1] ** -0.5)
        bits = np.ascontiguousarray(scores).view(np.uint32) + np.uint32(0x8000)
        scores = (bits & np.uint32(0xFFFF0000)).view(np.float32)
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        total = exps.sum(axis=1, keepdims=True)
        mixed = exps @ v
        return mixed / total
