"""`house_build`: a house bot as a build, for blocks that workers play."""

from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arena.builds.build import ZIP_FILE, Build, read_build
from arena.builds.manifest import MANIFEST

SAMPLE_BOTS: Final = Path(str(files("arena_sample_bots")))
"""The folder in which the house bots are installed."""
HOUSE: Final = "house"
"""The owner of the house bots."""
_PROGRAM: Final = """\
from pathlib import Path

from arena.local.bot_modules import bot_in


class House(bot_in(Path(__file__).parent / "arena_sample_bots" / "{file}")):
    pass
"""
_KINDS: Final = (".py", ".tables", ".npz")
"""The suffixes of the files that the bots consist of."""
_THEN: Final = (2026, 1, 1, 0, 0, 0)
"""The time of all files, so that equal builds have equal hashes."""


def house_bots() -> dict[str, Path]:
    """Return the files of the house bots, by name."""
    found = sorted(SAMPLE_BOTS.glob("[!_]*.py"))
    return {file.stem.removesuffix("_bot"): file for file in found}


def games_of(name: str) -> tuple[str, ...]:
    """Return the games that a house bot plays, which must be one of `house_bots`."""
    module = import_module(f"arena_sample_bots.{house_bots()[name].stem}")
    own = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__ and hasattr(one, "games")
    ]
    return tuple(own[-1].games)


@lru_cache(maxsize=32)
def house_build(name: str) -> Build:
    """Return the build of a house bot, which must be one of `house_bots`.

    The bots' modules import each other, so each build contains all of them.
    """
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:

        def add(path: str, data: bytes) -> None:
            archive.writestr(ZipInfo(path, _THEN), data, ZIP_DEFLATED)

        add(MANIFEST, b'command = ["bot.py"]\n')
        add("bot.py", _PROGRAM.format(file=house_bots()[name].name).encode())
        for file in sorted(one for kind in _KINDS for one in SAMPLE_BOTS.glob(f"*{kind}")):
            add(f"arena_sample_bots/{file.name}", file.read_bytes())
    return read_build(ZIP_FILE, packed.getvalue())
