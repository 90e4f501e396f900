"""The decisions of a match in which a seat could claim or doubt, from its transcript.

A claim is false if it is false in fact, by the whole state. It is a bluff if it is more likely
false than true given what its seat sees, and a lie if that seat knows that it is false. The game's
kit defines what an action claims.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Final

from arena.games.claims import ClaimSituation, GameClaims, claims_of
from arena.games.game import AnyGame
from arena.match.replay import Frame, TranscriptError, replay
from arena.match.transcript import Step, Transcript

_HALF: Final = Fraction(1, 2)
_TRUTH: Final = (
    ClaimSituation("truth", 0, "a claim that is no bluff is possible"),
    ClaimSituation("truth", 1, "every claim is a bluff"),
)
_LIKELY: Final = (
    (0.25, ClaimSituation("answer", 0, "the claim is under 25 % likely")),
    (0.5, ClaimSituation("answer", 1, "the claim is 25 to 50 % likely")),
    (0.75, ClaimSituation("answer", 2, "the claim is 50 to 75 % likely")),
    (1.0, ClaimSituation("answer", 3, "the claim is over 75 % likely")),
)
"""The situations by the standing claim's probability, as the seat sees it, with upper bounds."""


@dataclass(slots=True)
class ClaimDecision:
    """A decision of a seat that could claim or doubt, and what came of it."""

    step: int
    """The number of the step, from 1."""
    seat: int
    own: bool
    """Whether the bot decided; otherwise the default action was played for it."""
    could_claim: bool
    could_doubt: bool
    situations: tuple[ClaimSituation, ...]
    """The situations that the seat sees it is in, at most one of each kind."""
    chance: float | None
    """The probability of its claim, given what the seat saw; None without a claim."""
    off: int = 0
    """By how much its claim was false, in the game's unit; 0 without a claim."""
    doubted: bool = False
    """Whether its claim was doubted, or put to the test in another way."""
    right: bool | None = None
    """Whether its doubt was right; None without a doubt."""

    @property
    def claimed(self) -> bool:
        """Whether it claimed something."""
        return self.chance is not None

    @property
    def bluffed(self) -> bool:
        """Whether it claimed what was more likely false than true."""
        return self.chance is not None and self.chance < _HALF


def claim_decisions(transcript: Transcript, most: int | None = None) -> tuple[ClaimDecision, ...]:
    """Return the decisions to claim or doubt of a match, up to the first impossible step.

    The result is () for a game without claims. `most` limits the steps of seats that are read.
    """
    known = claims_of(transcript.setup.game)
    if known is None:
        return ()
    game = transcript.setup.make_game()
    seats = ClaimSituation("seats", len(transcript.setup.entrants), "")
    seats = seats._replace(name=f"{seats.rank} seats at the table")
    found: list[ClaimDecision] = []
    last: ClaimDecision | None = None
    for frame, step in islice(_seat_steps(transcript), most):
        decision = _decision(frame, step, game, known)
        decision.situations = _shared((*decision.situations, seats))
        if decision.claimed:
            last = decision
            last.off = known.off(step.action, frame.before, frame.state, game.options) or 0
        elif last is not None and known.doubts(step.action):
            decision.right = last.off != 0
        if last is not None and known.called(step.action, frame.before, frame.state):
            last.doubted = True
        if decision.could_claim or decision.could_doubt:
            found.append(decision)
    return tuple(found)


def _decision(frame: Frame, step: Step, game: AnyGame, known: GameClaims) -> ClaimDecision:
    """Return a decision by the view of its seat, with the chance of its claim."""
    assert isinstance(step.actor, int)
    view = game.view(frame.before, step.actor)
    likeliest = known.likeliest(view, game.options)
    may_doubt = known.may_doubt(view)
    situations = list(known.situations(view))
    if likeliest is not None:
        situations.append(_TRUTH[likeliest < _HALF])
    standing = known.chance(view, game.options) if may_doubt else None
    if standing is not None:
        situations.append(next(situation for bound, situation in _LIKELY if standing <= bound))
    chance = known.own_chance(step.action, view, game.options)
    return ClaimDecision(
        frame.index,
        step.actor,
        step.fault is None and not step.stand_in,
        likeliest is not None,
        may_doubt,
        tuple(situations),
        None if chance is None else float(chance),
    )


# There are few distinct tuples: equal ones share memory.
@lru_cache(maxsize=4096)
def _shared(situations: tuple[ClaimSituation, ...]) -> tuple[ClaimSituation, ...]:
    return situations


def _seat_steps(transcript: Transcript) -> Iterator[tuple[Frame, Step]]:
    """Yield the frames of the seats' steps, with the steps."""
    try:
        for frame in replay(transcript):
            if frame.step is not None and isinstance(frame.step.actor, int):
                yield frame, frame.step
    except TranscriptError:
        return
