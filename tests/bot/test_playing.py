"""A bot against a scripted referee: offers, turns and answers over real gRPC."""

import asyncio
import re
from random import Random
from typing import Any

import pytest

from arena.bot import AnyAction, NoAnswerError, Turn
from arena.codec import turns
from arena.games.bluff import Bet, Face
from arena.randomness import ENTROPY_BYTES
from tests.bot.scribe import Scribe, play_through
from tests.bot.scripted_referee import Conductor, Stream, begun, conduct, offered


async def test_a_bot_introduces_itself_with_its_token_and_its_games(scribes: list[Scribe]) -> None:
    heard: dict[str, Any] = {}

    async def script(stream: Stream) -> None:
        heard["hello"] = await stream.welcome()
        heard["metadata"] = dict(stream.context.invocation_metadata())

    await play_through(script)
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

    conversation, _ = await play_through(script)
    (scribe,) = scribes
    assert scribe.ended is not None
    assert (conversation.tally.finished, conversation.tally.failed_checks) == (1, 0)
    assert scribe.match.seat == 0
    assert [entrant.bot for entrant in scribe.match.entrants] == ["tested", "other"]
    assert scribe.turns[0].game.options.dice_per_player == 2
    assert scribe.turns[0].view.hidden_dice
    assert scribe.turns[0].turn_ms == 2000


async def test_a_bot_is_told_of_its_match_and_all_entrants_when_it_begins(
    scribes: list[Scribe],
) -> None:
    async def script(stream: Stream) -> None:
        setup, offer = offered(named=False)
        assert [entrant.bot for entrant in offer.entrants] == ["tested", ""]
        await stream.welcome(offers=[offer])
        conductor = Conductor(setup, (await stream.hear()).joins[0].entropy)
        assert scribes[0].match is None
        await stream.say(begins=[turns.begin(setup)], turns=[conductor.turn()])
        await stream.hear()

    await play_through(script)
    assert [entrant.bot for entrant in scribes[0].match.entrants] == ["tested", "other"]


async def test_a_match_that_begins_with_other_bots_than_offered_fails_its_check(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    async def script(stream: Stream) -> None:
        setup, offer = offered(named=False)
        await stream.welcome(offers=[offer])
        await stream.hear()
        begin = turns.begin(setup)
        begin.entrants[0].bot = "somebody"
        await stream.say(begins=[begin])

    await play_through(script)
    assert "begins with other bots than it was offered with" in caplog.text


async def test_every_match_gets_a_bot_of_its_own_and_entropy_of_its_own(
    scribes: list[Scribe],
) -> None:
    entropies: list[bytes] = []

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered("m1")[1], offered("m2")[1]])
        entropies.extend(join.entropy for join in (await stream.hear()).joins)

    await play_through(script)
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

    await play_through(script)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, asyncio.CancelledError, BaseException])
async def test_a_failing_bot_answers_at_once_with_nothing_and_plays_on(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture, error: type[BaseException]
) -> None:
    class Failing(Scribe):
        def act(self, turn: Turn) -> AnyAction:
            raise error("no idea")

    async def script(stream: Stream) -> None:
        conductor = await begun(stream, greet=True)
        await stream.say(turns=[conductor.turn()])
        (answer,) = (await stream.hear()).answers
        assert answer.turn_number == 1
        assert not answer.HasField("action")

    await play_through(script, bot=Failing)
    assert f"{error.__name__}: no idea" in caplog.text


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("nonsense", "shown"),
    [
        (None, "None"),
        (17, "17"),
        ("doubt", "'doubt'"),
        (10**5000, "a int that cannot be shown (ValueError)"),
        (float("nan"), "nan"),
        (Bet(3, 17), "Bet(quantity=3, face=17, show=())"),  # type: ignore[arg-type]
        (Bet(10**40, Face.ONE), "Bet(quantity=1000"),
        (Bet("x", None), "Bet(quantity='x', face=None, show=())"),  # type: ignore[arg-type]
        (Unshowable(), "a Unshowable that cannot be shown (RuntimeError)"),
    ],
    ids=range(9),
)
async def test_what_is_no_action_is_answered_with_nothing_and_shown(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture, nonsense: object, shown: str
) -> None:
    class Confused(Scribe):
        def act(self, turn: Turn) -> AnyAction:
            return nonsense

    async def script(stream: Stream) -> None:
        conductor = await begun(stream, greet=True)
        await stream.say(turns=[conductor.turn()])
        assert not (await stream.hear()).answers[0].HasField("action")

    await play_through(script, bot=Confused)
    assert f"No answer to turn 1 of match m1: act returned {shown}" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_bot_that_answers_too_late_reads_by_how_much(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    async def script(stream: Stream) -> None:
        conductor = await begun(stream, greet=True)
        turn = conductor.turn()
        await stream.say(turns=[turn])
        await stream.hear()
        assert "too late" not in caplog.text
        turn.turn_ms = turn.bank_ms = 0
        await stream.say(turns=[turn])
        await stream.hear()

    await play_through(script)
    assert re.search(r"Turn 1 of match m1 was answered \d+ ms too late", caplog.text)


async def test_a_turn_without_an_answer_is_not_said_to_be_answered_too_late(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Silent(Scribe):
        def act(self, turn: Turn) -> AnyAction:
            raise NoAnswerError("It has none.")

    async def script(stream: Stream) -> None:
        turn = (await begun(stream, greet=True)).turn()
        turn.turn_ms = turn.bank_ms = 0
        await stream.say(turns=[turn])
        assert not (await stream.hear()).answers[0].HasField("action")

    await play_through(script, bot=Silent)
    assert "No answer to turn 1 of match m1: It has none." in caplog.text
    assert "too late" not in caplog.text


async def test_a_bot_that_cannot_begin_declines(scribes: list[Scribe]) -> None:
    class Unready(Scribe):
        def __init__(self, random: Random) -> None:
            raise OSError("the table is missing")

    async def script(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        assert [decline.match_id for decline in (await stream.hear()).declines] == ["m1"]

    await play_through(script, bot=Unready)
