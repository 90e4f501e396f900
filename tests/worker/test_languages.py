"""Bots in other languages, uploaded as a .zip: the check accepts them, and they play rated matches
in the sandbox without a fault."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from arena.builds.hosted import BuildState
from tests.scene import playing
from tests.starters.languages import LANGUAGES, SAMPLE_BOTS
from tests.worker.hosting import hosting, zipped

pytestmark = pytest.mark.timeout(600)

Files = Mapping[str, bytes]


def go_program(folder: Path) -> Files:
    """The Go starter, statically linked."""
    go = LANGUAGES["go"]
    go.require()
    go.run_to_end(f"go build -ldflags=-s -o {folder / 'bot'} .")
    return {"bot.toml": b'command = ["./bot"]\n', "bot": (folder / "bot").read_bytes()}


def node_program(_folder: Path) -> Files:
    """The JavaScript starter with the packages that it needs."""
    javascript = LANGUAGES["javascript"]
    javascript.require()
    javascript.build()
    found = dict(files_of(javascript.folder))
    return found | {"bot.toml": b'command = ["node", "main.js"]\n'}


def perl_by_lines(_folder: Path) -> Files:
    """A script that reads and writes lines of JSON."""
    toml = (
        b'command = ["./lowest.pl"]\nprotocol = "lines"\ngames = ["bluff"]\nmatches_at_once = 4\n'
    )
    return {
        "bot.toml": toml,
        "lowest.pl": (SAMPLE_BOTS / "stdio" / "lowest.pl").read_bytes(),
    }


def files_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files below a folder by their paths there, links left out."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


@pytest.mark.parametrize("files", [go_program, node_program, perl_by_lines])
async def test_a_program_is_accepted_and_plays_a_rated_match(
    files: Callable[[Path], Files], database: str, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.mkdir()
    build = zipped(files(program))
    async with hosting(database, tmp_path) as stage:
        async with stage.worker(slots=1):
            await stage.upload("ann", "bot.zip", build)
            decided = await stage.decided("ann")
            assert decided.state is BuildState.ACCEPTED, decided.reason
            # Not earlier: the check takes the time that the opponent would need for its turns.
            async with playing([await stage.scene.peer("opponent")]):
                await stage.played("mine")
        assert await stage.scene.faults("mine") == 0
