"""Fills memory while it is imported."""

import numpy as np


HUGE = [0] * (1 << 30)

