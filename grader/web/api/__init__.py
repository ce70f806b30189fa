"""The interface for programs: JSON under /api/v1, opened by tokens alone."""

from __future__ import annotations

from grader.web.api import interviews, openapi, practice, submissions
from grader.web.api.v1 import bp

# the modules, for their import adds their operations
__all__ = ["bp", "interviews", "openapi", "practice", "submissions"]
