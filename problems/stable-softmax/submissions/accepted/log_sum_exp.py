"""exp of the score minus the row's log-sum-exp, which logaddexp builds up safely."""

import numpy as np


def softmax(scores):
    scores = np.asarray(scores, dtype=np.float64)
    total = np.logaddexp.reduce(scores, axis=-1)
    return np.exp(scores - total[..., None])
