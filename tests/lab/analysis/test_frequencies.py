"""How often a bot bluffs and doubts, beside solved play: counted by hand, and in matches."""

from math import inf
from typing import Any

import pytest

from arena.games import make_game
from arena.games.bluff import STAR, Bet, BluffView, Doubt, Face, PlacedBet
from arena.games.bluff.bets import lowest_raises
from arena.lab.analysis import Frequency, SeatAnalysis, analyse, frequencies
from arena.lab.analysis.decisions import AnalysedDecision
from arena.lab.analysis.solved_place import SolvedPlace, solved_place
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot

BET = Bet(2, Face.TWO)


def view_of(*bets: Bet, dice: tuple[Face, ...], counts: tuple[int, int]) -> BluffView:
    placed = tuple(PlacedBet(number % 2, bet) for number, bet in enumerate(bets))
    lowest = lowest_raises(bets[-1].quantity, bets[-1].face) if bets else (1,) * 6
    seat = len(bets) % 2
    return BluffView(
        seat, 1, 0, seat, dice, ((),) * 2, counts, 8, placed, lowest, sum(counts), bool(bets)
    )


def test_a_bluff_is_a_bet_more_likely_false_than_true_by_the_own_dice() -> None:
    view = view_of(dice=(Face.TWO,), counts=(1, 1))
    # Of the other's die a third fits a number, a sixth is a star.
    likely = {
        Bet(1, Face.TWO): 0.5,
        Bet(1, Face.THREE): 0.2,
        Bet(2, Face.TWO): 0.2,
        Bet(1, STAR): 0.1,
    }
    true = Bet(1, Face.TWO)
    half = pytest.approx(0.5)
    best_is_true = {bet: 0.8 if bet == true else 0.4 for bet in (*likely, BET)}
    best_is_bluff = {bet: 0.8 if bet == BET else 0.4 for bet in (*likely, BET)}
    found = solved_place(view, BET, best_is_true, likely)
    assert found == (1, 1, True, False, half, None, pytest.approx(0.5 * 0.8 + 0.5 * 0.4))
    found = solved_place(view, true, best_is_bluff, likely)
    assert found == (
        1,
        1,
        False,
        True,
        half,
        None,
        pytest.approx(sum(share * best_is_bluff[bet] for bet, share in likely.items())),
    )
    assert solved_place(view, BET, best_is_true, None) is None


def test_how_often_solved_play_doubts_is_known_where_a_bet_stands() -> None:
    view = view_of(Bet(1, Face.TWO), dice=(Face.ONE, STAR), counts=(1, 2))
    values = {Doubt(): 0.2, Bet(1, STAR): 0.6}
    place = solved_place(view, Doubt(), values, {Doubt(): 0.25, Bet(1, STAR): 0.75})
    # One star of its own makes the star bet true.
    assert place == (2, 1, False, False, 0.0, 0.25, pytest.approx(0.5))
    place = solved_place(view, BET, {Doubt(): 0.7, BET: 0.3}, {BET: 1.0})
    assert place == (2, 1, True, False, 1.0, 0.0, pytest.approx(0.3))


def decision(action: Any, solved: SolvedPlace | None, unread: float | None) -> AnalysedDecision:
    values = {action: 0.5}
    return AnalysedDecision(1, 0, None, action, False, unread, unread, values, "tables", solved)


def by_name(matches: list[list[AnalysedDecision]]) -> dict[tuple[str, str], Frequency]:
    found = frequencies(SeatAnalysis(tuple(decisions)) for decisions in matches)
    return {(one.what, one.situation): one for one in found}


def test_what_a_bot_does_is_counted_beside_what_solved_play_does() -> None:
    opens = decision(BET, SolvedPlace(3, 2, True, False, 0.25, None, 0.5), None)
    doubts = decision(Doubt(), SolvedPlace(3, 2, False, False, 0.1, 0.4, 0.5), 0.3)
    raises = decision(BET, SolvedPlace(3, 2, False, False, 0.3, 0.9, 0.5), 0.3)
    unknown = decision(BET, None, 0.3)
    found = by_name([[opens, doubts, raises, unknown], [doubts]])
    assert list(found) == [
        ("bluff", "everywhere"), ("bluff", "with more dice"), ("bluff", "no bet stands"),
        ("bluff", "bet 25 to 50 % likely"), ("bluff", "3 against 2 dice"),
        ("doubt", "everywhere"), ("doubt", "with more dice"), ("doubt", "bet 25 to 50 % likely"),
        ("doubt", "3 against 2 dice"),
    ]  # fmt: skip
    bluffs, doubted = found["bluff", "everywhere"], found["doubt", "everywhere"]
    assert (bluffs.decisions, doubted.decisions) == (4, 3)
    assert bluffs.share.mean == pytest.approx(1 / 4)
    assert bluffs.solved == pytest.approx((0.25 + 0.1 + 0.3 + 0.1) / 4)
    assert doubted.share.mean == pytest.approx(2 / 3)
    assert doubted.difference.mean == pytest.approx(2 / 3 - (0.4 + 0.9 + 0.4) / 3)
    assert found["bluff", "no bet stands"].difference == pytest.approx((0.75, inf))


def test_a_match_is_one_cluster() -> None:
    """Ten decisions of one match tell as much as one of them if all are the same."""
    often = decision(Doubt(), SolvedPlace(1, 1, False, False, 0.0, 0.5, 0.5), 0.3)
    never = decision(BET, SolvedPlace(1, 1, False, False, 0.0, 0.5, 0.5), 0.3)
    few = by_name([[often], [never]] * 10)["doubt", "everywhere"]
    many = by_name([[often] * 10, [never] * 10] * 10)["doubt", "everywhere"]
    assert many.difference == pytest.approx(few.difference)
    assert few.difference.error > 0.2


def test_words_are_found_where_the_interval_is_on_one_side() -> None:
    often = decision(Doubt(), SolvedPlace(1, 1, False, False, 0.0, 0.5, 0.5), 0.3)
    assert by_name([[often]] * 40)["doubt", "everywhere"].in_words == "too often"
    assert by_name([[often]] * 5)["doubt", "everywhere"].in_words == ""
    rarely = decision(BET, SolvedPlace(1, 1, False, False, 0.0, 0.5, 0.5), 0.3)
    assert by_name([[rarely]] * 40)["doubt", "everywhere"].in_words == "too rarely"
    assert by_name([[rarely], [often]] * 40)["doubt", "everywhere"].in_words == ""


@pytest.mark.slow
def test_the_tables_differ_little_from_themselves_and_honest_much() -> None:
    bots = [Contender(name, load_bot(name)) for name in ("cfr", "honest")]
    seats: dict[str, list[SeatAnalysis]] = {"cfr": [], "honest": []}
    for match in play_series(make_game("bluff"), bots, 40, "frequencies"):
        for entrant, seat in zip(
            match.transcript.setup.entrants, analyse(match.transcript).seats, strict=True
        ):
            seats[entrant.bot].append(seat)
    own, honest = (
        {one.what: one for one in frequencies(seats[bot]) if one.situation == "everywhere"}
        for bot in ("cfr", "honest")
    )
    for what in ("bluff", "doubt"):
        # Within two of its 95 % intervals: play that draws its actions differs by chance.
        assert abs(own[what].difference.mean) < 2 * own[what].difference.error
    assert honest["doubt"].in_words == "too often"
    assert honest["bluff"].in_words == "too rarely"
