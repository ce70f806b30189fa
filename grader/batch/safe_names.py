"""File names for candidates, whose own names may hold anything: plain, short, and no two alike on any file system."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}[A-Za-z0-9_-]|[A-Za-z0-9_]")
_LIKE_OURS: Final = re.compile(r".*-[0-9a-f]{12}")
_OTHER: Final = re.compile(r"[^A-Za-z0-9_-]+")
_KEPT: Final = 40  # characters of a name that is not plain


def safe_names(candidates: Iterable[str]) -> dict[str, str]:
    """Return a file name for each candidate.

    A plain name stands for itself, unless another differs from it by case alone. Any other gets what is plain of it and
    a part of its hash, as does a plain one that looks like that.
    """
    names = list(dict.fromkeys(candidates))
    alike = Counter(name.lower() for name in names)
    return {name: name if _is_free(name) and alike[name.lower()] == 1 else _hashed(name) for name in names}


def _is_free(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None and _LIKE_OURS.fullmatch(name) is None


def _hashed(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    plain = _OTHER.sub("_", name)[:_KEPT].strip("_-") or "candidate"
    return f"{plain}-{digest}"
