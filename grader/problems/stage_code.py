"""Python texts that are appended to a package's stages.py: they describe it and call what it defines.

They run in the sandbox with the package's code, which may make them lie; that harms its own package only. What they
use of Python they take from `builtins`: a stage may be called `any` or `len`.
"""

from __future__ import annotations

from typing import Final

CHANGED_ARGUMENTS: Final = "changed_arguments"  # outcome of a function that writes into its arguments
CHANGED_STAGE: Final = "changed_stage"  # outcome of a trace in which a stage writes into an earlier one
DESCRIBE: Final = """
import builtins as _grader_python

def _grader_describe():
    kind = _grader_python.type(_grader_describe)
    found = []
    for name, function in [*_grader_python.globals().items()]:
        is_function = _grader_python.type(function) is kind and not name.startswith("_")
        if is_function and function.__module__ == __name__:
            code = function.__code__
            first = code.co_argcount + code.co_kwonlyargcount
            several = (code.co_flags & 4 != 0) + (code.co_flags & 8 != 0)  # *args, **kwargs
            rest = code.co_varnames[first : first + several]
            parameters = [*code.co_varnames[: code.co_argcount], *("*" + name for name in rest)]
            found.append([name, parameters, _grader_python.str(function.__doc__ or ""), code.co_firstlineno])
    return found
"""
MANY: Final = "_grader_call_many"
# one call for many compositions: each answers with arrays, or with a built-in exception's name; where one of them
# changes the arguments, which are the same for all, the call fails as a whole
CALL_MANY: Final = f"""
import builtins as _grader_python

def _grader_copies(values):
    return [value.copy() if _grader_python.hasattr(value, "copy") else value for value in values]

def _grader_changed(values, copies):
    pairs = _grader_python.zip(values, copies)
    return True in [_grader_python.hasattr(a, "tobytes") and a.tobytes() != b.tobytes() for a, b in pairs]

def {MANY}(names, *arguments):
    before = _grader_copies(arguments)
    answers = []
    for name in names:
        try:
            answers.append(_grader_python.globals()[name](*arguments))
        except _grader_python.Exception as error:
            kinds = [kind.__name__ for kind in _grader_python.type(error).__mro__ if kind.__module__ == "builtins"]
            answers.append(kinds[0])
    if _grader_changed(arguments, before):
        raise _grader_python.ValueError("{CHANGED_ARGUMENTS}")
    return answers
"""


def kept(stage: str) -> str:
    """Return the line of a trace that keeps a copy of a stage."""
    return f"    _k_{stage} = _grader_copies([_s_{stage}])[0]"


def unchanged(stages: list[str]) -> str:
    """Return the line of a trace that gives up where a stage is not what was kept of it: it would be told wrongly."""
    values, copies = (", ".join(f"_{kind}_{stage}" for stage in stages) for kind in "sk")
    return f"    if _grader_changed([{values}], [{copies}]): return {CHANGED_STAGE!r}"
