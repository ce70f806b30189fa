"""Unusual: numpy.ma masks what is dropped, and its dot product leaves it out; a function for each mode."""

import numpy as np


def softmax(scores):
    powers = np.exp2((scores - np.ceil(scores.max(axis=1, keepdims=True))) * np.log2(np.e))
    return powers / powers.sum(axis=1, keepdims=True)


def evaluated(weights, v, live, rate):
    return weights @ v


def trained(weights, v, live, rate):
    survivors = np.ma.array(weights, mask=~live)
    return np.asarray(np.ma.dot(survivors, np.ma.array(v)).filled(0.0)) / (1 - rate)


MODES = {False: evaluated, True: trained}


def attention(q, k, v, live, rate, training):
    weights = softmax(np.dot(q, k.transpose()) / np.sqrt(q.shape[1]))
    return MODES[bool(training)](weights, v, live, rate), weights
