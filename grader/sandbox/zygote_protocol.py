"""Layouts of the messages between a lane and its zygote; see `zygote` for their meaning."""

from __future__ import annotations

import struct
from typing import Final

REQUEST: Final = struct.Struct("<cxHI")  # verb, MiB or unused, seconds or pid
FORKED: Final = struct.Struct("<i")  # pid; four descriptors come with it
ENDED: Final = struct.Struct("<idd")  # wait status, user seconds, system seconds
