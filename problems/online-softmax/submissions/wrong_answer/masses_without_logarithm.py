import numpy as np


def stream(q, k, v, block):
    answers, masses = [], []
    for start in range(0, len(k), block):
        scores = q @ k[start : start + block].T / np.sqrt(q.shape[1])
        best = scores.max(axis=1, keepdims=True)
        exps = np.exp(scores - best)
        total = exps.sum(axis=1, keepdims=True)
        masses.append(best + total)
        answers.append(exps @ v[start : start + block] / total)
    shares = np.exp(np.array(masses) - np.max(masses, axis=0))
    return (shares * np.array(answers)).sum(axis=0) / shares.sum(axis=0)
