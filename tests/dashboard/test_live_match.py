"""A running match on the dashboard: as a spectator's replay shows it, and followed frugally."""

from collections.abc import Callable, Iterator
from random import Random
from threading import Event, Thread
from typing import Any

import pytest

from arena.clients.spectating import RefereeActivity, RefereeAwayError, WatchedMatch, Watching
from arena.codec.spectating import moment_part, read_moment
from arena.games import make_game
from arena.match.clock import TimeControl
from arena.match.flow import MatchFlow, PublicMoment
from arena.match.transcript import Entrant, Opening, Setup, Transcript
from arena.randomness import KeyedRandomness
from arena.v1 import spectator_pb2
from arena_dashboard.matches.live_match import IDLE_SECONDS, LiveMatches
from arena_dashboard.reading.frames import match_json
from arena_dashboard.reading.watching import Onlooker, watch, watch_live
from tests.dashboard.played import anyhow
from tests.match.matches import conducted

GAMES = [("bluff", 2), ("bluff_you", 3), ("bloeff", 3)]
PATIENCE = 20.0


def played(game: str, seats: int) -> tuple[Transcript, list[PublicMoment]]:
    """A whole match, and what a spectator was sent of it, after a journey over the wire."""
    rules = make_game(game)
    entrants = tuple(Entrant(f"bot{seat}", "1", "us") for seat in range(seats))
    setup = Setup("0" * 8, game, rules.options, entrants, TimeControl(), 3)
    flow = MatchFlow(rules, seats, KeyedRandomness(b"k" * 32))
    seen: list[PublicMoment] = []
    flow.onlooker = lambda moment: seen.append(sent(setup, moment))
    seen.append(sent(setup, flow.public()))
    random = Random(game)
    record = conducted(flow.conduct(), lambda turn: anyhow(rules, turn, random))
    opening = Opening(b"s" * 32, (b"e" * 16,) * seats)
    return Transcript(setup, b"c" * 32, record.steps, record.result, opening), seen


def sent(setup: Setup, moment: PublicMoment) -> PublicMoment:
    (message,) = spectator_pb2.WatchResponse.FromString(moment_part(setup, moment)).moments
    return read_moment(setup.game, message)


def live(transcript: Transcript, moments: list[PublicMoment], **more: Any) -> WatchedMatch:
    setup = transcript.setup
    return WatchedMatch(
        setup.match_id, setup.game, setup.options, setup.entrants, "", moments, **more
    )


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_running_match_looks_as_its_replay_will_to_a_spectator(game: str, seats: int) -> None:
    transcript, moments = played(game, seats)
    replayed = match_json(watch(transcript, Onlooker.SPECTATOR))
    shown = match_json(watch_live(live(transcript, moments, over=True, result=transcript.result)))
    if game == "bloeff":
        # Live, draws that would tell of a sealed answer are not counted.
        for match in (shown, replayed):
            match["frames"] = [{**frame, "step": 0} for frame in match["frames"]]
    assert shown["frames"] == replayed["frames"]
    assert shown["result"] == replayed["result"]
    assert (shown["live"], shown["over"], replayed["live"]) == (True, True, False)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_match_seen_from_the_middle_begins_with_what_is_on_the_table(
    game: str, seats: int
) -> None:
    transcript, moments = played(game, seats)
    at = len(moments) // 2
    so_far = [event for one in moments[: at + 1] for event in one.events]
    first = moments[at]._replace(events=so_far)
    shown = match_json(watch_live(live(transcript, [first, *moments[at + 1 :]])))
    assert shown["frames"][0]["told"] == ["Watched from here on."]
    assert shown["frames"][0]["round"] > 0
    assert (
        shown["frames"][-1]["table"]
        == match_json(watch_live(live(transcript, moments)))["frames"][-1]["table"]
    )
    assert shown["result"] is None and not shown["over"]


class Script(Watching):
    """A stream that yields what the test says."""

    def __init__(self, matches: list[WatchedMatch], gate: Event | None = None) -> None:
        """`gate` is waited for after the first match."""
        self._given = matches
        self._gate = gate
        self.stopped = Event()

    def __iter__(self) -> Iterator[WatchedMatch]:
        for match in self._given:
            if self.stopped.is_set():
                return
            yield match
            if self._gate is not None:
                self._gate.wait(PATIENCE)
        self.stopped.wait(PATIENCE)

    def stop(self) -> None:
        self.stopped.set()


class Referee:
    """A client whose streams are scripts."""

    def __init__(self, *scripts: Script | RefereeAwayError) -> None:
        self.scripts = list(scripts)
        self.asked = 0

    def activity(self) -> RefereeActivity:
        self.asked += 1
        raise RefereeAwayError("away")

    def watch(self, most: int = 1) -> Watching:
        script = self.scripts.pop(0)
        if isinstance(script, RefereeAwayError):
            raise script
        return script


def until(found: Callable[[], Any]) -> Any:
    """What is found, as soon as the thread that follows has it."""
    pause = Event()
    for _ in range(2000):
        if (one := found()) is not None:
            return one
        pause.wait(0.01)
    raise AssertionError("nothing came")


def match(number: int, *, over: bool = True) -> WatchedMatch:
    game = make_game("bluff")
    return WatchedMatch(str(number), "bluff", game.options, (), "", [], over)


def test_the_next_match_is_followed_when_a_visitor_has_seen_the_one_before() -> None:
    referee = Referee(Script([match(1)]), Script([match(2)]))
    matches = LiveMatches(referee)
    first = until(lambda: matches.match(None, seen=False))
    assert first.match_id == "1"
    assert matches.match("1", seen=False) is first
    assert len(referee.scripts) == 1
    second = until(lambda: one if (one := matches.match("1", seen=True)) is not first else None)
    assert second.match_id == "2"
    # Who comes late, or still looks at the first, sees the newest, or goes on.
    assert matches.match(None, seen=False) is second
    assert matches.match("1", seen=False) is first


def test_nobody_waits_for_a_match_that_began_with_the_end_of_the_one_that_was_followed() -> None:
    # One message may tell both, and the stream ends with the first end.
    referee = Referee(Script([match(2, over=False), match(1)]), Script([match(3)]))
    matches = LiveMatches(referee)
    until(lambda: matches.match(None, seen=False))
    shown = until(lambda: one if (one := matches.match("2", seen=False)) and one.over else None)
    assert shown.match_id != "2"


def test_a_match_is_followed_no_longer_when_nobody_looks() -> None:
    now, gate = [0.0], Event()
    script = Script([match(1, over=False), match(1, over=False)], gate)
    matches = LiveMatches(Referee(script, Script([match(2)])), lambda: now[0])
    until(lambda: matches.match(None, seen=False))
    now[0] = IDLE_SECONDS + 1
    gate.set()
    assert script.stopped.wait(PATIENCE)
    # Who comes later is shown a match from its beginning instead.
    second = until(lambda: one if (one := matches.match(None, seen=False)) and one.over else None)
    assert second.match_id == "2"


def test_a_referee_that_is_away_is_not_asked_all_the_time() -> None:
    referee = Referee()
    matches = LiveMatches(referee, lambda: 100.0)
    assert matches.activity() is None
    assert matches.activity() is None
    assert referee.asked == 1


class FrozenReferee(Referee):
    """Takes its time over its figures."""

    def __init__(self, *scripts: Script) -> None:
        super().__init__(*scripts)
        self.reached, self.thawed = Event(), Event()

    def activity(self) -> RefereeActivity:
        self.reached.set()
        self.thawed.wait(PATIENCE)
        raise RefereeAwayError("away")


def test_only_one_visitor_waits_for_a_referee_that_does_not_answer() -> None:
    referee = FrozenReferee(Script([match(1)]))
    matches = LiveMatches(referee)
    waiting = Thread(target=matches.activity, daemon=True)
    waiting.start()
    assert referee.reached.wait(PATIENCE)
    assert matches.activity() is None
    assert until(lambda: matches.match(None, seen=False)).match_id == "1"
    assert waiting.is_alive()
    referee.thawed.set()
    waiting.join(PATIENCE)
