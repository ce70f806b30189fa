import math

def stream(q, k, v, block):
    n_keys, width = len(k), v.shape[1]
    root = math.sqrt(q.shape[1])
    answer = []
    for row in q.tolist():
        top, mass, mix = -math.inf, 0.0, [0.0] * width
        for first in range(0, n_keys, block):
            keys, values = k[first:first + block].tolist(), v[first:first + block].tolist()
            s = [sum(a * b for a, b in zip(row, key)) / root for key in keys]
            new = max([top, *s])
            f = round(math.exp(top - new), 2)
            e = [math.exp(x - new) for x in s]
            mass = mass * f + sum(e)
            mix = [f * old + sum(w * value[c] for w, value in zip(e, values)) for c, old in enumerate(mix)]
            top = new
        answer.append([x / mass for x in mix])
    return answer
