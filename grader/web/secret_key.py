"""The key in the data folder that signs cookies and forms."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

from grader.errors import UserError

KEY_BYTES: Final = 32


def secret_key(data: Path) -> bytes:
    """Return the key that signs cookies, made at the first start and readable for its owner alone.

    Raises:
        UserError: the data folder cannot be used.
    """
    path = data / "secret-key"
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=data, prefix=".new-") as file:  # 0600
                file.write(secrets.token_bytes(KEY_BYTES))
                file.flush()
                with contextlib.suppress(FileExistsError):  # another process was faster; both use its key
                    os.link(file.name, path)
        key = path.read_bytes()
    except OSError as error:
        raise UserError(
            f"The data folder {data} cannot be used ({error.strerror}: {error.filename or path}); "
            "make it usable, or set GRADER_DATA to another one."
        ) from None
    if len(key) < KEY_BYTES:
        raise UserError(f"{path} is damaged; remove it, and a new one is made (everybody's cookies end with it).")
    return key
