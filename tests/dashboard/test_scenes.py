"""Every moment of every game can be drawn and told, from every viewpoint; some by the letter."""

from html.parser import HTMLParser
from random import Random
from uuid import uuid4

import pytest

from arena.games import make_game
from arena.games.bloeff import Card, CardsDrawn, Doubted, DrawCause, RedPlayed
from arena.games.bluff import (
    Bet,
    BetPlaced,
    BluffRoundStarted,
    BluffView,
    Face,
    PlacedBet,
    Showdown,
)
from arena.games.bluff_you import Revealed, Steal, Swapped, Win
from arena.match.transcript import Entrant, Transcript
from arena.records import Registered, VersionId
from arena_dashboard.scenes import SCENES, bloeff, bluff, bluff_you, sentences
from arena_dashboard.watching import Moment, Onlooker, Viewpoint, watch
from tests.dashboard.played import Guest, play_match, sensible

NAMES = ("alpha", "beta", "gamma")
VIEWPOINTS: tuple[Viewpoint, ...] = (0, 2, Onlooker.SPECTATOR, Onlooker.EVERYTHING)


def match(game: str, seed: int, seats: int = 3, **options: object) -> Transcript:
    guests = [
        Guest(Registered(VersionId(seat), Entrant(NAMES[seat], "1", "x"), False), sensible(0.3))
        for seat in range(seats)
    ]
    return play_match(make_game(game, options), guests, str(uuid4()), Random(seed))


class Tree(HTMLParser):
    """Checks that elements are closed in order, and collects text and labels."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.labels: list[str] = []
        self.classes: list[str] = []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        given = dict(attrs)
        self.classes += (given.get("class") or "").split()
        if given.get("role") == "img":
            self.labels.append(given["aria-label"] or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


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
def test_every_moment_can_be_drawn_and_told(game: str, options: dict[str, object]) -> None:
    for seed in range(4):
        transcript = match(game, seed, **options)
        for viewpoint in VIEWPOINTS:
            watched = watch(transcript, viewpoint)
            assert watched.broken is None and watched.doubt is None
            for moment in watched.moments:
                tree = Tree(SCENES[game].render(moment, watched.names))
                assert all(tree.labels)
                said = sentences(moment, game, watched.names)
                assert said and all(said)


def test_names_are_text_and_never_markup() -> None:
    transcript = match("bluff", 1)
    for moment in watch(transcript, 0).moments:
        assert "<img" not in bluff.render(moment, ("<img src=x>", "b", "c"))


def bluff_view(**changes: object) -> BluffView:
    fields: dict[str, object] = {
        "seat": 0,
        "round": 2,
        "opener": 0,
        "to_act": 1,
        "hidden_dice": (Face.ONE, Face.STAR),
        "face_up": ((Face.FOUR,), (), ()),
        "dice_counts": (3, 2, 0),
        "graveyard": 10,
        "bets": (PlacedBet(0, Bet(2, Face.STAR)),),
        "lowest": (4, 4, 4, 4, 4, 3),
        "highest": 5,
        "can_doubt": True,
    }
    return BluffView(**(fields | changes))  # type: ignore[arg-type]


def test_bluffs_table_shows_the_bet_own_dice_and_how_many_others_hold() -> None:
    tree = Tree(bluff.render(Moment(5, (bluff_view(),), (), None), NAMES))
    assert "Standing bet: 2 × ★" in tree.labels
    assert "The track; the bet stands on 2 × ★" in tree.labels
    assert "under the cup: 1 star" in tree.labels
    assert "under the cup: 2 dice" in tree.labels
    assert "face up: 4" in tree.labels
    assert "5 dice in play" in tree.text and "10 in the graveyard" in tree.text
    assert "out" in tree.text


def test_the_track_has_star_n_between_the_numbers_2n_minus_1_and_2n() -> None:
    tree = Tree(bluff.render(Moment(5, (bluff_view(dice_counts=(3, 2, 3)),), (), None), NAMES))
    track = "1★12 3★24 5★36 7★48".replace(" ", "")
    assert track in tree.text


def test_a_showdown_opens_all_cups_and_marks_what_counts() -> None:
    end = Showdown(
        doubter=1,
        bettor=0,
        bet=Bet(3, Face.TWO),
        dice=((Face.TWO, Face.STAR), (Face.ONE, Face.TWO), ()),
        actual=3,
        losses=(0, 1, 0),
        next_opener=0,
    )
    view = bluff_view(bets=(), dice_counts=(2, 1, 0), hidden_dice=(), face_up=((), (), ()))
    tree = Tree(bluff.render(Moment(9, (view,), (end,), None), NAMES))
    assert "shows 2 star" in tree.labels and "shows 1 2" in tree.labels
    assert tree.classes.count("ba-hit") == 3 and tree.classes.count("ba-miss") == 1
    assert "−1 die" in tree.text and "on the table: 3" in tree.text
    assert "4 dice in play" in tree.text and "9 in the graveyard" in tree.text
    assert bluff.tell(end, NAMES) == (
        "beta doubts alpha's 3 × 2. There are 3: the bet was exactly right. Lost: beta 1 die."
    )


def test_bluff_is_told_in_words() -> None:
    assert bluff.tell(BluffRoundStarted(2, 1, (5, 4, 0)), NAMES) == (
        "Round 2: everybody rolls in secret. beta opens, 9 dice in play."
    )
    assert bluff.tell(BetPlaced(2, Bet(4, Face.STAR, (Face.ONE, Face.STAR))), NAMES) == (
        "gamma bets 4 × ★, lays out 1 ★ and rolls the rest again."
    )


def test_bluff_you_is_told_in_words() -> None:
    lost = Revealed(0, Steal(1, 12), False, (4, 3, 1), 1, None)
    assert bluff_you.tell(lost, NAMES) == (
        "beta: “Bluff you!” The dice are 4 3 1, together 8: 12 was a bluff. beta wins."
    )
    won = Revealed(0, Win(2, 8), False, (4, 3, 1), 0, 8)
    assert bluff_you.tell(won, NAMES) == (
        "gamma: “Bluff you!” The dice are 4 3 1, together 8: 8 was true. alpha wins and takes 8."
    )
    assert bluff_you.tell(Swapped(1, (4, 4, 1), (8, 13), 4), NAMES) == (
        "beta shows the double 4 4 1 and swaps 8 and 13 for 4."
    )


def test_bloeff_is_told_in_words() -> None:
    doubted = Doubted(0, 1, Card.MINUS_TWO, 4, 0, False, ())
    assert bloeff.tell(doubted, NAMES) == (
        "beta doubts alpha: the card is −2, so 4 should have been 0."
    )
    assert bloeff.tell(CardsDrawn(0, 1, DrawCause.BUST), NAMES) == "alpha draws 1 card for a bust."
    assert bloeff.tell(RedPlayed(0, Card.SKIP, 2, True), NAMES) == (
        "alpha lays skip in front of gamma, calling."
    )


@pytest.mark.parametrize("number", range(3, 19))
def test_the_rarity_of_a_chip_goes_with_its_points(number: int) -> None:
    options = make_game("bluff_you").options
    points = options.chip_points[number - 3]  # type: ignore[attr-defined]
    assert bluff_you._rarity(number) == points - 1
