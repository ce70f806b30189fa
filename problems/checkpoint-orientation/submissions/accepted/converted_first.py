"""A loader turns the tensors into (in, out) once; the layer itself never transposes a matrix."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def converted(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    """Return matrices with axes for heads: (m, H, d) for the projections and (H, d, m) for the output."""
    width = x.shape[2]
    projections = [weight.T.reshape(width, n_heads, -1) for weight in (q_weight, k_weight, v_weight)]
    biases = [bias.reshape(n_heads, 1, -1) for bias in (q_bias, k_bias, v_bias)]
    return projections, biases, o_weight.T.reshape(n_heads, -1, width)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    projections, biases, output = converted(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads)
    q, k, v = (np.einsum("btm,mhd->bhtd", x, w) + b for w, b in zip(projections, biases, strict=True))
    scores = (q / np.sqrt(q.shape[-1])) @ k.swapaxes(-1, -2)
    weights = softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))
    return np.einsum("bhtd,hdm->btm", weights @ v, output) + o_bias, weights
