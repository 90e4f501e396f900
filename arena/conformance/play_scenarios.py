"""Scenarios of ordinary play: several games, tables and options, many matches, no time left."""

from typing import Final

from arena.conformance.options import variants
from arena.conformance.playing import (
    Matches,
    end_all,
    games_of,
    play_out,
    play_whole,
    plays_on,
    seat,
    take_answers,
)
from arena.conformance.scenario import Scenario
from arena.conformance.scripted_referee import ScriptedReferee, UnmetError


async def _one_match(referee: ScriptedReferee) -> str:
    stream, matches, answers = await referee.begin(), Matches(), 0
    for game in games_of(stream):
        for table in matches.largest_and_smallest(game):
            answers += await play_whole(referee, stream, [table])
    await plays_on(referee, stream, matches)
    return f"{answers} legal answers in matches of {', '.join(games_of(stream))}"


async def _many_matches(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    number = max(1, stream.hello.max_matches)
    games = games_of(stream)
    tables = [matches.of(games[at % len(games)], {}) for at in range(number)]
    answers = await play_whole(referee, stream, tables)
    return f"{answers} legal answers in {number} matches at once, as its hello asks"


async def _options(referee: ScriptedReferee) -> str:
    stream, matches = await referee.begin(), Matches()
    tables = [
        matches.of(game, one, seats=one.get("players_max", 0))
        for game in games_of(stream)
        for one in variants(game)
    ]
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
    Scenario("options", "Plays its games, or declines, under every option.", _options),
    Scenario(
        "last millisecond", "Answers turns that have at most a millisecond left.", _last_millisecond
    ),
)
