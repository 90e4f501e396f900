"""A new game touches a handful of places; this names the ones that were forgotten.

docs/add-a-game.md tells what belongs into each of them.
"""

import ast
from pathlib import Path

import pytest

from arena.games import GAMES, KITS
from arena.games.claims import GameClaims
from arena.games.encoding import GameEncoding
from arena.lab.luck.luck import GameLuck
from arena.learn.batch_rules import GameBatch
from arena.showing.controls import GameControls
from arena.showing.scenes import Scene
from arena.showing.seen import GameSeen
from arena.v1 import game_pb2
from tests import independent_referee
from tests.games.contract import HOOKS
from tests.playthroughs.recording import PLAYTHROUGHS

ROOT = Path(__file__).parents[1]
RULES = "sample_bots/python/arena_sample_bots/language_model/rules"
ENVELOPES = {
    kind: game_pb2.DESCRIPTOR.message_types_by_name[kind].oneofs_by_name["game"]
    for kind in ("Options", "Action", "Draw", "View", "Event")
}


def members(kind: str) -> dict[str, str]:
    """The games of an envelope, each with the file of its message."""
    return {field.name: field.message_type.file.name for field in ENVELOPES[kind].fields}


def known_anywhere() -> list[str]:
    """Also a game that is not in GAMES yet, or not any more."""
    packages = {path.parent.name for path in ROOT.glob("arena/games/*/game.py")}
    protos = {name for kind in ENVELOPES for name in members(kind)}
    pages = {path.stem for path in ROOT.glob("docs/games/*.md")}
    return sorted({*GAMES, *HOOKS, *packages, *protos, *pages})


@pytest.mark.parametrize("name", known_anywhere())
def test_a_game_is_in_every_place_it_must_be_in(name: str) -> None:
    proto = f"arena/v1/{name}.proto"
    places = {
        f"arena/games/{name}/game.py: the rules": path(f"arena/games/{name}/game.py"),
        "arena/games/__init__.py: its kit in KITS": name in GAMES,
        f"proto/{proto}: its messages": path(f"proto/{proto}"),
        "tests/games/contract.py: its entry in HOOKS": name in HOOKS,
        "tests/playthroughs/recording.py: its line in PLAYTHROUGHS": any(
            playthrough.case.name == name and playthrough.path.is_file()
            for playthrough in PLAYTHROUGHS
        ),
        "tests/independent_referee.py: its line in GAMES": name in independent_referee.GAMES,
        f"docs/games/{name}.md: its rules for bot authors": path(f"docs/games/{name}.md"),
        f"{RULES}/{name}.md: its rules for models, and for who reads along on the pages": path(
            f"{RULES}/{name}.md"
        ),
    } | {
        f"proto/arena/v1/game.proto: its line in {kind}": members(kind).get(name) == proto
        for kind in ENVELOPES
    }
    forgotten = [place for place, present in places.items() if not present]
    assert not forgotten, f"{name} is missing in {', '.join(forgotten)}"


def test_a_game_has_one_number_in_all_envelopes() -> None:
    numbers = [{field.name: field.number for field in oneof.fields} for oneof in ENVELOPES.values()]
    assert all(each == numbers[0] for each in numbers)


PARTS = {
    "encoding": GameEncoding,
    "batch": GameBatch,
    "claims": GameClaims,
    "luck": GameLuck,
    "scene": Scene,
    "controls": GameControls,
    "seen": GameSeen,
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", KITS)
def test_a_part_of_a_kit_has_all_that_its_interface_asks_for(name: str, part: str) -> None:
    module = KITS[name].part(part)
    assert module is None or isinstance(module, PARTS[part])


ALLOWED = {
    **dict.fromkeys(
        (
            "arena/bot/bot.py",
            "arena/builds/manifest.py",
            "arena/commands/bridge.py",
            "arena/commands/challenge.py",
            "arena/agents",
            "arena/commands/experiments/experiment.py",
            "arena/commands/home/play.py",
            "arena/commands/owners/own_results.py",
            "arena/commands/ratings/history.py",
            "arena/commands/ratings/leaderboard.py",
            "arena/commands/sequential_test/command.py",
            "arena/commands/tournaments/play.py",
            "arena/commands/tournaments/tournament.py",
            "arena/learn/evaluation.py",
            "arena/learn/openspiel.py",
            "dashboard/arena_dashboard/views/play.py",
        ),
        "the game where none is named",
    ),
    **dict.fromkeys(
        (
            "arena/lab",
            "arena/local/benchmark.py",
            "arena/local/local_response.py",
            "arena/commands/home/exploit.py",
            "arena/learn/exploitability.py",
            "arena/learn/lower_bound.py",
        ),
        "research on Bluff",
    ),
    **dict.fromkeys(
        ("arena/commands/solve.py", "arena/commands/solve_report.py"), "research on Bluff"
    ),
    "arena/conformance/news_scenarios.py": "a scenario that needs to know who opens",
    "arena/showing/claims.py": "the mark of a false claim, a word",
}
"""Files and folders outside arena/games that name a game, and why."""


@pytest.mark.slow
def test_nothing_else_names_a_game() -> None:
    folders = ("arena", "dashboard/arena_dashboard")
    files = [file.relative_to(ROOT) for one in folders for file in (ROOT / one).rglob("*.py")]
    naming = {
        file.as_posix()
        for file in files
        if not file.is_relative_to("arena/games") and not file.is_relative_to("arena/v1")
        if any(map(_names_a_game, ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))))
    }
    excused = {file for file in naming for allowed in ALLOWED if Path(file).is_relative_to(allowed)}
    assert naming == excused
    assert all(any(Path(file).is_relative_to(one) for file in naming) for one in ALLOWED)


def _names_a_game(node: ast.AST) -> bool:
    match node:
        case ast.Constant(str(word)):
            return word in GAMES
        case ast.ImportFrom(module="arena.games", names=names):
            return any(one.name in GAMES for one in names)
        case ast.ImportFrom(module=str(module)):
            return module.startswith(tuple(f"arena.games.{name}" for name in GAMES))
        case _:
            return False


def path(name: str) -> bool:
    return (ROOT / name).is_file()
