"""Which modules a submission may import; the zygote loads them all, for nothing can be loaded behind the walls."""

from __future__ import annotations

from typing import Final

STANDARD: Final = frozenset(
    [
        "__future__", "abc", "atexit", "bisect", "collections", "collections.abc", "contextlib", "copy",
        "dataclasses", "decimal", "enum", "fractions", "functools", "heapq", "itertools", "json", "math",
        "numbers", "operator", "os", "os.path", "random", "re", "statistics", "string", "struct", "sys",
        "textwrap", "time", "types", "typing", "warnings",
    ]
)  # fmt: skip
NUMPY: Final = frozenset(
    [
        "numpy", "numpy.fft", "numpy.lib", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.ma",
        "numpy.random", "numpy.testing", "numpy.typing",
    ]
)  # fmt: skip
IMPORTABLE: Final = STANDARD | NUMPY

# loaded by NumPy or the interpreter at a first call only, which would come too late
LAZY: Final = (
    "numpy._core._methods",
    "numpy._core._dtype_ctypes",
    "numpy._core._internal",
    "numpy._core.strings",
    "numpy.char",
    "numpy.dtypes",
    "numpy.exceptions",
    "numpy.lib._npyio_impl",
    "numpy.matrixlib",
    "numpy.rec",
    "numpy.strings",
    "encodings.ascii",
    "encodings.idna",
    "encodings.latin_1",
    "encodings.utf_8_sig",
    "encodings.utf_16",
    "traceback",
    "linecache",
    "tokenize",
    "inspect",
    "reprlib",
    "pprint",
    "difflib",
    "unicodedata",
)
