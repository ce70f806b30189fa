"""The causal mask of t_q queries and t_k keys in two steps, and beside each the ways in which it goes wrong.

`query_positions` (t_q,) says at which key's place each query stands, negative where that key is gone; `keep`
(t_q, t_k) compares. Both are whole numbers or booleans: nothing is rounded.
"""

import numpy as np


def _behind(query_positions, t_k):
    """How far each key lies behind each query, negative for later keys."""
    return query_positions[:, None] - np.arange(t_k)


def _causal(query_positions, t_k):
    return _behind(query_positions, t_k) >= 0


# Where the queries stand


def query_positions(t_q, t_k):
    return np.arange(t_q) + (t_k - t_q)  # (t_q,)


def query_positions__positions_from_zero(t_q, t_k):
    """The queries are counted from the first key on, so that a chunk behind a cache reads the beginning of the cache."""
    return np.arange(t_q)


def query_positions__offset_for_one_query_only(t_q, t_k):
    """A single query is put at the end of the keys; several are counted from the first key on."""
    return np.arange(t_q) + (t_k - 1 if t_q == 1 else 0)


def query_positions__offset_never_negative(t_q, t_k):
    """With more queries than keys the first query is aligned with the first key instead of the last with the last."""
    return np.arange(t_q) + max(t_k - t_q, 0)


def query_positions__offset_never_positive(t_q, t_k):
    """With fewer queries than keys the first query is aligned with the first key instead of the last with the last."""
    return np.arange(t_q) + min(t_k - t_q, 0)


def query_positions__offset_reversed(t_q, t_k):
    """The offset has the wrong sign: queries behind a cache stand before it."""
    return np.arange(t_q) - (t_k - t_q)


def query_positions__offset_absolute(t_q, t_k):
    """The offset is taken without its sign, so that more queries than keys read everything."""
    return np.arange(t_q) + abs(t_k - t_q)


def query_positions__offset_halved(t_q, t_k):
    """The queries stand in the middle of the keys."""
    return np.arange(t_q) + (t_k - t_q) // 2


def query_positions__offset_halved_towards_zero(t_q, t_k):
    """The queries stand in the middle of the keys, which is rounded towards the first one where keys are missing."""
    return np.arange(t_q) + int((t_k - t_q) / 2)


def query_positions__next_key_open(t_q, t_k):
    """The offset is one too many, so that each query reads the key after its own."""
    return np.arange(t_q) + (t_k - t_q + 1)


def query_positions__everything_open(t_q, t_k):
    """The queries stand behind all keys, so that all of them read everything."""
    return np.arange(t_q) + t_k


def query_positions__positions_reversed(t_q, t_k):
    """The queries are counted from the newest to the oldest."""
    return t_k - 1 - np.arange(t_q)


def query_positions__positions_stretched(t_q, t_k):
    """The diagonal runs from corner to corner: queries are spread over all keys."""
    return (np.arange(t_q) + 1) * t_k // t_q - 1


def query_positions__positions_spread_evenly(t_q, t_k):
    """The first query stands at the first key, the last one at the last, the others between."""
    return np.rint(np.linspace(0, t_k - 1, t_q)).astype(np.int64)


def query_positions__positions_wrapped(t_q, t_k):
    """Positions before the first key that is left are counted from the end."""
    return query_positions(t_q, t_k) % t_k


def query_positions__positions_in_eight_bits(t_q, t_k):
    """Positions are kept in eight bits and turn negative from 128 on."""
    return (query_positions(t_q, t_k) + 128) % 256 - 128


def query_positions__positions_at_most_31(t_q, t_k):
    """Positions come from a table of 32 entries, whose last one serves all that follow."""
    return np.minimum(query_positions(t_q, t_k), 31)


def query_positions__positions_at_most_127(t_q, t_k):
    """Positions come from a table of 128 entries, whose last one serves all that follow."""
    return np.minimum(query_positions(t_q, t_k), 127)


def query_positions__all_at_first_query(t_q, t_k):
    """One position, that of the first query, is used for the whole chunk."""
    return np.full(t_q, t_k - t_q)


def query_positions__whole_chunks_before(t_q, t_k):
    """The offset is rounded down to whole chunks, as if all chunks before had as many queries."""
    return np.arange(t_q) + ((t_k // t_q - 1) * t_q if t_k >= t_q else t_k - t_q)


def query_positions__every_step_counts_twice(t_q, t_k):
    """The position rises by two with each query, because the step is added to a counter that has moved already."""
    return 2 * np.arange(t_q) + (t_k - t_q)


# Which keys they read


def keep(query_positions, t_k):
    return _causal(query_positions, t_k)  # (t_q, t_k), query by key


def keep__own_key_closed(query_positions, t_k):
    """The comparison leaves the own key out, and key 0 is opened for the first query."""
    open_keys = _behind(query_positions, t_k) > 0
    open_keys[0, 0] = True
    return open_keys


def keep__own_key_closed_in_all_rows(query_positions, t_k):
    """The comparison leaves the own key out, so that the first query of a text reads nothing."""
    return _behind(query_positions, t_k) > 0


def keep__own_key_closed_and_empty_rows_filled(query_positions, t_k):
    """The comparison leaves the own key out, and every row without a key reads key 0."""
    open_keys = _behind(query_positions, t_k) > 0
    open_keys[~open_keys.any(axis=1), 0] = True
    return open_keys


def keep__own_key_closed_but_last(query_positions, t_k):
    """The comparison leaves the own key out, except for the last query."""
    open_keys = _behind(query_positions, t_k) > 0
    open_keys[-1] = _causal(query_positions, t_k)[-1]
    return open_keys


def keep__own_key_closed_behind_cache(query_positions, t_k):
    """The comparison leaves the own key out where keys have been there before the queries."""
    return _behind(query_positions, t_k) >= (1 if query_positions[0] > 0 else 0)


def keep__corner_always_open(query_positions, t_k):
    """Key 0 is open for the first query, also where it comes before all keys that are left."""
    open_keys = _causal(query_positions, t_k)
    open_keys[0, 0] = True
    return open_keys


def keep__first_key_always_open(query_positions, t_k):
    """Key 0 is open for all queries, so that no row is empty."""
    open_keys = _causal(query_positions, t_k)
    open_keys[:, 0] = True
    return open_keys


def keep__empty_rows_open(query_positions, t_k):
    """Queries that may read nothing read everything."""
    open_keys = _causal(query_positions, t_k)
    return open_keys | ~open_keys.any(axis=1, keepdims=True)


def keep__empty_rows_read_last_key(query_positions, t_k):
    """Queries that may read nothing read the last key."""
    open_keys = _causal(query_positions, t_k)
    open_keys[~open_keys.any(axis=1), -1] = True
    return open_keys


def keep__hidden_keys_true(query_positions, t_k):
    """The mask says what is hidden instead of what may be read."""
    return ~_causal(query_positions, t_k)


def keep__triangle_turned_over(query_positions, t_k):
    """Queries read their own key and all later ones."""
    return _behind(query_positions, t_k) <= 0


def keep__own_key_only(query_positions, t_k):
    """Queries read their own key and no other."""
    return _behind(query_positions, t_k) == 0


def keep__cached_keys_hidden(query_positions, t_q, t_k):
    """The triangle covers the chunk's own keys alone; the keys before it are hidden."""
    return _causal(query_positions, t_k) & (np.arange(t_k) >= t_k - t_q)


def keep__own_chunk_hidden(query_positions, t_q, t_k):
    """Only the keys before the chunk may be read."""
    return _causal(query_positions, t_k) & (np.arange(t_k) < t_k - t_q)


def keep__as_many_keys_as_queries(query_positions, t_q, t_k):
    """Each query reads as many keys as there are queries, a window that nobody asked for."""
    return _causal(query_positions, t_k) & (_behind(query_positions, t_k) < t_q)


def keep__window_of_16(query_positions, t_k):
    """Each query reads 16 keys at most."""
    return _causal(query_positions, t_k) & (_behind(query_positions, t_k) < 16)


def keep__mask_skipped_with_cache(query_positions, t_q, t_k):
    """Where keys have been there before the queries nothing is hidden, not even within the chunk."""
    return _causal(query_positions, t_k) | (t_k > t_q)


def keep__mask_skipped_for_short_chunks(query_positions, t_q, t_k):
    """Behind a cache chunks of up to eight queries are taken for single tokens, and nothing is hidden."""
    return _causal(query_positions, t_k) | (t_q <= 8 and t_k > t_q)


def keep__prompts_unmasked(query_positions, t_q, t_k):
    """Where there are as many queries as keys nothing is hidden."""
    return _causal(query_positions, t_k) | (t_q == t_k)


def keep__next_key_open_in_prompts(query_positions, t_q, t_k):
    """Where there are as many queries as keys each query reads the key after its own."""
    return _behind(query_positions, t_k) >= (-1 if t_q == t_k else 0)


def keep__mask_skipped_without_cache(query_positions, t_q, t_k):
    """Where no keys have been there before the queries nothing is hidden."""
    return _causal(query_positions, t_k) | (t_k <= t_q)


def keep__triangle_rolled(query_positions, t_q, t_k):
    """A triangle of the first keys is rolled to the right by the offset, and what falls out comes in on the left."""
    return np.roll(np.tri(t_q, t_k, dtype=bool), query_positions[-1] + 1 - t_q, axis=1)


def keep__square_of_queries_at_the_left(query_positions, t_q, t_k):
    """The chunk's triangle lies over the first keys, and all keys behind it are open."""
    key = np.arange(t_k)
    return (key <= np.arange(t_q)[:, None]) | (key >= t_q)


def keep__columns_reversed(query_positions, t_k):
    """The keys are numbered from the newest to the oldest."""
    return _causal(query_positions, t_k)[:, ::-1]


def keep__last_key_hidden(query_positions, t_k):
    """The last key is hidden from all queries, its own one included."""
    return _causal(query_positions, t_k) & (np.arange(t_k) < t_k - 1)


def keep__first_key_hidden(query_positions, t_k):
    """Key 0 is hidden from all queries, as if the text began after it."""
    return _causal(query_positions, t_k) & (np.arange(t_k) > 0)


def keep__transposed_where_square(query_positions, t_q, t_k):
    """Where there are as many queries as keys the mask is transposed."""
    open_keys = _causal(query_positions, t_k)
    return open_keys.T if t_q == t_k else open_keys


def keep__turned_over_where_keys_are_gone(query_positions, t_q, t_k):
    """With more queries than keys the triangle is turned over: queries read their own key and all later ones."""
    behind = _behind(query_positions, t_k)
    return behind <= 0 if t_q > t_k else behind >= 0


def keep__empty_rows_last(query_positions, t_k):
    """The rows of queries whose keys are gone stand behind the others instead of before them."""
    return np.roll(_causal(query_positions, t_k), min(query_positions[0], 0), axis=0)


def keep__both_directions(query_positions, t_q, t_k):
    """Earlier and later keys are treated alike: as far as a query may look back it may look ahead."""
    behind = _behind(query_positions, t_k)
    return np.abs(behind) <= np.maximum(query_positions, 0)[:, None]


def keep__rows_beyond_32_open(query_positions, t_q, t_k):
    """The mask is laid over the first 32 queries only."""
    return _causal(query_positions, t_k) | (np.arange(t_q) >= 32)[:, None]
