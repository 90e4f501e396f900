"""The decisions of a recorded match: the seat's view, its action, and the action's loss."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.games import bluff
from arena.games.claims import claims_of
from arena.games.game import DEALER, AnyGame
from arena.lab.analysis.grades import Grade, grade_of
from arena.lab.analysis.solved_place import SolvedPlace, solved_place
from arena.lab.analysis.values import ActionValues, known_sources
from arena.match.replay import replay
from arena.match.transcript import Transcript

ANALYSED_GAMES: Final = ("bluff",)
"""The games whose actions have values."""


@dataclass(frozen=True, slots=True)
class AnalysedDecision:
    """One action of a seat, with its values.

    Probabilities of claims are None where no claim stands. Fields derived from values are None
    where no source has values.
    """

    step: int
    """The action's position in the transcript, from 1."""
    seat: int
    view: Any
    """The seat's view; None in a stored analysis."""
    action: Any
    forced: bool
    """Whether the action was played for the seat, after a fault or a forfeit."""
    unread: float | None
    """The probability that the standing claim is true, given only the dice and cards it sees."""
    read: float | None
    """The same, given also what the others' bets reveal of their dice."""
    values: Mapping[Any, float] | None
    """The chance to win the match after each examined action."""
    source: str | None
    """The name of the values' source."""
    solved: SolvedPlace | None = None
    """Near-equilibrium play in the position of the seat; None where it is unknown."""

    @property
    def best(self) -> Any:
        """The action with the highest value; None without values."""
        return max(self.values, key=self.values.__getitem__) if self.values else None

    @property
    def win(self) -> float | None:
        """The chance to win after the action."""
        return self.values[self.action] if self.values else None

    @property
    def loss(self) -> float | None:
        """The loss by the action, in chances to win; never negative."""
        return max(self.values.values()) - self.values[self.action] if self.values else None

    @property
    def grade(self) -> Grade | None:
        """The grade of the action."""
        return None if self.loss is None else grade_of(self.loss)


def decisions(
    transcript: Transcript, sources: Sequence[ActionValues] | None = None
) -> Iterator[AnalysedDecision]:
    """Yield all decisions of a match in order.

    Args:
        transcript: The match.
        sources: The sources of values, in order of preference: each decision takes the first that
            has values for it. By default `known_sources`.

    Raises:
        TranscriptError: The transcript contradicts the rules.
    """
    game = transcript.setup.make_game()
    if not has_values(game):
        sources = ()
    sources = known_sources() if sources is None else sources
    claims = claims_of(game.name)
    for frame in replay(transcript):
        step = frame.step
        if step is not None and step.actor is not DEALER:
            view = game.view(frame.before, step.actor)
            found = ((source, source.look(view, step.action)) for source in sources)
            source, valued = next((f for f in found if f[1] is not None), (None, None))
            unread = None if claims is None else claims.chance(view, game.options)
            yield AnalysedDecision(
                frame.index,
                step.actor,
                view,
                step.action,
                step.fault is not None or step.stand_in,
                None if unread is None else float(unread),
                None if valued is None else valued.standing,
                None if valued is None else valued.values,
                None if source is None else source.name,
                None
                if valued is None
                else solved_place(view, step.action, valued.values, valued.play),
            )


def has_values(game: AnyGame) -> bool:
    """Return whether the actions of a game have values: Bluff without its extension."""
    options = game.options
    return isinstance(options, bluff.BluffOptions) and not options.show_and_reroll
