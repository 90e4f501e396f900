"""Matches in one process: everything follows from the seed."""

import re
from dataclasses import replace
from random import Random

import pytest

from arena.bot import AnyAction, Bot, Match, Turn
from arena.codec import bot_side
from arena.codec.game_codec import CODECS
from arena.games import GAMES, make_game
from arena.local.bot_modules import BotFileError
from arena.local.in_process import (
    Contender,
    PlayedMatch,
    Seed,
    UnreadyBotError,
    play_match,
    play_series,
)
from arena.local.loading import load_bot, sample_names
from arena.local.win_rates import WinRate, WinRates
from arena.match.faults import FaultKind
from arena.match.flow import OpenTurn, TimedAction, play
from arena.match.replay import replay
from arena.match.result import Termination
from arena.match.verify import verify
from arena.randomness import KeyedRandomness
from arena.v1 import game_pb2
from tests.bot.scribe import Scribe
from tests.match.matches import conducted

BLUFF = make_game("bluff")


class Failing(Bot):
    """Raises whenever it is asked."""

    def act(self, turn: Turn) -> AnyAction:
        raise RuntimeError("no idea")


class Cheating(Bot):
    """Answers what is not legal."""

    def act(self, turn: Turn) -> AnyAction:
        return "everything"


class Unready(Bot):
    """Cannot begin."""

    def match_started(self, match: Match) -> None:
        raise OSError("the table is missing")

    def act(self, turn: Turn) -> AnyAction:
        raise NotImplementedError


def _random(name: str = "random") -> Contender:
    return Contender(name, load_bot("random"))


@pytest.mark.parametrize("game", GAMES)
def test_every_match_checks_like_one_of_the_referee(game: str) -> None:
    counts = make_game(game).seat_counts
    for seats in {counts[0], counts[-1]}:
        for played in play_series(make_game(game), [_random()] * seats, 3, "seed"):
            verify(played.transcript)
            assert played.refused == ()


def test_matches_are_different_and_each_can_be_played_again_alone() -> None:
    contenders = [_random("a"), _random("b")]
    series = list(play_series(BLUFF, contenders, 4, "seed"))
    assert len({played.transcript.setup.match_id for played in series}) == 4
    assert len({played.transcript.opening.secret for played in series}) == 4
    again, _ = play_match(BLUFF, contenders[::-1], Seed("seed"), 3)
    assert again == series[3].transcript
    other = next(play_series(BLUFF, contenders, 1, "other seed"))
    assert other.transcript.steps != series[0].transcript.steps


def test_everybody_sits_in_every_seat_equally_often() -> None:
    contenders = [_random(name) for name in "abc"]
    orders = [played.contenders for played in play_series(BLUFF, contenders, 6, "seed")]
    assert orders == [(0, 1, 2), (1, 2, 0), (2, 0, 1)] * 2


def test_every_match_has_fresh_bots_that_are_told_how_it_went(scribes: list[Scribe]) -> None:
    contenders = [Contender("a", Scribe), Contender("b", Scribe)]
    series = list(play_series(BLUFF, contenders, 2, "seed"))
    assert len(scribes) == 4
    for scribe, played in zip(scribes[::2], series, strict=True):
        assert scribe.ended == played.transcript
        told = [event for turn in scribe.turns for event in turn.events]
        public = [event for frame in replay(played.transcript) for event in frame.events]
        assert told
        assert told == public[: len(told)]


@pytest.mark.parametrize(
    ("kind", "fault"), [(Failing, FaultKind.MALFORMED), (Cheating, FaultKind.ILLEGAL)]
)
def test_a_bot_that_does_not_play_by_the_rules_forfeits(kind: type[Bot], fault: FaultKind) -> None:
    contenders = [Contender("bad", kind), _random()]
    standings = WinRates(["bad", "random"])
    for played in play_series(BLUFF, contenders, 4, "seed"):
        verify(played.transcript)
        standings.add(played)
        assert all(refused.kind is fault for refused in played.refused)
        if played.transcript.result.termination is Termination.FORFEIT:
            assert len(played.refused) == 3
    assert {(name, kind) for name, kind, _ in standings.reasons} == {("bad", fault.value)}
    if fault is FaultKind.MALFORMED:
        ((_, _, reason),) = standings.reasons
        assert re.search(r"\(test_in_process\.py, line \d+\)$", reason), reason


def test_a_bot_that_cannot_begin_is_named() -> None:
    with pytest.raises(UnreadyBotError, match="b cannot begin a match: OSError: the table is"):
        list(play_series(BLUFF, [_random("a"), Contender("b", Unready)], 1, "seed"))


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_at_the_far_end_of_the_wire_has_the_same_choices(game: str) -> None:
    rules, random = make_game(game), Random(7)
    flow = play(rules, min(3, rules.seat_counts[-1]), KeyedRandomness(b"key"))

    def react(turn: OpenTurn) -> TimedAction:
        message = game_pb2.View()
        getattr(message, game).MergeFromString(CODECS[game].view_bytes(turn.view))
        choices = list(rules.choices(turn.view))
        assert list(rules.choices(bot_side.read_view(game, message, turn.seat))) == choices
        return TimedAction(random.choice(choices))

    conducted(flow, react)


def test_a_shared_place_counts_in_parts_and_the_best_stands_first() -> None:
    contenders = [_random("a"), _random("b")]
    (played,) = play_series(BLUFF, contenders, 1, "seed")
    result = replace(played.transcript.result, placing=(2, 1))
    shared = replace(played.transcript.result, placing=(1, 1))
    standings = WinRates(["a", "b"])
    for outcome in (result, shared):
        transcript = replace(played.transcript, result=outcome)
        standings.add(PlayedMatch((0, 1), transcript, ()))
    assert [(row.name, row.wins, row.mean_placing) for row in standings.table()] == [
        ("b", 1.5, 1.25),
        ("a", 0.5, 1.75),
    ]


def interval(wins: float, matches: int) -> tuple[float, float]:
    return WinRate("a", matches, wins, 1.5, 0).interval


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert interval(0, 10)[0] == 0
    assert interval(10, 10)[1] == pytest.approx(1)
    low, high = interval(50, 100)
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)  # Newcombe 1998, method 3


def test_unknown_bots_are_answered_with_the_known_ones() -> None:
    assert {"random", "timid", "honest", "bayes"} <= set(sample_names())
    with pytest.raises(BotFileError, match=r"no bot 'genius'.*\(bayes, .*timid\)"):
        load_bot("genius")
    with pytest.raises(BotFileError, match=r"no bot '\.\./python/honest'"):
        load_bot("../python/honest")
