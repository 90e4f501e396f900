"""A bot against a scripted referee: what goes over the wire, and what comes back after a loss."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

from arena.bot import Action, Bot, Match, Turn
from arena.bot.connection import (
    FIRST_BACK_OFF_S,
    LONGEST_BACK_OFF_S,
    Address,
    RefusedError,
    TakenOverError,
    keep_playing,
)
from arena.bot.conversation import CheckFailedError, Conversation
from arena.match.transcript import Transcript
from arena.randomness import ENTROPY_BYTES
from arena.v1 import referee_pb2 as pb
from tests.bot.scripted_referee import Conductor, Stream, conduct, offered, referee, refuse


class Scribe(Bot):
    """Plays the last choice (as high as possible, or a doubt) and writes everything down."""

    made: list["Scribe"]

    def match_started(self, match: Match) -> None:
        self.match = match
        self.turns: list[Turn] = []
        self.ended: Transcript | None = None
        self.made.append(self)

    def act(self, turn: Turn) -> Action:
        self.turns.append(turn)
        return next(turn.choices())

    def match_ended(self, transcript: Transcript) -> None:
        self.ended = transcript


@pytest.fixture
def scribes() -> list[Scribe]:
    Scribe.made = []
    return Scribe.made


class Pauses:
    """Stands in for asyncio.sleep: no waiting, but every pause noted."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def _play(
    *scripts: Callable[[Stream], Awaitable[None]], bot: type[Bot] = Scribe, strict: bool = False
) -> tuple[Conversation, Pauses]:
    """Let the bot play through the scripts; the stream after the last is refused."""
    conversation, pauses = Conversation(bot, strict=strict), Pauses()
    async with referee(*scripts) as address:
        with pytest.raises(RefusedError, match=r"refused the token: The token was retired\."):
            await keep_playing(conversation, address, "secret", pauses)
    return conversation, pauses


async def test_a_bot_introduces_itself_with_its_token_and_its_games(scribes: list[Scribe]) -> None:
    heard: dict[str, Any] = {}

    async def script(stream: Stream) -> None:
        heard["hello"] = await stream.welcome()
        heard["metadata"] = dict(stream.context.invocation_metadata())

    await _play(script)
    assert heard["metadata"]["authorization"] == "Bearer secret"
    hello = heard["hello"]
    assert (hello.protocol_version, list(hello.games), hello.max_matches) == (1, ["bluff"], 16)


async def test_a_whole_match_is_played_checked_and_handed_to_the_bot(
    scribes: list[Scribe],
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await conduct(stream)
        assert len(conductor.opening.entropies[0]) == ENTROPY_BYTES
        await stream.say(ends=[conductor.end()])

    conversation, _ = await _play(script)
    (scribe,) = scribes
    assert scribe.ended is not None
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)
    assert scribe.match.seat == 0
    assert [entrant.bot for entrant in scribe.match.entrants] == ["tested", "other"]
    assert scribe.turns[0].game.options.dice_per_player == 2
    assert scribe.turns[0].view.hidden_dice
    assert scribe.turns[0].turn_ms == 2000


async def test_every_match_gets_a_bot_of_its_own_and_entropy_of_its_own(
    scribes: list[Scribe],
) -> None:
    entropies: list[bytes] = []

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered("m1")[1], offered("m2")[1]])
        entropies.extend(join.entropy for join in (await stream.hear()).joins)

    await _play(script)
    assert len(scribes) == len(set(entropies)) == 2


async def test_turns_that_come_together_are_answered_together(scribes: list[Scribe]) -> None:
    async def script(stream: Stream) -> None:
        matches = [offered(name) for name in ("m1", "m2", "m3")]
        await stream.welcome(offers=[offer for _, offer in matches])
        joins = (await stream.hear()).joins
        conductors = [
            Conductor(setup, join.entropy) for (setup, _), join in zip(matches, joins, strict=True)
        ]
        await stream.say(turns=[conductor.turn() for conductor in conductors])
        assert [answer.match_id for answer in (await stream.hear()).answers] == ["m1", "m2", "m3"]

    await _play(script)


async def test_a_lost_stream_is_opened_again_with_growing_jittered_pauses(
    scribes: list[Scribe],
) -> None:
    async def unavailable(stream: Stream) -> None:
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    _, pauses = await _play(*[unavailable] * 9)
    for count, pause in enumerate(pauses.seconds):
        longest = min(LONGEST_BACK_OFF_S, FIRST_BACK_OFF_S * 2**count)
        assert longest / 2 <= pause <= longest
    assert len(pauses.seconds) == 9


async def test_a_welcome_makes_the_next_pause_short_again(scribes: list[Scribe]) -> None:
    async def unavailable(stream: Stream) -> None:
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    async def welcome(stream: Stream) -> None:
        await stream.welcome()

    _, pauses = await _play(unavailable, unavailable, unavailable, welcome)
    assert pauses.seconds[3] <= FIRST_BACK_OFF_S < pauses.seconds[2]


async def test_a_bot_that_is_still_there_goes_on_where_it_was(scribes: list[Scribe]) -> None:
    kept: list[Conductor] = []

    async def lose(stream: Stream) -> None:
        await stream.welcome()
        setup, offer = offered()
        await stream.say(offers=[offer])
        conductor = Conductor(setup, (await stream.hear()).joins[0].entropy)
        kept.append(conductor)
        await stream.say(turns=[conductor.turn()])
        first = (await stream.hear()).answers[0]
        conductor.answer(first)

    async def resume(stream: Stream) -> None:
        (conductor,) = kept
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        while True:
            conductor.answer((await stream.hear()).answers[0])
            if conductor.record is not None:
                break
            await stream.say(turns=[conductor.turn()])
        await stream.say(ends=[conductor.end()])

    conversation, _ = await _play(lose, resume)
    (scribe,) = scribes
    assert scribe.ended is not None
    assert conversation.tally.failed_checks == 0
    told = [event for turn in scribe.turns for event in turn.events]
    assert kept[0].record is not None
    assert told == kept[0].record.events[: len(told)]


async def test_a_turn_asked_again_is_answered_as_before_without_asking_the_bot(
    scribes: list[Scribe],
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        conductor = Conductor(offered()[0], (await stream.hear()).joins[0].entropy)
        await stream.say(turns=[conductor.turn()])
        first = await stream.hear()
        await stream.say(turns=[conductor.turn(repeat=True)])
        assert await stream.hear() == first

    await _play(script)
    assert len(scribes[0].turns) == 1


async def test_a_bot_started_afresh_takes_over_a_running_match(scribes: list[Scribe]) -> None:
    async def script(stream: Stream) -> None:
        conductor = Conductor(offered()[0], b"of an earlier run")
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        conductor.answer((await stream.hear()).answers[0])
        while conductor.record is None:
            await stream.say(turns=[conductor.turn()])
            conductor.answer((await stream.hear()).answers[0])
        await stream.say(ends=[conductor.end()])

    conversation, _ = await _play(script)
    assert scribes[0].ended is not None
    assert conversation.tally.failed_checks == 0


async def test_a_failing_bot_answers_at_once_with_nothing_and_plays_on(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Scribe):
        def act(self, turn: Turn) -> Action:
            raise RuntimeError("no idea")

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        conductor = Conductor(offered()[0], (await stream.hear()).joins[0].entropy)
        await stream.say(turns=[conductor.turn()])
        (answer,) = (await stream.hear()).answers
        assert answer.turn_number == 1
        assert not answer.HasField("action")

    await _play(script, bot=Failing)
    assert "RuntimeError: no idea" in caplog.text


@pytest.mark.parametrize("nonsense", [None, 17, "doubt"])
async def test_what_is_no_action_is_answered_with_nothing(
    scribes: list[Scribe], nonsense: object
) -> None:
    class Confused(Scribe):
        def act(self, turn: Turn) -> Action:
            return nonsense

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        conductor = Conductor(offered()[0], (await stream.hear()).joins[0].entropy)
        await stream.say(turns=[conductor.turn()])
        assert not (await stream.hear()).answers[0].HasField("action")

    await _play(script, bot=Confused)


async def test_a_bot_that_cannot_begin_declines(scribes: list[Scribe]) -> None:
    class Unready(Scribe):
        def match_started(self, match: Match) -> None:
            raise OSError("the table is missing")

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        assert [decline.match_id for decline in (await stream.hear()).declines] == ["m1"]

    await _play(script, bot=Unready)


def _other_dice(end: pb.End) -> None:
    roll = next(step.draw.bluff.roll for step in end.transcript.steps if step.draw.bluff.roll.dice)
    faces = roll.dice[0].faces
    other = [[1, 2], [2, 3]]
    faces[:] = other[list(faces) == other[0]]  # type: ignore[assignment]


def _other_entropy(end: pb.End) -> None:
    end.transcript.entropies[0] = b"not what was sent"


def _other_secret(end: pb.End) -> None:
    end.transcript.secret = bytes(32)


def _other_result(end: pb.End) -> None:
    end.transcript.result.placing.reverse()


@pytest.mark.parametrize(
    ("tamper", "sentence"),
    [
        (_other_dice, "the dealer drew"),
        (_other_entropy, "not dealt with the entropy this bot sent"),
        (_other_secret, "secret does not match the commitment"),
        (_other_result, "placing is"),
    ],
)
async def test_a_match_that_was_tampered_with_is_noticed(
    scribes: list[Scribe],
    caplog: pytest.LogCaptureFixture,
    tamper: Callable[[pb.End], None],
    sentence: str,
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        end = (await conduct(stream)).end()
        tamper(end)
        await stream.say(ends=[end])

    conversation, _ = await _play(script)
    assert conversation.tally.failed_checks == 1
    assert [record.levelno for record in caplog.records if sentence in record.message] == [
        logging.ERROR
    ]


async def test_a_strict_bot_stops_at_the_first_match_that_does_not_check(
    scribes: list[Scribe],
) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        end = (await conduct(stream)).end()
        _other_entropy(end)
        await stream.say(ends=[end])

    async with referee(script) as address:
        with pytest.raises(CheckFailedError, match="Match m1 does not check"):
            await keep_playing(Conversation(Scribe, strict=True), address, "secret", Pauses())


async def test_a_bot_whose_newer_copy_took_over_ends(scribes: list[Scribe]) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        await stream.context.abort(grpc.StatusCode.ABORTED, "a newer stream took over")

    async with referee(script) as address:
        with pytest.raises(TakenOverError, match=r"a newer stream took over\."):
            await keep_playing(Conversation(Scribe), address, "secret", Pauses())


async def test_a_refused_token_is_not_tried_again(scribes: list[Scribe]) -> None:
    pauses = Pauses()
    async with referee(refuse) as address:
        with pytest.raises(RefusedError):
            await keep_playing(Conversation(Scribe), address, "secret", pauses)
    assert pauses.seconds == []


async def test_a_referee_that_is_not_there_is_waited_for(scribes: list[Scribe]) -> None:
    class EnoughError(Exception):
        pass

    async def enough(seconds: float) -> None:
        raise EnoughError

    async with referee() as address:
        pass
    with pytest.raises(EnoughError):
        await keep_playing(Conversation(Scribe), address, "secret", enough)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:50051", Address("127.0.0.1:50051")),
        ("http://arena:1", Address("arena:1")),
        ("https://arena.example:443/", Address("arena.example:443", encrypted=True)),
    ],
)
def test_an_address_says_whether_the_connection_is_encrypted(text: str, address: Address) -> None:
    assert Address.parse(text) == address
