"""A match as one viewpoint saw it, moment by moment.

The state and the transcript are not passed on: moments contain no secrets to remove.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias

from arena.clients.spectating import WatchedMatch
from arena.games import GAMES
from arena.games.game import AnyGame
from arena.lab.analysis import AnalysedDecision
from arena.lab.luck import luck_of
from arena.match.replay import Frame, TranscriptError, replay
from arena.match.result import Result
from arena.match.transcript import Entrant, Transcript
from arena.match.verify import verify
from arena.showing.moments import Moment
from arena.signatures import check_signature


class Onlooker(Enum):
    """A viewpoint other than a seat."""

    EVERYTHING = "everything"
    """All seats' views together, which are no longer secret: the match is over."""
    SPECTATOR = "spectator"
    """The public knowledge at that time."""


Viewpoint: TypeAlias = int | Onlooker
"""A seat, or an onlooker."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A match from one viewpoint."""

    match_id: str
    game: str
    title: str
    options: tuple[tuple[str, Any], ...]
    """The options that differ from the game's defaults."""
    viewpoint: Viewpoint
    entrants: tuple[Entrant, ...]
    names: tuple[str, ...]
    """The names by seat, short and distinct."""
    moments: tuple[Moment, ...]
    broken: str | None
    """Why the steps cannot be replayed to their end; None if they can."""
    result: Result | None
    """How it ended; None while it is played, and for a match that became void meanwhile."""
    doubt: str | None
    """The error in the dealing, the result or the signature; None if all was verified."""
    luck: tuple[float, ...] | None = None
    """The luck in the whole match, by seat. Only for EVERYTHING; None if no draw had a value."""
    signed_by: str | None = None
    """The arena's public key, in hexadecimal; None for an unsigned transcript."""
    live: bool = False
    """Whether spectators saw it while it was played; nothing of it is verified yet."""
    over: bool = True
    analysed: bool = False
    """Whether moments have their decisions."""


def parse_viewpoint(text: str, seats: int) -> Viewpoint:
    """Return the viewpoint of a URL; EVERYTHING if it is invalid."""
    viewpoints = [*Onlooker, *range(seats)]
    return next((one for one in viewpoints if write_viewpoint(one) == text), Onlooker.EVERYTHING)


def write_viewpoint(viewpoint: Viewpoint) -> str:
    """Return the text of a viewpoint in a URL."""
    return viewpoint.value if isinstance(viewpoint, Onlooker) else str(viewpoint)


def watch(
    transcript: Transcript,
    viewpoint: Viewpoint,
    decisions: Iterable[AnalysedDecision] | None = None,
) -> Watched:
    """Return the match as seen from `viewpoint`, with the `decisions` that it may know."""
    setup = transcript.setup
    game = setup.make_game()
    moments: list[Moment] = []
    broken = None
    try:
        for moment in _moments(game, replay(transcript), viewpoint, len(setup.entrants)):
            moments.append(moment)
    except TranscriptError as error:
        broken = str(error)
    luck = None
    if viewpoint is Onlooker.EVERYTHING and broken is None:
        luck = luck_of(transcript)
        given = {draw.step: draw.seats for draw in luck.draws}
        moments = [replace(moment, luck=given.get(moment.step)) for moment in moments]
    if decisions is not None:
        valued = {one.step: one for one in decisions if one.values}
        moments = [
            moment if moment.own is None else replace(moment, decision=valued.get(moment.step))
            for moment in moments
        ]
    return Watched(
        setup.match_id,
        setup.game,
        game.title,
        tuple(setup.options.changed().items()),
        viewpoint,
        setup.entrants,
        _names(setup.entrants),
        tuple(moments),
        broken,
        transcript.result,
        _doubt(transcript),
        luck.seats if luck is not None and luck.draws else None,
        transcript.signature.key.hex() if transcript.signature else None,
        analysed=decisions is not None,
    )


def watch_live(match: WatchedMatch) -> Watched:
    """Return a running match, as spectators have seen it so far."""
    return Watched(
        match.match_id,
        match.game,
        GAMES[match.game].title,
        tuple(match.options.changed().items()),
        Onlooker.SPECTATOR,
        match.entrants,
        _names(match.entrants),
        tuple(Moment(one.step, (one.view,), tuple(one.events), None) for one in match.moments),
        None,
        match.result,
        None,
        live=True,
        over=match.over,
    )


def _moments(
    game: AnyGame, frames: Iterator[Frame], viewpoint: Viewpoint, seats: int
) -> Iterator[Moment]:
    lookers: Sequence[int | None]
    if isinstance(viewpoint, int):
        lookers = (viewpoint,)
    else:
        lookers = range(seats) if viewpoint is Onlooker.EVERYTHING else (None,)
    before: tuple[Any, ...] | None = None
    for frame in frames:
        views = tuple(game.view(frame.state, looker) for looker in lookers)
        step = frame.step
        # A fault reveals what was played, and so a card: only the seat that was asked may see it.
        known = step is not None and (viewpoint is Onlooker.EVERYTHING or step.actor == viewpoint)
        if views != before or frame.events or known:
            yield Moment(frame.index, views, frame.events, step if known else None)
        before = views


def _names(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    bots = Counter(entrant.bot for entrant in entrants)
    full = Counter(str(entrant) for entrant in entrants)
    return tuple(
        entrant.bot
        if bots[entrant.bot] == 1
        else str(entrant)
        if full[str(entrant)] == 1
        else f"{entrant} (seat {seat})"
        for seat, entrant in enumerate(entrants)
    )


def _doubt(transcript: Transcript) -> str | None:
    try:
        verify(transcript)
        check_signature(transcript)
    except TranscriptError as error:
        return str(error)
    return None
