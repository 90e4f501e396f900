"""What a claim's own seat can know of it, in every game that has claims."""

from fractions import Fraction

import pytest

from arena.bot import Bot
from arena.games import KITS, make_game
from arena.games.bloeff import BloeffOptions, Number
from arena.games.bluff import STAR, Bet, BluffView, Face, PlacedBet
from arena.games.bluff.bets import lowest_raises
from arena.games.claims import KINDS, claims_of
from arena.games.game import DEALER, AnyGame
from arena.games.skull import Bid, Disc, Pass, Place
from arena.lab.deception import ClaimDecision, claim_decisions
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from arena.match.replay import replay
from arena.match.transcript import Transcript

GAMES = [name for name in KITS if claims_of(name) is not None]
CASES = [
    *((name, {}) for name in GAMES),
    ("bluff", {"show_and_reroll": True, "dice_per_player": 3}),
    ("bloeff", {"below_zero": "bluff"}),
    ("bloeff", {"announce_range": "any"}),
    ("bluff_you", {"announce_missing_chip": "no_effect"}),
]


def played(game: AnyGame, seats: int = 3, matches: int = 4) -> list[Transcript]:
    bots = [Contender(f"random {number}", load_bot("random")) for number in range(seats)]
    return [one.transcript for one in play_series(game, bots, matches, "claims")]


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_what_a_kit_says_of_claims_agrees_with_the_rules(
    name: str, options: dict[str, object]
) -> None:
    game, known = make_game(name, options), claims_of(name)
    assert known is not None
    claims = 0
    for transcript in played(game):
        for frame in replay(transcript):
            step, before, after = frame.step, frame.before, frame.state
            if step is not None and step.actor is not DEALER:
                view = game.view(before, step.actor)
                # The first choices suffice: with the extension there are thousands.
                legal = [action for action, _ in zip(game.choices(view), range(400), strict=False)]
                chances = [known.own_chance(action, view, game.options) for action in legal]
                told = [chance for chance in chances if chance is not None]
                likeliest = known.likeliest(view, game.options)
                assert (likeliest is None) == (not told)
                if likeliest is not None:
                    assert max(told) <= likeliest
                    if len(legal) < 400:
                        assert max(told) == likeliest
                assert known.may_doubt(view) == any(map(known.doubts, legal))
                kinds = [one.kind for one in known.situations(view)]
                assert len(kinds) == len({*kinds}) and {*kinds} <= {*KINDS}
                off = known.off(step.action, before, after, game.options)
                chance = known.own_chance(step.action, view, game.options)
                assert (off is None) == (chance is None)
                claims += off is not None
                if chance in (0, 1) and not getattr(step.action, "show", ()):
                    assert (off == 0) == (chance == 1)
    assert claims


@pytest.mark.parametrize("name", GAMES)
def test_a_doubt_is_right_exactly_if_the_claim_was_false(name: str) -> None:
    for transcript in played(make_game(name)):
        last: ClaimDecision | None = None
        for one in claim_decisions(transcript):
            if one.claimed:
                assert one.could_claim
                last = one
            if one.right is not None:
                assert last is not None and last.doubted and one.could_doubt
                assert one.right == (last.off > 0)


def view_of(dice: tuple[Face, ...], counts: tuple[int, ...], *bets: Bet) -> BluffView:
    placed = tuple(PlacedBet(1, bet) for bet in bets)
    lowest = lowest_raises(bets[-1].quantity, bets[-1].face) if bets else (1,) * 6
    none: tuple[tuple[Face, ...], ...] = ((),) * len(counts)
    return BluffView(0, 1, 0, 0, dice, none, counts, 0, placed, lowest, sum(counts), bool(bets))


@pytest.mark.parametrize(
    ("in_play", "size"),
    [
        *((2, "2 or 3 dice"), (3, "2 or 3 dice"), (4, "4 to 6 dice"), (6, "4 to 6 dice")),
        *((7, "7 to 10 dice"), (10, "7 to 10 dice"), (11, "more than 10 dice")),
    ],
)
def test_in_bluff_situations_tell_the_dice_in_play(in_play: int, size: str) -> None:
    known = claims_of("bluff")
    assert known is not None
    own = (Face.ONE,)
    situations = known.situations(view_of(own, (1, in_play - 1)))
    assert situations[-1].name == f"{size} in play"


def test_in_bluff_a_bet_is_as_likely_as_the_dice_that_its_seat_does_not_see() -> None:
    """A number comes with a third of the dice, a star with a sixth (BL-2, BL-11, BL-12)."""
    known, options = claims_of("bluff"), make_game("bluff").options
    assert known is not None
    view = view_of((Face.TWO, STAR), (2, 2))
    for bet, chance in {
        Bet(2, Face.TWO): Fraction(1),
        Bet(3, Face.TWO): 1 - Fraction(2, 3) ** 2,
        Bet(4, Face.TWO): Fraction(1, 9),
        Bet(2, STAR): 1 - Fraction(5, 6) ** 2,
        Bet(4, STAR): Fraction(0),
        # Laid out: the two counts, and the star is rolled again.
        Bet(2, Face.TWO, (Face.TWO,)): 1 - Fraction(2, 3) ** 3,
    }.items():
        assert known.own_chance(bet, view, options) == chance
    assert known.likeliest(view, options) == 1
    # Four twos stand: four of a larger face, or three stars with one of them its own.
    raised = view_of((Face.TWO, STAR), (2, 2), Bet(4, Face.TWO))
    assert known.likeliest(raised, options) == Fraction(1, 36)
    assert known.likeliest(view_of((Face.TWO,), (1, 1), Bet(2, STAR)), options) is None


class BelowZero(Bot):
    """Plays a -2 or -1 as the total 0 if it can; doubts never."""

    games = ("bloeff",)

    def act(self, turn):  # type: ignore[no-untyped-def]
        legal = list(turn.choices())
        low = [a for a in legal if isinstance(a, Number) and a.value < 0 and a.announce == 0]
        return low[0] if low else legal[0]


@pytest.mark.parametrize(("below_zero", "honest"), [("floor", True), ("bluff", False)])
def test_in_bloeff_a_total_that_would_go_below_zero_is_announced_as_zero(
    below_zero: str, *, honest: bool
) -> None:
    """BO-7: the honest total is never below 0, unless the option makes that a bluff."""
    game = make_game("bloeff", {"below_zero": below_zero})
    assert isinstance(game.options, BloeffOptions)
    bots = [Contender(f"below {number}", BelowZero) for number in range(2)]
    found = set()
    for match in play_series(game, bots, 3, "below"):
        transcript = match.transcript
        for one in claim_decisions(transcript):
            action = transcript.steps[one.step - 1].action
            if isinstance(action, Number) and action.value < 0 and action.announce == 0:
                total = _total_before(game, transcript, one.step)
                if total + action.value < 0:
                    found.add((one.off == 0, one.chance == 1))
    assert found == {(honest, honest)}


def _total_before(game: AnyGame, transcript: Transcript, step: int) -> int:
    states = [frame.state for frame in replay(transcript)]
    total: int = game.view(states[step - 1], None).total
    return total


def test_in_skull_a_bid_is_as_likely_as_mats_of_which_any_disc_may_be_the_skull() -> None:
    """The own mat is turned over first, all of it (SK-9); a skull is one of four discs (SK-1)."""
    known, game = claims_of("skull"), make_game("skull", {"first": "seat"})
    assert known is not None
    flower, skull = Disc.FLOWER, Disc.SKULL
    for own, chances in {
        (flower, flower): [1, 1, Fraction(3, 4), Fraction(1, 2)],
        (skull, flower): [1, 0, 0, 0],
        (flower, skull): [0, 0, 0, 0],
    }.items():
        state = game.start(2)
        for seat, disc in ((0, own[0]), (1, flower), (0, own[1]), (1, flower)):
            state = game.apply(state, seat, Place(disc))
        view = game.view(state, 0)
        for bid, chance in enumerate(chances, start=1):
            assert known.own_chance(Bid(bid), view, game.options) == chance
            after = game.apply(state, 0, Bid(bid))
            # The other mat holds flowers alone.
            own_reach = {(flower, flower): 4, (skull, flower): 1, (flower, skull): 0}[own]
            assert known.off(Bid(bid), state, after, game.options) == max(0, bid - own_reach)
            # Four of four end the bidding at once (SK-7).
            assert known.called(Bid(bid), state, after) == (bid == 4)
            if bid < 4:
                seen = known.chance(game.view(after, 1), game.options)
                # Seat 1 has two flowers: the bid stands and falls with the mat of seat 0.
                assert seen == 1 - Fraction(min(bid, 2), 4)
                passed = game.apply(after, 1, Pass())
                assert known.called(Pass(), after, passed)
