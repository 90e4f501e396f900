"""Every moment of every game can be told, from every viewpoint; some by the letter."""

from random import Random
from uuid import uuid4

import pytest

from arena.games import make_game
from arena.games.bloeff import Card, CardsDrawn, Doubted, DrawCause, RedPlayed
from arena.games.bluff import Bet, BetPlaced, BluffRoundStarted, Face, Showdown
from arena.games.bluff_you import Revealed, Steal, Swapped, Win
from arena.match.transcript import Entrant, Transcript
from arena.records import Registered, VersionId
from arena.showing.scenes import SCENES, sentences
from arena_dashboard.reading.watching import Onlooker, Viewpoint, watch
from tests.dashboard.played import Guest, play_match, sensible

NAMES = ("alpha", "beta", "gamma")
VIEWPOINTS: tuple[Viewpoint, ...] = (0, 2, Onlooker.SPECTATOR, Onlooker.EVERYTHING)


def match(game: str, seed: int, seats: int = 3, **options: object) -> Transcript:
    guests = [
        Guest(Registered(VersionId(seat), Entrant(NAMES[seat], "1", "x"), False), sensible(0.3))
        for seat in range(seats)
    ]
    return play_match(make_game(game, options), guests, str(uuid4()), Random(seed))


VARIANTS = [
    ("bluff", {}),
    ("bluff", {"show_and_reroll": True}),
    ("bluff", {"start_mode": "seat", "dice_per_player": 1}),
    ("bluff_you", {}),
    ("bluff_you", {"steal_takes": "any_chip", "swap_max_per_turn": 3}),
    ("bloeff", {}),
    ("bloeff", {"publish_ballots": "all", "caught_card_returns": True}),
]


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_every_moment_can_be_told(game: str, options: dict[str, object]) -> None:
    for seed in range(4):
        transcript = match(game, seed, **options)
        for viewpoint in VIEWPOINTS:
            watched = watch(transcript, viewpoint)
            assert watched.broken is None and watched.doubt is None
            for moment in watched.moments:
                said = sentences(moment, game, watched.names)
                assert said and all(said)


@pytest.mark.parametrize(("bet", "judged"), [(2, "true"), (3, "exactly right"), (4, "too high")])
def test_a_showdown_is_told_in_words(bet: int, judged: str) -> None:
    end = Showdown(
        doubter=1,
        bettor=0,
        bet=Bet(bet, Face.TWO),
        dice=((Face.TWO, Face.STAR), (Face.ONE, Face.TWO), ()),
        actual=3,
        losses=(0, 1, 0),
        next_opener=0,
    )
    assert SCENES["bluff"].tell(end, NAMES) == (
        f"beta doubts the {bet} × 2 of alpha. There are 3: the bet was {judged}. Lost: beta 1 die."
    )


def test_bluff_is_told_in_words() -> None:
    assert SCENES["bluff"].tell(BluffRoundStarted(2, 1, (5, 4, 0)), NAMES) == (
        "Round 2: everybody rolls in secret. beta opens, 9 dice in play."
    )
    assert SCENES["bluff"].tell(BetPlaced(2, Bet(4, Face.STAR, (Face.ONE, Face.STAR))), NAMES) == (
        "gamma bets 4 × ★, lays out 1 ★ and rolls the rest again."
    )


def test_bluff_you_is_told_in_words() -> None:
    lost = Revealed(0, Steal(1, 12), False, (4, 3, 1), 1, None)
    assert SCENES["bluff_you"].tell(lost, NAMES) == (
        "beta: “Bluff you!” The dice are 4 3 1, together 8: 12 was a bluff. beta wins."
    )
    won = Revealed(0, Win(2, 8), False, (4, 3, 1), 0, 8)
    assert SCENES["bluff_you"].tell(won, NAMES) == (
        "gamma: “Bluff you!” The dice are 4 3 1, together 8: 8 was true. alpha wins and takes 8."
    )
    assert SCENES["bluff_you"].tell(Swapped(1, (4, 4, 1), (8, 13), 4), NAMES) == (
        "beta shows the double 4 4 1 and swaps 8 and 13 for 4."
    )


def test_bloeff_is_told_in_words() -> None:
    doubted = Doubted(0, 1, Card.MINUS_TWO, 4, 0, False, ())
    assert SCENES["bloeff"].tell(doubted, NAMES) == (
        "beta doubts alpha: the card is −2, so 4 should have been 0."
    )
    assert (
        SCENES["bloeff"].tell(CardsDrawn(0, 1, DrawCause.BUST), NAMES)
        == "alpha draws 1 card for a bust."
    )
    assert SCENES["bloeff"].tell(RedPlayed(0, Card.SKIP, 2, True), NAMES) == (
        "alpha lays skip in front of gamma, calling."
    )
