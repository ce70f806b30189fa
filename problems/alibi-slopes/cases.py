"""Cases of "Worse with every word".

H heads, T positions; there are no other inputs. The hidden set keeps these rules: H = 8, 6, 12, 1 and 3; powers of two
from 1 to 32, one below and one above a power of two, half-way between two, beyond 64; H above, below and equal to T; T
= 1 and positions beyond eight bits; one number of heads with more tokens than before and one with fewer, one number of
tokens with two numbers of heads, in turn, so that what is kept of earlier calls shows. There are few cases, for most
numbers of heads tell the same: a case is there because it alone refuses something.
"""


def _case(n_heads, T):
    return {"entry": "alibi_bias", "args": {"n_heads": n_heads, "T": T}}


def sample_format(rng):
    """Four heads and one position, which is its own and only key."""
    return _case(4, 1)


def secret_one_token(rng):
    """T = 1: every bias is 0."""
    return _case(12, 1)


def secret_twelve_heads(rng):
    """Eight slopes and four more: the heads of the case before with more tokens."""
    return _case(12, 5)


def secret_eight_heads(rng):
    """A power of two, with the tokens of the case before."""
    return _case(8, 5)


def secret_seven_heads(rng):
    """One head less than a power of two."""
    return _case(7, 10)


def secret_thirty_two_heads(rng):
    """A power of two beyond eight: slopes are no longer halved from head to head."""
    return _case(32, 4)


def secret_eighty_four_heads(rng):
    """More heads than a table of 64 holds, twenty of them beyond a power of two."""
    return _case(84, 9)


def secret_one_head(rng):
    """A single head has the last slope of every series."""
    return _case(1, 11)


def secret_as_many_tokens_as_heads(rng):
    """H = T = 6: heads can be taken for positions."""
    return _case(6, 6)


def secret_many_tokens(rng):
    """Three heads, and more positions than eight bits count with a sign."""
    return _case(3, 150)


def secret_few_tokens_again(rng):
    """The heads of the case before with fewer tokens."""
    return _case(3, 4)
