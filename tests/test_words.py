"""One word for one thing: names of classes and types, and the table of words in CONTRIBUTING."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "arena", ROOT / "dashboard" / "arena_dashboard")
GENERATED = ROOT / "arena" / "v1"


def named(node: ast.stmt) -> str | None:
    """The class or type that a statement defines; type variables stand for others and count not."""
    match node:
        case ast.ClassDef(name=name):
            return name
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="NewType"))):
            return name
    return None


def defined(source: str) -> Iterator[tuple[str, int]]:
    """The public classes and types of a module, each with its line."""
    for node in ast.parse(source).body:
        name = named(node)
        if name is not None and not name.startswith("_"):
            yield name, node.lineno


def places() -> dict[str, list[str]]:
    """Where the public classes and types of the arena and its dashboard are defined."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            if GENERATED not in path.parents:
                for name, line in defined(path.read_text()):
                    found[name].append(f"{path.relative_to(ROOT)}:{line}")
    return found


def test_classes_and_types_are_found() -> None:
    source = (
        "class Seat: ...\n"
        "class _Hidden: ...\n"
        "Chips: TypeAlias = tuple[int, ...]\n"
        "VersionId = NewType('VersionId', int)\n"
        "BotT = TypeVar('BotT')\n"
        "MOST: Final = 3\n"
    )
    assert list(defined(source)) == [("Seat", 1), ("Chips", 3), ("VersionId", 4)]


def test_no_two_public_classes_or_types_have_one_name() -> None:
    found = places()
    assert len(found) > 200
    # A game's rules choose its words: whoever adds a game need not know all others.
    shared = {
        name: [one for one in at if not re.match(r"arena/games/\w+/", one)]
        for name, at in found.items()
    }
    twice = [f"{name}: {', '.join(at)}" for name, at in shared.items() if len(at) > 1]
    assert not twice, "; ".join(twice)


def test_the_table_of_words_names_classes_that_exist() -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## Words")[1].split("\n## ")[0]
    classes = set(re.findall(r"`([A-Z][a-z]\w+)`", section))
    assert len(classes) > 10
    assert classes <= set(places()), sorted(classes - set(places()))
