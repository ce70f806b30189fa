"""Cases of "A loss too good to be true".

Replace the cases by those of your contract; each says in its docstring what it is for. `rng` is seeded by the case's
name: take every random number from it. Names never say a fault. The rules for hidden cases, which `grader check` holds
them against, are met by these six: short, long and single-token inputs, two cases of one shape, three memory layouts,
scores of order 1, levels in the thousands and near -4e5, forbidden keys that lead by 1.2e3 and by 6e4.
"""

import numpy as np


def _scores(rng, tokens):
    """Ordinary scores of order 1, so that every query shares its weight among several keys."""
    return rng.normal(size=(tokens, tokens))


def _case(scores, layout="c"):
    return {"entry": "causal_weights", "args": {"scores": scores}, "layout": {"scores": layout}}


def sample_format(rng):
    """Three tokens, each of which keeps to itself. Shown to candidates: it gives the format away and nothing else."""
    return _case(np.array([[0.0, -1000.0, -1000.0], [-1000.0, 0.0, -1000.0], [-1000.0, -1000.0, 0.0]]))


def secret_ordinary(rng):
    """Five tokens: every fault shows, and a reader can follow it by hand."""
    return _case(_scores(rng, 5))


def secret_other_values(rng):
    """The same shape once more, in Fortran order: results that are kept by shape, code that assumes C order."""
    return _case(_scores(rng, 5), "fortran")


def secret_one_token(rng):
    """T = 1: shortcuts."""
    return _case(_scores(rng, 1))


def secret_forty_tokens(rng):
    """Masks and tables of a fixed size; every axis reversed in memory."""
    return _case(_scores(rng, 40), "reversed")


def secret_levels(rng):
    """Rows in the thousands, near -4e5 and in between: exp needs each row's own maximum, fills must lie below it."""
    levels = np.array([0.0, 3000.0, -2000.0, 3000.0, -4e5, -4e5, 0.0])
    return _case(_scores(rng, 7) + levels[:, None], "every_second")


def secret_forbidden_lead(rng):
    """Keys of the future lead by 1.2e3 and by 6e4: they must be gone before anything is normalised."""
    scores = _scores(rng, 6)
    scores[1, 4] += 1.2e3
    scores[3, 5] += 6e4
    return _case(scores)
