"""Interview-practice grading service for attention code."""

__version__ = "0.1.0"
