"""The test vectors of docs/transcript.md are what the games draw and what its formulas give."""

import hmac
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.games import make_game
from arena.games.bloeff import BloeffPhase
from arena.games.bluff.state import BluffPhase
from arena.randomness import KeyedRandomness
from tests.games.bloeff_positions import BLOEFF
from tests.independent_referee import ascending, shuffled

PAGE = (Path(__file__).parents[1] / "docs" / "transcript.md").read_text()
SECTION = PAGE.split("### More test vectors\n", 1)[1].split("\n## ", 1)[0]
(MATCH_KEY,) = (bytes.fromhex(key) for key in re.findall(r"^match key = (\w{64})$", PAGE, re.M))
RANDOMNESS = KeyedRandomness(MATCH_KEY)

NUMBERS = re.findall(r"^\| `([^`]+)#0` \| `(\w{16})` \| (\d+) \| (\d+) \|$", SECTION, re.M)
DRAWS = re.findall(r"^\| (\w+) \| .* \| `(\{.*\})` \|$", SECTION, re.M)
CENTRE = json.loads(SECTION.split("centre pile `", 1)[1].split("`", 1)[0])


def below(key: str, bound: int) -> int:
    """The first attempt by the formulas of the page; the vectors need no second one."""
    digest = hmac.digest(MATCH_KEY, f"{key}#0".encode(), "sha256")
    return int.from_bytes(digest[:8], "big") % bound


def drawn_by_the_games() -> list[tuple[str, Any]]:
    """By the rules of the arena, in the order of the page."""
    bluff, bluff_you = make_game("bluff", {"show_and_reroll": True}), make_game("bluff_you")
    tied = bluff.start(4)
    tied = tied._replace(
        phase=BluffPhase.OPENER_DRAW, starting=replace(tied.starting, attempt=12, seats=(0, 2, 3))
    )
    deal = BLOEFF.start(2)
    by_number = {str(card): card for card in deal.draw_pile}
    pile = tuple(by_number[str(card)] for card in CENTRE)
    dry = replace(BLOEFF.start(2), phase=BloeffPhase.RESHUFFLE, seen=pile)
    window = replace(
        BLOEFF.start(4), phase=BloeffPhase.DOUBTER, turn=7, ballots=(True, None, True, True)
    )
    states: list[tuple[Any, Any]] = [
        (bluff, tied),
        (bluff_you, bluff_you.start(2)),
        (BLOEFF, deal),
        (BLOEFF, dry),
        (BLOEFF, replace(dry, reshuffles=1)),
        (BLOEFF, window),
    ]
    return [
        (game.name, game.notation.to_json(game.draw(state, RANDOMNESS))) for game, state in states
    ]


def drawn_by_the_page() -> list[tuple[str, Any]]:
    """By the formulas of the page alone, in its order."""
    seats = (0, 2, 3)
    deck = [card for card in range(-2, 5) for _ in range(4 if card == -2 else 5)]
    deck += [card for card in ("reverse", "draw2", "skip") for _ in range(6)]
    return [
        ("bluff", {"type": "opener_draw", "seat": seats[below("opener", 3)]}),
        (
            "bluff_you",
            {"type": "roll", "dice": [below(f"turn 1 die {die}", 6) + 1 for die in range(3)]},
        ),
        ("bloeff", {"type": "deal", "cards": shuffled(below, "deal", deck)}),
        *(
            ("bloeff", {"type": "reshuffle", "cards": shuffled(below, f"recycle {k}", CENTRE)})
            for k in (1, 2)
        ),
        ("bloeff", {"type": "doubter", "seat": seats[below("doubter 7", 3)]}),
    ]


def test_there_are_vectors_to_check() -> None:
    assert len(NUMBERS) > 5
    assert ascending(CENTRE) == CENTRE


@pytest.mark.parametrize(("key", "beginning", "bound", "result"), NUMBERS)
def test_a_number_is_drawn_as_the_page_says(
    key: str, beginning: str, bound: str, result: str
) -> None:
    assert hmac.digest(MATCH_KEY, f"{key}#0".encode(), "sha256").hex().startswith(beginning)
    assert int(beginning, 16) % int(bound) == int(result)
    assert RANDOMNESS.below(key, int(bound)) == int(result)


@pytest.mark.parametrize("drawn", [drawn_by_the_games, drawn_by_the_page])
def test_the_draws_are_those_of_the_page(drawn: Any) -> None:
    assert [(game, json.loads(text)) for game, text in DRAWS] == drawn()
