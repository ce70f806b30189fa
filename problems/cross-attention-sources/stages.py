"""Cross-attention of one head, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: Tq target rows, Tk source rows, m model width, d key size, e value size. `masked_scores` hides nothing; it is
there for masks that do not belong. Alternatives that need equal sizes act like their stage where the sizes differ,
unless they say otherwise or code of their kind would raise there.
"""

import numpy as np


def _double(array):
    return np.asarray(array, dtype=np.float64)


def _in_half(array):
    return array.astype(np.float16).astype(np.float64)


def _is_square(array):
    return array.shape[0] == array.shape[1]


def _distance(scores):
    """Row minus column: positive below the diagonal."""
    return np.arange(scores.shape[0])[:, None] - np.arange(scores.shape[1])


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


def _turned_if_square(matrix):
    return matrix.T if _is_square(matrix) else matrix


# Queries


def queries(x, w_q):
    return _double(x) @ _double(w_q)  # (Tq, d)


def queries__queries_from_w_k(x, w_k):
    """The queries are built with the key matrix; W_Q is never used."""
    return _double(x) @ _double(w_k)


def queries__query_matrix_transposed(x, w_q):
    """A square W_Q is taken for stored as (out, in) and is transposed."""
    return queries(x, _turned_if_square(w_q))


def queries__target_as_queries(x, w_q):
    """Where d equals m the target rows themselves ask, without their projection."""
    return _double(x) if _is_square(w_q) else queries(x, w_q)


def queries__queries_from_source(x, ctx, w_q):
    """The queries are made of the source; where the lengths differ there is no row for each target position."""
    return _double(ctx) @ _double(w_q)


def queries__queries_from_source_if_equal(x, ctx, w_q):
    """Where both sequences have one length the queries are made of the source."""
    return queries(ctx if len(x) == len(ctx) else x, w_q)


def queries__first_query_for_all(x, w_q):
    """All target positions ask with the query of the first one."""
    projected = queries(x, w_q)
    return np.broadcast_to(projected[:1], projected.shape)


def queries__last_query_for_all(x, w_q):
    """All target positions ask with the query of the last one, as in a step of decoding."""
    projected = queries(x, w_q)
    return np.broadcast_to(projected[-1:], projected.shape)


def queries__targets_beyond_64_repeated(x, w_q):
    """Target positions are cut at 64: all later ones ask with the query of the 64th."""
    return queries(x, w_q)[np.minimum(np.arange(len(x)), 63)]


def queries__queries_one_late(x, w_q):
    """The target is shifted by one position before it asks, as the input of a decoder is: the shift is done twice."""
    return np.roll(queries(x, w_q), 1, axis=0)


# Keys


def keys(ctx, w_k):
    return _double(ctx) @ _double(w_k)  # (Tk, d)


def keys__keys_from_target(x, w_k):
    """The keys are made of the target, so that it compares itself with itself."""
    return _double(x) @ _double(w_k)


def keys__keys_from_target_if_equal(x, ctx, w_k):
    """Where both sequences have one length the keys are made of the target."""
    return keys(x if len(x) == len(ctx) else ctx, w_k)


def keys__keys_from_w_q(ctx, w_q):
    """The keys are built with the query matrix; W_K is never used."""
    return _double(ctx) @ _double(w_q)


def keys__keys_from_w_v(ctx, w_k, w_v):
    """Where W_V has the shape of W_K the keys are built with W_V."""
    return keys(ctx, w_v if w_v.shape == w_k.shape else w_k)


def keys__key_matrix_transposed(ctx, w_k):
    """A square W_K is taken for stored as (out, in) and is transposed."""
    return keys(ctx, _turned_if_square(w_k))


def keys__source_as_keys(ctx, w_k):
    """Where d equals m the source rows themselves are the keys, without their projection."""
    return _double(ctx) if _is_square(w_k) else keys(ctx, w_k)


def keys__keys_one_late(ctx, w_k):
    """The keys are shifted by one source position against the values."""
    return np.roll(keys(ctx, w_k), 1, axis=0)


def keys__keys_reversed(ctx, w_k):
    """The keys stand in reverse order, the values do not."""
    return keys(ctx, w_k)[::-1]


# Values


def values(ctx, w_v):
    return _double(ctx) @ _double(w_v)  # (Tk, e)


def values__values_from_target(x, w_v):
    """The values are made of the target: it mixes what it already has, and other lengths do not fit the weights."""
    return _double(x) @ _double(w_v)


def values__values_from_target_if_equal(x, ctx, w_v):
    """Where both sequences have one length the values are made of the target."""
    return values(x if len(x) == len(ctx) else ctx, w_v)


def values__values_from_target_repeated(x, ctx, w_v):
    """The values are made of the target, which is repeated or cut to the length of the source."""
    return values(x, w_v)[np.arange(len(ctx)) % len(x)]


def values__values_from_target_padded(x, ctx, w_v):
    """The values are made of the target, which is cut or filled with zeros to the length of the source."""
    padded = np.zeros((len(ctx), w_v.shape[1]))
    padded[: len(x)] = values(x, w_v)[: len(ctx)]
    return padded


def values__values_from_both_if_equal(x, ctx, w_v):
    """Where both sequences have one length the values are made of their sum."""
    return values(ctx + x if len(x) == len(ctx) else ctx, w_v)


def values__values_from_w_k(ctx, w_k, w_v):
    """Where W_K has the shape of W_V the values are built with W_K: keys and values are one array."""
    return values(ctx, w_k if w_k.shape == w_v.shape else w_v)


def values__values_from_w_q(ctx, w_q, w_v):
    """Where W_Q has the shape of W_V the values are built with W_Q."""
    return values(ctx, w_q if w_q.shape == w_v.shape else w_v)


def values__value_matrix_transposed(ctx, w_v):
    """A square W_V is taken for stored as (out, in) and is transposed."""
    return values(ctx, _turned_if_square(w_v))


def values__source_as_values(ctx, w_v):
    """Where e equals m the source rows themselves are mixed, without their projection."""
    return _double(ctx) if _is_square(w_v) else values(ctx, w_v)


def values__values_reversed(ctx, w_v):
    """The values stand in reverse order, the keys do not."""
    return values(ctx, w_v)[::-1]


def values__values_one_late(ctx, w_v):
    """The values are shifted by one source position against the keys."""
    return np.roll(values(ctx, w_v), 1, axis=0)


def values__values_in_half_precision(ctx, w_v):
    """The values are rounded to half precision: three digits survive."""
    return _in_half(values(ctx, w_v))


# Scores, scale included


def _products(queries, keys):
    return queries @ keys.T


def scores(queries, keys):
    return _products(queries, keys) / np.sqrt(queries.shape[1])  # (Tq, Tk), target by source


def scores__scores_key_by_query(queries, keys):
    """The product is keys times queries: rows belong to the source, and only equal lengths let that run."""
    return _products(keys, queries) / np.sqrt(queries.shape[1])


def scores__scores_turned_if_equal(queries, keys):
    """Where both sequences have one length the product is keys times queries, so that rows belong to the source."""
    return scores(keys, queries) if len(queries) == len(keys) else scores(queries, keys)


def scores__scores_between_features(queries, keys):
    """Where both lengths equal d the product compares features with features."""
    square = _is_square(queries) and _is_square(keys)
    return scores(queries.T, keys.T) if square else scores(queries, keys)


def scores__keys_reshaped_not_transposed(queries, keys):
    """The keys are reshaped to (d, Tk) instead of transposed, so that a column mixes several keys."""
    return queries @ keys.reshape(keys.shape[::-1]) / np.sqrt(queries.shape[1])


def scores__scores_from_states(x, ctx, queries):
    """The scores compare target and source rows themselves; neither W_Q nor W_K is used."""
    return _double(x) @ _double(ctx).T / np.sqrt(queries.shape[1])


def scores__scores_cosine(queries, keys):
    """The scores are cosines of the angle between query and key, so the lengths of both are lost."""
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(keys, axis=1)
    return _products(queries, keys) / np.maximum(lengths, 1e-12)


def scores__scale_missing(queries, keys):
    """The scores are the bare products."""
    return _products(queries, keys)


def scores__scale_without_root(queries, keys):
    """The scores are divided by the key size itself, which leaves the weights too flat."""
    return _products(queries, keys) / queries.shape[1]


def scores__scale_inverted(queries, keys):
    """The scores are multiplied by the root of d instead of divided."""
    return _products(queries, keys) * np.sqrt(queries.shape[1])


def scores__scale_model_width(queries, keys, x):
    """The scores are divided by the root of m, the width of the states."""
    return _products(queries, keys) / np.sqrt(x.shape[1])


def scores__scale_value_size(queries, keys, values):
    """The scores are divided by the root of e, the size of the values."""
    return _products(queries, keys) / np.sqrt(values.shape[1])


def scores__scale_source_length(queries, keys):
    """The scores are divided by the root of the number of source rows."""
    return _products(queries, keys) / np.sqrt(len(keys))


def scores__scale_target_length(queries, keys):
    """The scores are divided by the root of the number of target rows."""
    return _products(queries, keys) / np.sqrt(len(queries))


def scores__root_of_at_least_two(queries, keys):
    """The scale is guarded against small heads and divides by the root of 2 where d is 1."""
    return _products(queries, keys) / np.sqrt(max(queries.shape[1], 2))


def scores__scores_clipped(queries, keys):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(queries, keys), -50, 50)


def scores__scores_capped_at_700(queries, keys):
    """Scores above 700 are cut to 700 to keep exp from overflowing, which makes ties out of different scores."""
    return np.minimum(scores(queries, keys), 700)


def scores__scores_in_single_precision(queries, keys):
    """The scores are rounded to single precision, which leaves seven digits."""
    return _double(scores(queries, keys).astype(np.float32))


def scores__diagonal_favoured(queries, keys):
    """A bias against the distance of the two positions is added, as if translations were monotone."""
    products = scores(queries, keys)
    return products - 0.1 * np.abs(_distance(products))


# Masked scores: nothing is hidden


def masked_scores(scores):
    return scores


def masked_scores__triangle_over_source(scores):
    """A causal triangle lies over the source: target position i reads the source positions up to i and no others."""
    return _keep(scores, _distance(scores) >= 0)


def masked_scores__triangle_if_equal(scores):
    """Where both sequences have one length the triangle lies over the source."""
    return _keep(scores, (_distance(scores) >= 0) | (not _is_square(scores)))


def masked_scores__triangle_over_same_text(scores, x, ctx):
    """Where source and target hold the same states the layer takes itself for self-attention and lays a triangle."""
    is_same = x.shape == ctx.shape and bool((x == ctx).all())
    return _keep(scores, (_distance(scores) >= 0) | (not is_same))


def masked_scores__triangle_at_the_end(scores):
    """The triangle is aligned with the last rows of both: long targets begin with rows that read nothing and are NaN."""
    return _keep(scores, _distance(scores) >= len(scores) - scores.shape[1])


def masked_scores__triangle_never_empty(scores):
    """The triangle is aligned with the last rows of both, but for the first source row, which is open to all."""
    open_ones = _distance(scores) >= len(scores) - scores.shape[1]
    return _keep(scores, open_ones | (np.arange(scores.shape[1]) == 0))


def masked_scores__triangle_one_wider(scores):
    """Target position i reads the source positions up to i + 1 and no others."""
    return _keep(scores, _distance(scores) >= -1)


def masked_scores__triangle_turned(scores):
    """Target position i reads the source positions from i on, or the last one."""
    return _keep(scores, (_distance(scores) <= 0) | (np.arange(scores.shape[1]) == scores.shape[1] - 1))


def masked_scores__triangle_stretched(scores):
    """The triangle is stretched to both lengths: a part of the target reads the same part of the source."""
    targets, sources = scores.shape
    reach = np.ceil((np.arange(targets) + 1) * sources / targets)
    return _keep(scores, np.arange(sources) < reach[:, None])


def masked_scores__window_around_diagonal(scores):
    """Target position i reads the two source positions on both sides of i, or the last one."""
    near = np.abs(_distance(scores)) <= 2
    return _keep(scores, near | (np.arange(scores.shape[1]) == scores.shape[1] - 1))


def masked_scores__source_cut_to_target(scores):
    """Source positions beyond the length of the target are not read."""
    return _keep(scores, np.arange(scores.shape[1]) < len(scores))


def masked_scores__source_cut_to_32(scores):
    """The source is cut to its first 32 positions, the size of a table."""
    return _keep(scores, np.arange(scores.shape[1]) < 32)


def masked_scores__source_cut_to_64(scores):
    """The source is cut to its first 64 positions, the size of a table."""
    return _keep(scores, np.arange(scores.shape[1]) < 64)


def masked_scores__same_position_hidden(scores):
    """No target position reads the source position of its own number, unless there is no other."""
    return _keep(scores, (_distance(scores) != 0) | (scores.shape[1] == 1))


def masked_scores__first_source_row_hidden(scores):
    """The first source row is taken for a mark of the beginning and is hidden, unless it is the only one."""
    return _keep(scores, (np.arange(scores.shape[1]) > 0) | (scores.shape[1] == 1))


def masked_scores__last_source_row_hidden(scores):
    """The last source row is taken for a mark of the end and is hidden, unless it is the only one."""
    last = scores.shape[1] - 1
    return _keep(scores, (np.arange(scores.shape[1]) < last) | (last == 0))


def masked_scores__zero_rows_as_padding(scores, ctx):
    """Source rows of zeros are taken for padding and hidden."""
    return _keep(scores, ctx.any(axis=1))


def masked_scores__trailing_zeros_as_padding(scores, ctx):
    """Source rows of zeros at the end are taken for padding and hidden."""
    return _keep(scores, np.logical_or.accumulate(ctx.any(axis=1)[::-1])[::-1])


def masked_scores__mask_from_zero_scores(scores):
    """A score that is exactly 0 counts as hidden; rows without any other read all."""
    allowed = scores != 0
    return _keep(scores, allowed | ~allowed.any(axis=1, keepdims=True))


def masked_scores__triangle_multiplies_scores(scores):
    """The scores are multiplied by a triangle, so that source positions beyond i keep the score 0."""
    return scores * (_distance(scores) >= 0)


def masked_scores__triangle_added_as_ones(scores):
    """A triangle of ones is added, which favours the source positions up to i."""
    return scores + (_distance(scores) >= 0)


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (Tq, Tk), every row sums to 1


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the target: each source position shares itself out, and rows sum to anything."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0)


def weights__softmax_over_longer_axis(masked_scores):
    """The softmax normalises over the longer of the two axes."""
    axis = int(masked_scores.shape[1] >= masked_scores.shape[0])
    return _share(np.exp(masked_scores - _best(masked_scores, axis=axis)), axis=axis)


def weights__softmax_over_everything(masked_scores):
    """All weights of the matrix share a sum of 1."""
    return _share(np.exp(masked_scores - masked_scores.max()), axis=None)


def weights__columns_then_rows(masked_scores):
    """The exponentials are normalised over the target first, over the source afterwards."""
    return _share(_share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0))


def weights__sum_without_keepdims(masked_scores):
    """The sum loses its axis: column j is divided by the sum of row j, which only some lengths let run."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / exponentials.sum(axis=1)


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows above 709 and is 0/0 in rows below -745."""
    return _share(np.exp(masked_scores))


def weights__overflow_hidden(masked_scores):
    """exp is taken of the raw scores, and NaN is replaced by 0."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(_share(np.exp(masked_scores)))


def weights__one_maximum_for_all_rows(masked_scores):
    """One maximum of the whole matrix is subtracted, so that rows more than 745 below it become 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__shift_by_mean(masked_scores):
    """Each row is shifted by its mean instead of its maximum: a source position far above it overflows."""
    return _share(np.exp(masked_scores - masked_scores.mean(axis=1, keepdims=True)))


def weights__shift_by_first_score(masked_scores):
    """Each row is shifted by its first score instead of its maximum: a source position far above it overflows."""
    return _share(np.exp(masked_scores - masked_scores[:, :1]))


def weights__maximum_starts_at_zero(masked_scores):
    """The row maximum is never below 0, so rows whose scores all lie below -745 become 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0)))


def weights__triangle_after_softmax(masked_scores):
    """The finished weights are multiplied by a triangle, so that rows sum to less than 1."""
    return _softmax(masked_scores) * (_distance(masked_scores) >= 0)


def weights__scale_after_softmax(masked_scores, queries):
    """The scores are not scaled, the weights are: rows sum to one over the root of d."""
    root = np.sqrt(queries.shape[1])
    return _softmax(masked_scores * root) / root


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing: the largest weight of every row is 1."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1e-5)


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, as if each target position could also read nothing."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1)


def weights__own_keys_in_denominator(masked_scores, x, w_k, queries):
    """The target's own keys stand beside the source's in the denominator: the source gets what they leave."""
    own = queries @ (_double(x) @ _double(w_k)).T / np.sqrt(queries.shape[1])
    joined = np.concatenate([masked_scores, own], axis=1)
    return _softmax(joined)[:, : masked_scores.shape[1]]


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which flattens them."""
    return _softmax(_softmax(masked_scores))


def weights__powers_of_two(masked_scores):
    """The softmax uses base 2, which flattens the scores by the factor ln 2."""
    return _share(np.exp2(masked_scores - _best(masked_scores)))


def weights__strongest_key_only(masked_scores):
    """The strongest source position of each row takes all the weight, as a hard alignment."""
    strongest = masked_scores.argmax(axis=1)[:, None]
    return (np.arange(masked_scores.shape[1]) == strongest).astype(np.float64)


def weights__even_weights(masked_scores):
    """All source positions weigh the same; the scores are never used."""
    return np.full(masked_scores.shape, 1 / masked_scores.shape[1])


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals, as they are printed."""
    return np.round(_softmax(masked_scores), 3)


def weights__weights_sorted(masked_scores):
    """The weights of a row are sorted, so that they no longer belong to their source positions."""
    return np.sort(_softmax(masked_scores), axis=1)


def weights__running_sums_not_rescaled(masked_scores):
    """The source is streamed with a running maximum; what was summed before is not rescaled when it grows."""
    return _share(np.exp(masked_scores - np.maximum.accumulate(masked_scores, axis=1)))


# Mixed values


def mixed_values(weights, values):
    return weights @ values  # (Tq, e)


def mixed_values__mix_with_transposed_weights(weights, values):
    """The values are mixed with the transposed weights: the source collects from the target where both are as long."""
    return (weights.T if _is_square(weights) else weights) @ values


def mixed_values__mix_under_triangle(masked_scores, values):
    """The values are mixed under a causal triangle; the weights over the whole source are returned and not used."""
    return _softmax(_keep(masked_scores, _distance(masked_scores) >= 0)) @ values


def mixed_values__mix_not_normalised(masked_scores, values):
    """The values are mixed with the exponentials; the normalised weights are returned and not used."""
    return np.exp(masked_scores - _best(masked_scores)) @ values


def mixed_values__mix_of_scores(scores, values):
    """The values are mixed with the scores instead of the weights."""
    return scores @ values


def mixed_values__last_value_left_out(weights, values):
    """The sum over the source ends one too early, so that nobody reads its last row."""
    return weights[:, :-1] @ values[:-1]


def mixed_values__first_value_left_out(weights, values):
    """The sum over the source begins with its second row, so that nobody reads the first."""
    return weights[:, 1:] @ values[1:]


def mixed_values__mix_with_mean_weights(weights, values):
    """All target positions mix with the mean of all rows of the weights; the rows are returned and not used."""
    return np.broadcast_to(weights.mean(axis=0), weights.shape) @ values


def mixed_values__mix_in_half_precision(weights, values):
    """The mixed values are rounded to half precision."""
    return _in_half(weights @ values)


# Output


def output(mixed_values, w_o):
    return mixed_values @ _double(w_o)  # (Tq, m)


def output__no_output_projection(mixed_values):
    """The mixed values are returned as the output; W_O is never multiplied."""
    return mixed_values


def output__projection_only_to_fit(mixed_values, w_o):
    """W_O is multiplied only where it changes the width; for e = m the mixed values are returned."""
    return mixed_values if _is_square(w_o) else output(mixed_values, w_o)


def output__output_matrix_transposed(mixed_values, w_o):
    """A square W_O is taken for stored as (out, in) and is transposed."""
    return output(mixed_values, _turned_if_square(w_o))


def output__values_projected_back(mixed_values, w_v):
    """The output goes through the transposed W_V, as if the two were tied; W_O is never multiplied."""
    return output(mixed_values, w_v.T)


def output__residual_added(mixed_values, w_o, x):
    """The target states are added to the output, as a surrounding block would do."""
    return _double(x) + output(mixed_values, w_o)


def output__source_added_if_equal(mixed_values, w_o, x, ctx):
    """Where both sequences have one length the source states are added to the output."""
    return output(mixed_values, w_o) + (ctx if len(x) == len(ctx) else 0)


def output__output_rounded(mixed_values, w_o):
    """The output is rounded to three decimals, as it is printed."""
    return np.round(output(mixed_values, w_o), 3)


def output__single_target_shortcut(mixed_values, values, w_o):
    """A single target position is answered with the mean of the values, as if it had no preference."""
    return output(values.mean(axis=0, keepdims=True) if len(mixed_values) == 1 else mixed_values, w_o)


def output__single_source_shortcut(mixed_values, values, w_o):
    """A single source row is answered with its values where e equals m, without W_O."""
    return mixed_values if len(values) == 1 and _is_square(w_o) else output(mixed_values, w_o)
