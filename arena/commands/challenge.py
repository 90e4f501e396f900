"""`arena challenge`: requests unrated matches of a connected bot against bots that accept.

Authenticated by the bot's token, or by its owner's key, which needs no token.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.errors import CommandError
from arena.commands.options import (
    AddressOption,
    AsJson,
    DashboardOption,
    OptionList,
    TimeOption,
    game_options,
    time_control,
)
from arena.commands.owners.logins import login_at
from arena.commands.terminal import say, say_json, say_table
from arena.games import make_game

DASHBOARD_PORT = 8501
"""The port of the dashboard on the referee's host, unless --dashboard gives an address."""


def challenge(
    opponents: Annotated[
        list[str] | None,
        typer.Argument(
            help="Bots that accept challenges, as BOT or BOT:VERSION. Without any the referee "
            "chooses.",
            metavar="OPPONENT",
        ),
    ] = None,
    bot: Annotated[
        str,
        typer.Option(
            help="The bot of yours that plays, hosted or run by you, as BOT or BOT:VERSION; with "
            "the key of who is signed in. Without it the bot of ARENA_TOKEN plays.",
        ),
    ] = "",
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    option: OptionList = None,
    seats: Annotated[
        int | None, typer.Option(min=2, help="Seats; the referee fills those that are left.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, max=100, help="How many matches.")] = 1,
    time: TimeOption = "",
    instance: Annotated[str, typer.Option(help="Which running copy of your bot plays.")] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    dashboard: DashboardOption = "",
    follow: Annotated[
        str,
        typer.Option(
            help="Request no matches; report those of an earlier challenge.",
            metavar="CHALLENGE_ID",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Let your connected bot play unrated matches against bots that accept challenges.

    The bot runs as always; this only asks for the matches. With its token the report goes on when
    the referee has stopped and is back, and after Ctrl-C, which ends the report and not the
    matches, --follow tells of them. With --bot `arena bot matches` lists them. Links to replays
    are at port 8501 of the referee's host unless --dashboard says where. Exit code 1 if not all
    matches were reported.
    """
    # The imports are here, because `arena --help` needs none of them.
    from arena.bot.address import Address
    from arena.bot.challenging import (
        ChallengeAccepted,
        ChallengeError,
        ChallengeLostError,
        ChallengeNews,
        ChallengeOver,
        ChallengePlayed,
        Challenger,
        Wanted,
    )

    if bot and follow:
        raise CommandError("--follow asks with the token of the bot, so not with --bot.")
    token = login_at(address).key if bot else os.environ.get("ARENA_TOKEN", "").strip()
    if not token:
        raise CommandError(
            "say with --bot which of your bots plays, or set ARENA_TOKEN to its token. It must "
            "be connected."
        )
    rules = make_game(game, game_options(option))
    referee = Address.parse(address, os.environ)
    host = referee.target.rpartition(":")[0]
    pages = (dashboard or f"http://{host}:{DASHBOARD_PORT}").rstrip("/")
    wanted = Wanted(
        rules.name,
        tuple(opponents or ()),
        seats or 0,
        rules.options.changed(),
        matches,
        time_control(time) if time else None,
        instance,
        bot,
    )
    found: list[ChallengePlayed] = []
    over = None
    challenge_id, lost = follow, ""
    challenger = Challenger(referee, token)

    def news() -> Iterator[ChallengeNews]:
        """Yield the news of a challenge; follow it if the connection is lost."""
        if not follow:
            try:
                yield from challenger.challenge(wanted)
                return
            except ChallengeLostError as error:
                if bot:
                    raise
                say(f"{error} Waiting until it is back: Ctrl-C ends the report.", err=True)
        yield from challenger.follow(challenge_id, [one.match_id for one in found])

    try:
        for told in news():
            match told:
                case ChallengeAccepted():
                    challenge_id = told.challenge_id
                    against = ", ".join(str(one) for one in told.opponents)
                    say(f"{rules.title} against {against}:", err=True)
                case ChallengePlayed():
                    found.append(told)
                    if not as_json:
                        of = "" if follow else f"/{matches}"
                        say(_line(told, f"{len(found)}{of}", pages))
                case ChallengeOver():
                    over = told
    except ChallengeError as error:
        if not challenge_id:
            raise
        lost = f"{error} {_later(challenge_id, bot)}"
    except KeyboardInterrupt:
        later = f"The matches go on. {_later(challenge_id, bot)}"
        said = later if challenge_id else "Not asked."
        say(said, err=True)
        raise typer.Exit(1) from None
    if as_json:
        reason = over.reason if over else lost
        say_json(_report(challenge_id, found, reason, pages))
    elif len(found) > 1:
        _print_summary(found)
    if lost:
        say(lost, err=True)
    elif over is None or over.reason:
        say(f"Not all were played: {over.reason if over else ''}", err=True)
    if over is None or over.reason:
        raise typer.Exit(1)


def _later(challenge_id: str, bot: str) -> str:
    """Return how to see the matches of a challenge later."""
    if bot:
        return "`arena bot matches` lists its matches later."
    return f"`arena challenge --follow {challenge_id}` tells of its matches later."


def _line(played: Any, number: str, pages: str) -> str:
    places = sorted(zip(played.placing, played.entrants, strict=True), key=lambda one: one[0])
    told = "  ".join(f"{place}. {entrant.bot}" for place, entrant in places)
    return f"{number}  {told}  {_replay(played, pages)}"


def _replay(played: Any, pages: str) -> str:
    return f"{pages}/replay?match={played.match_id}"


def _print_summary(found: list[Any]) -> None:
    """Print the number of wins and the mean place of each bot."""
    from arena.match.result import shared_places

    wins: Counter[str] = Counter()
    places: defaultdict[str, float] = defaultdict(float)
    for played in found:
        mean_places = shared_places(played.placing)
        for entrant, rank, place in zip(played.entrants, played.placing, mean_places, strict=True):
            wins[str(entrant)] += rank == 1
            places[str(entrant)] += place
    rows = (
        (bot, len(found), wins[bot], f"{place / len(found):.2f}")
        for bot, place in sorted(places.items(), key=lambda one: one[1])
    )
    say_table(("bot", "matches", "won", "mean place"), rows)


def _report(challenge_id: str, found: list[Any], reason: str, pages: str) -> dict[str, Any]:
    return {
        "challenge_id": challenge_id,
        "matches": [
            {
                "match_id": played.match_id,
                "replay": _replay(played, pages),
                "seats": [
                    {**asdict(entrant), "placing": place}
                    for entrant, place in zip(played.entrants, played.placing, strict=True)
                ],
            }
            for played in found
        ],
        "played": len(found),
        "reason": reason,
    }
