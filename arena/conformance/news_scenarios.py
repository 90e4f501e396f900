"""Scenarios of the messages that a referee may send to a bot besides turns.

They are withdrawals, forfeits, refusals, repetitions, and additions of later releases.
"""

from typing import Final

from arena.conformance.playing import (
    Matches,
    end_all,
    games_of,
    joined,
    one_begun,
    play_out,
    play_whole,
    plays_on,
    seat,
    take_answers,
)
from arena.conformance.printed import quiet_about
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import BotStream, ScriptedReferee, UnmetError
from arena.errors import INTERNAL_ERROR
from arena.match.faults import FaultKind
from arena.v1 import referee_pb2 as pb

_UNKNOWN: Final = b"\xfa\x3f\x03new"
"""An unknown field: number 1023, of type bytes."""
_UNKNOWN_KIND: Final = 99


async def _withdrawn_offer(referee: ScriptedReferee) -> str:
    return await _withdrawn(referee, "not every bot joined in time", begun=False)


async def _withdrawn_match(referee: ScriptedReferee) -> str:
    return await _withdrawn(referee, INTERNAL_ERROR, begun=True)


async def _withdrawn(referee: ScriptedReferee, reason: str, *, begun: bool) -> str:
    stream, matches = await referee.begin(), Matches()
    for _ in range(max(1, stream.hello.max_matches) + 1):
        match = matches.one(stream)
        await seat(stream, [match])
        if begun:
            await stream.say(begins=[match.begin()], turns=[match.turn()])
            await take_answers(stream, [match])
        await stream.say(withdrawals=[_withdrawal(match.id, reason)])
    answers = await plays_on(referee, stream, matches)
    return f"it played the next match, with {answers} answers"


async def _forfeit_of_another(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    game = games_of(stream)[0]
    which = "a match that ended by another seat's faults"
    # The other seat acts first and forfeits at once: the bot is never asked.
    opener = {"start_mode": "seat"} if game == "bluff" else {}
    at_once = matches.of(game, opener, seat=1, fault_limit=1)
    at_once.forfeit_others()
    await play_whole(referee, stream, [at_once])
    later = matches.one(stream)
    await seat(stream, [later])
    later.forfeit_others()
    await play_out(stream, [later])
    await end_all(referee, stream, [later])
    answers = await plays_on(referee, stream, matches)
    for match in (at_once, later):
        quiet_about(referee, match.id, which)
    return f"it played the next match, with {answers} answers"


async def _refused_turn(referee: ScriptedReferee) -> str:
    stream, matches, match = await one_begun(referee)
    await stream.hear("an answer")
    refusal = match.refuse(FaultKind.LATE)
    if match.over:
        await stream.say(refusals=[refusal])
    else:
        await stream.say(refusals=[refusal], turns=[match.turn()])
        await take_answers(stream, [match])
        await play_out(stream, [match], begun=True)
    await end_all(referee, stream, [match])
    answers = await plays_on(referee, stream, matches)
    quiet_about(referee, match.id, "a match in which it got a refusal")
    return f"it played on, and the next match with {answers} answers"


async def _repeated(referee: ScriptedReferee) -> str:
    stream, matches, match = await one_begun(referee)
    first = (await _answers(stream))[0]
    await stream.say(turns=[match.turn()])
    again = await _answers(stream)
    if again[0].turn_number != first.turn_number:
        raise UnmetError("it answered another turn than the one that was asked again")
    match.take(again[0])
    answers = 2 + await play_out(stream, [match], begun=True)
    end = match.end(referee.signer)
    await stream.say(ends=[end])
    await stream.say(ends=[end])
    await plays_on(referee, stream, matches)
    quiet_about(referee, match.id, "a match whose turn and end came twice")
    return f"it answered the turn both times, and played on, with {answers} answers"


async def _unknown(referee: ScriptedReferee) -> str:
    new = pb.PlayResponse()
    new.MergeFromString(_UNKNOWN)
    stream, matches = await referee.begin(), Matches()
    await stream.say(new)
    match = matches.one(stream)
    offer = match.offer()
    offer.MergeFromString(_UNKNOWN)
    await stream.say(offers=[offer])
    await joined(stream, [match])
    turn = match.turn()
    turn.MergeFromString(_UNKNOWN)
    turn.view.MergeFromString(_UNKNOWN)
    turn.events.add().MergeFromString(_UNKNOWN)
    await stream.say(begins=[match.begin()], turns=[turn])
    answer = (await _answers(stream))[0]
    match.take(answer)
    odd = pb.Refusal(
        match_id=match.id,
        turn_number=turn.turn_number,
        reason="This is against a new rule.",
        legal="Legal is something else.",
        played=answer.action,
        faults=1,
    )
    odd.kind = _UNKNOWN_KIND  # type: ignore[assignment]
    await stream.say(refusals=[odd])
    answers = 1 + await play_out(stream, [match], begun=True)
    # It cannot be the end of this match: the bot was told of a fault that the transcript lacks.
    await stream.say(withdrawals=[_withdrawal(match.id, INTERNAL_ERROR)])
    answers += await plays_on(referee, stream, matches)
    return f"it played on, with {answers} answers"


async def _answers(stream: BotStream) -> list[pb.Answer]:
    request = await stream.hear("an answer")
    if not request.answers:
        raise UnmetError("a message without an answer came")
    return list(request.answers)


def _withdrawal(match_id: str, reason: str) -> pb.Withdrawal:
    return pb.Withdrawal(match_id=match_id, reason=reason)


SCENARIOS: Final = (
    Scenario(
        "withdrawn offers",
        "Goes on after matches that it joined are withdrawn before they begin.",
        _withdrawn_offer,
    ),
    Scenario("withdrawn matches", "Goes on after running matches are withdrawn.", _withdrawn_match),
    Scenario(
        "another's fault",
        "Goes on after a match ends at once because the other seats forfeited.",
        _forfeit_of_another,
    ),
    Scenario(
        "refusal", "Plays on in a match after an answer of its own was refused.", _refused_turn
    ),
    Scenario(
        "repetition",
        "Answers a turn that is asked twice, and accepts an end that comes twice.",
        _repeated,
    ),
    Scenario(
        "unknown",
        "Ignores fields, events and enum values that it does not know.",
        _unknown,
    ),
)
