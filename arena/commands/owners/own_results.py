"""`arena bot matches`, `faults`, `transcript`, `replay` and `ratings`: results, from a referee.

They need no database and no key, as a referee's results of finished matches are public.
"""

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.errors import CommandError
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of
from arena.commands.terminal import json_text, members, say, say_json, say_table
from arena.database.names import folded
from arena.match.transcript_json import to_json
from arena.moments import in_utc, iso_utc

if TYPE_CHECKING:
    from arena.clients.results_client import FaultSeen, MatchSeen
    from arena.match.fault_steps import FaultStep


def matches(
    name: Annotated[str, typer.Argument(help="One bot's name; without it, all bots'.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many, the newest.")] = 20,
    won: Annotated[
        bool | None,
        typer.Option("--won/--lost", help="Only with the bot in the first place, or behind it."),
    ] = None,
    rated: Annotated[bool, typer.Option("--rated", help="Only rated matches.")] = False,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """List finished matches at a referee, newest first.

    Filters look at the bot's newest 20,000 matches.
    """
    if won is not None and not name:
        raise CommandError("--won and --lost are of a bot: name it.")
    client = client_of(address)
    found, _ = client.matches_page(name, limit, won=won, rated=rated)
    if as_json:
        say_json([_match_json(one) for one in found])
        return
    if not found:
        fitting = " that fits" if rated or won is not None else " yet"
        say(
            f"{name} has no finished match{fitting}." if name else f"No match is finished{fitting}."
        )
        return
    rows = []
    for one in found:
        placed = [
            f"{entrant} ({place})" for entrant, place in zip(one.entrants, one.placing, strict=True)
        ]
        rows.append((one.match_id, one.game, in_utc(one.finished), ", ".join(placed)))
    say_table(("match", "game", "finished", "bots and places"), rows)


def faults(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    limit: Annotated[
        int, typer.Option(min=1, max=200, help="In how many matches to look, the newest.")
    ] = 20,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Print the faults of a bot in its newest matches at a referee.

    Each comes with what the bot saw, sent and might have done. Faults in the checks of builds are
    told by `arena bot builds`.
    """
    from arena.clients.referee_client import OwnerCallError
    from arena.clients.results_client import FaultSeen
    from arena.match.fault_steps import fault_steps

    client = client_of(address)
    looked_at, _ = client.matches_page(name, limit)
    if not looked_at:
        raise CommandError(f"{name} has finished no match there.")
    found: list[tuple[MatchSeen, FaultStep, FaultSeen]] = []
    not_kept = 0
    for match in looked_at:
        try:
            transcript, told = client.with_faults(match.match_id)
        except OwnerCallError as error:
            if not error.missing:
                raise
            not_kept += 1
            continue
        found += [
            (match, fault, told.get(fault.turn, FaultSeen()))
            for fault in fault_steps(transcript)
            if folded(match.entrants[fault.seat].bot) == folded(name)
        ]
    if as_json:
        say_json([_fault_json(*one) for one in found])
        return
    for match, fault, seen in found:
        say(
            f"{in_utc(match.finished)}  {match.game}  match {match.match_id}, turn {fault.turn}, "
            f"step {fault.step}: {match.entrants[fault.seat]} in seat {fault.seat}\n"
            f"  {fault.kind.value}: {seen.reason or 'the reason was not kept'}\n  {fault.legal}\n"
            f"  sent:   {'no action' if seen.sent is None else json_text(seen.sent)}\n"
            f"  played: {json_text(fault.played)}\n"
            f"  view:   {json_text(fault.view)}"
        )
    of_those = f" ({not_kept} of them have no transcript any more)" if not_kept else ""
    say(f"Faults in the newest {len(looked_at)} matches{of_those}: {len(found)}.")
    say(f"Faults in checks are told by `arena bot builds {shlex.quote(name)}`.")


def transcript(
    match: Annotated[str, typer.Argument(help="A match's id.")],
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Print the transcript of a finished match at a referee, as `arena verify` reads it."""
    found = client_of(address).transcript(match)
    say(json_text(to_json(found), compact=True))


def replay(
    match: Annotated[str, typer.Argument(help="A match's id.")],
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Print a finished match at a referee step by step in words, with all secrets open."""
    from arena.commands.results.replay import say_replay

    say_replay(client_of(address).transcript(match), as_json=as_json)


def ratings(
    game: Annotated[str, typer.Option(help="The game.")] = "bluff",
    seats: Annotated[
        int, typer.Option(min=0, help="The table size; by default that with most matches.")
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many, the best.")] = 50,
    old: Annotated[
        bool, typer.Option("--old", help="Old versions, which are not ranked, instead.")
    ] = False,
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Print the leaderboard of a game at a referee, best first."""
    _, found = client_of(address).leaderboard(game, seats, limit, old=old)
    if as_json:
        say_json(
            [
                asdict(one.entrant) | members(one, "elo", "interval", "matches", "marks")
                for one in found
            ]
        )
        return
    if not found:
        say("No rated match yet.")
        return
    rows = []
    for one in found:
        name = f"{one.entrant}" + (f" ({', '.join(one.marks)})" if one.marks else "")
        interval = f"{one.interval[0]:.0f} to {one.interval[1]:.0f}"
        rows.append((name, one.entrant.owner, f"{one.elo:.0f}", interval, one.matches))
    say_table(("bot", "owner", "Elo", "95 %", "matches"), rows)


def _match_json(match: "MatchSeen") -> dict[str, Any]:
    return {
        **members(match, "match_id", "game"),
        "finished": iso_utc(match.finished),
        "seats": [
            {**asdict(entrant), "placing": place}
            for entrant, place in zip(match.entrants, match.placing, strict=True)
        ],
    }


def _fault_json(match: "MatchSeen", fault: "FaultStep", seen: "FaultSeen") -> dict[str, Any]:
    return {
        **members(match, "match_id", "game"),
        "finished": iso_utc(match.finished),
        **asdict(match.entrants[fault.seat]),
        **members(fault, "seat", "turn", "step"),
        "kind": fault.kind.value,
        "reason": seen.reason,
        "view": fault.view,
        "sent": seen.sent,
        **members(fault, "legal", "played"),
    }
