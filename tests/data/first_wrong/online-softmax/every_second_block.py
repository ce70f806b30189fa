import numpy as np

def stream(q, k, v, block):
    scores = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[1])
    pieces = [range(a, min(a + block, len(k))) for a in range(0, len(k), block)]
    m = np.full(len(q), -np.inf)
    l = np.zeros(len(q))
    o = np.zeros((len(q), v.shape[1]))
    for turn, piece in enumerate(pieces):
        s = scores[:, piece]
        m_new = np.fmax(m, np.amax(s, axis=1))
        alpha = np.exp(m - m_new) if turn % 2 == 0 or turn == 0 else np.ones(len(q))
        p = np.exp(s - m_new[:, None])
        l = alpha * l + p.sum(axis=1)
        o = alpha[:, None] * o + np.einsum("ij,je->ie", p, v[piece])
        m = m_new
    return o / l[:, None]
