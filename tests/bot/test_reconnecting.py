"""What a bot does when its stream is lost, refused or taken over."""

import asyncio
from contextlib import suppress
from random import Random

import grpc
import pytest

from arena.bot import Bot
from arena.bot.connection import (
    BACK_OFF_GROWTH,
    FIRST_BACK_OFF_S,
    LASTING_S,
    LONGEST_BACK_OFF_S,
    SOON_S,
    RefusedError,
    TakenOverError,
    keep_playing,
)
from arena.bot.conversation import Conversation
from arena.bot.referees import Referees
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Pauses, Scribe, play_through
from tests.bot.scripted_referee import (
    Conductor,
    Script,
    Stream,
    begun,
    offered,
    play_on,
    referee,
    refuse,
)


async def test_a_lost_stream_is_opened_again_soon_and_then_with_growing_jittered_pauses(
    scribes: list[Scribe],
) -> None:
    async def unavailable(stream: Stream) -> None:
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    _, pauses = await play_through(*[unavailable] * 40)
    longest = FIRST_BACK_OFF_S
    for count, pause in enumerate(pauses.seconds):
        assert longest / 2 <= pause <= longest
        if sum(pauses.seconds[: count + 1]) > SOON_S:
            longest = min(LONGEST_BACK_OFF_S, longest * BACK_OFF_GROWTH)
    assert len(pauses.seconds) == 40
    assert longest == LONGEST_BACK_OFF_S


async def test_the_pauses_begin_anew_after_a_stream_that_lasted_and_not_with_every_welcome(
    scribes: list[Scribe],
) -> None:
    now = 0.0

    async def end_at_once(stream: Stream) -> None:
        await stream.welcome()

    async def last(stream: Stream) -> None:
        nonlocal now
        await stream.welcome(offers=[offered()[1]])
        await stream.hear()
        now += LASTING_S

    many = [end_at_once] * 25
    _, pauses = await play_through(*many, last, *many, clock=lambda: now)
    assert pauses.seconds[25] <= FIRST_BACK_OFF_S < pauses.seconds[24]
    # The time away is counted anew, too.
    assert max(pauses.seconds[25:30]) <= FIRST_BACK_OFF_S < pauses.seconds[50]


async def test_a_pause_is_as_long_as_the_referee_asks_for(scribes: list[Scribe]) -> None:
    def sent_away(*metadata: tuple[str, str]) -> Script:
        async def script(stream: Stream) -> None:
            status = grpc.StatusCode.RESOURCE_EXHAUSTED
            await stream.context.abort(status, "too many streams", metadata)

        return script

    waits = [sent_away(("retry-after", "7")), sent_away(("retry-after", "soon")), sent_away()]
    _, pauses = await play_through(*waits)
    assert pauses.seconds[0] == 7
    assert max(pauses.seconds[1:]) <= BACK_OFF_GROWTH**2 * FIRST_BACK_OFF_S


async def test_a_bot_that_is_still_there_goes_on_where_it_was(scribes: list[Scribe]) -> None:
    kept: list[Conductor] = []

    async def lose(stream: Stream) -> None:
        await stream.welcome()
        conductor = await begun(stream)
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

    conversation, _ = await play_through(lose, resume)
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
        conductor = await begun(stream, greet=True)
        await stream.say(turns=[conductor.turn()])
        first = await stream.hear()
        await stream.say(turns=[conductor.turn(repeat=True)])
        assert await stream.hear() == first

    await play_through(script)
    assert len(scribes[0].turns) == 1


async def test_a_bot_started_afresh_takes_over_a_running_match(scribes: list[Scribe]) -> None:
    async def script(stream: Stream) -> None:
        conductor = Conductor(offered()[0], b"of an earlier run")
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1])], turns=[conductor.turn(repeat=True)]
        )
        await play_on(stream, conductor, asked=True)
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(script)
    assert scribes[0].ended is not None
    assert conversation.tally.failed_checks == 0


async def test_a_bot_started_afresh_checks_the_dealing_with_the_entropy_of_the_run_before(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    async def script(stream: Stream) -> None:
        conductor = Conductor(offered()[0], b"of an earlier run")
        await stream.welcome(
            resumes=[pb.Resume(offer=offered()[1], entropy=b"what it really sent")],
            turns=[conductor.turn(repeat=True)],
        )
        await play_on(stream, conductor, asked=True)
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(script)
    assert conversation.tally.failed_checks == 1
    assert "was not dealt with the entropy this bot sent" in caplog.text


async def test_a_referee_that_lost_the_newest_replies_gets_the_same_answers_again(
    scribes: list[Scribe],
) -> None:
    answers: list[pb.Answer] = []
    entropies: list[bytes] = []

    async def play(stream: Stream, conductor: Conductor, turns: int) -> None:
        for _ in range(turns):
            if conductor.record is None:
                await stream.say(turns=[conductor.turn()])
                answers.append((await stream.hear()).answers[0])
                conductor.answer(answers[-1])

    async def first(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        entropies.append((await stream.hear()).joins[0].entropy)
        await play(stream, Conductor(offered()[0], entropies[0]), 3)

    async def restarted(stream: Stream) -> None:
        # It had kept the first answer only.
        conductor = Conductor(offered()[0], entropies[0])
        conductor.answer(answers[0])
        lost, answers[:] = answers[1:], []
        resume = pb.Resume(offer=offered()[1], entropy=entropies[0])
        await stream.welcome(resumes=[resume], turns=[conductor.turn(repeat=True)])
        conductor.answer((await stream.hear()).answers[0])
        await play(stream, conductor, 100)
        assert answers[: len(lost) - 1] == lost[1:]
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(first, restarted)
    (scribe,) = scribes  # no turn was lived twice, and the bot stayed the same
    numbers = [turn.number for turn in scribe.turns]
    assert numbers == sorted(set(numbers))
    assert conversation.tally.failed_checks == 0


async def play_another_way(bot: type[Bot]) -> tuple[Conversation, Conductor]:
    """Play a match whose restarted referee lost a reply, and got another one since."""
    entropies: list[bytes] = []
    answers: list[pb.Answer] = []
    kept: list[Conductor] = []

    async def first(stream: Stream) -> None:
        await stream.welcome(offers=[offered()[1]])
        entropies.append((await stream.hear()).joins[0].entropy)
        conductor = Conductor(offered()[0], entropies[0])
        for _ in range(2):
            await stream.say(turns=[conductor.turn()])
            answers.append((await stream.hear()).answers[0])
            conductor.answer(answers[-1])

    async def restarted(stream: Stream) -> None:
        conductor = Conductor(offered()[0], entropies[0])
        kept.append(conductor)
        # The reply of the other seat was lost, and it gives another one now.
        conductor.others_choice = 3
        conductor.answer(answers[0])
        resume = pb.Resume(offer=offered()[1], entropy=entropies[0])
        await stream.welcome(resumes=[resume], turns=[conductor.turn(repeat=True)])
        while True:
            conductor.answer((await stream.hear()).answers[0])
            if conductor.record is not None:
                break
            await stream.say(turns=[conductor.turn()])
        await stream.say(ends=[conductor.end()])

    conversation, _ = await play_through(first, restarted, bot=bot)
    return conversation, kept[0]


async def test_a_bot_is_begun_anew_where_a_restarted_referee_went_another_way(
    scribes: list[Scribe],
) -> None:
    conversation, conductor = await play_another_way(Scribe)
    assert len(scribes) == 2
    told = [event for turn in scribes[1].turns for event in turn.events]
    assert conductor.record is not None
    assert told == conductor.record.events[: len(told)]
    assert scribes[1].ended is not None
    assert conversation.tally.failed_checks == 0


class FailsOnce(Scribe):
    """A bot that cannot be made the second time."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        if len(self.made) == 2:
            raise RuntimeError("no second time")


async def test_a_bot_that_cannot_be_begun_anew_loses_a_turn_and_not_its_connection(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(20):  # the turn that it loses may be the last of the match
        scribes.clear()
        caplog.clear()
        conversation, conductor = await play_another_way(FailsOnce)
        assert caplog.text.count("The bot failed at turn") == 1
        if len(scribes) == 3:
            break
    assert [len(scribe.turns) > 0 for scribe in scribes] == [True, False, True]
    told = [event for turn in scribes[2].turns for event in turn.events]
    assert conductor.record is not None
    assert told == conductor.record.events[: len(told)]
    assert conversation.tally.failed_checks == 0


async def test_a_bot_whose_newer_copy_took_over_ends(scribes: list[Scribe]) -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        await stream.context.abort(grpc.StatusCode.ABORTED, "a newer stream took over")

    async with referee(script) as address:
        with pytest.raises(TakenOverError, match=r"a newer stream took over\."):
            await asyncio.to_thread(
                keep_playing, Referees(Conversation(Scribe)), address, "secret", Pauses()
            )


async def test_a_refused_token_is_not_tried_again(scribes: list[Scribe]) -> None:
    pauses = Pauses()
    async with referee(refuse) as address:
        with pytest.raises(RefusedError):
            await asyncio.to_thread(
                keep_playing, Referees(Conversation(Scribe)), address, "secret", pauses
            )
    assert pauses.seconds == []


async def test_one_of_several_referees_that_does_not_know_a_bots_games_ends_nothing(
    scribes: list[Scribe],
) -> None:
    asked = asyncio.Event()

    async def older(stream: Stream) -> None:
        asked.set()
        with suppress(grpc.aio.InternalError):  # the bot has ended meanwhile
            await stream.context.abort(grpc.StatusCode.INVALID_ARGUMENT, "none of the games")

    async with referee(*[older] * 100) as other:

        async def newer(stream: Stream) -> None:
            all_told = pb.Referees(addresses=["here:1", other.target])
            await stream.welcome(address="here:1", referees=all_told)
            await asked.wait()
            asked.clear()
            await asked.wait()  # it is asked again, so the bot goes on
            await refuse(stream)

        async with referee(newer) as address:
            with pytest.raises(RefusedError, match=r"refused the token"):
                await asyncio.to_thread(
                    keep_playing, Referees(Conversation(Scribe)), address, "secret", Pauses()
                )


async def test_a_referee_that_is_not_there_is_waited_for_and_one_reads_what_chooses_another(
    scribes: list[Scribe], caplog: pytest.LogCaptureFixture
) -> None:
    class EnoughError(Exception):
        pass

    pauses: list[float] = []

    def enough(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise EnoughError

    caplog.set_level("WARNING", "arena.bot")

    async with referee() as address:
        pass
    with pytest.raises(EnoughError):
        await asyncio.to_thread(
            keep_playing, Referees(Conversation(Scribe)), address, "secret", enough
        )
    # The same is not told at every try of the first seconds.
    (told,) = caplog.messages
    assert f"The referee at {address.target} cannot be reached: nothing listens there." in told
    assert "ARENA_ADDRESS or --address" in told
