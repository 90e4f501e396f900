"""The end of a command: its exit code, and a sentence instead of a traceback.

0     done
1     as the command defines; or the reader of its output has gone, which needs no message
2     an error that the user can correct, among them a missing extra and output that cannot be
      written
130   Ctrl-C, at any moment
"""

import codecs
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import Any, Final, NoReturn

from arena.isolation import INTERRUPTED, leave_at_once

_GONE: Final = 1
_MENDABLE: Final = 2
_COLLECT_AFTER: Final = 50_000
"""The objects after which the youngest are looked through for garbage.

Imports make many objects, and no garbage: with Python's own 700, looking took a fifth of the CPU
time that a referee needs to start.
"""


class OutputError(OSError):
    """An error in writing standard output, other than a closed reader."""


class _Output(io.FileIO):
    """Standard output, whose write errors are OutputErrors."""

    def write(self, data: Any, /) -> int:
        """Write the data. Raises OutputError, or BrokenPipeError if the reader has gone."""
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.errno, error.strerror) from error


class _Errors(io.FileIO):
    """Standard error, which drops data that cannot be written.

    A log line must not end a referee.
    """

    def write(self, data: Any, /) -> int:
        """Write the data, or drop it if that fails."""
        with suppress(OSError):
            super().write(data)
        return len(data)


def run_command() -> NoReturn:
    """Run the command in the arguments, and end the process."""
    gc.set_threshold(_COLLECT_AFTER, 20, 20)
    _set_library_defaults()
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(2, "w", closefd=False), sys.stderr)
    try:
        code = _code_of_command(sys.argv[1:])
    except BaseException as error:
        code = _code_of_error(error)
    signal.signal(signal.SIGINT, leave_at_once)
    sys.exit(_after_output(code))


def _text(raw: Any, stream: Any) -> io.TextIOWrapper:
    """Return a stream like one of Python's, on another file.

    A terminal gets "?" for characters that its encoding lacks. Files and pipes get UTF-8: what
    goes there may be a document, of which no character must be lost.
    """
    encoding, errors = stream.encoding, stream.errors
    if errors in ("strict", "surrogateescape") and not _is_utf_8(encoding):
        if raw.isatty():
            errors = "replace"
        else:
            encoding = "utf-8"
    return io.TextIOWrapper(
        raw if stream.write_through else io.BufferedWriter(raw),
        encoding=encoding,
        errors=errors,
        newline="\n",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _is_utf_8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"


def _set_library_defaults() -> None:
    """Set variables that libraries read when they are imported, here and in child processes."""
    # gRPC's own log has a line for every failed handshake, which any peer can cause.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # For the matrices of a ladder OpenBLAS's threads mostly wait for each other, busily: on cores
    # that have other work it takes seven times the CPU time of one thread.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic looks for its plugins among all installed packages: a quarter of what it takes to
    # import the games, for plugins that observe models of other packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _code_of_command(arguments: list[str]) -> int:
    from arena.cli import application

    command = application(arguments)
    if "--json" in takewhile(lambda word: word != "--", arguments):
        _print_json_alone()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        command(arguments)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        raise
    return 0


def _print_json_alone() -> None:
    """Let only a command's JSON reach standard output, in UTF-8 whatever the terminal has.

    What bots, libraries and child processes print there goes to standard error.
    """
    from arena.commands.terminal import JSON_STREAM

    file = os.dup(1)
    os.dup2(2, 1)
    JSON_STREAM.set(io.TextIOWrapper(_Output(file, "w"), "utf-8", newline="\n", write_through=True))


def _code_of_error(error: BaseException) -> int:
    """Print an error as a sentence and return the exit code.

    Raises the error again if it is a bug.
    """
    if any(isinstance(one, KeyboardInterrupt) for one in _chain(error)):
        return INTERRUPTED
    missing = next((one for one in _chain(error) if isinstance(one, ModuleNotFoundError)), None)
    if missing is not None:
        from arena.extras import missing_extra

        # Loading and playing a bot report the modules that it lacks, so they never get here.
        sentence = missing_extra((missing.name or "").partition(".")[0], sys.argv[1:])
        if sentence is not None:
            _say(sentence)
            return _MENDABLE
    if any(isinstance(one, UnicodeEncodeError) for one in _chain(error)):
        from arena.printable import printable

        # Names of files may have any bytes; what is sent or stored may not.
        words = sys.argv[1:]
        wrong = next((one for one in words if one.encode(errors="ignore").decode() != one), None)
        if wrong is not None:
            _say(f"the argument {printable(wrong)} is not text in UTF-8.")
            return _MENDABLE
    output = next((one for one in _chain(error) if isinstance(one, OutputError)), None)
    if output is not None:
        return _code_of_output(output)
    raise error


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, those in its groups, and its causes and contexts."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        waiting += [other for other in (one.__cause__, one.__context__) if other is not None]


def _after_output(code: int) -> int:
    """Flush the output and return the exit code; another code if that fails.

    Python would do it after everything else, and fail with a traceback and code 120.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return code or _GONE
    except OutputError as error:
        return code or _code_of_output(error)
    return code


def _code_of_output(error: OutputError) -> int:
    _discard_output()
    _say(f"cannot write to standard output: {error.strerror}.")
    return _MENDABLE


def _discard_output() -> None:
    """Redirect the remaining output to /dev/null."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)


def _say(sentence: str) -> None:
    with suppress(OSError):
        os.write(2, f"arena: {sentence}\n".encode())
