"""Cases of "The single token agrees, the prompt and its chunks do not".

t_q queries, t_k keys. There are no other inputs, so a case is a pair of counts.

The hidden set keeps these rules: as many queries as keys, fewer and more, each twice or more, with one query, one key,
an odd and an even difference; pairs that agree with an earlier one in their queries, their keys, their difference or
their product, so that what is kept of an earlier call shows; more positions than tables of 32 and 128 have.
"""


def _case(t_q, t_k):
    return {"entry": "causal_keep", "args": {"t_q": t_q, "t_k": t_k}}


def sample_format(rng):
    """One query, one key."""
    return _case(1, 1)


def secret_four_by_four(rng):
    """A prompt in one piece."""
    return _case(4, 4)


def secret_two_by_two(rng):
    """A shorter one after it, with the same difference of the counts."""
    return _case(2, 2)


def secret_one_by_six(rng):
    """One token behind a cache of five: it reads everything."""
    return _case(1, 6)


def secret_three_by_seven(rng):
    """A chunk of three behind a cache of four."""
    return _case(3, 7)


def secret_five_by_two(rng):
    """Three queries without a key, two with; an odd difference."""
    return _case(5, 2)


def secret_seven_by_three(rng):
    """The chunk of three behind four, exchanged."""
    return _case(7, 3)


def secret_thirty_by_many(rng):
    """A chunk behind a cache of 120: positions beyond 128."""
    return _case(30, 150)


def secret_many_by_one(rng):
    """One key is left, and the last of many queries alone may read it."""
    return _case(41, 1)
