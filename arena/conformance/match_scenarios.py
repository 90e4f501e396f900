"""Scenarios within matches: ordinary ones, and what may go wrong in them."""

from typing import Final

from arena.conformance.options import variants
from arena.conformance.playing import (
    Matches,
    end_all,
    games_of,
    play_out,
    plays_on,
    seat,
    take_answers,
)
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import BotStream, ScriptedReferee, UnmetError
from arena.conformance.verification_lines import quiet_about
from arena.games import make_game
from arena.match.faults import FaultKind
from arena.v1 import referee_pb2 as pb

_UNKNOWN: Final = b"\xfa\x3f\x03new"
"""Field 1023, of bytes."""
_UNKNOWN_KIND: Final = 99


async def _one_match(referee: ScriptedReferee) -> str:
    stream, matches, answers = await referee.begin(), Matches(), 0
    for game in games_of(stream):
        for seats in (make_game(game).seat_counts[-1], 2):
            match = matches.of(game, {}, seats=seats)
            await seat(stream, [match])
            answers += await play_out(stream, [match])
            await end_all(referee, stream, [match])
    await plays_on(referee, stream, matches)
    return f"{answers} legal answers in matches of {', '.join(games_of(stream))}"


async def _many_matches(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    number = max(1, stream.hello.max_matches)
    games = games_of(stream)
    tables = [matches.of(games[at % len(games)], {}) for at in range(number)]
    await seat(stream, tables)
    answers = await play_out(stream, tables)
    await end_all(referee, stream, tables)
    return f"{answers} legal answers in {number} matches at once, as its hello asks"


async def _entropy(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    tables = []
    for _ in range(3):
        tables += await seat(stream, [matches.one(stream)])
        await play_out(stream, tables[-1:])
        await end_all(referee, stream, tables[-1:])
    if len({match.entropy for match in tables}) < len(tables):
        raise UnmetError("it joined two matches with the same entropy")
    return f"{len(tables[0].entropy)} bytes, others in each match"


async def _options(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    tables = [matches.of(game, one) for game in games_of(stream) for one in variants(game)]
    size, answers, played = max(1, stream.hello.max_matches), 0, 0
    for at in range(0, len(tables), size):
        some = await seat(stream, tables[at : at + size], may_decline=True)
        answers += await play_out(stream, some)
        await end_all(referee, stream, some)
        played += len(some)
    if not played:
        raise UnmetError("it declined every match")
    declined = len(tables) - played
    note = f"; it declined {declined} of them" if declined else ""
    return f"{answers} legal answers under {len(tables)} sets of options{note}"


async def _withdrawn_offer(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    for _ in range(max(1, stream.hello.max_matches) + 1):
        match = matches.one(stream)
        await seat(stream, [match])
        await stream.say(withdrawals=[_withdrawal(match.id, "not every bot joined in time")])
    answers = await plays_on(referee, stream, matches)
    return f"it played the next match, with {answers} answers"


async def _withdrawn_match(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    for _ in range(max(1, stream.hello.max_matches) + 1):
        match = matches.one(stream)
        await seat(stream, [match])
        await stream.say(begins=[match.begin()], turns=[match.turn()])
        await take_answers(stream, [match])
        await stream.say(withdrawals=[_withdrawal(match.id, "the referee made a mistake")])
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
    await seat(stream, [at_once])
    await play_out(stream, [at_once])
    await end_all(referee, stream, [at_once])
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
    stream, matches = await referee.begin(), Matches()
    match = matches.one(stream)
    await seat(stream, [match])
    await stream.say(begins=[match.begin()], turns=[match.turn()])
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
    quiet_about(referee, match.id, "a match in which it was told of its fault")
    return f"it played on, and the next match with {answers} answers"


async def _repeated(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    match = matches.one(stream)
    await seat(stream, [match])
    await stream.say(begins=[match.begin()], turns=[match.turn()])
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
    quiet_about(referee, match.id, "a match of which a turn and the end came twice")
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
    match.join(await stream.hear("a join"))
    turn = match.turn()
    turn.MergeFromString(_UNKNOWN)
    turn.view.MergeFromString(_UNKNOWN)
    turn.events.add().MergeFromString(_UNKNOWN)
    await stream.say(begins=[match.begin()], turns=[turn])
    await take_answers(stream, [match])
    odd = pb.Refusal(match_id=match.id, turn_number=1, reason="A new rule.", faults=1)
    odd.kind = _UNKNOWN_KIND  # type: ignore[assignment]
    await stream.say(refusals=[odd])
    answers = 1 + await play_out(stream, [match], begun=True)
    # It cannot be the end of this match: the bot was told of a fault that the transcript lacks.
    await stream.say(withdrawals=[_withdrawal(match.id, "the referee made a mistake")])
    answers += await plays_on(referee, stream, matches)
    return f"it played on, with {answers} answers"


async def _last_millisecond(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    match = matches.one(stream)
    await seat(stream, [match])
    times = ((0, 1), (1, 0), (0, 0))
    begins, asked = [match.begin()], 0
    while not match.over and asked < len(times):
        await stream.say(begins=begins, turns=[match.turn(times=times[asked])])
        begins = []
        await take_answers(stream, [match])
        asked += 1
    await play_out(stream, [match], begun=True)
    await end_all(referee, stream, [match])
    await plays_on(referee, stream, matches)
    return f"it answered {asked} turns with at most a millisecond left, and played on"


async def _answers(stream: BotStream) -> list[pb.Answer]:
    request = await stream.hear("an answer")
    if not request.answers:
        raise UnmetError("a message without an answer came")
    return list(request.answers)


def _withdrawal(match_id: str, reason: str) -> pb.Withdrawal:
    return pb.Withdrawal(match_id=match_id, reason=reason)


SCENARIOS: Final = (
    Scenario(
        "matches",
        "Plays matches of each of its games at small and large tables without a fault.",
        _one_match,
    ),
    Scenario(
        "many at once",
        "Plays as many matches at once as its hello asks for, asked in batches.",
        _many_matches,
    ),
    Scenario("entropy", "Joins with 8 to 64 random bytes, others in each match.", _entropy),
    Scenario("options", "Plays its games, or declines, under every option.", _options),
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
        "Answers a turn that is asked twice, and bears an end that comes twice.",
        _repeated,
    ),
    Scenario(
        "unknown",
        "Ignores fields, events and enum values that it does not know.",
        _unknown,
    ),
    Scenario(
        "last millisecond", "Answers turns that have at most a millisecond left.", _last_millisecond
    ),
)
