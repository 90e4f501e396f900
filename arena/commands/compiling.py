"""A notice that the solver's loops are being compiled, which may take half a minute."""

from typing import Any

from arena.commands.terminal import say
from arena.executors import Once


def tell_compiling(once: Once) -> None:
    """Print a notice on stderr if loops are compiled in this process.

    It is printed once among the processes that share the lock. numba caches compiled code, so later
    runs print nothing.
    """
    # The import is here, because numba is optional: arguments are parsed without it.
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
