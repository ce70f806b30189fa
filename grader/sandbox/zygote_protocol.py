"""Layouts of the messages between a lane and its zygote; see `zygote` for their meaning."""

from __future__ import annotations

import struct
from typing import Final

REQUEST: Final = struct.Struct("<c?HI")  # verb, whether to rehearse, MiB or unused, seconds or pid
FORKED: Final = struct.Struct("<i")  # pid; descriptors come with it
DESCRIPTORS: Final = 4  # questions (write), answers (read), prints (read), pidfd
ENDED: Final = struct.Struct("<idd")  # wait status, user seconds, system seconds
