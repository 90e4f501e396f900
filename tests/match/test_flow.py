"""The conversation of a match: who is asked, what a fault costs, and how it ends."""

import pytest

from arena.games.bloeff import Ballot, Number
from arena.games.bluff import Bet, Doubt, Face
from arena.games.game import DEALER
from arena.match.faults import Fault, FaultKind
from arena.match.flow import TimedAction
from arena.match.result import Termination
from tests.match.matches import ABSENT, LATE, MALFORMED, Playing, game

ILLEGAL = TimedAction(Bet(99, Face.STAR), 40)
BAD_ANSWERS = {
    FaultKind.LATE: LATE,
    FaultKind.MALFORMED: MALFORMED,
    FaultKind.ILLEGAL: ILLEGAL,
}


def bluff(seats: int = 2, **options: object) -> Playing:
    return Playing(game("bluff", start_mode="seat", **options), seats)


def bloeff(seats: int = 4) -> Playing:
    return Playing(game("bloeff"), seats)


def to_a_ballot(playing: Playing) -> None:
    """On to a question that goes to several seats."""
    while len(playing.turns) < 2:
        (turn,) = playing.turns
        view = turn.view
        card = next((card for card in view.hand if card <= 4), None)
        assert card is not None
        playing.reply(TimedAction(Number(int(card), view.lowest)))


def test_a_match_begins_with_the_draws_and_asks_the_first_seat() -> None:
    playing = bluff()
    (turn,) = playing.turns
    assert (turn.seat, turn.number) == (0, 1)
    assert len(turn.view.hidden_dice) == 5


def test_turn_numbers_count_all_questions_of_the_match() -> None:
    playing = bluff(3)
    playing.to_end({})
    numbers = [turn.number for ask in playing.asks for turn in ask.turns]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_turn_says_where_the_events_begin_that_its_seat_has_not_seen() -> None:
    playing = bluff(3)
    playing.until(2)
    (turn,) = playing.turns
    assert turn.unseen == 0
    seen = len(turn.events)
    playing.reply(playing.default(turn))
    playing.until(2)
    if playing.record is None:
        assert playing.turns[0].unseen == seen


@pytest.mark.parametrize("kind", BAD_ANSWERS, ids=lambda kind: kind.value)
def test_for_a_bad_answer_the_default_action_is_played_and_both_are_recorded(
    kind: FaultKind,
) -> None:
    playing = bluff(3)
    (turn,) = playing.turns
    bad = BAD_ANSWERS[kind]
    playing.reply(bad)
    playing.to_end({})
    assert playing.record is not None
    first = next(step for step in playing.record.steps if step.actor is not DEALER)
    expected = next(playing.game.choices(turn.view))
    assert (first.actor, first.action, first.fault) == (0, expected, kind)
    assert first.milliseconds == bad.milliseconds
    assert not first.stand_in
    assert playing.record.result.faults == (1, 0, 0)
    assert playing.record.result.forfeited == (False, False, False)
    assert playing.record.result.termination is Termination.FINISHED


def test_a_refusal_says_what_was_wrong_what_was_legal_and_what_was_played() -> None:
    playing = bluff()
    playing.reply(ILLEGAL)
    (refused,) = playing.asks[-1].refused
    assert (refused.seat, refused.turn_number, refused.kind) == (0, 1, FaultKind.ILLEGAL)
    assert refused.reason == "This bet is above the largest quantity."
    assert refused.legal == "Legal is a bet of 1 to 10 of 1 to *."
    assert refused.played == Bet(1, Face.ONE)


def test_a_refusal_of_a_legal_kind_at_the_wrong_time_is_illegal_and_not_malformed() -> None:
    playing = bluff()
    playing.reply(TimedAction(Doubt()))
    (refused,) = playing.asks[-1].refused
    assert refused.kind is FaultKind.ILLEGAL


def test_a_strangers_object_is_refused_like_any_illegal_action() -> None:
    playing = bluff()
    playing.reply(TimedAction({"quantity": 3}))
    assert playing.refused[0].kind is FaultKind.ILLEGAL


def test_a_forfeit_by_the_last_action_of_the_game_leaves_the_match_finished() -> None:
    playing = bluff(dice_per_player=1)
    playing.reply(TimedAction(Bet(1, Face.ONE)))
    # The doubt that is played for the absent seat settles the last round.
    playing.reply(ABSENT)
    assert playing.record is not None
    result = playing.record.result
    assert (result.termination, result.forfeited) == (Termination.FINISHED, (False, True))
    assert result.placing == (1, 2)
    assert sorted(result.scores or ()) == [0, 1]


def test_the_other_seat_does_not_pay_for_a_fault() -> None:
    playing = bluff()
    playing.reply(LATE)
    playing.to_end({})
    assert playing.record is not None
    assert playing.record.result.faults[1] == 0
    assert playing.record.result.decided_by_faults is False


def test_with_two_seats_the_match_ends_at_once_when_one_reaches_the_limit() -> None:
    playing = bluff()
    faults = 0
    while playing.record is None:
        (turn,) = playing.turns
        faults += turn.seat == 0
        playing.reply(LATE if turn.seat == 0 else playing.default(turn))
    result = playing.record.result
    assert faults == 3
    assert result.termination is Termination.FORFEIT
    assert result.placing == (2, 1)
    assert result.scores is None
    assert result.faults == (3, 0)
    assert result.forfeited == (True, False)
    assert result.decided_by_faults
    assert playing.record.steps[-1].fault is FaultKind.LATE
    assert [refused.seat for refused in playing.record.refused] == [0]


def test_absence_forfeits_at_once() -> None:
    playing = bluff()
    playing.reply(ABSENT)
    assert playing.record is not None
    assert playing.record.result.placing == (2, 1)
    assert playing.record.result.faults == (1, 0)


def test_at_a_larger_table_stand_ins_play_on_and_the_forfeiter_is_last() -> None:
    playing = bluff(4)
    playing.reply(ABSENT)
    record = playing.to_end({})
    stand_ins = [step for step in record.steps if step.stand_in]
    assert stand_ins
    assert {step.actor for step in stand_ins} == {0}
    assert all(step.fault is None and step.milliseconds == 0 for step in stand_ins)
    assert 0 not in {turn.seat for ask in playing.asks[1:] for turn in ask.turns}
    assert record.result.termination is Termination.FINISHED
    assert record.result.placing[0] == 4
    assert record.result.scores is not None
    assert sorted(record.result.placing)[:1] == [1]


def test_several_forfeiters_share_the_last_place_and_the_last_one_left_wins_at_once() -> None:
    playing = bluff(4)
    while playing.record is None:
        playing.reply(*(playing.default(t) if t.seat == 2 else ABSENT for t in playing.turns))
    assert playing.record.result.placing == (2, 2, 1, 2)
    assert playing.record.result.termination is Termination.FORFEIT


def test_a_match_among_the_remaining_seats_goes_on_while_two_are_left() -> None:
    playing = bluff(4)
    playing.reply(ABSENT)
    playing.until(1)
    playing.reply(ABSENT)
    record = playing.to_end({})
    assert record.result.termination is Termination.FINISHED
    assert record.result.placing[:2] == (3, 3)
    assert set(record.result.placing[2:]) <= {1, 2}


def test_sealed_ballots_are_asked_together_and_applied_in_seat_order() -> None:
    playing = bloeff()
    to_a_ballot(playing)
    assert playing.asked == (1, 2, 3)
    playing.reply(TimedAction(Ballot(False)), MALFORMED, TimedAction(Ballot(False), 8))
    playing.reply(playing.default(playing.turns[0]))
    (refused,) = [r for ask in playing.asks for r in ask.refused]
    assert (refused.seat, refused.kind) == (2, FaultKind.MALFORMED)


def test_everybody_asked_may_forfeit_at_once() -> None:
    playing = bloeff()
    to_a_ballot(playing)
    playing.reply(ABSENT, ABSENT, ABSENT)
    assert playing.record is not None
    assert playing.record.result.placing == (1, 2, 2, 2)
    assert playing.record.result.termination is Termination.FORFEIT
    assert [refused.seat for refused in playing.record.refused] == [1, 2, 3]


def test_when_nobody_is_left_all_share_the_first_place() -> None:
    playing = bloeff(3)
    assert playing.asked == (0,)
    playing.reply(ABSENT)
    to_a_ballot_of_the_others(playing)
    playing.reply(ABSENT, ABSENT)
    assert playing.record is not None
    assert playing.record.result.forfeited == (True, True, True)
    assert playing.record.result.placing == (1, 1, 1)
    assert playing.record.result.termination is Termination.FORFEIT


def to_a_ballot_of_the_others(playing: Playing) -> None:
    """On to a ballot about what stands in for seat 0."""
    while playing.asked != (1, 2):
        assert playing.record is None
        playing.reply(*(playing.default(turn) for turn in playing.turns))


def test_a_forfeit_in_a_ballot_leaves_the_ballots_of_the_others_standing() -> None:
    playing = bloeff()
    to_a_ballot(playing)
    playing.reply(ABSENT, TimedAction(Ballot(True)), TimedAction(Ballot(False)))
    record = playing.to_end({})
    ballots = [step for step in record.steps if isinstance(step.action, Ballot)][:3]
    assert [step.actor for step in ballots] == [1, 2, 3]
    assert ballots[1].action == Ballot(True)
    assert ballots[0].fault is FaultKind.ABSENT


def test_a_limit_of_one_forgives_nothing() -> None:
    playing = Playing(game("bluff", start_mode="seat"), 2, fault_limit=1)
    playing.reply(Fault(FaultKind.LATE, 9))
    assert playing.record is not None
    assert playing.record.result.forfeited == (True, False)


def test_all_seats_learn_all_events_and_the_record_holds_them_all() -> None:
    playing = bluff(3)
    record = playing.to_end({})
    heard: dict[int, list[object]] = {seat: [] for seat in range(3)}
    for ask in playing.asks:
        for turn in ask.turns:
            # The list is shared and grows; what a seat was shown began at `unseen`.
            heard[turn.seat].append(turn.unseen)
    assert all(starts == sorted(starts) for starts in heard.values())
    assert all(turn.events is record.events for ask in playing.asks for turn in ask.turns)
