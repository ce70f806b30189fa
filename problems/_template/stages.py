"""The stages of the reference, one function each, and beside each stage the ways in which it goes wrong.

Replace them by your own. Parameters are the entry's parameters or earlier stages. `<stage>__<fault>` is an alternative:
a wrong version of that one stage; its docstring is the sentence that an interviewer reads. Names that begin with an
underscore are your own business.
"""

import numpy as np


def _softmax(masked, axis):
    exps = np.exp(masked - masked.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def masked_scores(scores):
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


def masked_scores__next_key_open(scores):
    """The triangle of the mask begins one key too late: every query reads the token that it should predict."""
    return np.where(np.tri(len(scores), k=1, dtype=bool), scores, -np.inf)


def weights(masked_scores):
    return _softmax(masked_scores, axis=-1)


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: the columns of the weights sum to 1, the rows do not."""
    return _softmax(masked_scores, axis=0)


def weights__unsafe_softmax(masked_scores):
    """The exponentials are taken of the scores as they are, so that large scores overflow and low rows vanish."""
    exps = np.exp(masked_scores)
    return exps / exps.sum(axis=-1, keepdims=True)
