def attend(x, w):
    return [2J]0;AC
