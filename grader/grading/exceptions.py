"""What to look at when an exception was raised: one remedy for each kind, the end of the reason's sentence."""

from __future__ import annotations

import builtins
import re
from typing import Final

OWN_CHECK: Final = "your own check refuses arguments that the contract allows; compare its condition with the contract."
AT_IMPORT: Final = (
    "the file raises it by itself while it is imported, before any case is asked; take out what runs then."
)
_OPERANDS: Final = "look at the shapes and dtypes of what that line works on."

# by built-in class; a class that is not here has the remedy of its nearest base, and the last one is everybody's
REMEDIES: Final = {
    "AssertionError": OWN_CHECK,
    "AttributeError": "what stands before the dot has no such attribute: look at its type and at the spelling.",
    "EOFError": "there is no input to read; take everything from the arguments.",
    "FloatingPointError": (
        "the source has NumPy raise where it would only warn (np.errstate, np.seterr); keep the division or the "
        "exponential in range, or leave the warnings alone."
    ),
    "IndexError": "an index lies beyond its axis; look at which axis it counts along and where the count ends.",
    "KeyError": "a key is asked for that was never stored; look at what the arguments hold.",
    "KeyboardInterrupt": "return the result and interrupt nothing.",
    "NameError": "a name has no value there: look at its spelling, and whether every branch assigns it.",
    "NotImplementedError": "a part is not written yet; write it.",
    "OverflowError": (
        "a Python number grew too large; subtract the maximum before the exponential, and use np.exp for math.exp."
    ),
    "RecursionError": "a function calls itself without coming to an end; write it as a loop or let it end.",
    "StopIteration": "an iterator was asked for more than it has; look at what is iterated over.",
    "SystemExit": "return the result and do not exit.",
    "TypeError": "look at the types of what that line works on, and at how many arguments it passes.",
    "ValueError": _OPERANDS,
    "ZeroDivisionError": "a Python number is divided by 0 there; look at which size or count can be 0.",
    "BaseException": _OPERANDS,
}
_RAISES: Final = re.compile(rb"(?:^|[:;])\s*(?:raise|assert)\b")


def remedy(builtin: str, code: bytes, *, is_called: bool = True) -> str:
    """Return what to look at.

    Args:
        builtin: the nearest built-in class of what was raised.
        code: the line that raised it, where that line is told; a check of the submission's own has its own remedy.
        is_called: whether a call raised it; what is raised when the file is imported refuses no arguments.
    """
    kind: type[BaseException] = getattr(builtins, builtin)
    may_check = issubclass(kind, Exception) and kind is not NotImplementedError
    if kind is AssertionError or (may_check and _RAISES.search(code.partition(b"#")[0])):
        return OWN_CHECK if is_called else AT_IMPORT
    return next(REMEDIES[base.__name__] for base in kind.__mro__ if base.__name__ in REMEDIES)
