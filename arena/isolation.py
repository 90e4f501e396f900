"""Isolation of a command from its environment: closed files, files named like modules, proxies.

This module imports only modules that Python has loaded before it searches the working directory, or
has built in: no file there can replace them.
"""

import _signal  # type: ignore[import-not-found]  # `signal` imports files
import os
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy")
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def isolate() -> None:
    """Prepare this process, before anything else is imported."""
    _signal.signal(_signal.SIGINT, leave_at_once)
    open_standard_streams()
    sys.path[:] = safe_path(sys.path, os.environ.get("PYTHONPATH", ""))
    bypass_proxies(os.environ)


def leave_at_once(_number: int, _frame: object) -> None:
    """Handle SIGINT while nothing has to be cleaned up: during imports, and at the end.

    An exception raised during an import could be replaced by another one or print a traceback. The
    handler also applies where SIGINT is ignored, as after `nohup arena … &`: Ctrl-C must always end
    the process.
    """
    os._exit(INTERRUPTED)


def open_standard_streams() -> None:
    """Open /dev/null as each of the file numbers 0 to 2 that is closed.

    Schedulers start programs in this state. The next opened file would get the closed number: a
    socket, for example, which would then receive the output meant for stdout.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            os.set_inheritable(opened, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


def safe_path(path: list[str], python_path: str) -> list[str]:
    """Return the search path for modules without the working directory or the script's folder.

    The folders of PYTHONPATH come last: their files are found, but shadow no module. The folder of
    this package is added if it is not in the path.
    """
    found = path if sys.flags.safe_path else path[1:]
    last = python_folders(python_path)
    first = [folder for folder in found if _absolute(folder) not in last]
    return first + [folder for folder in (*last, package_root()) if folder not in first]


def python_folders(python_path: str) -> list[str]:
    """Return the folders that PYTHONPATH names, as absolute paths, but not Python's own."""
    named = map(_absolute, python_path.split(os.pathsep)) if python_path else ()
    return [folder for folder in named if folder != os.path.dirname(os.__file__)]  # noqa: PTH120


def package_root() -> str:
    """Return the folder that contains the package `arena`."""
    return os.path.dirname(os.path.dirname(_absolute(__file__)))  # noqa: PTH120


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100


def bypass_proxies(environment: "os._Environ[str] | dict[str, str]", *more: str) -> None:
    """Exempt this machine, and `more` hosts, from the proxies that the environment names.

    Programs prefer `no_proxy` to `NO_PROXY`; some read only the latter.
    """
    if not any(environment.get(name) or environment.get(name.upper()) for name in _PROXIES):
        return
    either = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    for name in ("no_proxy", "NO_PROXY"):
        listed = environment.get(name) or either
        environment[name] = listed if listed.strip() == "*" else _with(listed, more)
    for_grpc = environment.get("no_grpc_proxy", "")
    if for_grpc or either.strip() == "*":  # gRPC reads this instead, and does not support "*"
        environment["no_grpc_proxy"] = _with(for_grpc, more)


def _with(listed: str, more: tuple[str, ...]) -> str:
    names = [name.strip() for name in listed.split(",") if name.strip()]
    return ",".join([*names, *(name for name in (*_LOCAL_NAMES, *more) if name not in names)])
