"""Claims, doubts, faults and time of a match, computed from its transcript without side effects.

A default action played for a seat is not the bot's decision: counts for a bot leave it out.
"""

from dataclasses import dataclass
from typing import Final

from arena.games.claims import claims_of
from arena.lab.deception import ClaimDecision, claim_decisions
from arena.match.faults import FaultKind
from arena.match.transcript import Entrant, Transcript

MOST_STEPS: Final = 1_000
"""The number of first steps of seats in a match that are searched for claims and doubts. Options
allow many times as many, at about 0.1 ms each, and a page looks at hundreds of matches."""


def off_in_words(game: str, off: int) -> str:
    """Return in words by how much a claim was false, such as "2 dice short"."""
    known = claims_of(game)
    one, several = ("off", "off") if known is None else known.UNIT
    return f"{off} {one if off == 1 else several}"


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
    game: str
    deal: str
    """The deal, which several matches may share."""
    entrants: tuple[Entrant, ...]
    decisions: tuple[ClaimDecision, ...]
    """The decisions in which a seat could claim or doubt."""
    faults: tuple[FaultAt, ...]
    milliseconds: tuple[int, ...]
    """The total time of all answers, by seat."""
    answers: tuple[int, ...]
    """The number of answers that each seat gave itself."""

    @property
    def claims(self) -> list[ClaimDecision]:
        """The claims, including those of default actions."""
        return [one for one in self.decisions if one.claimed]

    @property
    def doubts(self) -> list[ClaimDecision]:
        """The bots' own doubts."""
        return [one for one in self.decisions if one.right is not None and one.own]

    @property
    def boldest(self) -> ClaimDecision | None:
        """The bots' most false undoubted claim, the first of equal ones; None without one."""
        away = [one for one in self.claims if one.off and not one.doubted and one.own]
        return max(away, key=lambda one: one.off, default=None)

    def of(self, bot: str) -> list[ClaimDecision]:
        """Return the decisions of a bot over all its seats."""
        mine = {seat for seat, one in enumerate(self.entrants) if one.bot == bot}
        return [one for one in self.decisions if one.seat in mine and one.own]

    def time_of(self, bot: str) -> tuple[int, int]:
        """Return the milliseconds that a bot took over all its seats, and its answers."""
        mine = [seat for seat, one in enumerate(self.entrants) if one.bot == bot]
        return sum(self.milliseconds[at] for at in mine), sum(self.answers[at] for at in mine)


def bluffing_of(transcript: Transcript) -> Bluffing:
    """Return the claims and doubts of a match, up to the first impossible step if there is one.

    Claims and doubts come from the first MOST_STEPS steps, faults and time from all steps.
    """
    setup = transcript.setup
    faults: list[FaultAt] = []
    used, answers = [0] * len(setup.entrants), [0] * len(setup.entrants)
    for number, step in enumerate(transcript.steps, start=1):
        seat = step.actor
        if not isinstance(seat, int):
            continue
        if step.fault is not None:
            faults.append(FaultAt(number, seat, step.fault, str(step.action)))
        elif not step.stand_in:
            used[seat] += step.milliseconds
            answers[seat] += 1
    return Bluffing(
        setup.match_id,
        setup.game,
        setup.keyed_by,
        setup.entrants,
        claim_decisions(transcript, MOST_STEPS),
        tuple(faults),
        tuple(used),
        tuple(answers),
    )
