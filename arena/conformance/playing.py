"""Playing scripted matches over a stream: offers, turns in batches, ends."""

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Final

from arena.conformance.scripted_match import ScriptedMatch
from arena.conformance.scripted_referee import BotStream, ScriptedReferee, UnmetError
from arena.games import GAMES, make_game
from arena.wording import number_of

_MOST_TABLES: Final = 3


def games_of(stream: BotStream) -> list[str]:
    """Return the known games that the bot's hello names."""
    return [game for game in GAMES if game in stream.hello.games]


class Matches:
    """The maker of a scenario's matches, which numbers them from 1."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def one(self, stream: BotStream, **terms: object) -> ScriptedMatch:
        """Return a match of the bot's first game."""
        return ScriptedMatch(next(self._numbers), games_of(stream)[0], **terms)  # type: ignore[arg-type]

    def of(self, game: str, options: Mapping[str, object], **terms: object) -> ScriptedMatch:
        """Return a match of a game."""
        return ScriptedMatch(next(self._numbers), game, options, **terms)  # type: ignore[arg-type]

    def largest_and_smallest(self, game: str) -> list[ScriptedMatch]:
        """Return a match at the largest table of a game, and one at the smallest."""
        counts = make_game(game).seat_counts
        return [self.of(game, {}, seats=seats) for seats in (counts[-1], counts[0])]


async def seat(
    stream: BotStream, matches: Sequence[ScriptedMatch], *, may_decline: bool = False
) -> list[ScriptedMatch]:
    """Offer matches in one message, and return those that the bot joins.

    The bot must join all of them unless `may_decline`.
    """
    await stream.say(offers=[match.offer() for match in matches])
    return await joined(stream, matches, may_decline=may_decline)


async def joined(
    stream: BotStream, matches: Sequence[ScriptedMatch], *, may_decline: bool = False
) -> list[ScriptedMatch]:
    """Return the offered matches that the bot joins."""
    waiting = {match.id: match for match in matches}
    accepted = []
    while waiting:
        request = await stream.hear(f"joins of {_named(waiting.values())}")
        for join in request.joins:
            if join.match_id not in waiting:
                raise UnmetError(f"it joined match {join.match_id}, which was not offered")
            match = waiting.pop(join.match_id)
            match.join(join)
            accepted.append(match)
        for decline in request.declines:
            if not may_decline:
                raise UnmetError(
                    f"it declined a match that was offered, of {_named(waiting.values())}"
                )
            waiting.pop(decline.match_id, None)
    return accepted


async def play_out(
    stream: BotStream, matches: Sequence[ScriptedMatch], *, begun: bool = False
) -> int:
    """Play joined matches out, without sending their ends; return the number of answers."""
    begins = [] if begun else [match.begin() for match in matches]
    answers = 0
    open_ones = [match for match in matches if not match.over]
    while open_ones or begins:
        await stream.say(begins=begins, turns=[match.turn() for match in open_ones])
        begins = []
        answers += await take_answers(stream, open_ones)
        open_ones = [match for match in open_ones if not match.over]
    return answers


async def take_answers(stream: BotStream, matches: Sequence[ScriptedMatch]) -> int:
    """Receive one answer for each of the matches; return the number of answers."""
    waiting = {match.id: match for match in matches}
    while waiting:
        request = await stream.hear(f"answers to the open turns of {_named(waiting.values())}")
        for answer in request.answers:
            match = waiting.pop(answer.match_id, None)
            if match is None:
                raise UnmetError(
                    f"it answered turn {answer.turn_number} of match {answer.match_id}, which is "
                    "not open"
                )
            match.take(answer)
    return len(matches)


async def one_begun(referee: ScriptedReferee) -> tuple[BotStream, Matches, ScriptedMatch]:
    """Start the program, begin a match, and send its first turn, without reading the answer."""
    stream, matches = await referee.begin(), Matches()
    match = matches.one(stream)
    await seat(stream, [match])
    await stream.say(begins=[match.begin()], turns=[match.turn()])
    return stream, matches, match


async def end_all(
    referee: ScriptedReferee, stream: BotStream, matches: Sequence[ScriptedMatch]
) -> None:
    """Send the ends of matches."""
    await stream.say(ends=[match.end(referee.signer) for match in matches])


async def play_whole(
    referee: ScriptedReferee, stream: BotStream, matches: Sequence[ScriptedMatch]
) -> int:
    """Offer matches, play them out, and send their ends; return the number of answers."""
    await seat(stream, matches)
    answers = await play_out(stream, matches)
    await end_all(referee, stream, matches)
    return answers


async def plays_on(referee: ScriptedReferee, stream: BotStream, matches: Matches) -> int:
    """Play another match, to see that the bot continues; return the number of answers."""
    return await play_whole(referee, stream, [matches.one(stream)])


def _named(matches: Collection[ScriptedMatch]) -> str:
    """Return how many matches there are, with their tables or the first of them."""
    tables = list(dict.fromkeys(match.table for match in matches))
    more = len(tables) - _MOST_TABLES
    named = "; ".join(tables[:_MOST_TABLES]) + (f"; {more} other tables" if more > 0 else "")
    return f"{number_of(len(matches), 'match', 'matches')} ({named})"
