"""Prints while it is imported."""

import numpy as np


while True:
    print('x' * 4096)

