import numpy as np


def stream(q, k, v, block):
    answer = np.zeros((len(q), v.shape[1]))
    for start in range(0, len(k), block):
        keys = k[start : start + block]
        scores = q @ keys.T / np.sqrt(q.shape[1])
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        answer += len(keys) / len(k) * (exps @ v[start : start + block] / exps.sum(axis=1, keepdims=True))
    return answer
