"""The end of a command: its exit code, and a sentence instead of a traceback.

0     done
1     as the command defines; or the reader of its output has closed it (no message is printed)
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
"""The number of new objects after which Python collects the youngest generation.

Imports create many objects and no garbage: with Python's default of 700, collections took a fifth
of the CPU time that a referee needs to start.
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
    """Return a text stream on `raw` with the properties of Python's `stream`.

    If its encoding is not UTF-8, a terminal gets "?" for characters that the encoding lacks. Files
    and pipes get UTF-8: the output may be a document, and no character of it may be lost.
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
    # For a ladder's matrices, OpenBLAS's threads mostly busy-wait for each other: on cores that
    # have other work, they take seven times the CPU time of one thread.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic searches all installed packages for plugins, which takes a quarter of the time needed
    # to import the games. The arena needs none: plugins observe models of other packages.
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
    """Reserve standard output for the command's JSON, in UTF-8 whatever the terminal's encoding.

    Output of bots, libraries and child processes is redirected to standard error.
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

        # A module that a bot lacks never gets here: loading or playing the bot reports it.
        sentence = missing_extra((missing.name or "").partition(".")[0], sys.argv[1:])
        if sentence is not None:
            _say(sentence)
            return _MENDABLE
    if any(isinstance(one, UnicodeEncodeError) for one in _chain(error)):
        from arena.printable import printable

        # File names may contain any bytes; text that is sent or stored must be UTF-8.
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
    """Yield an error, the errors in its groups, and their causes and contexts."""
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
    """Flush the output and return the exit code, or an error's code if flushing fails.

    Python itself would flush at exit and fail with a traceback and code 120.
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
