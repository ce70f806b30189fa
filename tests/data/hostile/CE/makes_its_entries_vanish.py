import sys


class Vanishing(dict):
    def __call__(self):
        pass


del sys.modules[__name__]
