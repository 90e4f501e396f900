"""A bot is checked by its author's type checker: what is right passes, what is wrong is named."""

import re
import sys
from pathlib import Path

import pytest
from mypy import api

# The first run of mypy reads all that the SDK imports.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]

IMPORTS = """
from collections.abc import Iterator
from typing import TypeAlias, assert_type
from arena.bot import AnyAction, Bot, Match, Transcript, Turn
from arena.games.bloeff import BloeffChoice, BloeffView, Doubted
from arena.games.bluff import (
    Bet, BluffChoice, BluffEvent, BluffOptions, BluffView, CupRoll, Doubt, Face, Showdown
)
from arena.games.bluff_you import Answer, BluffYouView

BluffTurn: TypeAlias = Turn[BluffView, BluffChoice, BluffEvent, BluffOptions]
"""

ACCEPTED = {
    "plain": """
class Mine(Bot):
    def act(self, turn: Turn) -> AnyAction:
        return turn.view.whatever or next(turn.choices())
""",
    "two_types": """
class Mine(Bot[BluffView, Bet | Doubt]):
    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        for event in turn.events:
            if isinstance(event, Showdown):
                print(event.losses)
        return next(turn.choices())
""",
    "all_types": """
class Mine(Bot[BluffView, BluffChoice, BluffEvent, BluffOptions]):
    def match_started(self, match: Match[BluffOptions]) -> None:
        self.stars = match.game.options.start_star_value

    def act(self, turn: BluffTurn) -> BluffChoice:
        self.look(turn)
        return Doubt() if turn.game.options.show_and_reroll else Bet(1, Face.ONE)

    def look(self, turn: Turn[BluffView]) -> int:
        return turn.view.highest

    def match_ended(self, transcript: Transcript) -> None:
        print(transcript.result.placing)
""",
    "what_a_turn_holds": """
def looks(turn: BluffTurn, shorter: Turn[BluffView, Bet | Doubt]) -> None:
    assert_type(turn.view, BluffView)
    assert_type(turn.events, tuple[BluffEvent, ...])
    assert_type(turn.choices(), Iterator[Bet | Doubt])
    assert_type(turn.game.options, BluffOptions)
    assert_type(shorter.view, BluffView)
    assert_type(shorter.events, tuple[object, ...])
    assert_type(next(shorter.choices()), Bet | Doubt)
""",
    "several_games": """
class Mine(Bot[BluffView | BloeffView, BluffChoice | BloeffChoice]):
    games = ("bluff", "bloeff")

    def act(
        self, turn: Turn[BluffView | BloeffView, BluffChoice | BloeffChoice]
    ) -> BluffChoice | BloeffChoice:
        if isinstance(turn.view, BluffView) and turn.view.can_doubt:
            return Doubt()
        return next(turn.choices())
""",
}

REFUSED = {
    "an_action_of_another_game": (
        """
class Mine(Bot[BluffView, Bet | Doubt]):
    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        return Answer(True)
""",
        'Incompatible return value type (got "Answer", expected "Bet | Doubt")',
    ),
    "a_draw_of_the_dealer": (
        """
class Mine(Bot[BluffView, BluffChoice]):
    def act(self, turn: Turn[BluffView, BluffChoice]) -> BluffChoice:
        return CupRoll(())
""",
        'Incompatible return value type (got "CupRoll", expected "Bet | Doubt")',
    ),
    "a_signature_of_another_action": (
        """
class Mine(Bot[BluffView, Bet | Doubt]):
    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Answer:
        return Answer(True)
""",
        'Return type "Answer" of "act" incompatible with return type "Bet | Doubt"',
    ),
    "a_view_of_another_game": (
        """
class Mine(Bot[BluffView, Bet | Doubt]):
    def act(self, turn: Turn[BluffYouView, Bet | Doubt]) -> Bet | Doubt:
        return Doubt()
""",
        'Argument 1 of "act" is incompatible with supertype "arena.bot.bot.Bot"',
    ),
    "an_attribute_that_no_view_has": (
        """
class Mine(Bot[BluffView, Bet | Doubt]):
    def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
        print(turn.view.hand)
        return Doubt()
""",
        '"BluffView" has no attribute "hand"',
    ),
    "an_option_that_the_game_has_not": (
        """
class Mine(Bot[BluffView, BluffChoice, BluffEvent, BluffOptions]):
    def act(self, turn: BluffTurn) -> BluffChoice:
        print(turn.game.options.swap_min_give)
        return Doubt()
""",
        '"BluffOptions" has no attribute "swap_min_give"',
    ),
    "an_event_of_another_game": (
        """
class Mine(Bot[BluffView, BluffChoice, BluffEvent]):
    def act(self, turn: Turn[BluffView, BluffChoice, BluffEvent]) -> BluffChoice:
        wanted: list[Doubted] = list(turn.events)
        return Doubt()
""",
        'incompatible type "tuple[StartingRolled | BluffRoundStarted | BetPlaced | Showdown, ...]"',
    ),
    "an_event_that_was_not_told_apart": (
        """
class Mine(Bot[BluffView, BluffChoice]):
    def act(self, turn: Turn[BluffView, BluffChoice]) -> BluffChoice:
        print([event.losses for event in turn.events])
        return Doubt()
""",
        '"object" has no attribute "losses"',
    ),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What `mypy --strict` says to each of the programs, by name. One run: the start costs most."""
    folder = tmp_path_factory.mktemp("bots")
    programs = {f"right_{name}": IMPORTS + text for name, text in ACCEPTED.items()}
    programs |= {f"wrong_{name}": IMPORTS + text for name, (text, _) in REFUSED.items()}
    for document in ("README.md", "docs/write-a-bot.md"):
        examples = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
        for number, example in enumerate(examples):
            programs[f"{Path(document).stem.replace('-', '_')}_{number}"] = example
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    out, trouble, _ = api.run(
        [
            "--strict",
            "--config-file=",
            f"--cache-dir={ROOT / '.mypy_cache' / 'bots'}",
            f"--python-executable={sys.executable}",
            "--hide-error-context",
            "--no-error-summary",
            *(str(folder / f"{name}.py") for name in programs),
        ]
    )
    assert not trouble
    lines: dict[str, list[str]] = {name: [] for name in programs}
    for line in out.splitlines():
        lines[Path(line.partition(":")[0]).stem].append(line)
    return lines


def test_bots_with_the_right_types_are_accepted(said: dict[str, list[str]]) -> None:
    for name in ACCEPTED:
        assert said[f"right_{name}"] == []


def test_the_bots_of_the_documents_are_accepted(said: dict[str, list[str]]) -> None:
    documents = [name for name in said if name.startswith(("README", "write_a_bot"))]
    assert len(documents) >= 2
    for name in documents:
        assert said[name] == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named(name: str, said: dict[str, list[str]]) -> None:
    errors = [line for line in said[f"wrong_{name}"] if ": error: " in line]
    assert len(errors) == 1, said[f"wrong_{name}"]
    assert REFUSED[name][1] in errors[0]
