"""Begin a new game: `make new-game NAME=perudo`.

Writes a small game that is complete, that of tests/toy_game, into all places that a game has, so
that every step from there is a change to something that works. docs/add-a-game.md tells what each
place is for.
"""

import argparse
import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from arena.games import GAMES

ROOT: Final = Path(__file__).parents[1]
TEMPLATE: Final = ROOT / "tests/toy_game"
RULES: Final = "sample_bots/python/arena_sample_bots/language_model/rules"
ENVELOPES: Final = ("Options", "Action", "Draw", "View", "Event")

KIT: Final = '''"""What the arena knows about TITLE beside its rules."""

from typing import Final

from arena.games.NAME.game import Toy
from arena.games.kit import GameKit

KIT: Final = GameKit(Toy, __name__)
'''
PACKAGE: Final = '''"""TITLE."""

from arena.games.NAME.game import Act, Acted, CardDealt, Deal, Toy, ToyOptions, ToyState, ToyView

__all__ = ["Act", "Acted", "CardDealt", "Deal", "Toy", "ToyOptions", "ToyState", "ToyView"]
'''


def main() -> None:
    """Write the files and say what is left to do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("name", help="the game's id, such as perudo or liars_poker")
    name = parser.parse_args().name
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        sys.exit(f"{name!r} is no id of a game: small letters and digits, with single _ between")
    if keyword.iskeyword(name):
        sys.exit(f"{name!r} is no id of a game: it is a word of Python")
    if name in GAMES:
        sys.exit(f"there is a game {name} already: {', '.join(GAMES)}")
    for path in (f"arena/games/{name}.py", *new_files(name)):
        if (ROOT / path).exists():
            sys.exit(f"{name!r} is no id of a game: there is {path}")
    for path, text in new_files(name).items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(path)
    for path, change in changes(name).items():
        (ROOT / path).write_text(change, encoding="utf-8")
        print(f"{path}, a line")
    for command in (
        [sys.executable, "-m", "ruff", "check", "--quiet", "--fix", "--select", "I", "."],
        [sys.executable, "-m", "ruff", "format", "--quiet", "."],
        [sys.executable, "-m", "ruff", "check", "--quiet", "--add-noqa", f"arena/games/{name}"],
        [str(Path(sys.executable).with_name("buf")), "format", "proto", "--write"],
        ["sh", "proto/generate.sh"],
        [sys.executable, "-m", "arena.bridge.schemas"],
        [sys.executable, "-m", "tests.playthroughs.write"],
    ):
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(
        f"Written. Try it: arena play random random --game {name}\n"
        f"Then change arena/games/{name}/game.py into your rules, and\n"
        f"  pytest tests/games/test_contract.py tests/codec -k {name}\n"
        "Last, docs/add-a-game.md: a second referee from the page, a picture, controls, a bot."
    )


def new_files(name: str) -> dict[str, str]:
    """Return the files of the new game, by path from the project's root."""
    rules = (TEMPLATE / "rules.py").read_text(encoding="utf-8")
    hooks = (ROOT / "tests/games/toy_game_hooks.py").read_text(encoding="utf-8")
    messages = (TEMPLATE / "toy_game.proto").read_text(encoding="utf-8")
    page = filled((TEMPLATE / "page.md").read_text(encoding="utf-8"), name)
    return {
        f"arena/games/{name}/__init__.py": filled(PACKAGE, name),
        f"arena/games/{name}/game.py": filled(rules, name),
        f"arena/games/{name}/kit/__init__.py": filled(KIT, name),
        f"proto/arena/v1/{name}.proto": filled(messages, name),
        f"tests/games/{name}_hooks.py": filled(
            hooks.replace("tests.toy_game", "arena.games.NAME"), name
        ),
        f"docs/games/{name}.md": page,
        f"{RULES}/{name}.md": page.split("\n\n")[1] + "\n",
    }


def changes(name: str) -> dict[str, str]:
    """Return the files that name all games, with the new one."""

    def changed(path: str, *pairs: tuple[str, str]) -> str:
        text = (ROOT / path).read_text(encoding="utf-8")
        for old, new in pairs:
            assert text.count(old) == 1, f"{path}: {old!r} is there {text.count(old)} times"
            text = text.replace(old, filled(new, name))
        return text

    games = "arena/games/__init__.py"
    line = re.search(r"in \((.*)\)}\n", (ROOT / games).read_text(encoding="utf-8"))
    assert line is not None
    contract, recording = "tests/games/contract.py", "tests/playthroughs/recording.py"
    return {
        games: changed(
            games,
            (line[0], f"in ({line[1]}, {name.upper()})}}\n"),
            (
                "from arena.games.kit import GameKit\n",
                f"from arena.games.kit import GameKit\n"
                f"from arena.games.NAME.kit import KIT as {name.upper()}\n",
            ),
        ),
        "proto/arena/v1/game.proto": with_members(name),
        contract: changed(
            contract,
            ("}\n\n\nTOY:", '    "NAME": _hooks(NAME_hooks),\n}\n\n\nTOY:'),
            ("from tests.games import ", "from tests.games import NAME_hooks, "),
        ),
        recording: changed(
            recording,
            (
                "\n)\n\n\ndef recorded(",
                '\n    Playthrough("NAME", Case("NAME", (), 2), seed=0),\n)\n\n\ndef recorded(',
            ),
        ),
    }


def with_members(name: str) -> str:
    """Return game.proto with the new game in each envelope."""
    text = (ROOT / "proto/arena/v1/game.proto").read_text(encoding="utf-8")
    number = max(map(int, re.findall(r" = (\d+);", text))) + 1
    text = text.replace("\noption csharp", f'import "arena/v1/{name}.proto";\n\noption csharp', 1)
    for kind in ENVELOPES:
        member = f"    // TITLE.\n    Toy{kind} NAME = {number};\n"
        head, start, rest = text.partition(f"message {kind} {{")
        body, end, tail = rest.partition("  }\n}")
        text = head + start + body + filled(member, name) + end + tail
    return text


def filled(template: str, name: str) -> str:
    """Return a template with the names of the new game."""
    title = name.replace("_", " ").title()
    words = (
        ("toy_game", name),
        ("Toy Game", title),
        ("the toy game", title),
        ("ToyGame", "Toy"),
        ("Toy", title.replace(" ", "")),
        ("TITLE", title),
        ("NAME", name),
    )
    for old, new in words:
        template = template.replace(old, new)
    return template


if __name__ == "__main__":
    main()
