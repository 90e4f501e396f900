"""Events for tests: their dates follow each other within seconds, or were moved behind our back."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

import psycopg

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms
from arena.database.errors import UnknownOwnerError
from arena.database.keys import new_key, token_hash
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.match.flow import OpenTurn, TimedAction
from arena.match.score_rule import ScoreRule
from arena.records import Allowance, Owner
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.events.event import (
    Admission,
    Dates,
    EntryLimits,
    Event,
    FinalRules,
    LadderRules,
    NewEvent,
)
from arena.server.events.finals.final import DealtMatch
from arena.server.events.finals.finals import FinalBlockId, HandedIn
from arena.server.events.roster_file import Enrollee, read_roster
from tests.bots import PATIENCE
from tests.jobs import accept_build
from tests.match import matches

DAY = timedelta(days=1)
AUTHORS: Final = ("ann", "bob", "eve", "dan")
"""The owners who have a bot in each database of the tests of finals."""
RULES = FinalRules(
    format=FormatName.ROUND_ROBIN,
    game="bluff",
    options={"dice_per_player": 2},
    seats=2,
    blocks=2,
    rounds=None,
    score=ScoreRule.PLACEMENT,
    time_control=DEFAULT_TIME_CONTROL,
)


def said(
    rules: FinalRules = RULES,
    *,
    entry: Admission = Admission.OPEN,
    practice: bool = True,
    limits: EntryLimits = EntryLimits(),
    ladder: LadderRules | None = None,
    private: bool = False,
    connected: bool = False,
) -> NewEvent:
    """An event that opened yesterday and freezes tomorrow; a day lies between its dates."""
    now = datetime.now(UTC)
    dates = Dates(now - DAY, now + DAY, now + 2 * DAY, now + 3 * DAY)
    named = ("A cup", "", rules, dates, entry, practice, limits)
    return NewEvent(*named, ladder=ladder, private=private, live=connected, connected=connected)


def let_pass(sql: "psycopg.Connection[Any]", name: str, days: float) -> None:
    """Let time pass for an event: all its dates move back, and those of versions."""
    sql.execute(
        "UPDATE versions SET created_at = created_at - %(by)s, retired_at = retired_at - %(by)s",
        {"by": days * DAY},
    )
    sql.execute(
        "UPDATE events SET opens_at = opens_at - %(by)s, freezes_at = freezes_at - %(by)s,"
        " final_at = final_at - %(by)s, results_at = results_at - %(by)s,"
        " frozen_at = frozen_at - %(by)s, began_at = began_at - %(by)s,"
        " ended_at = ended_at - %(by)s WHERE name = %(name)s",
        {"by": days * DAY, "name": name},
    )


async def signed_up(store: Store, name: str) -> Owner:
    return (await store.owners.sign_up(name, None))[0]


async def uploaded(store: Store, owner: Owner, bot: str, source: str = "pass") -> None:
    """Upload a build of a bot; it is not checked yet."""
    build = read_build("bot.py", f"# {bot}\n{source}".encode())
    await store.builds.upload(owner, bot, "", build, HostingTerms(), Allowance(50, 50, 50))


async def author(store: Store, database: str, name: str) -> Owner:
    """A new owner with an accepted bot `bot-NAME`."""
    owner = await signed_up(store, name)
    await uploaded(store, owner, f"bot-{name}")
    await accept_build(store, database, f"bot-{name}")
    return owner


async def entrant(store: Store, database: str, event: str, name: str) -> Owner:
    """An owner with an accepted bot `bot-NAME` that has entered an event."""
    try:
        owner = await store.owners.named(name)
    except UnknownOwnerError:
        owner = await author(store, database, name)
    await store.events.enter(owner, event, f"bot-{name}")
    return owner


@dataclass(frozen=True)
class Keyed:
    """A person who was added to a roster, with the key."""

    person: Enrollee
    team: str
    captain: bool
    key: str


async def enrolled(store: Store, event: Event, roster: str | Sequence[Enrollee]) -> list[Keyed]:
    """Add people to a roster; return those who were new."""
    people = read_roster(roster) if isinstance(roster, str) else roster
    keys = [new_key() for _ in people]
    added = await store.rosters.enroll(event, people, list(map(token_hash, keys)), "me")
    return [Keyed(people[one.index], one.team, one.captain, keys[one.index]) for one in added]


async def frozen(store: Store, sql: "psycopg.Connection[Any]", event: Event) -> Event:
    """The event on the day after its freeze, as the keeper leaves it."""
    let_pass(sql, event.name, 1.1)
    await store.finals.keep(store.record)
    return (await store.events.named(event.name))[0]


Choose = Callable[[Sequence[str], int, Any, list[Any], Random], Any]
"""Chooses an action, given the bots, the seat that acts, its view, and the legal actions."""


def at_random(
    _bots: Sequence[str], _seat: int, _view: Any, choices: list[Any], random: Random
) -> Any:
    return random.choice(choices)


def played(dealt: DealtMatch, seed: int = 0, choose: Choose = at_random) -> HandedIn:
    """A match of a final among bots that answer at random, or as they choose."""
    setup, random = dealt.setup, Random(f"{dealt.setup.match_id} {seed}")
    game, names = setup.make_game(), [entrant.bot for entrant in setup.entrants]

    def react(turn: OpenTurn) -> TimedAction:
        choices = list(game.choices(turn.view))
        return TimedAction(choose(names, turn.seat, turn.view, choices, random))

    transcript = matches.dealt(setup, dealt.secret, dealt.entropies, react)
    began = datetime.now(UTC)
    return HandedIn(transcript, began, began)  # it may take less than the clock tells


def queued(sql: "psycopg.Connection[Any]") -> list[FinalBlockId]:
    """The blocks of finals that wait for a worker, in the order of their jobs."""
    rows = sql.execute(
        "SELECT args FROM procrastinate.procrastinate_jobs WHERE task_name = 'final'"
        " AND status = 'todo' ORDER BY priority DESC, id"
    ).fetchall()
    return [
        FinalBlockId(
            args["event_id"], args["round_number"], args["table_number"], args["block_number"]
        )
        for (args,) in rows
    ]


def done(sql: "psycopg.Connection[Any]") -> None:
    """All jobs of finals are done, as far as the queue knows."""
    sql.execute("DELETE FROM procrastinate.procrastinate_jobs WHERE task_name = 'final'")


async def played_out(
    store: Store, sql: "psycopg.Connection[Any]", event: Event, choose: Choose = at_random
) -> Event:
    """Play what is queued, again and again, until the final of an event that has begun is over."""
    signer = await store.signer()
    now = asyncio.get_running_loop().time
    async with asyncio.timeout(PATIENCE) as stuck:
        while (event := (await store.events.named(event.name))[0]).ended_at is None:
            blocks = queued(sql)
            done(sql)
            for block in blocks:
                found = await store.finals.begin_block(block)
                if found is not None:
                    stuck.reschedule(now() + PATIENCE)
                    matches = [played(dealt, choose=choose) for dealt in found.matches]
                    await store.finals.end_block(block, matches, signer)
            if not blocks:  # a referee's own keeper is about to queue some, or to end it
                await asyncio.sleep(0.05)
            await store.finals.keep(store.record)
    return event
