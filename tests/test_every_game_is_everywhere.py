"""A new game touches a handful of places; this names the ones that were forgotten.

docs/add-a-game.md tells what belongs into each of them.
"""

import ast
from pathlib import Path

import pytest

from arena.codec.game_codec import CODECS
from arena.games import GAMES
from arena.v1 import game_pb2
from arena_dashboard.scenes import SCENES
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
    return sorted({*GAMES, *CODECS, *HOOKS, *SCENES, *packages, *protos, *pages})


@pytest.mark.parametrize("name", known_anywhere())
def test_a_game_is_in_every_place_it_must_be_in(name: str) -> None:
    proto = f"arena/v1/{name}.proto"
    places = {
        f"arena/games/{name}/game.py: the rules": path(f"arena/games/{name}/game.py"),
        "arena/games/__init__.py: its line in GAMES": name in GAMES,
        f"proto/{proto}: its messages": path(f"proto/{proto}"),
        "arena/codec/game_codec.py: its line in CODECS": name in CODECS,
        "tests/games/contract.py: its entry in HOOKS": name in HOOKS,
        "tests/playthroughs/recording.py: its line in PLAYTHROUGHS": any(
            playthrough.case.name == name and playthrough.path.is_file()
            for playthrough in PLAYTHROUGHS
        ),
        "dashboard/scenes/__init__.py: its line in SCENES": name in SCENES,
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


REQUIRED = {"GAMES", "CODECS", "SCENES"}
"""The tables in which a game must have its line; the test above names them."""


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["arena", "dashboard/arena_dashboard"])
def test_no_other_table_is_looked_up_by_a_game_that_it_may_lack(folder: str) -> None:
    found = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        tables = set(map(_table_by_game, ast.walk(tree))) - REQUIRED
        found += [
            f"{file.relative_to(ROOT)}:{node.lineno}: {node.value.id}[…]; use .get"
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in tables
        ]
    assert not found


def _table_by_game(node: ast.AST) -> str | None:
    """The name to which a table is assigned that has lines for two games or more."""
    match node:
        case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value):
            pass
        case ast.Assign(targets=[ast.Name(name)], value=value):
            pass
        case _:
            return None
    for table in ast.walk(value):
        if isinstance(table, ast.Dict):
            keys = {_game_of(key) for key in table.keys if key is not None} - {None}
            if len(keys) >= 2:
                return name
    return None


def _game_of(key: ast.expr) -> str | None:
    match key:
        case ast.Constant(str(name)) if name in GAMES:
            return name
        case ast.Attribute(ast.Name(kind), "name") if kind in {
            one.__name__ for one in GAMES.values()
        }:
            return kind
    return None


def path(name: str) -> bool:
    return (ROOT / name).is_file()
