"""A viewpoint gets what it may know and nothing else: two matches that differ only in what others
hold are one and the same to it, in what it is given and in every byte that the page sends."""

import asyncio
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from arena.codec.transcript import to_bytes
from arena.games import bluff, bluff_you, make_game
from arena.games.bloeff import Ballot, Card, Deal, Number
from arena.games.bluff import Bet, Face
from arena.games.game import DEALER
from arena.lab.analysis import decisions
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.result import Result, Termination
from arena.match.transcript import Entrant, Opening, Setup, Step, Transcript
from arena.records import Block, BlockKind, FinishedMatch
from arena.server.app.store import open_store
from arena_dashboard.reading.frames import match_json, packed
from arena_dashboard.reading.watching import Onlooker, Viewpoint, Watched, watch, write_viewpoint
from tests.dashboard.pages import html, open_page, player_bytes
from tests.dashboard.played import NOON

SEATS = 3


@dataclass(frozen=True)
class Pair:
    """Two beginnings of a match that differ in what seat 0 alone knows."""

    game: str
    one: tuple[Step, ...]
    other: tuple[Step, ...]
    options: tuple[tuple[str, Any], ...] = ()


def dealt(action: Any) -> Step:
    return Step(DEALER, action)


def dice(text: str) -> tuple[Face, ...]:
    return tuple(Face(int(face)) for face in text)


def _bluff(own: str, reroll: str) -> tuple[Step, ...]:
    return (
        dealt(bluff.CupRoll((dice(own), dice("22344"), dice("11236")))),
        Step(0, Bet(2, Face.FIVE, dice("5"))),
        dealt(bluff.Reroll(dice(reroll))),
        Step(1, Bet(3, Face.TWO)),
        Step(2, Bet(3, Face.FOUR), fault=None),
    )


def _bluff_you(roll: tuple[int, int, int]) -> tuple[Step, ...]:
    return (dealt(bluff_you.Roll(roll)), Step(0, bluff_you.Win(1, 12)))


def _bloeff(first: Card, second: Card) -> tuple[Step, ...]:
    game = make_game("bloeff")
    deck = list(game.draw(game.start(SEATS), _Unshuffled()).cards)
    # Seat 0 holds the first cards of the deck; two of another seat's or the pile's are not touched.
    deck.remove(first)
    deck.remove(second)
    return (
        dealt(Deal((first, *deck, second))),
        # A fault plays the smallest number card: that there was one tells the card.
        Step(0, Number(int(first), 2), fault=FaultKind.LATE),
        Step(1, Ballot(doubt=False)),
    )


class _Unshuffled:
    def below(self, key: str, bound: int) -> int:
        return 0


PAIRS = [
    Pair(
        "bluff",
        _bluff("12345", "1122"),
        _bluff("34556", "3366"),
        (("show_and_reroll", True), ("start_mode", "seat")),
    ),
    Pair("bluff_you", _bluff_you((6, 5, 1)), _bluff_you((2, 2, 3))),
    Pair("bloeff", _bloeff(Card.MINUS_ONE, Card.TWO), _bloeff(Card.TWO, Card.MINUS_ONE)),
]

OUTSIDERS: Sequence[Viewpoint] = (1, 2, Onlooker.SPECTATOR)
INSIDERS: Sequence[Viewpoint] = (0, Onlooker.EVERYTHING)


def transcript(pair: Pair, steps: tuple[Step, ...], match_id: str | None = None) -> Transcript:
    return Transcript(
        Setup(
            match_id or str(uuid4()),
            pair.game,
            make_game(pair.game, dict(pair.options)).options,
            tuple(Entrant(name, "1", name) for name in ("alpha", "beta", "gamma")),
            TimeControl(),
            fault_limit=3,
        ),
        b"c" * 32,
        steps,
        Result((1, 2, 3), (3, 2, 1), Termination.FINISHED, (0,) * SEATS, (False,) * SEATS),
        Opening(b"s" * 32, (b"e" * 16,) * SEATS),
    )


def known(watched: Watched) -> tuple[Any, ...]:
    """All that was handed out, but for the match's own name."""
    return (replace(watched, match_id=""), [moment.views for moment in watched.moments])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.game)
def test_others_secrets_make_no_difference_to_what_a_viewpoint_is_given(pair: Pair) -> None:
    match_id = str(uuid4())
    for viewpoint in (*OUTSIDERS, *INSIDERS):
        one = watch(transcript(pair, pair.one, match_id), viewpoint)
        other = watch(transcript(pair, pair.other, match_id), viewpoint)
        assert one.broken is None and other.broken is None
        assert (known(one) == known(other)) == (viewpoint in OUTSIDERS)
        assert (repr(one) == repr(other)) == (viewpoint in OUTSIDERS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.game)
def test_others_secrets_make_no_difference_to_any_byte_for_the_player(pair: Pair) -> None:
    match_id = str(uuid4())
    for viewpoint in (*OUTSIDERS, *INSIDERS):
        one, other = (
            packed(match_json(watch(transcript(pair, steps, match_id), viewpoint)))
            for steps in (pair.one, pair.other)
        )
        assert (one == other) == (viewpoint in OUTSIDERS)


def test_others_secrets_make_no_difference_to_an_analysis() -> None:
    """What a decision was worth reveals the dice of who made it, and nobody else's."""

    def steps(own: str) -> tuple[Step, ...]:
        cups = (dice(own), dice("22344"), dice("11236"))
        bets = (Bet(2, Face.FIVE), Bet(3, Face.TWO), Bet(4, Face.TWO))
        return (dealt(bluff.CupRoll(cups)), *(Step(seat, bet) for seat, bet in enumerate(bets)))

    pair = Pair("bluff", steps("12345"), steps("11234"), (("start_mode", "seat"),))
    match_id = str(uuid4())
    played = [transcript(pair, one, match_id) for one in (pair.one, pair.other)]
    for viewpoint in (*OUTSIDERS, *INSIDERS):
        one, other = (match_json(watch(it, viewpoint, tuple(decisions(it)))) for it in played)
        assert (packed(one) == packed(other)) == (viewpoint in OUTSIDERS)
        decided = [frame["decision"]["seat"] for frame in one["frames"] if frame["decision"]]
        seats = {Onlooker.SPECTATOR: [], Onlooker.EVERYTHING: [0, 1, 2]}
        assert decided == seats.get(viewpoint, [viewpoint])


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.game)
def test_others_secrets_make_no_difference_to_any_page(pair: Pair, arena: str) -> None:
    ids = [str(uuid4()), str(uuid4())]
    matches = [
        transcript(pair, steps, one) for steps, one in zip((pair.one, pair.other), ids, strict=True)
    ]
    asyncio.run(record(arena, matches))
    for viewpoint in (1, Onlooker.EVERYTHING):
        one, other = (sent(match_id, viewpoint) for match_id in ids)
        assert ids[0] in one and len(one) > 1000
        assert (one == other.replace(*reversed(ids))) == (viewpoint in OUTSIDERS)


def sent(match_id: str, viewpoint: Viewpoint) -> str:
    """All that the page of a match sends to a browser, the player's data unpacked."""
    app = open_page("replay", match=match_id, view=write_viewpoint(viewpoint))
    assert not app.exception
    others = [str(one.proto) for one in app.main if getattr(one, "type", "") != "bidi_component"]
    # The address from which the transcript is loaded is random.
    text = "\n".join([zlib.decompress(player_bytes(app)).decode(), html(app), *others])
    return re.sub(r'file_id: "\w+"', "", text)


def test_a_fault_is_told_to_whom_it_happened_and_to_nobody_else() -> None:
    pair = PAIRS[2]
    for viewpoint in (*OUTSIDERS, *INSIDERS):
        watched = watch(transcript(pair, pair.one), viewpoint)
        told = any(moment.fault is not None for moment in watched.moments)
        assert told == (viewpoint in INSIDERS)


def test_a_sealed_ballot_is_no_moment_for_others() -> None:
    pair = PAIRS[2]
    counts = {view: len(watch(transcript(pair, pair.one), view).moments) for view in (0, 1, 2)}
    assert counts == {0: 3, 1: 4, 2: 3}


async def record(url: str, matches: Sequence[Transcript]) -> None:
    async with open_store(url) as store:
        names = ("alpha", "beta", "gamma")
        versions = tuple([(await store.register(name, name))[0].version_id for name in names])
        await store.record(
            [
                FinishedMatch(
                    transcript=match,
                    written=to_bytes(match),
                    version_ids=versions,
                    block=Block(str(uuid4()), BlockKind.SEAT, 1),
                    position=0,
                    started_at=NOON,
                    finished_at=NOON + timedelta(seconds=1),
                )
                for match in matches
            ]
        )
