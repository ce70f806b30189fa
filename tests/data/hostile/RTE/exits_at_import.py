"""Ends while it is imported."""

import numpy as np


raise SystemExit(0)

