"""Compiled rules and those in Python play the same match, whatever happens in it, to the byte."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from arena.codec.bot_side import read_view, write_action
from arena.codec.transcript import to_bytes
from arena.games import make_game
from arena.games.bluff.values import Bet, Doubt, Face
from arena.match.clock import TimeControl
from arena.match.faults import FaultKind
from arena.match.flow import Reply
from arena.match.transcript import Entrant, Setup
from arena.match.verify import verify
from arena.records import Registered, VersionId
from arena.server.play.compiled import IN_PYTHON, CompiledRules
from arena.server.play.hosted_match import HostedMatch, Outcome
from arena.server.play.outbox import Outbox
from arena.server.play.session import Session
from arena.server.requests.errors import ProtocolError
from arena.v1 import referee_pb2 as pb
from tests.compiled import compiled_games
from tests.fakes import HandTimer
from tests.server.play.hosted_matches import Watcher

MATCH_ID = "11111111-2222-4333-8444-555555555555"
SECRET = bytes(range(32))
SEATS = 3
OPTIONS = [{}, {"show_and_reroll": True}, {"start_mode": "seat", "bet_cap": "table"}]


@dataclass
class Bot:
    """A connected bot that answers by chance, but always the same."""

    session: Session
    chance: random.Random
    outbox: Outbox = field(init=False)
    received: list[bytes] = field(default_factory=list)
    turn: pb.Turn | None = None

    def connect(self) -> None:
        self.outbox = Outbox(lambda: None, lambda: None)
        self.session.attach(self.outbox, frozenset({"bluff"}), 4)

    def read(self) -> None:
        """Read all that was sent."""
        message = self.outbox.take()
        self.received.append(message)
        for turn in pb.PlayResponse.FromString(message).turns:
            self.turn = turn

    def send(self, *answers: pb.Answer, **rest: Any) -> None:
        self.session.hear(pb.PlayRequest(answers=answers, **rest).SerializeToString())


class Course:
    """One match from its offer to its end, and all that could be seen of it."""

    def __init__(self, rules: Callable[[HandTimer], CompiledRules], options: dict[str, Any]):
        self.timer = HandTimer()
        compiled = rules(self.timer)
        self.outcomes: list[Outcome] = []
        self.kept: list[tuple[int, Reply]] = []
        self.watcher = Watcher()
        self.moments: list[Any] = []
        entrants = tuple(Entrant(f"bot{seat}", "1", "us") for seat in range(SEATS))
        self.bots = [self._bot(compiled, number, each) for number, each in enumerate(entrants)]
        game = make_game("bluff", options)
        setup = Setup(MATCH_ID, "bluff", game.options, entrants, TimeControl(1_000, 5_000), 3)
        self.game = game
        self.match = HostedMatch(
            setup,
            [bot.session.player() for bot in self.bots],
            SECRET,
            self.timer,
            lambda _, outcome: self.outcomes.append(outcome),
            begun=lambda _: lambda seat, reply: self.kept.append((seat, reply)),
            compiled=compiled,
        )

    def _bot(self, compiled: CompiledRules, number: int, entrant: Entrant) -> Bot:
        def nothing(*_: object) -> None:
            """Do nothing."""

        registered = Registered(VersionId(number), entrant, False)
        session = Session(number, registered, "", compiled, nothing, nothing, nothing, nothing)
        bot = Bot(session, random.Random(number))
        bot.connect()
        return bot

    def begin(self, *, reconnecting: bool = False) -> None:
        self.match.open()
        for bot in self.bots:
            bot.send(joins=[pb.Join(match_id=MATCH_ID, entropy=bytes([7]) * 16)])
            if reconnecting and bot is not self.bots[-1]:
                bot.connect()
        self.read()

    def read(self) -> None:
        for bot in self.bots:
            bot.read()

    @property
    def on_turn(self) -> Bot:
        return max(self.bots, key=lambda bot: bot.turn.turn_number if bot.turn else 0)

    def legal(self, bot: Bot) -> pb.Answer:
        """A legal answer, mostly a low one so that rounds are not over at once."""
        assert bot.turn is not None
        view = self.game_view(bot)
        choices = list(self.game.choices(view))
        choice = choices[min(int(bot.chance.expovariate(0.3)), len(choices) - 1)]
        answer = pb.Answer(match_id=MATCH_ID, turn_number=bot.turn.turn_number)
        write_action("bluff", choice, answer.action)
        return answer

    def game_view(self, bot: Bot) -> Any:
        assert bot.turn is not None
        return read_view("bluff", bot.turn.view, self.bots.index(bot))

    def play_on(self, turns: int) -> None:
        """Play so many turns, or to the end."""
        while turns and not self.outcomes:
            bot = self.on_turn
            self.timer.turn(bot.chance.choice((0.0, 0.004, 0.3)))
            bot.send(self.legal(bot))
            self.read()
            turns -= 1

    def seen(self) -> Any:
        """All that anybody has seen of the match."""
        transcript = self.match.transcript
        written = None
        if transcript is not None:
            verify(transcript)
            written = to_bytes(transcript)
            self.match.announce(written)
            self.read()
        received = [b"".join(bot.received) for bot in self.bots]
        strays = [bot.session._strays for bot in self.bots]
        notes = self.match.notes
        left = self.timer.arranged
        return (
            *(self.outcomes, self.kept, self.watcher.seen, self.moments, written, received),
            *(strays, list(self.match.refused), notes.notes, left),
        )


def _illegal(course: Course) -> None:
    bot = course.on_turn
    assert bot.turn is not None
    answer = pb.Answer(match_id=MATCH_ID, turn_number=bot.turn.turn_number)
    answer.action.bluff.bet.quantity, answer.action.bluff.bet.face = 99, 1
    bot.send(answer)


def _malformed(course: Course) -> None:
    bot = course.on_turn
    assert bot.turn is not None
    bot.send(pb.Answer(match_id=MATCH_ID, turn_number=bot.turn.turn_number))


def _noted(course: Course) -> None:
    bot = course.on_turn
    answer = course.legal(bot)
    answer.note.text = b"a bluff"
    bot.send(answer)


def _late_within_the_bank(course: Course) -> None:
    course.timer.turn(3.5)
    course.on_turn.send(course.legal(course.on_turn))


def _too_late(course: Course) -> None:
    course.timer.turn(100)


def _gone_for_a_while(course: Course) -> None:
    bot = course.on_turn
    bot.session.detach(goodbye=False)
    course.timer.turn(0.2)
    bot.connect()
    bot.read()


def _another_gone_for_a_while(course: Course) -> None:
    bot = course.bots[(course.bots.index(course.on_turn) + 1) % SEATS]
    bot.session.detach(goodbye=False)
    course.play_on(1)
    bot.connect()
    bot.read()


def _taken_over_by_a_newer_stream(course: Course) -> None:
    course.on_turn.connect()
    course.on_turn.read()


def _watched(course: Course) -> None:
    course.moments.append(course.match.show(course.watcher))


def _watched_for_a_turn(course: Course) -> None:
    _watched(course)
    course.play_on(1)
    course.match.hide()


def _answered_twice(course: Course) -> None:
    bot = course.on_turn
    answer = course.legal(bot)
    bot.send(answer, answer)
    course.read()
    bot.send(answer)


def _answered_by_another(course: Course) -> None:
    answer = course.legal(course.on_turn)
    course.bots[(course.bots.index(course.on_turn) + 1) % SEATS].send(answer)


def _answered_beside_other_things(course: Course) -> None:
    bot = course.on_turn
    bot.send(
        course.legal(bot),
        joins=[pb.Join(match_id="another", entropy=bytes(16))],
        places=pb.Places(max_matches=3),
    )


def _answered_beside_what_is_unknown(course: Course) -> None:
    bot = course.on_turn
    bot.session.hear(
        pb.PlayRequest(answers=[course.legal(bot)]).SerializeToString() + b"\xf8\x06\x01"
    )


def _answered_before_it_is_asked(course: Course) -> None:
    """A doubt whose winner bets next, and before it that bet."""
    while not course.outcomes and not course.game_view(course.on_turn).can_doubt:
        course.play_on(1)
    bot = course.on_turn
    assert bot.turn is not None
    guess, doubt = (
        pb.Answer(match_id=MATCH_ID, turn_number=bot.turn.turn_number + ahead) for ahead in (1, 0)
    )
    write_action("bluff", Bet(1, Face.STAR), guess.action)
    write_action("bluff", Doubt(), doubt.action)
    bot.send(guess, doubt)


def _broken_off(course: Course) -> None:
    course.match.break_off("the referee is out of order")


def _suspended(course: Course) -> None:
    course.match.suspend()
    course.outcomes.append(Outcome.BROKEN)


HAPPENINGS = [
    *(_illegal, _malformed, _noted, _late_within_the_bank, _too_late, _gone_for_a_while),
    *(_another_gone_for_a_while, _taken_over_by_a_newer_stream, _watched, _watched_for_a_turn),
    *(_answered_twice, _answered_by_another, _answered_beside_other_things),
    *(_answered_beside_what_is_unknown, _answered_before_it_is_asked),
    *(_broken_off, _suspended),
]


def _course(
    rules: Callable[[HandTimer], CompiledRules],
    options: dict[str, Any],
    happening: Callable[[Course], None] | None,
    before: int,
) -> Any:
    course = Course(rules, options)
    course.begin()
    course.play_on(before)
    if happening is not None and not course.outcomes:
        happening(course)
        course.read()
    course.play_on(1_000)
    return course.seen()


def _compiled(timer: HandTimer) -> CompiledRules:
    return CompiledRules(timer.now, compiled_games())


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "happening", [None, *HAPPENINGS], ids=lambda each: getattr(each, "__name__", "")
)
def test_nobody_can_tell_which_rules_play(
    happening: Callable[[Course], None] | None, options: dict[str, Any]
) -> None:
    for before in (0, 1, 5, 12):
        compiled = _course(_compiled, options, happening, before)
        assert compiled == _course(lambda _: IN_PYTHON, options, happening, before)


def test_who_reconnects_before_the_first_turn_is_told_nothing_twice() -> None:
    def seen(rules: Callable[[HandTimer], CompiledRules]) -> Any:
        course = Course(rules, {})
        course.begin(reconnecting=True)
        course.play_on(1_000)
        return course.seen()

    assert seen(_compiled) == seen(lambda _: IN_PYTHON)


def test_compiled_rules_play_until_something_else_than_a_legal_answer_comes() -> None:
    games = compiled_games()
    course = Course(lambda timer: CompiledRules(timer.now, games), {})
    course.begin()
    course.play_on(3)
    assert len(games["bluff"].matches) == 1
    _illegal(course)
    assert len(games["bluff"].matches) == 0
    assert [refused.kind for refused in course.match.refused] == [FaultKind.ILLEGAL]
    course.play_on(1_000)
    assert course.outcomes == [Outcome.PLAYED]


def test_nothing_is_left_of_a_match_that_is_over() -> None:
    games = compiled_games()
    course = Course(lambda timer: CompiledRules(timer.now, games), {})
    course.begin()
    course.play_on(1_000)
    assert course.outcomes == [Outcome.PLAYED]
    assert len(games["bluff"].matches) == 0


class _Wrong:
    """Compiled rules that remember an answer too many."""

    def __init__(self, matches: Any) -> None:
        self._matches = matches

    def __getattr__(self, name: str) -> Any:
        return getattr(self._matches, name)

    def leave(self, match_id: str) -> Any:
        steps, *others = self._matches.leave(match_id)
        return ((*steps, steps[-1]), *others)


@pytest.mark.parametrize(
    "happening", [_illegal, _too_late, _gone_for_a_while, _taken_over_by_a_newer_stream]
)
def test_a_match_that_python_cannot_take_over_is_void(
    happening: Callable[[Course], None],
) -> None:
    bluff = compiled_games()["bluff"]
    games = {"bluff": bluff._replace(matches=_Wrong(bluff.matches))}
    course = Course(lambda timer: CompiledRules(timer.now, games), {})
    course.begin()
    course.play_on(3)
    happening(course)
    assert course.outcomes == [Outcome.BROKEN]
    assert len(bluff.matches) == 0
    course.timer.turn(100)
    assert course.timer.arranged == 0


def test_a_malformed_message_changes_nothing_though_it_begins_with_an_answer() -> None:
    course = Course(_compiled, {})
    course.begin()
    bot = course.on_turn
    good = pb.PlayRequest(answers=[course.legal(bot)]).SerializeToString()
    for bad in (b"\xff", b"\x0a\x05ab", pb.PlayRequest(hello=pb.Hello()).SerializeToString()[:-1]):
        kept = list(course.kept)
        with pytest.raises(ProtocolError):
            bot.session.hear(good + bad)
        assert course.kept == kept
    bot.session.hear(good)
    assert len(course.kept) == 1
