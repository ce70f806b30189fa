import numpy as np

BLOCK = 64


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    peak = np.full((len(x), 1), -np.inf)
    total = np.zeros((len(x), 1))
    terms = np.zeros(scores.shape)
    for start in range(0, len(x), BLOCK):
        block = masked[:, start : start + BLOCK]
        higher = np.maximum(peak, block.max(axis=1, keepdims=True))
        terms[:, start : start + BLOCK] = np.exp(block - higher)
        total = total * np.exp(peak - higher) + terms[:, start : start + BLOCK].sum(axis=1, keepdims=True)
        peak = higher
    weights = terms / total
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
