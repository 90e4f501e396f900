"""The entry point of the `arena` command; names the package's extra if a module is missing."""

import signal
import sys
from collections.abc import Sequence

EXTRAS = ("play", "server", "dashboard")
"""The extras of the package; each contains those before it."""

PLAYING = frozenset({"play", "test", "tournament", "rate", "sprt", "luck", "verify"})
"""Commands that can at least partly run without a database; the others need the server extra."""

MODULES = {
    "play": frozenset({"cryptography", "networkx", "numpy", "rich", "scipy", "typer"}),
    "dashboard": frozenset({"altair", "pandas", "streamlit"}),
}
"""The extra that installs a module; unlisted modules come with the server extra."""


def main() -> None:
    """The entry point of the installed command."""
    # Python keeps SIGINT ignored if it was, as after `nohup arena … &`; Ctrl-C must always end us.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        from arena.cli import run

        run(sys.argv[1:])
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        extra = missing_extra(module, sys.argv[1:])
        sys.exit(
            f"arena: {module} is not installed: this needs `pip install 'bluff-arena[{extra}]'` "
            "(or `make setup` in a checkout)."
        )


def missing_extra(module: str, arguments: Sequence[str]) -> str:
    """The extra to install if a command does not find a module."""
    command = next((word for word in arguments if not word.startswith("-")), "play")
    of_command = "play" if command in PLAYING else "server"
    if command in ("up", "dashboard") and "--no-dashboard" not in arguments:
        of_command = "dashboard"
    of_module = next((extra for extra, names in MODULES.items() if module in names), "server")
    return max(of_command, of_module, key=EXTRAS.index)


if __name__ == "__main__":
    main()
