"""The ratings of the time before a match: of results before it, and measured from the anchor."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.boards.board import CENTRE
from arena.server.boards.ratings_then import FEWEST, RatingsThen
from tests.server.boards.test_live_board import VERSIONS, Log

TWO = LadderId("bluff", "{}", (2,))
ANCHOR, ALPHA, BETA = (VersionId(number) for number in (1, 2, 3))
BETAS = SimpleNamespace(id=3, bot="beta", version="1", owner="bea", house=False)


class ThreeBots(Log):
    """A log of matches of two, of which the first wins."""

    def won(self, winner: VersionId, loser: VersionId, times: int) -> None:
        for _ in range(times):
            self.last += 2
            match_id = self.last.to_bytes(16, "big")
            self.rows.append(
                [
                    (self.last, match_id, seat, bot, 1 + seat, np.nan, 0, 0)
                    for seat, bot in enumerate((winner, loser))
                ]
            )

    def __call__(self, statement: Any) -> Any:
        found = super().__call__(statement)
        return [*found, BETAS] if found is VERSIONS else found


def test_nobody_has_a_rating_before_the_anchor_has_played() -> None:
    log = ThreeBots()
    log.won(ALPHA, BETA, FEWEST + 2)
    before_the_anchor = log.last
    log.won(ALPHA, ANCHOR, FEWEST)
    log.won(ANCHOR, BETA, FEWEST)
    then = RatingsThen(log)
    assert then.before(TWO, before_the_anchor + 1, [ANCHOR, ALPHA, BETA]) == [None] * 3
    anchor, alpha, beta = then.before(TWO, log.last + 2, [ANCHOR, ALPHA, BETA])
    assert anchor == CENTRE
    assert alpha is not None and beta is not None and alpha > anchor > beta


def test_a_match_that_does_not_count_has_the_ratings_of_the_last_one_asked_for() -> None:
    log = ThreeBots()
    log.won(ALPHA, ANCHOR, 2 * FEWEST)
    half = log.last + 1
    log.won(BETA, ANCHOR, 4 * FEWEST)
    then = RatingsThen(log)
    (known,), (beta,) = (then.before(TWO, half, [bot]) for bot in (ALPHA, BETA))
    assert known is not None and beta is None
    assert then.before(TWO, None, [ALPHA, BETA]) == [known, None]
    assert then.before(TWO, log.last + 2, [BETA]) > [CENTRE]
    assert then.before(TWO, None, [VersionId(9)]) == [None]
