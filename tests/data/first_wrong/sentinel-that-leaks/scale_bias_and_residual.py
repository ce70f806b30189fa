"""Nothing is scaled, the bias is forgotten, and the values are added to the mixture."""
import numpy as np


def attention(q, k, v, bias, keep):
    scores = np.where(keep, q @ k.T, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return v + weights @ v, weights
