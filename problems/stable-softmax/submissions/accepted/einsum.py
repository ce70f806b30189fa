"""The maximum by sorting, the sum and the division by einsum."""

import numpy as np


def softmax(scores):
    highest = np.sort(scores, axis=-1)[..., -1:]
    exps = np.exp(np.subtract(scores, highest, dtype=np.float64))
    return np.einsum("...k,...->...k", exps, 1.0 / np.einsum("...k->...", exps))
