"""The inputs as they come, single precision throughout, weights divided before they mix."""

import numpy as np


def attention_fp16(q, k, v):
    scores = q @ k.T / np.sqrt(np.float32(q.shape[1]))
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ v
