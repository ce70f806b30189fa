"""The interface for programs: JSON under /api/v1, opened by tokens alone."""

from __future__ import annotations

from grader.web.api import openapi, practice, submissions
from grader.web.api.v1 import bp

__all__ = ["bp", "openapi", "practice", "submissions"]  # the modules, as their import adds their operations
