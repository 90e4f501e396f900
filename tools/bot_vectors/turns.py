"""Vectors of turns: what a seat saw, and what the honest sample bot of the game answers.

Where it chooses at random among equally good actions, all of them are listed.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, TypeVar

from arena.bot import Bot, Turn
from arena.codec.game_codec import CODECS
from arena.games import make_game
from arena.games.bluff import BluffView, Face
from arena.local.in_process import Contender, Seed, play_match
from arena.local.loading import load_bot
from arena.v1 import game_pb2
from arena_sample_bots.honest import OPENS_AT, likelihood
from tools.bot_vectors.matches import as_json

HONEST = {"bluff": "honest", "bluff_you": "bluff_you_honest", "bloeff": "bloeff_honest"}

_LINE_UPS: dict[str, tuple[tuple[dict[str, Any], str], ...]] = {
    "bluff": (
        ({}, "honest bayes"),
        ({}, "random honest"),
        ({}, "timid timid"),
        ({}, "bayes honest timid"),
        ({"bet_cap": "table"}, "random timid"),
        ({"show_and_reroll": True}, "random random"),
        ({"show_and_reroll": True, "dice_per_player": 3}, "random honest timid random"),
        ({"dice_per_player": 1}, "honest timid"),
        ({"dice_per_player": 16}, "timid timid"),
        ({}, "honest timid bayes honest timid bayes"),
    ),
    "bluff_you": (
        ({}, "bluff_you_honest bluff_you_equilibrium"),
        ({}, "random bluff_you_honest"),
        ({}, "random bluff_you_equilibrium random"),
        ({}, "random random random random"),
        ({"steal_takes": "any_chip"}, "random bluff_you_equilibrium random"),
        ({"swap_max_per_turn": 3, "swap_min_give": 1}, "random random"),
        ({"announce_missing_chip": "no_effect"}, "random random random"),
        ({"chip_points": [1, 2, 3, 4, 5, 6, 7, 8] * 2, "no_win_limit": 2}, "random random"),
    ),
    "bloeff": (
        ({}, "bloeff_honest bloeff_counter"),
        ({}, "random bloeff_honest"),
        ({}, "random bloeff_counter bloeff_honest"),
        ({}, "random random random random"),
        ({"below_zero": "bluff"}, "random bloeff_honest random"),
        ({"announce_range": "any", "limits": [30, 20, 5]}, "random random"),
        ({"call_mode": "auto", "caught_card_returns": True}, "random bloeff_honest"),
        ({}, "random bloeff_counter bloeff_honest random bloeff_counter bloeff_honest"),
    ),
}
"""Options and bots by seat."""

_EACH = 84
"""Turns of each line-up."""

T = TypeVar("T")


class _Recorder(Random):
    """A generator that records what it last chose from, and chooses the first."""

    chosen_from: Sequence[Any] | None = None

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]
        self.chosen_from = seq
        return seq[0]


def turn_vectors(game: str) -> Iterator[dict[str, Any]]:
    """By line-up: the options, and turns under them, evenly taken from some matches."""
    for number, (options, line_up) in enumerate(_LINE_UPS[game]):
        turns = _turns(game, options, line_up.split(), Seed(f"turns {game} {number}"))
        message = game_pb2.Options()
        member = getattr(message, game)
        CODECS[game].write_options(make_game(game, options).options, member)
        member.SetInParent()
        yield {"options": as_json(message), "turns": [_vector(game, turn) for turn in turns]}


def _turns(
    game: str, options: dict[str, Any], line_up: Sequence[str], seed: Seed
) -> list[Turn[Any, Any]]:
    seen: list[Turn[Any, Any]] = []
    rules = make_game(game, options)
    for match in range(40):
        contenders = [Contender(bot, _watched(load_bot(bot), seen)) for bot in line_up]
        play_match(rules, contenders, seed, match)
    clear = [turn for turn in seen if game != "bluff" or _is_clear(turn.view)]
    return [clear[len(clear) * at // _EACH] for at in range(_EACH)]


def _watched(kind: type[Bot[Any, Any]], seen: list[Turn[Any, Any]]) -> type[Bot[Any, Any]]:
    class Watched(kind):  # type: ignore[valid-type, misc]
        """A bot that shows its turns."""

        def act(self, turn: Turn[Any, Any]) -> Any:
            seen.append(turn)
            return super().act(turn)

    return Watched


def _is_clear(view: BluffView) -> bool:
    """Return whether the answer does not depend on how a language rounds: no two different sums of
    probabilities that are compared are equal up to rounding."""
    if not view.can_doubt:
        compared = [
            (likelihood(view, face, quantity), OPENS_AT)
            for face in Face
            for quantity in range(2, sum(view.dice_counts) + 1)
        ]
        return all(abs(one - other) > 1e-9 for one, other in compared)
    standing = view.bets[-1].bet
    chances = {1 - likelihood(view, standing.face, standing.quantity)} | {
        likelihood(view, face, view.lowest[face - 1])
        for face in Face
        if view.lowest[face - 1] <= view.highest
    }
    return all(chance == max(chances) or max(chances) - chance > 1e-9 for chance in chances)


def _vector(game: str, turn: Turn[Any, Any]) -> dict[str, Any]:
    recorder = _Recorder()
    bot = load_bot(HONEST[game])(recorder)
    bot.match_started(turn.match)
    action = bot.act(turn)
    view = game_pb2.View()
    getattr(view, game).MergeFromString(CODECS[game].view_bytes(turn.view))
    answers = []
    for answer in recorder.chosen_from or [action]:
        message = game_pb2.Action()
        CODECS[game].write_action(answer, getattr(message, game))
        answers.append(as_json(message))
    return {"seat": turn.seat, "view": as_json(view), "answers": answers}
