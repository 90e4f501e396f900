"""Scenarios about the stream and the program: losses, refusals, takeover, leaving."""

import asyncio
from typing import Final

import grpc

from arena.conformance.playing import (
    Matches,
    end_all,
    joined,
    one_begun,
    play_out,
    plays_on,
    seat,
    take_answers,
)
from arena.conformance.printed import names, quiet_about
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_match import ScriptedMatch
from arena.conformance.scripted_referee import BotStream, ScriptedReferee, UnmetError
from arena.match.faults import FaultKind

_QUIET_SECONDS: Final = 3.0
"""The time for which a bot that must not reconnect is watched."""
_SOONEST_SECONDS: Final = 0.1
_LEAVE_SECONDS: Final = 5.0


async def _lost_in_a_turn(referee: ScriptedReferee) -> str:
    stream, matches, match = await one_begun(referee)
    stream.end(grpc.StatusCode.UNAVAILABLE, "the referee is stopping; come back")
    again = await referee.welcomed(resumes=[match.resume()], turns=[match.turn(repeat=True)])
    if again.hello.instance != stream.hello.instance:
        raise UnmetError("it came back as another instance")
    answers = await _resumed(referee, again, matches, match, "a match that was resumed")
    return f"it came back and played the match to its end, with {answers} answers"


async def _resumed(
    referee: ScriptedReferee, stream: BotStream, matches: Matches, match: ScriptedMatch, which: str
) -> int:
    """Play a resumed match to its end, then another; return the answers in the resumed one."""
    await take_answers(stream, [match])
    answers = 1 + await play_out(stream, [match], begun=True)
    await end_all(referee, stream, [match])
    await plays_on(referee, stream, matches)
    quiet_about(referee, match.id, which)
    return answers


async def _lost_answer(referee: ScriptedReferee) -> str:
    stream, matches, match = await one_begun(referee)
    await stream.hear("an answer")  # which the referee loses
    stream.end(grpc.StatusCode.UNAVAILABLE, "the referee was killed")
    again = await referee.welcomed(resumes=[match.resume()], turns=[match.turn(repeat=True)])
    answers = await _resumed(
        referee, again, matches, match, "a match of which a turn was asked again"
    )
    return f"it answered the same turn again, and played on, with {answers} answers"


async def _lost_offer(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    gone, kept = matches.one(stream), matches.one(stream)
    await seat(stream, [gone])
    stream.end(grpc.StatusCode.UNAVAILABLE, "the referee is stopping; come back")
    again = await referee.welcomed(offers=[kept.offer()])
    await joined(again, [kept])
    answers = await play_out(again, [kept])
    await end_all(referee, again, [kept])
    return f"it joined the next match, with {answers} answers"


async def _missed_end(referee: ScriptedReferee) -> str:
    stream, matches, match = await one_begun(referee)
    await stream.hear("an answer")
    stream.end(grpc.StatusCode.UNAVAILABLE, "the referee was killed")
    while not match.over:
        match.refuse(FaultKind.ABSENT)
    again = await referee.welcomed()
    await end_all(referee, again, [match])
    answers = await plays_on(referee, again, matches)
    quiet_about(referee, match.id, "a match that ended by its absence")
    return f"it played the next match, with {answers} answers"


async def _restarted(referee: ScriptedReferee) -> str:
    stream, matches, match = await one_begun(referee)
    await stream.hear("an answer")  # which the referee loses: it might have ended the match
    assert referee.program is not None
    referee.program.kill()
    referee.start()
    stream.end()
    again = await referee.welcomed(resumes=[match.resume()], turns=[match.turn(repeat=True)])
    answers = await _resumed(
        referee, again, matches, match, "a match that another run of it had begun"
    )
    return f"it resumed the match of its earlier run, with {answers} answers"


async def _unavailable(referee: ScriptedReferee) -> str:
    referee.start()
    first = await referee.greeted()
    first.end(grpc.StatusCode.UNAVAILABLE, "the arena's database does not answer")
    refused = asyncio.get_running_loop().time()
    stream = await referee.stream()
    pause = asyncio.get_running_loop().time() - refused
    if pause < _SOONEST_SECONDS:
        raise UnmetError(f"it came back after {pause * 1000:.0f} ms, without a pause")
    await referee.greeted(stream)
    await stream.say(welcome=referee.welcome(stream.hello))
    await plays_on(referee, stream, Matches())
    return f"it came back after {pause:.1f} s and played"


async def _takeover(referee: ScriptedReferee) -> str:
    stream = await referee.begin()
    stream.end(grpc.StatusCode.ABORTED, "a newer stream of the same bot instance took over")
    return await _stays_away(referee)


async def _refused_token(referee: ScriptedReferee) -> str:
    referee.start()
    stream = await referee.stream()
    stream.end(grpc.StatusCode.UNAUTHENTICATED, "no bot has this token")
    return await _stays_away(referee)


async def _stays_away(referee: ScriptedReferee) -> str:
    again = await referee.perhaps_stream(_QUIET_SECONDS)
    if again is not None:
        raise UnmetError("it opened another stream")
    assert referee.program is not None
    if not referee.program.running:
        return f"it {referee.program.how_it_ended()}"
    return f"it opened no stream for {_QUIET_SECONDS:g} s"


async def _drain(referee: ScriptedReferee) -> str:
    stream, matches, first = await one_begun(referee)
    await stream.hear("an answer")  # which the referee loses: it might have ended the match
    await _asked_to_stop(referee, stream)
    stream.end(grpc.StatusCode.UNAVAILABLE, "the referee is stopping; come back")
    stream = await referee.greeted(leaving=True)
    welcome, turns = referee.welcome(stream.hello), [first.turn(repeat=True)]
    await stream.say(welcome=welcome, resumes=[first.resume()], turns=turns)
    await _drains_again(stream, first)
    answers = 1 + await play_out(stream, [first], begun=True)
    await end_all(referee, stream, [first])
    # The next match belongs to the same block as the first.
    answers += await plays_on(referee, stream, matches)
    stream.end()
    program = referee.program
    assert program is not None
    deadline = referee.now() + _LEAVE_SECONDS
    while program.running:
        if referee.now() > deadline:
            raise UnmetError(f"it still runs {_LEAVE_SECONDS:g} s after the stream was closed")
        await asyncio.sleep(0.02)
    if program.code != 0:
        raise UnmetError(f"it {program.how_it_ended()}")
    await _checks_the_last(referee)
    return f"it sent drain, played the rest of the block, with {answers} answers, and ended"


async def _asked_to_stop(referee: ScriptedReferee, stream: BotStream) -> None:
    assert referee.program is not None
    referee.program.ask_to_stop()
    request = await stream.hear("drain, after SIGTERM")
    if not request.HasField("drain"):
        raise UnmetError("after SIGTERM came another message than `drain`")


async def _drains_again(stream: BotStream, match: ScriptedMatch) -> None:
    """Receive the answer to the open turn, and `drain`, in any order."""
    drained = answered = False
    while not (drained and answered):
        what = "drain, on a new stream" if answered else "an answer"
        request = await stream.hear(what)
        drained = drained or request.HasField("drain")
        for answer in request.answers:
            match.take(answer)
            answered = True


async def _checks_the_last(referee: ScriptedReferee) -> None:
    """Check that a leaving bot verifies the matches that end just before the stream ends."""
    stream, matches = await referee.begin(), Matches()
    tables = [matches.one(stream) for _ in range(max(1, min(2, stream.hello.max_matches)))]
    tables[-1].dealt_otherwise = True
    await seat(stream, tables)
    await _asked_to_stop(referee, stream)
    await play_out(stream, tables)
    for match in tables:  # while the bot checks the first, the second and the stream end
        await end_all(referee, stream, [match])
    stream.end()
    await names(referee, tables[-1].id, "a wrong deal, the last before it left")


SCENARIOS: Final = (
    Scenario(
        "loss in a turn",
        "Opens the stream again and answers the open turn, if the stream is lost in between.",
        _lost_in_a_turn,
    ),
    Scenario("lost answer", "Answers a turn again if the referee lost the answer.", _lost_answer),
    Scenario(
        "lost offer", "Forgets an offer that is gone after a loss of the stream.", _lost_offer
    ),
    Scenario(
        "missed end",
        "Does not report as wrong a match that it forfeited while the stream was lost.",
        _missed_end,
    ),
    Scenario(
        "restart of the bot",
        "Plays on, when it is started again, in a match that its earlier run had joined.",
        _restarted,
        needs_program="the check kills the program",
    ),
    Scenario(
        "unavailable",
        "Comes back, after a pause, to a referee that was unavailable.",
        _unavailable,
    ),
    Scenario(
        "takeover",
        "Does not come back after ABORTED.",
        _takeover,
        needs_program="the bot must not come back, so it would miss the later scenarios",
        stays_away=True,
    ),
    Scenario(
        "refused token",
        "Does not come back after UNAUTHENTICATED.",
        _refused_token,
        needs_program="the bot must not come back, so it would miss the later scenarios",
        stays_away=True,
    ),
    Scenario(
        "drain",
        "Sends `drain` after SIGTERM, and again if the stream is lost, plays its block to the end, "
        "checks it, and ends with code 0.",
        _drain,
        needs_program="the check sends SIGTERM to the program",
        stays_away=True,
    ),
)
