"""The table of Skull as each viewpoint sees it, and which bids are marked as bluffs."""

from arena.games.game import DEALER
from arena.games.skull import Bid, Disc, DrawnLoss, Lose, Pass, Place, TurnOver
from arena.games.skull.kit import scene
from arena.games.skull.kit.scene import claimed, reveal, table
from arena.games.skull.values import (
    BidMade,
    ChallengeBegun,
    DiscAdded,
    DiscLost,
    DiscTurned,
    OpenerDrawn,
    PointWon,
    SeatPassed,
    SkullRoundStarted,
)
from arena.match.transcript import Step
from arena.showing.claims import ClaimOutcome, Mark
from arena.showing.moments import Moment
from tests.games.test_skull import FLOWER, SKULL, Table

HIDDEN, A_FLOWER, A_SKULL = 0, 1, 2


def seen(at: Table, *seats: int | None) -> Moment:
    """The moment after the last action, by the views of seats; None is a spectator."""
    views = tuple(at.game.view(at.state, seat) for seat in seats)
    return Moment(1, views, at.events, None)


def test_turned_discs_and_the_own_mat_are_shown_from_the_bottom() -> None:
    at = Table().all_lay(FLOWER, FLOWER, SKULL)
    at.do(0, FLOWER).do(1, FLOWER).do(2, FLOWER)
    at.do(0, Bid(4)).do(1, Pass()).do(2, Pass()).do(0, TurnOver(2))
    for seat, of_two in ((None, HIDDEN), (1, HIDDEN), (2, A_SKULL)):
        shown = table(seen(at, seat), None)
        mats = [shown["seats"][str(each)]["mat"] for each in range(3)]
        of_one = A_FLOWER if seat == 1 else HIDDEN
        assert mats == [[A_FLOWER, A_FLOWER], [of_one, of_one], [of_two, A_FLOWER]]
        assert (shown["bid"], shown["flowers"]) == (4, 3)


def test_a_bid_is_a_bluff_if_it_would_turn_over_the_own_skull() -> None:
    at = Table().all_lay(SKULL, FLOWER, FLOWER)
    assert claimed(seen(at, 0, 1, 2), None, None, at.game.options) is None
    for number, (bidder, verdict) in enumerate(((0, Mark.BLUFF), (1, None)), start=1):
        claim = claimed(seen(at.do(bidder, Bid(number)), 0, 1, 2), None, None, at.game.options)
        assert claim is not None
        assert (claim.seat, claim.verdict) == (bidder, verdict)


def test_events_are_told_in_words() -> None:
    events = (
        OpenerDrawn(1),
        SkullRoundStarted(2, 0),
        DiscAdded(0, 2),
        BidMade(1, 3),
        SeatPassed(0),
        ChallengeBegun(1, 3),
        DiscTurned(1, Disc.FLOWER),
        PointWon(1, 1),
        DiscLost(1, 2),
        DiscLost(0, 0),
    )
    assert [scene.tell(event, ("Ann", "Bob")) for event in events] == [
        "Bob is drawn to open the first round.",
        "Round 2: all have laid a disc. Ann opens.",
        "Ann adds a disc: 2 lie on its mat.",
        "Bob bids 3.",
        "Ann passes.",
        "Bob has to turn over 3 discs, its own first.",
        "On the mat of Bob: a flower.",
        "Bob meets its bid and has 1 point.",
        "Bob loses a disc, 2 discs left.",
        "Ann loses a disc, and is out.",
    ]


def test_a_secret_is_told_in_words() -> None:
    told = [
        reveal(Step(actor, action), ("Ann", "Bob"))
        for actor, action in (
            (1, Place(Disc.SKULL)),
            (0, Lose(Disc.FLOWER)),
            (DEALER, DrawnLoss(Disc.SKULL)),
            (0, Bid(1)),
        )
    ]
    assert told == [
        "Bob lays the skull.",
        "Ann gives up a flower.",
        "The disc that is drawn is the skull.",
        None,
    ]


def test_a_challenge_ends_with_the_last_flower_or_a_skull() -> None:
    for disc, outcome in (
        (FLOWER, ClaimOutcome((Mark.SHOWDOWN,), "met", Mark.TRUE)),
        (SKULL, ClaimOutcome((Mark.SHOWDOWN,), "a skull", Mark.BLUFF)),
    ):
        at = Table().all_lay(FLOWER, disc, FLOWER)
        at.do(0, Bid(2)).do(1, Pass())
        assert scene.outcome(seen(at, None), None) is None
        at.do(2, Pass()).do(0, TurnOver(1))
        assert scene.outcome(seen(at, None), None) == outcome
