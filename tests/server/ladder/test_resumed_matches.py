"""A match that an earlier referee began: its clocks, its faults, and what its bots are told."""

from typing import Any

import pytest

from arena.match.flow import Reply, TimedAction
from arena.match.verify import verify
from arena.server.play.hosted_match import HostedMatch, Outcome
from tests.server.play.hosted_matches import Scene

Replies = list[tuple[int, Reply]]


class Earlier:
    """A match played up to some turn, and what was kept of it."""

    def __init__(self, turns: int, **setup: Any) -> None:
        self.scene = Scene(dice_per_player=3, **setup)
        self.replies: Replies = []
        self.scene.table._begun = lambda _: lambda seat, reply: self.replies.append((seat, reply))
        self.scene.begin()
        for _ in range(turns):
            (seat,) = self.scene.open_turns()
            self.scene.bots[seat].act()
        self._setup = setup

    def resumed(self, replies: Replies | None = None) -> Scene:
        """The match at the next referee; no bot is back."""
        later = Scene(dice_per_player=3, **self._setup)
        entropies = [bytes([seat]) * 16 for seat in range(len(later.bots))]
        kept = self.replies if replies is None else replies
        later.table.resume(entropies, kept, lambda seat, reply: self.replies.append((seat, reply)))
        return later


def back(scene: Scene) -> None:
    for seat in range(len(scene.bots)):
        scene.table.returned(seat)


def test_its_bots_are_told_their_seats_what_they_joined_with_and_the_open_turn() -> None:
    earlier = Earlier(turns=2)
    later = earlier.resumed()
    assert later.table.begun and later.table.running
    for seat, bot in enumerate(later.bots):
        assert (bot.seat, bot.entropy) == (seat, bytes([seat]) * 16)
        assert bot.commitment == earlier.scene.bots[seat].commitment
        assert not bot.begun
    (asked,) = [bot for bot in later.bots if bot.turns]
    (turn,) = asked.turns
    before = earlier.scene.bots[asked.seat].turns[-1]
    assert (turn.number, turn.view) == (before.number, before.view)


def test_it_is_played_to_the_same_end_and_every_reply_is_noted() -> None:
    earlier = Earlier(turns=2)
    earlier.scene.play_on()
    whole, earlier.replies = earlier.replies, earlier.replies[:2]
    later = earlier.resumed()
    back(later)
    later.play_on()
    assert later.outcomes == [Outcome.PLAYED]
    verify(later.transcript)
    assert later.transcript.result == earlier.scene.transcript.result
    assert [seat for seat, _ in earlier.replies] == [seat for seat, _ in whole]


def test_a_match_whose_last_reply_was_kept_is_over_at_once() -> None:
    earlier = Earlier(turns=0)
    earlier.scene.play_on()
    later = earlier.resumed()
    assert later.outcomes == [Outcome.PLAYED]
    assert not later.table.running
    assert later.transcript.result == earlier.scene.transcript.result
    assert not any(bot.turns for bot in later.bots)
    assert later.timer.arranged == 0


def test_overtime_that_was_taken_before_is_gone_from_the_bank() -> None:
    earlier = Earlier(turns=1)
    ((seat, reply),) = earlier.replies
    assert isinstance(reply, TimedAction)
    later = earlier.resumed([(seat, TimedAction(reply.action, 2_000 + 12_345))])
    back(later)
    assert later.table.time_left_ms(seat) == (2_000, 30_000 - 12_345)
    assert later.table.time_left_ms(1 - seat) == (2_000, 30_000)


def test_faults_that_were_made_before_count() -> None:
    earlier = Earlier(turns=0, fault_limit=2)
    (seat,) = earlier.scene.open_turns()
    assert earlier.scene.table.malformed(seat, 1, "no action")
    (other,) = earlier.scene.open_turns()
    assert other != seat
    earlier.scene.bots[other].act()
    later = earlier.resumed()
    assert [refused.seat for refused in later.table.refused] == [seat]
    back(later)
    assert later.table.malformed(seat, later.bots[seat].turns[-1].number, "no action")
    assert [faults for _, faults in later.bots[seat].refusals] == [2]
    assert later.outcomes == [Outcome.PLAYED]
    assert later.transcript.result.forfeited[seat]
    assert [refused.seat for refused in later.table.refused] == [seat, seat]


def test_the_wait_for_bots_ends_with_the_grace_and_costs_no_clock() -> None:
    earlier = Earlier(turns=1)
    later = earlier.resumed()
    (seat,) = [bot.seat for bot in later.bots if bot.turns]
    later.timer.turn(14.9)
    assert later.table.time_left_ms(seat) == (2_000, 30_000)
    later.table.returned(seat)
    later.timer.turn(1.5)
    assert later.table.time_left_ms(seat) == (500, 30_000)
    other = earlier.resumed()
    other.timer.turn(15)
    assert other.bots[seat].turns
    other.play_on(without=[seat])
    other.timer.turn(0)
    assert any(kind == "absent" for _, kind in other.faults)


def test_the_clock_of_a_bot_that_is_back_may_run_out_before_the_grace_would_have() -> None:
    later = Earlier(turns=1, turn_ms=500, bank_ms=500).resumed()
    (seat,) = [bot.seat for bot in later.bots if bot.turns]
    later.timer.turn(1)
    later.table.returned(seat)
    later.timer.turn(0.99)
    assert later.table.refused == []
    later.timer.turn(0.02)
    assert [refused.seat for refused in later.table.refused] == [seat]


def test_an_offer_that_is_suspended_is_withdrawn_and_nobody_is_told_of_an_outcome() -> None:
    scene = Scene()
    scene.table.open()
    scene.bots[0].join()
    scene.table.suspend()
    assert [bot.withdrawals for bot in scene.bots] == [["the referee is stopping; come back"]] * 2
    scene.bots[1].join()
    scene.timer.turn(60)
    assert scene.outcomes == []
    assert not any(bot.begun for bot in scene.bots)


def test_a_match_that_is_suspended_stands_still_and_nobody_is_told() -> None:
    scene = Scene().begin()
    scene.table.suspend()
    (seat,) = scene.open_turns()
    assert not scene.bots[seat].act()
    scene.timer.turn(600)
    assert scene.outcomes == []
    assert not any(bot.told_over for bot in scene.bots)
    assert not scene.table.running
    assert scene.timer.arranged == 0


@pytest.mark.parametrize("seats", [2, 4])
def test_how_long_each_bot_took_to_join_is_known(seats: int) -> None:
    scene = Scene(seats=seats)
    scene.table.open()
    for seat, bot in enumerate(scene.bots):
        scene.timer.turn(0.5)
        bot.join()
        assert scene.table.joined_after[seat] == 0.5 * (seat + 1)


def test_a_table_that_is_over_knows_its_players_no_more() -> None:
    scene = Scene().begin()
    scene.play_on()
    table: HostedMatch = scene.table
    scene.announce()
    assert table._players == ()
    scene.announce()
    assert [len(bot.ends) for bot in scene.bots] == [1, 1]
    broken = Scene().begin()
    broken.table.break_off("a test")
    broken.table.break_off("again")
    assert broken.outcomes == [Outcome.BROKEN]
    assert [bot.withdrawals for bot in broken.bots] == [["a test"]] * 2
