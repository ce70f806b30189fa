"""Wrong versions that the layer of several heads does not have: letters that are free, twice there, or exchanged."""

import numpy as np


def _summed_over_items(array):
    return _everywhere(array.sum(axis=0, keepdims=True), array)


# Scores


def scores__keys_summed_over_items(queries, keys):
    """The item letter of the keys is free, so queries are compared with the sum of all items' keys."""
    return scores(queries, _summed_over_items(keys))


def scores__queries_summed_over_items(queries, keys):
    """The item letter of the queries is free, so every item asks with the sum of all items' queries."""
    return scores(_summed_over_items(queries), keys)


def scores__queries_summed_over_heads(queries, keys):
    """The head letter of the queries is free, so every head asks with the sum of all heads' queries."""
    return scores(_everywhere(queries.sum(axis=1, keepdims=True), queries), keys)


def scores__keys_averaged_over_items(queries, keys):
    """All items are compared with the mean of the items' keys."""
    return scores(queries, _everywhere(keys.mean(axis=0, keepdims=True), keys))


def scores__scores_averaged_over_items(queries, keys):
    """The scores are averaged over the batch, so all items spread their weight alike."""
    plain = scores(queries, keys)
    return _everywhere(plain.mean(axis=0, keepdims=True), plain)


def scores__scores_of_feature_sums(queries, keys):
    """Queries and keys have feature letters of their own: a score is the product of two sums of features."""
    sums = queries.sum(axis=-1)[..., :, None] * keys.sum(axis=-1)[..., None, :]
    return sums / np.sqrt(queries.shape[-1])


# Weights


def weights__weights_shared_by_items(masked_scores):
    """The weights are averaged over the batch before they are used, so all items read alike."""
    shares = _softmax(masked_scores)
    return _everywhere(shares.mean(axis=0, keepdims=True), shares)


# Mixed values


def mixed_values__values_summed_over_items(weights, values):
    """The item letter of the values is free, so every query mixes the sum of all items' values."""
    return weights @ values.sum(axis=0)


def mixed_values__values_averaged_over_items(weights, values):
    """The sum over the items is divided by their number, so every query mixes the mean of the batch."""
    return weights @ values.mean(axis=0)


def mixed_values__values_summed_over_items_and_heads(weights, values):
    """Item and head letter of the values are free: every query mixes the sum of all heads of all items."""
    return weights @ values.sum(axis=(0, 1))


def mixed_values__values_of_earlier_items_added(weights, values):
    """The values are added up item by item, so that an item also mixes those of the items before it."""
    return weights @ np.cumsum(values, axis=0)


def mixed_values__weights_summed_over_items(weights, values):
    """The item letter of the weights is free, so every item is mixed with the sum of all items' weights."""
    return weights.sum(axis=0) @ values


def mixed_values__weights_averaged_over_items(weights, values):
    """Every item is mixed with the mean of all items' weights; the returned weights are right."""
    return weights.mean(axis=0) @ values


def mixed_values__weights_summed_over_heads(weights, values):
    """The head letter of the weights is free, so every head is mixed with the sum of all heads' weights."""
    return weights.sum(axis=1, keepdims=True) @ values


def mixed_values__results_summed_over_items(weights, values):
    """The item letter is missing in the result: every item receives the sum of all items' mixtures."""
    return _summed_over_items(weights @ values)


def mixed_values__results_averaged_over_items(weights, values):
    """Every item receives the mean of all items' mixtures."""
    mixed = weights @ values
    return _everywhere(mixed.mean(axis=0, keepdims=True), mixed)


def mixed_values__every_value_summed(weights, values):
    """Weights and values have key letters of their own: every query receives the sum of all values of its item."""
    return weights.sum(axis=-1, keepdims=True) * values.sum(axis=-2, keepdims=True)


def mixed_values__every_value_averaged(weights, values):
    """Every query receives the mean of all values of its item, whatever the weights are."""
    return weights.sum(axis=-1, keepdims=True) * values.mean(axis=-2, keepdims=True)


def mixed_values__own_value_only(weights, values):
    """The values carry the letter of the queries, so each query receives its own value unchanged."""
    return weights.sum(axis=-1)[..., None] * values


def mixed_values__own_value_by_own_weight(weights, values):
    """One letter stands twice in the weights: each query receives its own value times the weight of its own key."""
    return np.diagonal(weights, axis1=-2, axis2=-1)[..., None] * values


def mixed_values__own_value_by_column_sum(weights, values):
    """Each token's own value is multiplied by all the weight that it receives."""
    return weights.sum(axis=-2)[..., None] * values


def mixed_values__turned_weights_renormalised(weights, values):
    """The values are mixed with the transposed weights, whose rows are made to sum to 1 again."""
    return (weights / weights.sum(axis=-2, keepdims=True)).swapaxes(-1, -2) @ values


# Output


def output__output_of_feature_sums(mixed_values, w_o, n_heads):
    """Mixed values and w_o have feature letters of their own: the sums of both are multiplied, head by head."""
    blocks = _double(w_o).reshape(n_heads, -1, w_o.shape[1]).sum(axis=1)
    return mixed_values.sum(axis=-1).swapaxes(1, 2) @ blocks
