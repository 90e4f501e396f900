"""A sequential test of connected bots, played as unrated tournaments until the answer is clear.

The referee plays seat blocks with fresh deals, so that no bot knows the others' dice from before.

two versions alone        one tournament of the two; the score of a block is the new version's mean
against opponents         two tournaments of one table each, the same opponents once with each
                          version, in the same order of seats; block n of one and block n of the
                          other are together scored as 1/2 + (new - old) / 2

Blocks are counted in the order in which they were begun, up to the first that is not over: counting
them as they end would favour short ones.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

import typer
from rich.console import Console
from rich.live import Live

from arena.commands.database import existing_database
from arena.commands.errors import CommandError
from arena.commands.sequential_test.in_process import SequentialProgress, live_line
from arena.commands.tournaments.entries import bots_named, versions_named
from arena.database.channels import RESULTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.database.errors import DatabaseUnreachableError, TournamentStateError
from arena.database.listening import notifications
from arena.games.game import AnyGame
from arena.match.score_rule import ScoreRule
from arena.rating.running_sprt import RunningSprt
from arena.rating.sprt import Bounds
from arena.records import TournamentId
from arena.scheduling.formats import FormatName
from arena.scheduling.scoring import block_points
from arena.server.app.store import Store, open_store
from arena.server.tournaments.tournament import (
    BlockRecord,
    BlockState,
    Rules,
    Tournament,
    TournamentState,
)
from arena.server.tournaments.tournaments import NewEntry
from arena.settings import read_settings

MOST_BLOCKS = 10_000
"""The default maximum; bounds of 0,5 normalised Elo almost never need as many."""
MOST_AHEAD = 10
"""Blocks that one of two tournaments may be ahead of the other before it is paused: blocks ahead
are wasted if the test ends first, or if a bot of the other tournament never connects."""
LOOK_SECONDS = 0.5
"""The least time between two reads, however often the database notifies."""


@dataclass(frozen=True, slots=True)
class ConnectedTest:
    """The tournaments played for a test: one of both versions, or one with each version."""

    names: tuple[str, ...]
    rules: Rules
    new: str
    old: str
    opponents: tuple[str, ...]


def conduct_connected(
    game: AnyGame,
    new: str,
    old: str,
    bounds: Bounds,
    score: ScoreRule,
    seed: str,
    max_blocks: int | None,
    opponents: Sequence[str] = (),
) -> SequentialProgress:
    """Let the referee play until the answer is clear, `max_blocks` are played, or Ctrl-C."""
    rules = Rules(
        format=FormatName.ROUND_ROBIN,
        game=game.name,
        options=game.options.changed(),
        seats=1 + len(opponents) if opponents else 2,
        blocks=max_blocks or MOST_BLOCKS,
        rounds=None,
        score=score,
        seed=seed,
        rated=False,
    )
    name = f"test-{secrets.token_hex(4)}"
    names = (f"{name}-new", f"{name}-old") if opponents else (name,)
    running = RunningSprt(bounds, matches_per_block=rules.seats * len(names))
    progress = SequentialProgress(running, running.look(), names)
    plan = ConnectedTest(names, rules, new, old, tuple(opponents))
    with (
        existing_database(read_settings()) as url,
        live_line(Console(stderr=True)) as show,
        suppress(KeyboardInterrupt),
    ):
        asyncio.run(_hold(url, plan, progress, show))
    progress.result = running.look()
    return progress


async def _hold(
    url: str, plan: ConnectedTest, progress: SequentialProgress, show: Live | None
) -> None:
    async with open_store(url) as store:
        progress.interrupted = True  # set to False below if the test ends by itself
        tournaments = []
        try:
            for name, field in zip(plan.names, await _fields(store, plan), strict=True):
                tournaments.append(await store.tournaments.create(name, plan.rules, field))
            for name in plan.names:
                await store.tournaments.change_state(name, TournamentState.RUNNING)
            typer.echo(
                f"{' and '.join(plan.names)}: a running referee plays this (`arena up` or `arena "
                "serve`) while all bots are connected; `arena tournament list` shows it.",
                err=True,
            )
            changes = notifications(url, [TOURNAMENTS_CHANNEL, RESULTS_CHANNEL])
            await follow(store, tournaments, progress, changes, show)
            progress.interrupted = False
        finally:
            for tournament in tournaments:
                # A tournament that has played all its blocks is already over.
                with suppress(TournamentStateError):
                    await store.tournaments.change_state(tournament.name, TournamentState.CANCELLED)


async def _fields(store: Store, plan: ConnectedTest) -> list[list[NewEntry]]:
    words = ",".join((plan.new, plan.old, *plan.opponents))
    known = await store.bots(bots_named(words))
    can = await store.tournament_bots.participation([one.id for one in known], plan.rules.game)
    new, old, *others = (
        NewEntry(version.id, None) for version in versions_named(words, known, can)
    )
    return [[new, *others], [old, *others]] if others else [[new, old]]


async def follow(
    store: Store,
    tournaments: Sequence[Tournament],
    progress: SequentialProgress,
    changes: AsyncGenerator[object],
    show: Live | None = None,
) -> None:
    """Count the tournaments' blocks until the test stops, or no more can come.

    Waits while the database is unreachable: `changes` yields when it is back.
    """
    taken = 0
    paused: set[str] = set()
    columns: list[list[Fraction]] = [[] for _ in tournaments]
    last: dict[TournamentId, str] = {}  # the last block of each tournament in its column

    async def look() -> bool:
        nonlocal taken
        # Read before the blocks: if a tournament is over now, the blocks read below are all.
        states = [(await store.tournaments.named(one.name)).state for one in tournaments]
        for one, state in zip(tournaments, states, strict=True):
            if state is TournamentState.PAUSED and one.name not in paused:
                raise CommandError(
                    f"{one.name} was paused, so the test has ended: if it was not paused by "
                    "hand, the referee's log says why. Correct that and start a new test."
                )
        for one, column in zip(tournaments, columns, strict=True):
            more = settled(await store.tournaments.blocks(one, after=last.get(one.id)))
            column += [block_score(one, block) for block in more]
            if more:
                last[one.id] = more[-1].block_id
        scores = [score_of_test(row) for row in zip(*columns, strict=False)]
        for score in scores[taken:]:
            taken += 1
            if progress.add(score, show):
                return True
        if TournamentState.CANCELLED in states or all(state.over for state in states):
            return True
        await keep_together(store, tournaments, [len(column) for column in columns], paused)
        return False

    async with aclosing(changes):
        async for _ in changes:
            with suppress(DatabaseUnreachableError):
                if await look():
                    return
            await asyncio.sleep(LOOK_SECONDS)


async def keep_together(
    store: Store, tournaments: Sequence[Tournament], done: Sequence[int], paused: set[str]
) -> None:
    """Pause a tournament that is too far ahead, and resume it when the other has caught up."""
    for tournament, blocks in zip(tournaments, done, strict=True):
        name = tournament.name
        ahead = blocks - min(done)
        if name not in paused and ahead > MOST_AHEAD:
            state, change = TournamentState.PAUSED, paused.add
        elif name in paused and ahead <= MOST_AHEAD // 2:
            state, change = TournamentState.RUNNING, paused.discard
        else:
            continue
        # The tournament may have ended in the meantime.
        with suppress(TournamentStateError):
            await store.tournaments.change_state(name, state)
            change(name)
            if state is TournamentState.PAUSED:
                awaited = tournaments[done.index(min(done))].entries[0].registered.entrant
                typer.echo(
                    f"{name} is {ahead} blocks ahead and paused. Is {awaited} connected?", err=True
                )


def settled(blocks: Iterable[BlockRecord]) -> list[BlockRecord]:
    """Return the blocks that count, in the order begun, up to the first that is still open."""
    known = takewhile(lambda block: block.state is not BlockState.OPEN, blocks)
    return [block for block in known if block.state is BlockState.CLOSED]


def block_score(tournament: Tournament, block: BlockRecord) -> Fraction:
    """Return the first entry's share of a block's points, 0 to 1."""
    versions = [tournament.version(entry.number) for entry in tournament.entries]
    by_match = [[ranks[version] for version in versions] for ranks in block.placings]
    return block_points(by_match, tournament.rules.score)[0]


def score_of_test(scores: Sequence[Fraction]) -> Fraction:
    """Return the score of a block, or of two, one with each version: 0 to 1, 1/2 if equal."""
    if len(scores) == 1:
        return scores[0]
    new, old = scores
    return Fraction(1, 2) + (new - old) / 2
