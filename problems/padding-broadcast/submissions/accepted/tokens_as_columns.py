"""Everything transposed: features by positions, keys by queries, and the softmax along the columns."""

import numpy as np


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    y, weights = [], []
    for item, length in zip(x, lengths):
        q, k, v = (np.array_split(w.T @ item.T, n_heads) for w in (w_q, w_k, w_v))
        boards = [key.T @ query / np.sqrt(len(query)) for query, key in zip(q, k)]  # (T keys, T queries)
        for board in boards:
            board[length:] = -np.inf
            board -= board.max(axis=0)
            np.exp(board, out=board)
            board /= board.sum(axis=0)
        y.append((w_o.T @ np.vstack([value @ board for value, board in zip(v, boards)])).T)
        weights.append([board.T for board in boards])
    return np.array(y), np.array(weights)
