"""The child processes of `arena up`: sample bots and the dashboard."""

import asyncio
import signal
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from arena.builds.house import HOUSE
from arena.database.errors import NameRefusedError, RetiredError
from arena.database.private_home import private_log
from arena.database.rows import BotVersion
from arena.games import KITS
from arena.local.loading import SAMPLE_BOTS, bot_file, load_bot, sample_names
from arena.local.programs.python_file import python_command
from arena.printable import printable
from arena.processes import STDOUT, Process, own_environment, spawn, stop_all
from arena.scheduling.ladder import TableType
from arena.server.app.store import Store

BOT_NICENESS = 10
"""The niceness of sample bots, which use all cores: the pages and users' bots have priority."""

STOP_SECONDS = 2.0
"""The time that the programs may take to stop, in seconds.

No match runs then, and they have nothing to save. The worker is asked to leave before, while its
bots can still play their matches to the end.
"""

LOOK_SECONDS = 0.05
"""The interval between checks whether a program has stopped, in seconds."""

_LAST_BYTES = 4096

SLOW_BOTS = frozenset[str]().union(*[kit.slow_bots for kit in KITS.values()])
"""The sample bots that play only on request."""

PERSON = "person"
"""The name of the bot that people play with on the dashboard; it plays no rated matches."""


class Children:
    """Running programs by name, each with its own log file; they end with this process."""

    def __init__(self, logs: Path, stack: ExitStack) -> None:
        self._logs = logs
        self._stack = stack
        self._started: list[Process] = []
        self._running: dict[str, Process] = {}
        stack.callback(stop_all, self._started, STOP_SECONDS)

    def start(
        self, name: str, command: Sequence[str], *, niceness: int = 0, **environment: str
    ) -> None:
        """Start one of the arena's programs with its output in logs/<name>.log."""
        log = self._stack.enter_context(private_log(self._logs / f"{name}.log"))
        child = spawn(
            command,
            env=own_environment(environment),
            stdout=log,
            stderr=STDOUT,
            # Not SIGTERM: a bot then plays on for a while, and would wait for its referee.
            death_signal=signal.SIGKILL,
            niceness=niceness,
        )
        self._started.append(child)
        self._running[name] = child

    def runs(self, name: str) -> bool:
        """Return whether a program of this name was started and has not ended."""
        return name in self._running and self._running[name].poll() is None

    async def left(self, name: str) -> None:
        """Ask a program to stop, and wait until it has; return at once if it does not run."""
        if self.runs(name):
            self._running[name].terminate()
            while self.runs(name):  # noqa: ASYNC110  a process sends no event
                await asyncio.sleep(LOOK_SECONDS)

    def ended(self) -> Iterator[str]:
        """Yield a message for each program that has ended since the last call."""
        for name, child in list(self._running.items()):
            if child.poll() is not None:
                del self._running[name]
                yield f"{name} ended with code {child.returncode}: see {self._logs}/{name}.log"

    def last_words(self, names: Iterable[str]) -> str:
        """Return a sentence with the last line that one of these programs has printed."""
        for name in names:
            log = self._logs / f"{name}.log"
            with suppress(OSError), log.open("rb") as file:
                file.seek(max(0, log.stat().st_size - _LAST_BYTES))
                lines = file.read().decode("utf-8", "replace").split("\n")
                said = next(filter(None, map(str.strip, reversed(lines))), "")
                if said:
                    return f"The last line in {log}: {printable(said)}"
        return f"They have printed nothing into {self._logs} yet."


@contextmanager
def children(logs: Path) -> Iterator[Children]:
    """Provide a Children object, and stop its programs at the end."""
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    logs.chmod(0o700)  # an existing directory may be open to others
    with ExitStack() as stack:
        yield Children(logs, stack)


def start_sample_bots(
    running: Children,
    address: str,
    tokens: Mapping[str, str],
    environment: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Start each sample bot that has a token."""
    for name, token in tokens.items():
        running.start(
            name,
            python_command(str(bot_file(name))),
            niceness=BOT_NICENESS,
            **{
                **environment,
                "ARENA_ADDRESS": address,
                "ARENA_TOKEN": token,
                "ARENA_CHALLENGES": "1",
            },
        )


async def house_tokens(
    store: Store, table_types: Sequence[TableType], names: Sequence[str] = ()
) -> dict[str, str]:
    """Return a new token for each sample bot that plays one of the games, registered if necessary.

    Without `names` these are all bots that answer fast. A name that another owner has, or that was
    retired, is omitted.
    """
    games = {one.game for one in table_types}
    names = names or sorted({*sample_names()} - SLOW_BOTS)
    known = {bot.bot: bot for bot in await store.bots(names)}
    tokens = {}
    for name in names:
        if not games.intersection(load_bot(name).games):
            continue
        token = await _house_token(store, name, known)
        if token is not None:
            tokens[name] = token
    return tokens


async def person_token(store: Store) -> str | None:
    """Return a new token for the bot that people play with on the dashboard.

    The bot is registered if necessary; None if another owner has its name.
    """
    return await _house_token(store, PERSON, {bot.bot: bot for bot in await store.bots([PERSON])})


async def _house_token(store: Store, name: str, known: Mapping[str, BotVersion]) -> str | None:
    if name not in known:
        try:
            return (await store.register(name, HOUSE, house=True))[1]
        except (NameRefusedError, RetiredError):  # a bot has that name in another letter case
            return None
    usable = known[name].house and known[name].retired_at is None
    return (await store.rotate_token(name))[0] if usable else None


def nobody_to_play(table_types: Sequence[TableType], names: Collection[str]) -> Iterator[str]:
    """Yield a message for each type of table with too few sample bots of these names."""
    for table in table_types:
        able = [name for name in names if table.game in load_bot(name).games]
        if len(able) < table.seats:
            found = ", ".join(able) or "none"
            yield (
                f"Nothing is played at {table.game}:{table.seats} until more bots connect. "
                f"Sample bots that can play there: {found} (from {SAMPLE_BOTS}). "
                "Register bots with `arena bot new`."
            )
