"""Tells that the solver's loops are being compiled, which may take half a minute."""

from typing import Any

from arena.commands.terminal import say
from arena.executors import Once


def tell_compiling(once: Once) -> None:
    """Say on stderr that loops are compiled in this process.

    Unless another one with the same lock has said so. numba keeps what it compiles, so later there
    is nothing to say.
    """
    # Imported here, because numba is of an extra: arguments are read without it.
    from numba.core import event

    class Teller(event.Listener):
        def on_start(self, _event: Any) -> None:
            if once.acquire(False):
                say(
                    "Compiling the solver's loops for this machine, the first time only: up to a "
                    "minute.",
                    err=True,
                )

        def on_end(self, _event: Any) -> None:
            pass

    event.register("numba:compile", Teller())
