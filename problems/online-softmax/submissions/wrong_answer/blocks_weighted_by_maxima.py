import numpy as np


def stream(q, k, v, block):
    answers, maxima = [], []
    for start in range(0, len(k), block):
        scores = q @ k[start : start + block].T / np.sqrt(q.shape[1])
        maxima.append(scores.max(axis=1, keepdims=True))
        exps = np.exp(scores - maxima[-1])
        answers.append(exps @ v[start : start + block] / exps.sum(axis=1, keepdims=True))
    shares = np.exp(np.array(maxima) - np.max(maxima, axis=0))
    return (shares * np.array(answers)).sum(axis=0) / shares.sum(axis=0)
