"""The table of a bot's deception: counts, intervals, and the comparison with solved play."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from arena.bot import Bot, Turn
from arena.games import make_game
from arena.games.bluff import BluffView, Doubt
from arena.games.claims import ClaimSituation, claims_of
from arena.lab.analysis import SolvedShares, solved_shares_of
from arena.lab.deception import (
    EVERYWHERE,
    BotMatch,
    ClaimDecision,
    Deception,
    DeceptionRow,
    claim_decisions,
    deception_of,
    share_of,
)
from arena.lab.deception.shares import t_quantile
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot

CLAIMS = claims_of("bluff")
OPTIONS = make_game("bluff").options


class _ByChance(Bot[BluffView, Any]):
    """Takes the legal action that is the best by `worth` of the chance of its claim."""

    games = ("bluff",)

    def act(self, turn: Turn[BluffView, Any]) -> Any:
        assert CLAIMS is not None
        legal = list(turn.choices())
        chances = [CLAIMS.own_chance(action, turn.view, OPTIONS) for action in legal]
        return legal[max(range(len(legal)), key=lambda at: self.worth(chances[at]))]

    def worth(self, chance: Any) -> float:
        raise NotImplementedError


class AlwaysBluffs(_ByChance):
    """Claims what is least likely."""

    def worth(self, chance: Any) -> float:
        return -1 if chance is None else 1 - float(chance)


class NeverBluffs(_ByChance):
    """Claims what is likeliest; doubts where that is a bluff."""

    def worth(self, chance: Any) -> float:
        return 0.5 if chance is None else float(chance)


@cache
def table(bot: str, other: str, matches: int) -> Deception:
    own = {"always": AlwaysBluffs, "never": NeverBluffs}
    contenders = [Contender(name, own.get(name) or load_bot(name)) for name in (bot, other)]
    found = []
    for match in play_series(make_game("bluff"), contenders, matches, "deception"):
        played = match.transcript
        seats = [seat for seat, one in enumerate(played.setup.entrants) if one.bot == bot]
        its = [one for one in claim_decisions(played) if one.seat in seats]
        found.append(BotMatch(played.setup.keyed_by, its, solved_shares_of(played)))
    whole = deception_of(found)
    assert whole is not None
    return whole


def rows(found: Deception) -> dict[str, DeceptionRow]:
    return {row.situation.name: row for row in found.rows}


def test_a_bot_that_always_bluffs_has_all_and_one_that_never_does_has_none() -> None:
    always, never = (table(bot, "honest", 60).rows[0] for bot in ("always", "never"))
    assert always.bluffs.share == 1 and always.bluffs.high == 1
    assert always.lies.share is not None and always.lies.share > 0.3
    assert never.bluffs.share == 0 and never.bluffs.low == 0 and never.lies.share == 0
    for one, sign in ((always, 1), (never, -1)):
        assert one.equilibrium is not None
        more = one.equilibrium.bluffs_difference
        assert sign * more.mean > 5 * more.error
        assert one.equilibrium.distance.mean >= abs(more.mean) - 1e-9
        assert one.equilibrium.distance.mean > 4 * one.equilibrium.by_chance


def test_solved_play_bluffs_and_doubts_as_often_as_itself_in_every_situation() -> None:
    """`cfr` draws its actions by the tables, so only chance is left between the two."""
    found = table("cfr", "honest", 150)
    deviations = []
    for row in found.rows:
        one = row.equilibrium
        assert one is not None and one.decisions > 0.99 * row.bluffs.of
        for more in (one.bluffs_difference, one.doubts_difference):
            if more is not None and one.decisions > 100:
                deviations.append(more.mean / more.error * 1.96)
    # Of this many intervals some miss, but none by far.
    assert len(deviations) > 20
    assert np.sqrt(np.mean(np.square(deviations))) < 1.5 and max(map(abs, deviations)) < 3.5
    everywhere = found.rows[0].equilibrium
    assert everywhere is not None
    assert abs(everywhere.distance.mean - everywhere.by_chance) < everywhere.distance.error


def test_honest_bluffs_too_rarely_and_doubts_too_often() -> None:
    one = table("honest", "cfr", 60).rows[0].equilibrium
    assert one is not None and one.doubts_difference is not None
    assert one.bluffs_difference.mean < -0.15 and one.doubts_difference.mean > 0.1
    assert one.distance.mean > 4 * one.by_chance


OPENS = ClaimSituation("round", 0, "opens the round")
LATER = ClaimSituation("round", 1, "answers")


def decision(
    step: int, situation: ClaimSituation, chance: float | None, off: int = 0, **more: Any
) -> ClaimDecision:
    could_doubt = situation is LATER
    return ClaimDecision(step, 0, True, True, could_doubt, (situation,), chance, off, **more)


def test_claims_and_doubts_are_counted_by_situation() -> None:
    first = [
        decision(1, OPENS, 0.8, doubted=True),
        decision(2, LATER, 0.3, 2, doubted=True),
        decision(3, LATER, 0.0, 1),
        decision(4, LATER, None, right=True),
    ]
    second = [decision(1, OPENS, 0.5), decision(2, LATER, None, right=False)]
    ignored = decision(3, LATER, 0.0, 1)
    ignored.own = False
    solved = {2: SolvedShares(0.25, 0.5), 4: SolvedShares(0.5, 0.25)}
    found = deception_of([BotMatch("a", first, solved), BotMatch("b", [*second, ignored], {})])
    assert found is not None and (found.matches, found.deals) == (2, 2)
    assert [row.situation for row in found.rows] == [EVERYWHERE, OPENS, LATER]
    everywhere, opens, later = found.rows
    shares = (
        *(everywhere.bluffs, everywhere.lies, everywhere.false, everywhere.bluffs_doubted),
        *(everywhere.others_doubted, everywhere.doubts, everywhere.right),
    )
    assert [(one.count, one.of) for one in shares] == [
        *((2, 6), (1, 4), (2, 4), (1, 2)),
        *((1, 2), (2, 4), (1, 2)),
    ]
    assert (opens.bluffs.count, opens.bluffs.of, opens.doubts.of) == (0, 2, 0)
    assert opens.equilibrium is None and opens.doubts.share is None
    one = later.equilibrium
    assert one is not None and one.decisions == 2
    assert (one.bluffs.mean, one.solved_bluffs, one.bluffs_difference.mean) == (0.5, 0.375, 0.125)
    assert one.doubts is not None and one.doubts_difference is not None
    assert (one.doubts.mean, one.solved_doubts, one.doubts_difference.mean) == (0.5, 0.375, 0.125)
    # Shares of bluffs, doubts and the rest: 1/2, 1/2, 0 beside 3/8, 3/8, 1/4.
    assert one.distance.mean == pytest.approx(0.25)


def test_two_matches_of_one_deal_are_one_cluster() -> None:
    often, rarely = [decision(1, OPENS, 0.1)] * 4, [decision(1, OPENS, 0.9)] * 4
    apart = deception_of([BotMatch(f"{at}", often if at % 2 else rarely, {}) for at in range(20)])
    alike = deception_of(
        [BotMatch(f"{at // 4}", often if at // 4 % 2 else rarely, {}) for at in range(40)]
    )
    assert apart is not None and alike is not None
    assert (alike.matches, alike.deals) == (40, 10)
    assert alike.rows[0].bluffs.high > apart.rows[0].bluffs.high


def test_there_is_no_table_without_decisions() -> None:
    assert deception_of([]) is None
    assert deception_of([BotMatch("a", [], {})]) is None


def test_intervals_widen_where_the_decisions_of_a_match_are_alike() -> None:
    alike, mixed = share_of([8, 0] * 20, [8] * 40), share_of([4] * 20 + [3, 5] * 10, [8] * 40)
    assert alike.share == mixed.share == 0.5
    assert alike.high - alike.low > 2.5 * (mixed.high - mixed.low)
    single = share_of([1], [4])
    assert (single.low, single.high) == (0, 1)
    assert share_of([0, 0], [0, 0]).share is None
    never = share_of([0] * 100, [5] * 100)
    # Wilson's interval of 0 of 100: z² / (100 + z²), with the quantile of t for z.
    assert never.low == 0 and never.high == pytest.approx(0.0379, abs=0.0002)


def test_clusters_with_the_same_share_count_as_one_decision_each_whatever_rounding_says() -> None:
    for decisions in (48, 49, 50):
        found = share_of([1] * 20, [decisions] * 20)
        z2 = t_quantile(19) ** 2
        share = 1 / decisions
        reach = (z2 * share * (1 - share) / 20 + z2**2 / 1600) ** 0.5
        assert found.high == pytest.approx((share + z2 / 40 + reach) / (1 + z2 / 20))


def test_nineteen_of_twenty_intervals_have_the_true_share() -> None:
    """Matches of 4 to 16 decisions whose own shares differ: a beta distribution around the mean."""
    random = np.random.default_rng(5)
    for mean in (0.05, 0.25, 0.6):
        hits = 0
        for _ in range(400):
            sizes = random.integers(4, 17, size=60)
            own = random.beta(6 * mean, 6 * (1 - mean), size=60)
            found = share_of(random.binomial(sizes, own), sizes)
            hits += found.low <= mean <= found.high
        assert 0.92 < hits / 400 < 0.98


def test_a_doubt_is_no_claim() -> None:
    assert CLAIMS is not None
    view = make_game("bluff").view(make_game("bluff").start(2), 0)
    assert CLAIMS.own_chance(Doubt(), view, OPTIONS) is None


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(3, 3.182), (5, 2.571), (10, 2.228), (99, 1.984)]
)
def test_the_t_quantile_is_the_published_one(freedom: int, quantile: float) -> None:
    """Abramowitz and Stegun 1964, table 26.10."""
    assert t_quantile(freedom) == pytest.approx(quantile, rel=0.01)
