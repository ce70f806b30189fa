"""The `grader` command: thin Click commands, each loaded when it is called.

Exit codes: 0 done or AC, 1 judged and not AC, 2 usage or unreadable input, 3 invalid package, 4 our fault,
130 interrupted, 141 the reader of our output has gone. Results go to stdout or files, everything else to stderr; an
error is one line without traceback.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys

# little is imported before `main` runs: an interrupt during an import has to become a line as well
# our own arithmetic is small: threads of the linear algebra library would only spin beside the sandbox
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Run the command line; the only place where an error becomes a line and an exit code."""
    try:
        _prepare_streams()
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except BaseException as error:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left to do is short
        code = _explain(error)
        _let_go_of_streams()
    sys.exit(code)


def _run(args: list[str]) -> int:
    """Run a command; Click's own `main` would turn an interrupt and a lost reader into exit codes of its own."""
    import click

    from grader.cli.commands import cli

    if instruction := os.environ.get("_GRADER_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "grader", "_GRADER_COMPLETE", instruction)
    try:
        with cli.make_context("grader", args) as context:
            cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale; what the caller has closed becomes the null device.

    A file opened later would otherwise take the number of a closed stream and get its text.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        stream = getattr(sys, name)
        if name == "stdin":
            continue
        if stream is None:
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115 - for the whole run
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _explain(error: BaseException) -> int:
    """Say in one line on stderr what went wrong; return the exit code."""
    import click

    from grader.errors import GraderError

    match error:
        case KeyboardInterrupt() | click.Abort():
            return _say("Interrupted.", 130)
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "grader"
            message = error.format_message()
            end = "" if message.endswith((".", "?")) else "."
            return _say(f"{message}{end} See {command} --help.", error.exit_code)
        case click.ClickException():
            return _say(error.format_message(), error.exit_code)
        case GraderError():
            return _say(error.message, error.exit_code)
        case BrokenPipeError():
            return 141
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EFBIG) if not error.filename:
            return _say(f"The output cannot be written ({error.strerror}); make room, then run it again.", 4)
        case OSError():
            return _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", 4)
    if os.environ.get("GRADER_TRACEBACK"):
        raise error
    return _say(f"The grader failed, which is our fault ({type(error).__name__}: {error}).", 4)


def _let_go_of_streams() -> None:
    """Keep the interpreter from complaining, at its end, of what it cannot write."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _say(message: str, code: int) -> int:
    from grader.report.visible import visible

    with contextlib.suppress(OSError):  # nobody can be told
        print(f"grader: {visible(message, keep='')}", file=sys.stderr)
    return code
