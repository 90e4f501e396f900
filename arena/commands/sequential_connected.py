"""A sequential test of connected bots: an unrated tournament of two, over when the answer is clear.

The referee plays seat blocks, each deal fresh: nobody knows the others' dice from before. Blocks
are taken in the order in which they were begun, up to the first that is not over: to take them as
they end would prefer those that are over soon.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.commands.database import database
from arena.commands.entries import versions_named
from arena.commands.errors import told_in_a_sentence
from arena.commands.sequential_contest import Course, shown
from arena.commands.sequential_words import interim
from arena.games.game import AnyGame
from arena.rating.sprt import Bounds
from arena.rating.trial import Trial, decided
from arena.scheduling.formats import FormatName
from arena.scheduling.scoring import ScoreRule, block_points
from arena.settings import read_settings
from arena.storage.errors import TournamentStateError
from arena.storage.listening import notifications
from arena.storage.store import Store, open_store
from arena.storage.tables import RESULTS_CHANNEL, TOURNAMENTS_CHANNEL
from arena.storage.tournaments import BEFORE, NewEntry
from arena.tournament.tournament import BlockRecord, BlockState, Rules, State, Tournament

MOST_BLOCKS = 10_000
"""Unless another number is asked for: more than ⟨0, 5⟩ normalised Elo nearly ever takes."""
LOOK_SECONDS = 0.5
"""Between two looks, however often the database tells of results."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The tournament that is held for a test."""

    name: str
    rules: Rules
    new: str
    old: str


def conduct_connected(
    game: AnyGame,
    new: str,
    old: str,
    bounds: Bounds,
    score: ScoreRule,
    seed: str,
    max_blocks: int | None,
) -> Course:
    """Have the referee play until the answer is clear, or `max_blocks` are played, or Ctrl-C."""
    rules = Rules(
        format=FormatName.ROUND_ROBIN,
        game=game.name,
        options=game.options.changed(),
        seats=2,
        blocks=max_blocks or MOST_BLOCKS,
        rounds=None,
        score=score,
        seed=seed,
        rated=False,
    )
    trial = Trial(bounds, matches_per_block=2)
    course = Course(trial, trial.look(), f"test-{secrets.token_hex(4)}")
    assert course.tournament is not None
    plan = Plan(course.tournament, rules, new, old)
    with told_in_a_sentence(), database(read_settings()) as url:
        typer.echo(
            f"Tournament {plan.name}: a running referee plays it (`arena up` or `arena serve`) "
            "while both bots are connected.",
            err=True,
        )
        with shown(Console(stderr=True)) as show, suppress(KeyboardInterrupt):
            asyncio.run(_hold(url, plan, course, show))
    course.standing = trial.look()
    return course


async def _hold(url: str, plan: Plan, course: Course, show: Live | None) -> None:
    async with open_store(url) as store:
        first, second = versions_named(f"{plan.new},{plan.old}", await store.bots())
        field = [NewEntry(first.id, None), NewEntry(second.id, None)]
        tournament = await store.tournaments.create(plan.name, plan.rules, field)
        course.interrupted = True  # until it ends otherwise
        try:
            await store.tournaments.change_state(
                plan.name, State.RUNNING, before=BEFORE[State.RUNNING]
            )
            changes = notifications(url, [TOURNAMENTS_CHANNEL, RESULTS_CHANNEL])
            await follow(store, tournament, course, changes, show)
            course.interrupted = False
        finally:
            # One that has played all its blocks is over already.
            with suppress(TournamentStateError):
                await store.tournaments.change_state(
                    plan.name, State.CANCELLED, before=BEFORE[State.CANCELLED]
                )


async def follow(
    store: Store,
    tournament: Tournament,
    course: Course,
    changes: AsyncGenerator[None],
    show: Live | None = None,
) -> None:
    """Take in the tournament's blocks until the test stops, or the tournament is over."""
    taken: set[str] = set()
    async with aclosing(changes):
        async for _ in changes:
            # Asked first, so that nothing was played after what is read then.
            over = (await store.tournaments.named(tournament.name)).state.over
            for block in settled(await store.tournaments.blocks(tournament)):
                if block.block_id in taken:
                    continue
                taken.add(block.block_id)
                standing = course.trial.add(block_score(tournament, block))
                if standing is None:
                    continue
                if show is not None:
                    show.update(Text(interim(standing)))
                if decided(standing):
                    return
            if over:
                return
            await asyncio.sleep(LOOK_SECONDS)


def settled(blocks: Iterable[BlockRecord]) -> list[BlockRecord]:
    """Those that count, in the order begun, up to the first of which that is not known."""
    known = takewhile(lambda block: block.state is not BlockState.OPEN, blocks)
    return [block for block in known if block.state is BlockState.CLOSED]


def block_score(tournament: Tournament, block: BlockRecord) -> Fraction:
    """What the first entry took of a block, 0 … 1."""
    new, old = (tournament.version(entry.number) for entry in tournament.entries)
    by_match = [(ranks[new], ranks[old]) for ranks in block.placings]
    return block_points(by_match, tournament.rules.score)[0]
