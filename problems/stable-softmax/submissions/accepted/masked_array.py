"""Hidden keys are masked by numpy.ma and filled with 0 at the end."""

import numpy as np


def softmax(scores):
    hidden = np.ma.masked_invalid(np.asarray(scores, dtype=np.float64))
    exps = np.ma.exp(hidden - hidden.max(axis=-1)[..., None])
    return np.array((exps / exps.sum(axis=-1)[..., None]).filled(0.0))
