"""Claims, bluffs and doubts of a match, computed from its transcript without side effects.

A bluff is a claim that was false when it was made, whatever the bot believed; the game's kit says
what it claims. A default action played for a seat is no bot's decision and is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from arena.games.claims import claims_of
from arena.match.faults import FaultKind
from arena.match.replay import TranscriptError, replay
from arena.match.transcript import Entrant, Step, Transcript


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and its outcome."""

    step: int
    """The number of the step that made it."""
    seat: int
    off: int
    """By how much it was false, in the unit of the game: dice, pips, points; 0 is true."""
    doubted: bool
    own: bool
    """Whether the bot made it; otherwise it was the default action."""


def off_in_words(game: str, off: int) -> str:
    """Return in words by how much a claim was false, such as "2 dice short"."""
    known = claims_of(game)
    one, several = ("off", "off") if known is None else known.UNIT
    return f"{off} {one if off == 1 else several}"


@dataclass(frozen=True, slots=True)
class Doubting:
    """A doubt of a claim, and whether it was right."""

    seat: int
    right: bool


@dataclass(frozen=True, slots=True)
class FaultAt:
    """A fault, and the step in which the default action was played."""

    step: int
    seat: int
    kind: FaultKind
    played: str
    """The default action, in the words of the table."""


@dataclass(frozen=True, slots=True)
class Bluffing:
    """The claims and doubts of one match."""

    match_id: str
    entrants: tuple[Entrant, ...]
    claims: tuple[Claim, ...]
    doubts: tuple[Doubting, ...]
    faults: tuple[FaultAt, ...]
    milliseconds: tuple[int, ...]
    """The total time of all answers, by seat."""
    answers: tuple[int, ...]
    """The number of answers that each seat gave itself."""

    @property
    def boldest(self) -> Claim | None:
        """The largest undoubted bluff, the first of equals; None without one."""
        away = [one for one in self.claims if one.off and not one.doubted and one.own]
        return max(away, key=lambda one: one.off, default=None)


def bluffing_of(transcript: Transcript) -> Bluffing:
    """Return the claims and doubts of a match, up to the first impossible step if there is one."""
    seats = len(transcript.setup.entrants)
    claims: list[Claim] = []
    doubts: list[Doubting] = []
    faults: list[FaultAt] = []
    used, answers = [0] * seats, [0] * seats
    known = claims_of(transcript.setup.game)
    for number, step, before, after in _steps(transcript):
        seat = step.actor
        if not isinstance(seat, int):
            continue
        own = step.fault is None and not step.stand_in
        if step.fault is not None:
            faults.append(FaultAt(number, seat, step.fault, str(step.action)))
        if own:
            used[seat] += step.milliseconds
            answers[seat] += 1
        if known is None:
            continue
        off = known.off(step.action, before, after)
        if off is not None:
            claims.append(Claim(number, seat, off, doubted=False, own=own))
        elif claims and known.doubts(step.action):
            last = claims[-1]
            claims[-1] = Claim(last.step, last.seat, last.off, doubted=True, own=last.own)
            if own:
                doubts.append(Doubting(seat, right=last.off != 0))
    return Bluffing(
        transcript.setup.match_id,
        transcript.setup.entrants,
        tuple(claims),
        tuple(doubts),
        tuple(faults),
        tuple(used),
        tuple(answers),
    )


def _steps(transcript: Transcript) -> Iterator[tuple[int, Step, Any, Any]]:
    before: Any = None
    try:
        for frame in replay(transcript):
            if frame.step is not None:
                yield frame.index, frame.step, before, frame.state
            before = frame.state
    except TranscriptError:
        return


@dataclass(frozen=True, slots=True)
class Style:
    """The counts of a bot's decisions in some matches."""

    matches: int
    claims: int
    bluffs: int
    caught: int
    """Bluffs that were doubted."""
    doubts: int
    right_doubts: int
    milliseconds: int
    answers: int


def style_of(bot: str, matches: Iterable[Bluffing]) -> Style:
    """Return the style of a bot, over all seats that it had."""
    counts = [0] * 8
    for match in matches:
        mine = {seat for seat, one in enumerate(match.entrants) if one.bot == bot}
        claims = [one for one in match.claims if one.seat in mine and one.own]
        doubts = [one for one in match.doubts if one.seat in mine]
        for at, more in enumerate(
            (
                1,
                len(claims),
                sum(one.off > 0 for one in claims),
                sum(one.off > 0 and one.doubted for one in claims),
                len(doubts),
                sum(one.right for one in doubts),
                sum(match.milliseconds[seat] for seat in mine),
                sum(match.answers[seat] for seat in mine),
            )
        ):
            counts[at] += more
    return Style(*counts)
