"""Loops while it is imported."""

import numpy as np


while True:
    pass

