"""A table among bots that are slow, wrong or silent, with a clock turned by hand."""

import weakref
from collections.abc import Callable

import pytest

from arena.match.faults import FaultKind
from arena.match.result import Termination
from arena.match.verify import verify
from arena.server.play.hosted_match import Outcome
from tests.server.play.hosted_matches import Scene, Watcher

ENTROPY = b"0123456789abcdef"


def test_a_match_is_offered_to_all_with_the_same_commitment() -> None:
    scene = Scene(seats=3)
    scene.table.open()
    assert [bot.seat for bot in scene.bots] == [0, 1, 2]
    assert len({bot.commitment for bot in scene.bots}) == 1
    assert {bot.join_ms for bot in scene.bots} == {5_000}
    assert not any(bot.turns for bot in scene.bots)


def test_it_begins_when_the_last_bot_joins_and_ends_with_a_verifiable_transcript() -> None:
    scene = Scene(seats=3)
    scene.table.open()
    scene.bots[2].join()
    scene.bots[0].join()
    assert not any(bot.turns for bot in scene.bots)
    scene.bots[1].join()
    assert scene.bots[0].turns
    scene.play_on()
    assert scene.outcomes == [Outcome.PLAYED]
    verify(scene.transcript)
    scene.announce()
    assert [bot.told_over for bot in scene.bots] == [1, 1, 1]
    assert scene.timer.arranged == 0


@pytest.mark.parametrize("hidden", [False, True])
def test_a_follower_sees_the_match_to_its_end_unless_it_is_hidden_before(hidden: bool) -> None:
    scene, watcher = Scene().begin(), Watcher()
    scene.table.show(watcher)
    if hidden:
        scene.table.hide()
    scene.play_on()
    scene.announce()
    assert watcher.seen[-1:] == ([] if hidden else [scene.transcript.result])


def test_the_end_is_told_only_when_somebody_says_that_it_is_recorded() -> None:
    scene = Scene().begin()
    scene.play_on()
    assert [bot.told_over for bot in scene.bots] == [0, 0]


def recorded(scene: Scene) -> None:
    scene.begin().play_on()
    scene.announce()


def refused_by_storage(scene: Scene) -> None:
    scene.begin().play_on()
    scene.table.discard()


def not_joined(scene: Scene) -> None:
    scene.table.open()
    scene.timer.turn(5)


def declined(scene: Scene) -> None:
    scene.table.open()
    scene.table.decline(0)


def broken_off(scene: Scene) -> None:
    scene.begin().table.break_off("no reason")


@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("end", [recorded, refused_by_storage, not_joined, declined, broken_off])
def test_a_match_that_is_over_is_gone_without_a_garbage_collection(
    end: Callable[[Scene], None],
) -> None:
    # Of the hundreds that a referee plays in a second: collecting them was a twentieth of its work.
    scene = Scene()
    end(scene)
    assert len(scene.outcomes) == 1
    match = weakref.ref(scene.table)
    del scene.table
    scene.bots.clear()
    assert match() is None


def test_joining_twice_changes_nothing_not_even_the_entropy() -> None:
    scene = Scene()
    scene.table.open()
    scene.table.join(0, b"first" * 3)
    scene.table.join(0, b"second" * 3)
    scene.table.join(1, ENTROPY)
    scene.table.join(1, b"late" * 4)
    scene.play_on()
    assert scene.transcript.opening.entropies == (b"first" * 3, ENTROPY)
    verify(scene.transcript)


def test_a_bot_that_does_not_join_in_time_is_named_and_the_offer_withdrawn() -> None:
    scene = Scene(seats=3)
    scene.table.open()
    scene.bots[1].join()
    scene.timer.turn(4.999)
    assert scene.outcomes == []
    scene.timer.turn(0.001)
    assert scene.outcomes == [Outcome.NOT_JOINED]
    assert scene.table.absent_at_start == [0, 2]
    (absent,), (present,), (absent_too,) = (bot.withdrawals for bot in scene.bots)
    assert present == "not every bot joined in time"
    assert absent == absent_too
    assert absent.startswith("this bot did not join within 5 s")


def test_joining_after_the_offer_ended_changes_nothing() -> None:
    scene = Scene()
    scene.table.open()
    scene.bots[0].join()
    scene.timer.turn(5)
    scene.bots[1].join()
    assert scene.outcomes == [Outcome.NOT_JOINED]
    assert not any(bot.turns for bot in scene.bots)


def test_declining_calls_the_match_off_at_once() -> None:
    scene = Scene(seats=3)
    scene.table.open()
    scene.bots[0].join()
    scene.table.decline(1)
    scene.table.decline(2)
    assert scene.outcomes == [Outcome.DECLINED]
    assert scene.table.absent_at_start == [1]
    assert [bot.told_over for bot in scene.bots] == [1, 1, 1]


def test_nobody_can_decline_a_match_that_runs() -> None:
    scene = Scene().begin()
    scene.table.decline(0)
    scene.play_on()
    assert scene.outcomes == [Outcome.PLAYED]


@pytest.mark.parametrize("joined", [False, True], ids=["before joining", "after joining"])
def test_leaving_while_the_match_is_offered_calls_it_off_at_once(joined: bool) -> None:
    scene = Scene()
    scene.table.open()
    if joined:
        scene.bots[1].join()
    scene.table.left(1)
    assert scene.outcomes == [Outcome.NOT_JOINED]
    assert scene.table.absent_at_start == [1]


def test_a_turn_lasts_as_long_as_its_limit_and_the_bank() -> None:
    scene = Scene(turn_ms=2_000, bank_ms=500).begin()
    scene.timer.turn(2.499)
    assert len(scene.bots[0].turns) == 1
    assert scene.bots[0].refusals == []
    scene.timer.turn(0.001)
    (refused, faults), *_ = scene.bots[0].refusals
    assert (refused.kind.value, refused.turn_number, faults) == ("late", 1, 1)
    assert scene.table.time_left_ms(0)[1] == 0
    assert scene.table.time_left_ms(1)[1] == 500


@pytest.mark.parametrize("thought_ms", [0, 1_500, 2_000, 2_250, 2_499])
@pytest.mark.parametrize("spent_ms", [0, 250])
def test_a_bot_is_told_to_the_millisecond_how_long_it_may_think(
    thought_ms: int, spent_ms: int
) -> None:
    scene = Scene(turn_ms=2_000, bank_ms=750).begin()
    if spent_ms:
        for bot in scene.bots:
            scene.timer.turn((2_000 + spent_ms) / 1000)
            assert bot.act()
    thought_ms += 250 - spent_ms  # to the same distance from the end
    (seat,) = scene.open_turns()
    scene.timer.turn(thought_ms / 1000)
    turn_ms, bank_ms = scene.table.time_left_ms(seat)
    assert turn_ms == max(0, 2_000 - thought_ms)
    scene.timer.turn((turn_ms + bank_ms - 1) / 1000)
    assert scene.bots[seat].refusals == []
    scene.timer.turn(0.0011)
    ((refused, _),) = scene.bots[seat].refusals
    assert refused.kind is FaultKind.LATE


def test_a_late_bot_is_told_how_long_it_might_have_thought() -> None:
    scene = Scene(turn_ms=2_000, bank_ms=500).begin()
    scene.timer.turn(2.2)
    assert scene.bots[0].act()
    scene.timer.turn(2.6)
    bot = next(bot for bot in scene.bots if bot.refusals)
    told = {0: "2300 ms: 2000 ms for a turn, 300 ms", 1: "2500 ms: 2000 ms for a turn, 500 ms"}
    assert bot.refusals[0][0].reason == f"no answer within {told[bot.seat]} in the bank"


def test_an_answer_in_overtime_counts_and_costs_the_bank() -> None:
    scene = Scene(turn_ms=2_000, bank_ms=5_000).begin()
    scene.timer.turn(3.25)
    assert scene.bots[0].act()
    assert scene.table.time_left_ms(0)[1] == 3_750
    assert scene.bots[0].refusals == []
    scene.play_on()
    played = [step for step in scene.transcript.steps if step.actor == 0]
    assert played[0].milliseconds == 3_250
    assert scene.transcript.result.faults == (0, 0)


def test_after_the_bank_is_spent_only_the_turn_limit_is_left() -> None:
    scene = Scene(turn_ms=1_000, bank_ms=1_000).begin()
    scene.timer.turn(2)  # seat 0 is late with turn and bank
    assert scene.bots[1].act()
    if scene.bots[0].turns[-1].number > 1:
        scene.timer.turn(0.999)
        assert len(scene.bots[0].refusals) == 1
        scene.timer.turn(0.001)
        assert len(scene.bots[0].refusals) == 2


def test_an_answer_after_the_deadline_changes_nothing() -> None:
    scene = Scene(turn_ms=100, bank_ms=0).begin()
    late = scene.bots[0].turns[0]
    scene.timer.turn(0.1)
    assert len(scene.bots[1].turns) == 1
    choice = next(scene.table.setup.make_game().choices(late.view))
    assert scene.table.answer(0, late.number, choice) is False
    assert scene.table.malformed(0, late.number, "garbage") is False
    assert len(scene.bots[1].turns) == 1
    scene.play_on()
    assert scene.faults == [(0, "late")]
    verify(scene.transcript)


def test_an_answer_repeated_is_harmless() -> None:
    scene = Scene().begin()
    turn = scene.bots[0].turns[0]
    choice = next(scene.table.setup.make_game().choices(turn.view))
    assert scene.table.answer(0, turn.number, choice) is True
    assert scene.table.answer(0, turn.number, choice) is False
    scene.play_on()
    assert scene.faults == []


@pytest.mark.parametrize(("seat", "number"), [(1, 1), (0, 2), (0, 0), (7, 1)])
def test_nobody_answers_a_turn_that_is_not_open_to_them(seat: int, number: int) -> None:
    scene = Scene().begin()
    choice = next(scene.table.setup.make_game().choices(scene.bots[0].turns[0].view))
    assert scene.table.answer(seat, number, choice) is False
    assert scene.table.malformed(seat, number, "garbage") is False
    assert len(scene.bots[0].turns) == 1


def test_nobody_answers_before_the_match_begins() -> None:
    scene = Scene()
    scene.table.open()
    assert scene.table.answer(0, 1, object()) is False
    assert scene.table.malformed(0, 0, "garbage") is False


def test_wrong_answers_are_faults_with_their_reason() -> None:
    scene = Scene().begin()
    assert scene.table.malformed(0, 1, "no face is called 9") is True
    ((refused, faults),) = scene.bots[0].refusals
    assert (refused.kind.value, refused.reason, faults) == ("malformed", "no face is called 9", 1)
    scene.bots[1].act()
    if not scene.outcomes and scene.bots[0].turns[-1].number > 1:
        assert scene.table.answer(0, scene.bots[0].turns[-1].number, object()) is True
        scene.play_on()
        assert scene.faults == [(0, "malformed"), (0, "illegal")]
        assert [count for _, count in scene.bots[0].refusals] == [1, 2]


def test_three_faults_forfeit_and_the_last_refusal_comes_before_the_end() -> None:
    scene = Scene(turn_ms=100, bank_ms=0).begin()
    while not scene.outcomes:
        scene.play_on(without=[0])
        scene.timer.turn(0.1)
    assert [count for _, count in scene.bots[0].refusals] == [1, 2, 3]
    assert scene.transcript.result.termination is Termination.FORFEIT
    assert scene.transcript.result.placing == (2, 1)
    verify(scene.transcript)


def test_at_a_larger_table_the_others_play_on_without_the_silent_one() -> None:
    scene = Scene(seats=4, turn_ms=100, bank_ms=0, fault_limit=1).begin()
    while not scene.outcomes:
        scene.play_on(without=[2])
        scene.timer.turn(0.1)
    result = scene.transcript.result
    assert result.termination is Termination.FINISHED
    assert result.placing[2] == 4
    assert scene.faults == [(2, "late")]
    verify(scene.transcript)
