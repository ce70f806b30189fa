import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    held = np.ones(50 << 20)  # 400 MiB: allowed to a submission, but more than a small container has
    return held, held
