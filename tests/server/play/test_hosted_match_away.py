"""Bots that lose their connection in the middle of a match, and matches that we break."""

from typing import Any

from structlog.testing import capture_logs

from arena.games.bloeff import Number
from arena.games.bluff import Bluff
from arena.match.faults import FaultKind
from arena.match.result import Termination
from arena.match.transcript import Setup
from arena.match.verify import verify
from arena.server.play.hosted_match import Outcome
from tests.server.play.hosted_matches import Scene


def test_a_bot_that_returns_within_the_grace_goes_on_where_it_was() -> None:
    scene = Scene().begin()
    scene.table.left(0)
    scene.timer.turn(14.9)
    scene.table.returned(0)
    scene.timer.turn(17.0)
    assert scene.bots[0].act()
    scene.play_on()
    assert scene.faults == []
    assert scene.transcript.result.forfeited == (False, False)


def test_its_clock_goes_on_while_it_is_away() -> None:
    scene = Scene(turn_ms=2_000, bank_ms=30_000).begin()
    scene.table.left(0)
    scene.timer.turn(10)
    scene.table.returned(0)
    assert scene.bots[0].act()
    assert scene.table.time_left_ms(0)[1] == 22_000


def test_away_past_the_grace_forfeits_at_once() -> None:
    scene = Scene().begin()
    scene.timer.turn(1)
    scene.table.left(0)
    scene.timer.turn(14.999)
    assert scene.outcomes == []
    scene.timer.turn(0.001)
    assert scene.outcomes == [Outcome.PLAYED]
    assert scene.faults == [(0, "absent")]
    assert scene.transcript.result.placing == (2, 1)
    verify(scene.transcript)


def test_a_short_clock_runs_out_before_the_grace_does() -> None:
    scene = Scene(turn_ms=1_000, bank_ms=0).begin()
    scene.table.left(0)
    scene.timer.turn(1)
    assert scene.outcomes == []
    assert [refused.kind.value for refused, _ in scene.bots[0].refusals] == ["late"]


def test_whoever_is_away_on_anothers_turn_forfeits_when_its_own_turn_comes() -> None:
    scene = Scene(turn_ms=60_000).begin()
    scene.table.left(1)
    scene.timer.turn(20)
    assert scene.outcomes == []
    assert scene.bots[0].act()
    assert scene.outcomes == [Outcome.PLAYED]
    assert scene.faults == [(1, "absent")]
    assert scene.bots[1].turns == []


def test_whoever_is_back_before_its_turn_has_lost_nothing() -> None:
    scene = Scene(turn_ms=60_000).begin()
    scene.table.left(1)
    scene.timer.turn(20)
    scene.table.returned(1)
    scene.play_on()
    assert scene.faults == []


def test_leaving_twice_does_not_prolong_the_grace() -> None:
    scene = Scene().begin()
    scene.table.left(0)
    scene.timer.turn(10)
    scene.table.left(0)
    scene.timer.turn(5)
    assert scene.faults == [(0, "absent")]


def test_returning_without_having_left_changes_nothing() -> None:
    scene = Scene().begin()
    scene.table.returned(0)
    scene.timer.turn(31.9)
    assert scene.bots[0].act()
    scene.play_on()
    scene.table.returned(1)
    scene.table.left(1)
    assert scene.outcomes == [Outcome.PLAYED]


def test_if_both_stay_away_both_forfeit_in_turn_and_the_match_ends() -> None:
    scene = Scene().begin()
    scene.table.left(0)
    scene.table.left(1)
    scene.timer.turn(15)
    assert scene.outcomes == [Outcome.PLAYED]
    assert scene.transcript.result.termination is Termination.FORFEIT
    verify(scene.transcript)


def to_a_ballot(scene: Scene) -> None:
    """On to Blöff's question to all the others, about a card of seat 0."""
    turn = scene.bots[0].turns[-1]
    card = next(card for card in turn.view.hand if card <= 4)
    assert scene.table.answer(0, turn.number, Number(int(card), turn.view.lowest))
    assert all(bot.turns for bot in scene.bots[1:])


def test_a_ballot_waits_for_all_and_each_has_a_clock_of_its_own() -> None:
    scene = Scene("bloeff", 4, turn_ms=1_000, bank_ms=2_000).begin()
    to_a_ballot(scene)
    assert scene.bots[2].act()
    scene.table.left(3)
    scene.timer.turn(2.875)
    assert scene.bots[1].act()
    scene.timer.turn(0.125)
    assert [len(bot.refusals) for bot in scene.bots] == [0, 0, 0, 1]
    assert [scene.table.time_left_ms(seat)[1] for seat in range(4)] == [2_000, 125, 2_000, 0]


def test_a_seat_is_told_that_it_is_late_while_the_others_still_think() -> None:
    scene = Scene("skull", 3)
    scene.table._play._clocks.spend(0, 32_000)  # all of its bank
    scene.begin()
    late, *others = scene.bots
    scene.timer.turn(1.99)
    assert not late.refusals
    scene.timer.turn(0.01)
    ((refused, faults),) = late.refusals
    assert (refused.kind, refused.turn_number, faults) == (FaultKind.LATE, 1, 1)
    assert "no answer within 2000 ms" in refused.reason
    assert not late.act(), "its turn is over"
    for bot in others:
        assert bot.act()
    assert len(late.refusals) == 1
    assert scene.table.refused == [refused]
    scene.play_on()
    first = next(step for step in scene.transcript.steps if step.actor == 0)
    assert (first.fault, first.action) == (FaultKind.LATE, refused.played)


def test_if_all_who_are_balloted_stay_away_the_last_one_wins() -> None:
    scene = Scene("bloeff", 4).begin()
    to_a_ballot(scene)
    for seat in (1, 2, 3):
        scene.table.left(seat)
    scene.timer.turn(15)
    assert scene.outcomes == [Outcome.PLAYED]
    assert scene.transcript.result.placing == (1, 2, 2, 2)
    verify(scene.transcript)


def test_a_match_that_we_break_off_is_void_and_everybody_is_told_why() -> None:
    scene = Scene(seats=3).begin()
    scene.table.break_off("the referee is stopping")
    scene.table.break_off("again")
    assert scene.outcomes == [Outcome.BROKEN]
    assert scene.table.transcript is None
    assert [bot.withdrawals for bot in scene.bots] == [["the referee is stopping"]] * 3
    assert scene.timer.arranged == 0
    assert scene.bots[0].act() is False


def test_an_offer_can_be_broken_off_too() -> None:
    scene = Scene()
    scene.table.open()
    scene.table.break_off("the referee is stopping")
    scene.timer.turn(100)
    assert scene.outcomes == [Outcome.BROKEN]


class Broken(Bluff):
    """Bluff with a bug that shows after the first action of a seat."""

    def events(self, before: Any, actor: Any, action: Any, after: Any) -> Any:
        if isinstance(actor, int):
            raise RuntimeError(f"seat 1 holds {after.dice}")
        return super().events(before, actor, action, after)


class BrokenSetup(Setup):
    """A match of the game with the bug."""

    def make_game(self) -> Broken:
        return Broken(self.options)


def test_a_bug_of_ours_voids_the_match_and_its_text_reaches_the_operator_only() -> None:
    scene = Scene(setup_type=BrokenSetup).begin()
    with capture_logs() as log:
        assert scene.bots[0].act()
    assert scene.outcomes == [Outcome.BROKEN]
    for bot in scene.bots:
        assert bot.withdrawals == ["internal error of the referee; the match does not count"]
        assert bot.told_over == 1
    (line,) = log
    assert (line["match"], line["log_level"]) == (scene.table.setup.match_id, "error")
    assert line["exc_info"]
