"""An arena that has played: bots of different strength, real matches, real records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from uuid import UUID

from arena.codec.transcript import to_bytes
from arena.database.reading import open_reader
from arena.games import make_game
from arena.games.bluff import Bet, BluffView, Doubt, Face
from arena.games.game import AnyGame
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.match.faults import Fault, FaultKind
from arena.match.flow import OpenTurn, Reply, TimedAction
from arena.match.seating import moved_on
from arena.match.transcript import Setup, Transcript
from arena.records import Block, BlockKind, FinishedMatch, Registered
from arena.server.app.store import Store, open_store
from tests.ladder_log import all_versions
from tests.match.matches import dealt

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

Policy = Callable[[AnyGame, OpenTurn, Random], Reply]


@dataclass(frozen=True)
class Guest:
    """A bot of the test, who it is and how it plays."""

    registered: Registered
    policy: Policy


def anyhow(game: AnyGame, turn: OpenTurn, random: Random) -> Reply:
    """Any legal action, among the first few hundred."""
    return TimedAction(random.choice(list(islice(game.choices(turn.view), 300))))


def silent(game: AnyGame, turn: OpenTurn, random: Random) -> Reply:
    """Never answers."""
    return Fault(FaultKind.LATE, 2000)


def creeping(game: AnyGame, turn: OpenTurn, random: Random) -> Reply:
    """Always the lowest bet, and a doubt where none is left: matches of Bluff as long as can be."""
    choices = game.choices(turn.view)
    return TimedAction(next((one for one in choices if isinstance(one, Bet)), Doubt()))


def sensible(mistakes: float) -> Policy:
    """Bluff with its own dice and the averages in mind; now and then it plays anyhow."""

    def policy(game: AnyGame, turn: OpenTurn, random: Random) -> Reply:
        view = turn.view
        if not isinstance(view, BluffView) or random.random() < mistakes:
            return anyhow(game, turn, random)
        others = sum(view.dice_counts) - len(view.hidden_dice)
        if view.can_doubt:
            bet = view.bets[-1].bet
            if bet.quantity > _own(view, bet.face) + others / (6 if bet.face == 6 else 3) + 0.5:
                return TimedAction(Doubt())
        open_faces = [face for face in Face if view.lowest[face - 1] <= view.highest]
        if not open_faces:
            return TimedAction(Doubt())
        face = max(open_faces, key=lambda face: _own(view, face) - view.lowest[face - 1])
        return TimedAction(Bet(view.lowest[face - 1], face))

    return policy


def _own(view: BluffView, face: Face) -> int:
    return sum(die in (face, Face.STAR) for die in view.hidden_dice)


def drawn_id(random: Random) -> str:
    """An id of a match or a block that the seed decides."""
    return str(UUID(bytes=random.randbytes(16), version=4))


async def fill(
    url: str,
    *,
    game: str = "bluff",
    seats: int = 2,
    blocks: int = 6,
    policies: Sequence[tuple[str, Policy]] = (
        ("honest", sensible(0.1)),
        ("alpha", sensible(0.0)),
        ("beta", anyhow),
    ),
    seed: int = 1,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
    id_of: Callable[[Random], str] = drawn_id,
    **options: object,
) -> list[FinishedMatch]:
    """Play and record whole blocks; the bot named honest is the house's. Oldest match first."""
    with open_reader(url) as read:
        known = {one.entrant.bot: one for one in all_versions(read).values()}
    async with open_store(url) as store:
        guests = [await _guest(store, known, name, policy) for name, policy in policies]
        rules = make_game(game, options)
        # Plans that differ play other matches under other ids.
        random = Random(f"{seed} {game} {seats} {sorted(options)}{time_control.name}")
        played: list[FinishedMatch] = []
        for number in range(blocks):
            table = random.sample(guests, seats)
            block = Block(id_of(random), BlockKind.SEAT, seats)
            for position in range(seats):
                order = moved_on(seats, position)
                minute = seats * number + position
                seated = [table[seat] for seat in order]
                transcript = play_match(rules, seated, id_of(random), random, time_control)
                played.append(_finished(transcript, seated, block, position, minute))
        await store.record(played)
    return played


async def _guest(store: Store, known: Mapping[str, Registered], name: str, policy: Policy) -> Guest:
    if name in known:
        return Guest(known[name], policy)
    house = name == "honest"
    registered, _ = await store.register(name, "arena" if house else f"{name}s-owner", house=house)
    return Guest(registered, policy)


def _finished(
    transcript: Transcript, guests: Sequence[Guest], block: Block, position: int, minute: int
) -> FinishedMatch:
    started = NOON + timedelta(minutes=minute)
    versions = tuple(guest.registered.version_id for guest in guests)
    return FinishedMatch(
        transcript=transcript,
        written=to_bytes(transcript),
        version_ids=versions,
        block=block,
        position=position,
        started_at=started,
        finished_at=started + timedelta(seconds=9),
    )


def play_match(
    game: AnyGame,
    guests: Sequence[Guest],
    match_id: str,
    random: Random,
    time_control: TimeControl = DEFAULT_TIME_CONTROL,
) -> Transcript:
    """One match, dealt as the arena deals."""
    secret = random.randbytes(32)
    entropies = tuple(random.randbytes(16) for _ in guests)
    setup = Setup(
        match_id,
        game.name,
        game.options,
        tuple(guest.registered.entrant for guest in guests),
        time_control,
        fault_limit=3,
    )
    return dealt(
        setup, secret, entropies, lambda turn: guests[turn.seat].policy(game, turn, random)
    )
