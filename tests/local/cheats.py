"""A bot that remembers deals: it plays like the sample Honest until it meets a deal again."""

from pathlib import Path

REMEMBERS = """
from arena_sample_bots.honest import Honest, field
from arena.games.bluff import STAR, Bet, Doubt, Face
from arena.randomness import KeyedRandomness, match_key


class Remembers(Honest):
    deals = {}  # of the class, so that it outlives the match

    def act(self, turn):
        # It need not even guess from its dice which deal it is: the id of the match tells.
        chance, view = self.deals.get(turn.match_id), turn.view
        if chance is None:
            return super().act(turn)
        dice = [
            1 + chance.below(f"round {view.round} seat {seat} die {die}", 6)
            for seat, count in enumerate(view.dice_counts)
            for die in range(count)
        ]
        counts = {face: dice.count(face) + (face is not STAR) * dice.count(STAR) for face in Face}
        true = [
            Bet(counts[face], face)
            for face in Face
            if view.lowest[face - 1] <= counts[face] <= view.highest
        ]
        if view.can_doubt and counts[view.bets[-1].bet.face] < view.bets[-1].bet.quantity:
            return Doubt()
        return max(true, key=field) if true else super().act(turn)

    def match_ended(self, transcript):
        opening, match_id = transcript.opening, transcript.setup.match_id
        key = match_key(opening.secret, match_id, opening.entropies)
        self.deals[match_id] = KeyedRandomness(key)
"""


def remembering(folder: Path) -> Path:
    """The file of the bot."""
    file = folder / "remembers.py"
    file.write_text(REMEMBERS)
    return file
