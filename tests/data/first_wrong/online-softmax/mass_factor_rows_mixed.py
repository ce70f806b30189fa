import numpy as np

def stream(q, k, v, block):
    out = []
    for row in q:
        m, l, acc = -np.inf, 0.0, np.zeros(v.shape[1])
        for a in range(0, len(k), block):
            s = k[a:a + block] @ row / np.sqrt(len(row))
            new = max(m, s.max())
            e = np.exp(s - new)
            l = l * np.exp(max(m - new, -2.0)) * (a > 0) + e.sum()
            acc = acc * np.exp(m - new) + e @ v[a:a + block]
            m = new
        out.append(acc / l)
    return np.array(out)
