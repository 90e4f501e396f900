"""`require_free`: checks that ports are free before any program is started."""

import socket

from arena.addresses import bare_host, host_port
from arena.commands.errors import CommandError


def require_free(host: str, **options: int) -> None:
    """Check that a program may listen on these ports, given by the option that chooses each.

    Raises CommandError.
    """
    for option, port in options.items():
        if not 0 <= port <= 65_535:
            raise CommandError(f"--{option.replace('_', '-')} {port}: ports are 0 to 65535.")
        try:
            _listen(host, port)
        except (socket.gaierror, UnicodeError) as error:
            raise CommandError(
                f"{host!r} is not an address to listen on: choose one of this machine with --host "
                "or ARENA_HOST, such as 127.0.0.1, or 0.0.0.0 for all."
            ) from error
        except OSError as error:
            raise CommandError(
                f"cannot listen on {host_port(host, port)} ({error.strerror}): stop the program "
                f"that uses it, or choose another port with --{option.replace('_', '-')}."
            ) from error


def _listen(host: str, port: int) -> None:
    found = socket.getaddrinfo(bare_host(host), port, type=socket.SOCK_STREAM)
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
