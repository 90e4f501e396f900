"""`arena tournament …`: Create tournaments among registered bots, run them and show standings.

The commands write to the database, which notifies a running referee; that plays the matches. Only
`play` needs neither: it starts its bots itself.
"""

import asyncio
import secrets
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from arena.commands.database import reading, with_store
from arena.commands.errors import CommandError
from arena.commands.options import (
    SHOWN,
    AsJson,
    Limit,
    OptionList,
    Search,
    TableLimit,
    TimeOption,
    time_control,
)
from arena.commands.terminal import say, say_json
from arena.commands.tournaments.options import (
    Advance,
    GameName,
    Groups,
    PlayedBy,
    Rounds,
    Score,
    Seats,
)
from arena.commands.tournaments.play import play
from arena.commands.tournaments.printing import (
    print_list,
    print_standings,
    print_tournament,
    seconds_left,
    standings_json,
    summary_json,
    tournament_json,
)
from arena.commands.tournaments.rules import check_format, game_at_tables_of
from arena.database.names import folded
from arena.match.score_rule import ScoreRule
from arena.server.tournaments import duration
from arena.server.tournaments.summary import blocks_expected, blocks_left
from arena.server.tournaments.tournament import (
    DEFAULT_PATIENCE_SECONDS,
    Rules,
    Tournament,
    TournamentRecord,
    TournamentState,
)

if TYPE_CHECKING:  # not at run time: `play` does not need it
    from arena.server.app.store import Store

app = typer.Typer(no_args_is_help=True, help="Create tournaments, run them and show standings.")

Name = Annotated[str, typer.Argument(help="The tournament's name.")]
Watch = Annotated[
    bool, typer.Option("--watch", help="Show the progress until the tournament is over.")
]

_NEVER_TWICE = (
    "--same-deals: a connected bot would remember the others' dice from the first playing of a "
    "deal, so it never gets one twice. `arena tournament play` plays the same deals, among bots "
    "that it starts itself."
)

app.command("play")(play)


@app.command()
def create(
    name: Name,
    format_name: PlayedBy,
    bots: Annotated[
        str, typer.Option(help="BOT or BOT:VERSION, separated by commas; by default the newest.")
    ],
    game: GameName = "bluff",
    seats: Seats = 2,
    blocks: Annotated[
        int,
        typer.Option(min=1, help="Seat blocks per pairing; in a block each bot plays every seat."),
    ] = 1,
    option: OptionList = None,
    time: TimeOption = "",
    rounds: Rounds = None,
    groups: Groups = None,
    advance: Advance = None,
    seed: Annotated[
        str, typer.Option(help="Anything; it determines random pairings. Default: random.")
    ] = "",
    score: Score = ScoreRule.PLACEMENT,
    unrated: Annotated[
        bool,
        typer.Option("--unrated", help="Do not rate the matches; bots of one owner may meet."),
    ] = False,
    patience: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="How long the tables of an absent bot wait before they are walkovers.",
        ),
    ] = DEFAULT_PATIENCE_SECONDS,
    same_deals: Annotated[
        bool,
        typer.Option("--same-deals", help="Not for connected bots: see `arena tournament play`."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Create a tournament. `arena tournament start` starts it."""
    if same_deals:
        raise CommandError(_NEVER_TWICE)
    rules_of_game = game_at_tables_of(seats, game, option)
    control = time_control(time)
    rules = Rules(
        format=format_name,
        game=rules_of_game.name,
        options=rules_of_game.options.changed(),
        seats=seats,
        blocks=blocks,
        rounds=rounds,
        score=score,
        seed=seed or secrets.token_hex(4),
        rated=not unrated,
        time_control=control,
        patience_seconds=patience,
        groups=groups,
        advance=advance,
    )

    tournament, absent, pace = _create(name, bots, rules)
    blocks_planned = blocks_expected(tournament, 0)
    if absent:
        say(
            f"Not here to play now: {', '.join(absent)}. Tables wait {patience} s for a bot once "
            "the tournament runs, and are walkovers then.",
            err=True,
        )
    if as_json:
        say_json(summary_json(tournament, 0) | seconds_left(tournament, blocks_planned, pace))
        return
    say(duration.in_words(rules, pace, blocks_planned))
    say(
        f"Created {tournament.name} (seed {rules.seed}). Start it with "
        f"`arena tournament start {quote(tournament.name)}`."
    )


def _create(
    name: str, bots: str, rules: Rules
) -> tuple[Tournament, list[str], "duration.PlayingSpeed"]:
    # Imported here: only seeding by ratings needs numpy.
    from arena.commands.tournaments.entries import (
        absent,
        bots_named,
        refuse_one_owner,
        seeded,
        versions_named,
    )
    from arena.database.reading import Reader
    from arena.server.app.store import open_store
    from arena.server.boards.live_board import LiveBoard, ladder_of_table

    async def create(url: str, read: Reader) -> tuple[Tournament, list[str], duration.PlayingSpeed]:
        async with open_store(url) as store:
            known = await store.bots(bots_named(bots))
            can = await store.tournament_bots.participation([one.id for one in known], rules.game)
            entered = versions_named(bots, known, can)
            if rules.rated:
                refuse_one_owner(entered)
            check_format(rules, len(entered))
            _, ladder = ladder_of_table(
                read, rules.game, rules.options, rules.seats, time_control=rules.time_control
            )
            lines = LiveBoard(ladder, read).now().lines
            elo = {line.version_id: line.elo for line in lines}
            field = seeded(entered, elo, rules.format, rules.seed)
            made = await store.tournaments.create(name, rules, field)
            return made, absent(entered, can), await store.tournament_bots.pace(made)

    with reading() as (read, url):
        return asyncio.run(create(url, read))


@app.command()
def start(name: Name, watch: Watch = False) -> None:
    """Start a tournament."""
    _run(name, TournamentState.CREATED, f"Started {name}.", watch=watch)


@app.command()
def pause(name: Name) -> None:
    """Begin no further block of a tournament; running blocks are played to their end."""
    _change(name, TournamentState.PAUSED)
    say(f"Paused {name}. Resume it with `arena tournament resume {quote(name)}`.")


@app.command()
def resume(name: Name, watch: Watch = False) -> None:
    """Go on with a paused tournament."""
    _run(name, TournamentState.PAUSED, f"Resumed {name}.", watch=watch)


@app.command()
def cancel(name: Name) -> None:
    """End a tournament for good. Blocks already played still count."""
    _change(name, TournamentState.CANCELLED)
    say(f"Cancelled {name}.")


@app.command()
def withdraw(
    name: Name, bot: Annotated[str, typer.Argument(help="BOT, or BOT:VERSION if several play.")]
) -> None:
    """Withdraw a bot from a tournament: it loses all blocks that it has not played."""

    async def use(store: "Store") -> str:
        tournament = await store.tournaments.named(name)
        wanted, _, label = bot.partition(":")
        for entry in tournament.entries:
            entrant = entry.registered.entrant
            if folded(entrant.bot) == folded(wanted) and label in ("", entrant.version):
                await store.tournaments.withdraw(name, entry.number)
                return str(entrant)
        raise CommandError(f"{bot} does not play in {tournament.name}.")

    say(f"Withdrew {with_store(use)} from {name}.")


@app.command("list")
def list_tournaments(limit: Limit = SHOWN, search: Search = "", as_json: AsJson = False) -> None:
    """List tournaments, newest first."""

    async def use(store: "Store") -> tuple[list[tuple[Tournament, int]], int]:
        found, count = await store.tournaments.newest(limit, search)
        done = await store.tournaments.block_counts([one.id for one in found])
        return [(one, done.get(one.id, 0)) for one in found], count

    found, count = with_store(use)
    if as_json:
        say_json([summary_json(*one) for one in found])
    else:
        print_list(found, count)


@app.command()
def show(
    name: Name, watch: Watch = False, limit: TableLimit = SHOWN, as_json: AsJson = False
) -> None:
    """Show a tournament: its rules, progress and latest pairings."""
    if watch:
        _watch(name)

    async def use(store: "Store") -> tuple[TournamentRecord, duration.PlayingSpeed]:
        record = await _record(store, name)
        return record, await store.tournament_bots.pace(record.tournament)

    record, pace = with_store(use)
    if as_json:
        left = seconds_left(record.tournament, blocks_left(record), pace)
        say_json(tournament_json(record) | left)
    else:
        print_tournament(record, limit, pace)


@app.command()
def standings(name: Name, limit: TableLimit = SHOWN, as_json: AsJson = False) -> None:
    """Print the standings of a tournament."""
    record = with_store(lambda store: _record(store, name))
    if as_json:
        say_json(standings_json(record))
    else:
        print_standings(record, limit)


async def _record(store: "Store", name: str) -> TournamentRecord:
    return await store.tournaments.record(await store.tournaments.named(name))


def _change(name: str, state: TournamentState, *before: TournamentState) -> None:
    with_store(lambda store: store.tournaments.change_state(name, state, before=before))


def _run(name: str, before: TournamentState, said: str, *, watch: bool) -> None:
    _change(name, TournamentState.RUNNING, before)
    say(f"{said} A running referee plays it (`arena up` or `arena serve`).")
    if watch:
        _watch(name)


def _watch(name: str) -> None:
    from arena.commands.tournaments.watch import watch

    watch(name)
