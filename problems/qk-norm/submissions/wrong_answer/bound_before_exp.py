import numpy as np


def rms_norm(vectors, gain):
    mean_square = np.mean(vectors**2, axis=-1, keepdims=True)
    return vectors / np.sqrt(mean_square + 1e-6) * gain


def attention(q, k, v, g_q, g_k):
    tokens, size = q.shape[-2:]
    q, k = rms_norm(q, g_q), rms_norm(k, g_k)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    bound = np.sqrt(size) * np.abs(g_q * g_k).max()
    exps = np.exp(scores - bound)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights
