"""The biggest leak of a bot in a sentence: what it does too often or too rarely, and when."""

from typing import Any

import pytest

from arena.games.bluff import STAR, Bet, Doubt, Face
from arena.lab.analysis import SeatAnalysis, analyse_bot
from arena.lab.analysis.decisions import AnalysedDecision
from arena.lab.analysis.leak import Leak
from arena.lab.analysis.solved_place import SolvedPlace

LOW, HIGH = Bet(2, Face.TWO), Bet(1, STAR)


def decision(
    action: Any,
    better: Any = None,
    loss: float = 0.0,
    *,
    place: SolvedPlace | None = None,
    unread: float | None = 0.3,
) -> AnalysedDecision:
    values = {action: 0.5} | ({better: 0.5 + loss} if loss else {})
    return AnalysedDecision(1, 0, None, action, False, unread, unread, values, "tables", place)


def leak(*matches: list[AnalysedDecision]) -> Leak | None:
    found = analyse_bot(SeatAnalysis(tuple(decisions)) for decisions in matches)
    assert found is not None
    return found.leak


def doubts(own: int = 1, *, solved: float = 0.3) -> AnalysedDecision:
    """A doubt where a bet that is no bluff was better by a tenth of a win."""
    return decision(Doubt(), LOW, 0.1, place=SolvedPlace(own, 2, False, False, 0.0, solved, 0.5))


def raises(own: int = 1, *, solved: float = 0.3) -> AnalysedDecision:
    return decision(LOW, place=SolvedPlace(own, 2, False, False, 0.0, solved, 0.5))


def test_a_habit_is_named_with_its_situation_and_its_cost() -> None:
    found = leak(*[[doubts(), doubts(own=3), doubts(), raises()]] * 20)
    assert found is not None
    assert found.in_words == (
        "It doubts too often when the standing bet is 25 to 50 % likely, mostly with fewer dice: "
        "7.5% of a win a decision there, 100% of all that it loses."
    )


def test_bluffs_are_told_from_other_bets() -> None:
    opens = decision(
        HIGH, LOW, 0.2, place=SolvedPlace(2, 2, True, False, 0.1, None, 0.5), unread=None
    )
    honest = decision(
        LOW, HIGH, 0.3, place=SolvedPlace(2, 2, False, True, 0.9, 0.0, 0.5), unread=0.6
    )
    often, rarely = leak(*[[opens]] * 40), leak(*[[opens, honest]] * 40)
    assert often is not None and rarely is not None
    assert often.in_words.startswith("It bluffs too often when no bet stands, mostly with as many")
    assert rarely.in_words.startswith("It bluffs too rarely when the standing bet is 50 to 75 %")
    assert rarely.share == pytest.approx(0.6)


def test_what_solved_play_does_as_often_is_no_habit() -> None:
    """It costs something all the same: actions are drawn, and values are estimates."""
    as_often = [[doubts(solved=0.5)], [raises(solved=0.5)]] * 20
    found = leak(*as_often)
    assert found is not None and not found.habit
    assert found.in_words.startswith(
        "It loses most by doubts where a bet is better, when the standing bet is 25 to 50 % likely"
    )


def test_a_habit_that_chance_may_explain_is_not_told() -> None:
    # The difference is wider than its 95 % interval, but not by half.
    some = [[doubts(solved=0.5)]] * 27 + [[raises(solved=0.5)]] * 13
    found = leak(*some)
    assert found is not None and not found.habit


@pytest.mark.parametrize(
    ("action", "better", "what"),
    [
        (Doubt(), LOW, "doubts where a bet is better"),
        (LOW, Doubt(), "bets where a doubt is better"),
        (LOW, HIGH, "bets where a lower one is better"),
        (HIGH, LOW, "bets where a higher one is better"),
    ],
)
def test_without_solved_play_the_kind_of_decision_is_named(
    action: Any, better: Any, what: str
) -> None:
    found = leak([decision(action, better, 0.125, unread=0.9), decision(HIGH, unread=0.9)])
    assert found == Leak(what, False, "bet over 75 % likely", None, 0.0625, 1.0)
    assert found.in_words.startswith(f"It loses most by {what}, when the standing bet is over 75 %")


def test_who_loses_nothing_has_no_leak() -> None:
    assert leak([raises()]) is None
