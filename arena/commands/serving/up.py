"""`arena up`: runs database, referee, sample bots and dashboard until Ctrl-C (`make up`)."""

import asyncio
import fcntl
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.addresses import host_port, on_loopback
from arena.builds.hosted import HostingTerms
from arena.commands.database import database, url_of_role
from arena.commands.errors import CommandError
from arena.commands.ratings.leaderboard import print_leaderboard, remarks_on, title
from arena.commands.serving import table_option
from arena.commands.serving.children import (
    Children,
    children,
    house_tokens,
    nobody_to_play,
    person_token,
    start_sample_bots,
)
from arena.commands.serving.dashboard import (
    WAITING,
    dashboard_command,
    no_answer,
    require_streamlit,
    where_it_answers,
)
from arena.commands.serving.free_ports import require_free
from arena.commands.serving.own_referee import (
    client_environment,
    own_address,
    public_addresses,
    referee_settings,
    sign_up_of,
)
from arena.commands.serving.own_worker import hosting_here, start_worker, stop_worker
from arena.commands.serving.pace_option import PaceOption, chosen_pace, pace_in_words
from arena.commands.serving.serve import stop_signal
from arena.database.private_home import make_private_home, not_writable
from arena.database.roles import READER_ROLE, WORKER_ROLE
from arena.games import make_game
from arena.logs import configure_logs
from arena.processes import module_command
from arena.scheduling.ladder import TableType
from arena.scheduling.pace import FULL_SPEED
from arena.server.app.arena import Arena
from arena.server.app.assembly import running_arena
from arena.server.app.event_loop import run
from arena.settings import Settings, SettingsError, read_settings
from arena.waiting import wait_at_most

_DASHBOARD = "dashboard"
"""The child that serves the pages."""
STATUS_SECONDS = 1.0
RATE_SECONDS = 30
"""The period over which the status line's matches per second are averaged."""
LONELY_SECONDS = 15.0
"""The time without any bot after which a sample bot's log is quoted, in seconds."""
PLAIN_STATUS_SECONDS = 10.0
"""The interval between status lines without a terminal, where a line cannot be rewritten."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The chosen options."""

    settings: Settings
    """The settings of the environment, overridden by the options."""
    hosting: HostingTerms | None
    dashboard_port: int | None
    table_types: list[TableType]
    stop_after: int | None
    referees: int
    tables: tuple[str, ...]
    """The tables as given on the command line."""
    client_environment: dict[str, str]
    """The environment variables of the sample bots."""
    dashboard_secret: str


def up(
    port: Annotated[int | None, typer.Option(help="The referee's port.")] = None,
    dashboard_port: Annotated[
        int | None, typer.Option(help="The dashboard's port; 0 takes a free one.")
    ] = None,
    no_dashboard: Annotated[bool, typer.Option("--no-dashboard", help="Leave it out.")] = False,
    stop_after: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after this many recorded matches, played at full speed."),
    ] = None,
    table: Annotated[list[str] | None, typer.Option(help=table_option.HELP)] = None,
    pace: PaceOption = None,
    referees: Annotated[
        int,
        typer.Option(min=1, max=16, help="Referees, on one core each; all but one on any port."),
    ] = 1,
) -> None:
    """Run database, referee, sample bots and dashboard until Ctrl-C."""
    settings = read_settings()
    chosen = {
        "port": settings.port if port is None else port,
        # With --stop-after, the user waits for the matches: no pace.
        "pace": chosen_pace(pace, settings.pace if stop_after is None else FULL_SPEED),
    }
    settings = settings.model_copy(update=chosen)
    pages = settings.dashboard_port if dashboard_port is None else dashboard_port
    plan = _Plan(
        settings,
        hosting_here(settings),
        None if no_dashboard else pages,
        table_option.table_types(table or ()),
        stop_after,
        referees,
        tuple(table or ()),
        client_environment(settings),
        settings.dashboard_secret or secrets.token_urlsafe(32),
    )
    further = settings.model_copy(update={"public_address": None})
    if plan.referees > 1 and not public_addresses(further, settings.host)(settings.port):
        raise SettingsError(
            "Bots must be told where each of several referees is reached: set ARENA_HOST to "
            "one address of this machine, and not to all."
        )
    require_free(settings.host, settings.port)
    if plan.dashboard_port is not None:
        require_streamlit()
        pages = require_free(settings.host, plan.dashboard_port, "--dashboard-port")
        plan = replace(plan, dashboard_port=pages)
    configure_logs(settings)
    with _alone(settings.home):
        typer.echo(f"Starting the database, the referee and what plays, in {settings.home} …")
        with database(settings) as url:
            run(_up(plan, url))


async def _up(plan: _Plan, url: str) -> None:
    stopping = stop_signal()
    settings = plan.settings
    started = replace(
        referee_settings(
            settings, plan.table_types, settings.host, alone=on_loopback(settings.host)
        ),
        hosting=plan.hosting,
        dashboard_secret=plan.dashboard_secret,
    )
    async with running_arena(url, started) as arena:
        with children(settings.home / "logs") as running:
            address = own_address(settings, arena.port)
            # The worker starts first, because uploads may already arrive.
            if plan.hosting is not None and settings.slots:
                queue = url_of_role(WORKER_ROLE, url, settings)
                at = {"ARENA_DATABASE_URL": queue, "ARENA_ADDRESS": address}
                slots = settings.slots
                await start_worker(running, arena.store, slots, plan.client_environment | at)
            tokens = await house_tokens(arena.store, plan.table_types)
            for sentence in nobody_to_play(plan.table_types, tokens):
                typer.echo(sentence, err=True)
            start_sample_bots(running, address, tokens, plan.client_environment)
            scheme = "https://" if settings.tls_cert else ""
            typer.echo(f"Referee:   {scheme}{host_port(settings.host, arena.port)}")
            _start_further(plan, url, running)
            if plan.dashboard_port is not None:
                command = dashboard_command(settings.host, plan.dashboard_port)
                running.start(
                    _DASHBOARD,
                    command,
                    niceness=0,
                    **plan.client_environment
                    | {
                        "ARENA_DATABASE_URL": url_of_role(READER_ROLE, url, settings),
                        # The pages show bots' address and running matches, and let people play.
                        "ARENA_HOST": settings.host,
                        "ARENA_PORT": str(arena.port),
                        "ARENA_ADDRESS": address,
                        "ARENA_DASHBOARD_SECRET": plan.dashboard_secret,
                        "ARENA_PERSON_TOKEN": await person_token(arena.store) or "",
                    },
                )
                typer.echo(WAITING)
            typer.echo(pace_in_words(settings.pace))
            typer.echo("Ctrl-C stops everything.")
            if plan.stop_after is not None:
                arena.when_recorded(plan.stop_after, stopping.set)
            async with asyncio.TaskGroup() as tasks:
                pages = tasks.create_task(_tell_pages(plan, running))
                await _show_status(arena, running, list(tokens), stopping)
                pages.cancel()
            if plan.stop_after is not None:
                # The requested number of matches is rounded up to whole blocks.
                await arena.wind_down()
            await stop_worker(running, stopping)
            # Before the sample bots are stopped: they see only that the referee is unreachable.
            await arena.hand_over()
        typer.echo(f"Stopped: {arena.recorded:,} matches recorded since the start.")
        if plan.stop_after is not None:
            _print_leaderboards(arena, plan.table_types)


async def _tell_pages(plan: _Plan, running: Children) -> None:
    """Print the address of the pages once they answer."""
    if plan.dashboard_port is None:
        return
    host, port = plan.settings.host, plan.dashboard_port
    at = await where_it_answers(host, port, lambda: running.runs(_DASHBOARD))
    if at is not None:
        typer.echo(f"Dashboard: {at}")
    elif running.runs(_DASHBOARD):
        logs = plan.settings.home / "logs"
        typer.echo(f"{no_answer(host, port)} See {logs}/{_DASHBOARD}.log.", err=True)


def _start_further(plan: _Plan, url: str, running: Children) -> None:
    """Start the other referees; they spool matches into the same directory as this one."""
    tables = [word for table in plan.tables for word in ("--table", table)]
    pace = "max" if plan.settings.pace == FULL_SPEED else f"{plan.settings.pace:g}"
    for number in range(2, plan.referees + 1):
        running.start(
            f"referee{number}",
            module_command("arena", "serve", "--port", "0", "--pace", pace, *tables),
            ARENA_DATABASE_URL=url,
            ARENA_METRICS_PORT="",
            ARENA_PUBLIC_ADDRESS="",
            ARENA_SIGNUP=sign_up_of(plan.settings, alone=on_loopback(plan.settings.host)).value,
            ARENA_DASHBOARD_SECRET=plan.dashboard_secret,
            ARENA_HOSTING=str(plan.hosting is not None),
        )


async def _show_status(
    arena: Arena, running: Children, bots: Sequence[str], stopping: asyncio.Event
) -> None:
    """Show a live status line until `stopping`; without a terminal, print one at intervals."""
    console = Console(stderr=True)
    next_plain = monotonic() + PLAIN_STATUS_SECONDS
    lately: deque[tuple[float, int]] = deque(maxlen=RATE_SECONDS)
    lonely_until = monotonic() + LONELY_SECONDS if bots else inf
    with Live(console=console, auto_refresh=False) as live:
        while not stopping.is_set():
            now = monotonic()
            lately.append((now, arena.recorded))
            since, before = lately[0]
            rate = (arena.recorded - before) / max(now - since, STATUS_SECONDS)
            line = (
                f"{arena.recorded} matches recorded, {rate:.1f}/s, {arena.connected} bots connected"
            )
            if console.is_terminal:
                live.update(Text(line), refresh=True)
            elif now >= next_plain:
                next_plain = now + PLAIN_STATUS_SECONDS
                typer.echo(line)
            for sentence in running.ended():
                typer.echo(sentence, err=True)
            if arena.connected:
                lonely_until = inf
            elif now > lonely_until:
                lonely_until = inf
                words = running.last_words(bots)
                typer.echo(f"No sample bot has connected yet. {words}", err=True)
            await wait_at_most(stopping, STATUS_SECONDS)


def _print_leaderboards(arena: Arena, table_types: list[TableType]) -> None:
    # Imported here: only this needs numpy.
    from arena.server.boards.live_board import LiveBoard, ladder_of_table

    for table in table_types:
        changed = table.options.changed()
        _, ladder_id = ladder_of_table(
            arena.read,
            table.game,
            changed,
            table.seats,
            time_control=table.time_control,
        )
        lines = LiveBoard(ladder_id, arena.read).now().ranked
        rules = make_game(table.game, changed)
        named = title(rules, table.seats, control=table.time_control)
        print_leaderboard(rules, named, lines, remarks_on(arena.read, ladder_id, lines))


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Lock this home against another `arena up` until the block, or this process, ends.

    A second one would give new tokens to the bots of the first. Raises CommandError if one runs
    there, and SetupError.
    """
    make_private_home(home)
    place = home / "up.lock"
    try:
        lock = place.open("ab")
    except OSError as error:
        raise not_writable(place, error) from error
    with lock:  # no child inherits it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(
                f"another `arena up` runs in {home.absolute()}: stop it, choose another directory "
                "with ARENA_HOME for a second arena, or run `arena serve --port 0` for a second "
                "referee of this one."
            ) from error
        except OSError as error:  # a file system without locks
            raise not_writable(place, error) from error
        yield
