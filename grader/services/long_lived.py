"""What a server holds until its end is looked through for garbage once, not again and again while somebody waits."""

from __future__ import annotations

import gc


def keep_for_good() -> None:
    """Leave what is there now out of later collections, which would hold every request up for a tenth of a second.

    It is still freed once nothing refers to it; only a ring of such objects would stay.
    """
    gc.collect()
    gc.freeze()
