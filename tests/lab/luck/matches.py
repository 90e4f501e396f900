"""Matches of Bluff whose luck is looked at."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from arena.bot import AnyAction, Bot, Turn
from arena.games import make_game
from arena.games.bluff import Bet, Doubt
from arena.games.game import AnyGame
from arena.local.in_process import Contender, PlayedMatch, play_series
from arena.local.loading import load_bot
from arena.match.clock import TimeControl
from arena.match.result import Result, Termination
from arena.match.transcript import Entrant, Opening, Setup, Step, Transcript


class Careless(Bot):
    """Raises by the smallest step or doubts, without a look at its dice."""

    def act(self, turn: Turn) -> AnyAction:
        bets = [action for action in turn.choices() if isinstance(action, Bet)]
        if turn.view.can_doubt and (not bets or self.random.random() < 0.4):
            return Doubt()
        return bets[0]


def careless(seats: int) -> list[Contender]:
    return [Contender(f"careless{number}", Careless) for number in range(seats)]


def sample(*names: str) -> list[Contender]:
    return [
        Contender(f"{name}-{number}", load_bot(name)) for number, name in enumerate(names, start=1)
    ]


def series(
    contenders: Sequence[Contender], matches: int, seed: str = "1", **options: object
) -> list[PlayedMatch]:
    game = make_game("bluff", options)
    return list(play_series(game, contenders, matches, seed))


def renamed(transcript: Transcript, random: Random) -> Transcript:
    """The same steps, by others."""
    entrants = tuple(
        replace(entrant, bot=f"bot{random.random()}") for entrant in transcript.setup.entrants
    )
    return replace(transcript, setup=replace(transcript.setup, entrants=entrants))


def recorded(game: AnyGame, seats: int, steps: Sequence[Step]) -> Transcript:
    """A record of these steps and nothing after them."""
    entrants = tuple(Entrant(f"bot{seat}", "1", "somebody") for seat in range(seats))
    zeros, nobody = (0,) * seats, (False,) * seats
    return Transcript(
        Setup("m", game.name, game.options, entrants, TimeControl(), fault_limit=3),
        b"",
        tuple(steps),
        Result((1,) * seats, None, Termination.FORFEIT, zeros, nobody),
        Opening(b"", (b"",) * seats),
    )
