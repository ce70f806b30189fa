"""Python texts that are appended to a package's stages.py: they describe it and call what it defines.

They run in the sandbox with the package's code, which may make them lie; that harms its own package only.
"""

from __future__ import annotations

from typing import Final

CHANGED_ARGUMENTS: Final = "changed_arguments"  # outcome of a function that writes into its arguments
CHANGED_STAGE: Final = "changed_stage"  # outcome of a trace in which a stage writes into an earlier one
DESCRIBE: Final = """
def _grader_describe():
    kinds = type(_grader_describe)
    found = []
    for name, function in list(globals().items()):
        if type(function) is kinds and not name.startswith("_") and function.__module__ == __name__:
            code = function.__code__
            first = code.co_argcount + code.co_kwonlyargcount
            rest = code.co_varnames[first : first + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
            parameters = [*code.co_varnames[: code.co_argcount], *("*" + name for name in rest)]
            found.append([name, parameters, str(function.__doc__ or ""), code.co_firstlineno])
    return found
"""
MANY: Final = "_grader_call_many"
# one call for many compositions: each answers with arrays, or with a built-in exception's name; where one of them
# changes the arguments, which are the same for all, the call fails as a whole
CALL_MANY: Final = f"""
def _grader_copies(values):
    return [value.copy() if hasattr(value, "copy") else value for value in values]

def _grader_changed(values, copies):
    return any(hasattr(a, "tobytes") and a.tobytes() != b.tobytes() for a, b in zip(values, copies))

def {MANY}(names, *arguments):
    before = _grader_copies(arguments)
    answers = []
    for name in names:
        try:
            answers.append(globals()[name](*arguments))
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
            answers.append(kinds[0])
    if _grader_changed(arguments, before):
        raise ValueError("{CHANGED_ARGUMENTS}")
    return answers
"""


def kept(stage: str) -> str:
    """Return the line of a trace that keeps a copy of a stage."""
    return f"    _k_{stage} = _grader_copies([_s_{stage}])[0]"


def unchanged(stages: list[str]) -> str:
    """Return the line of a trace that gives up where a stage is not what was kept of it: it would be told wrongly."""
    values, copies = (", ".join(f"_{kind}_{stage}" for stage in stages) for kind in "sk")
    return f"    if _grader_changed([{values}], [{copies}]): return {CHANGED_STAGE!r}"
