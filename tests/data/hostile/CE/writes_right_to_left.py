def attend(x, w):
    ‮ return x
