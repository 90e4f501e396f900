"""How often near-equilibrium play bluffs and doubts in the places of a match, by step."""

from collections.abc import Iterable, Mapping

from arena.games.game import DEALER
from arena.lab.analysis.decisions import AnalysedDecision, has_values
from arena.lab.analysis.solved_place import SolvedShares, solved_shares
from arena.lab.analysis.values import BluffTables, known_sources
from arena.match.replay import replay
from arena.match.transcript import Transcript


def solved_shares_of(transcript: Transcript) -> Mapping[int, SolvedShares]:
    """Return how often solved play bluffs and doubts at the steps whose places the tables know.

    No values are computed, so it takes a tenth of the time of an analysis.

    Raises:
        TranscriptError: The transcript contradicts the rules.
        PlayFileError: The chosen tables cannot be read.
    """
    game = transcript.setup.make_game()
    tables = next((one for one in known_sources() if isinstance(one, BluffTables)), None)
    if tables is None or not has_values(game):
        return {}
    found = {}
    for frame in replay(transcript):
        if frame.step is not None and frame.step.actor is not DEALER:
            view = game.view(frame.before, frame.step.actor)
            play = tables.play(view)
            if play is not None:
                found[frame.index] = solved_shares(view, play)
    return found


def kept_shares(found: Iterable[AnalysedDecision]) -> Mapping[int, SolvedShares]:
    """Return the same mapping as `solved_shares_of`, from analysed decisions."""
    return {one.step: one.solved.shares for one in found if one.solved is not None}
