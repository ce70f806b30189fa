"""Says in three words which browser somebody uses, so that they can tell their sessions apart."""

from __future__ import annotations

from typing import Final

# the first word that is found decides: later browsers name earlier ones in what they send
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
    "curl/": "curl",
}
_SYSTEMS: Final = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def device(agent: str) -> str:
    """Return words of our own for what a browser says of itself, such as "Firefox on Linux"."""
    browser = next((name for word, name in _BROWSERS.items() if word in agent), "A browser")
    system = next((name for word, name in _SYSTEMS.items() if word in agent), None)
    return f"{browser} on {system}" if system else browser
