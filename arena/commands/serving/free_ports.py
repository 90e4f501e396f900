"""`require_free`: checks that a port is free before any program is started."""

import socket

from arena.addresses import bare_host, host_port
from arena.commands.errors import CommandError


def require_free(host: str, port: int, option: str = "--port") -> int:
    """Check that a program may listen on the port of `option`, and return it; for 0 a free one.

    Raises CommandError.
    """
    if not 0 <= port <= 65_535:
        raise CommandError(f"{option} {port}: ports are 0 to 65535.")
    try:
        return _listened(host, port)
    except (socket.gaierror, UnicodeError) as error:
        raise CommandError(
            f"{host!r} is not an address to listen on: choose one of this machine with --host "
            "or ARENA_HOST, such as 127.0.0.1, or 0.0.0.0 for all."
        ) from error
    except OSError as error:
        raise CommandError(
            f"cannot listen on {host_port(host, port)} ({error.strerror}): stop the program "
            f"that uses it, or choose another port with {option}."
        ) from error


def _listened(host: str, port: int) -> int:
    """Bind to the port for a moment and return it."""
    found = socket.getaddrinfo(bare_host(host), port, type=socket.SOCK_STREAM)
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        chosen: int = probe.getsockname()[1]
        return chosen
