"""The folder of an experiment: what it holds, and how it is resumed after an interruption.

experiment.toml     the file as it was run
environment.json    versions, hashes of the bots, machine and times
matches.jsonl       one match a line, in order; the only file that grows during play
results.json        what `arena run` prints with --json
figures/            Vega-Lite and PNG

All but environment.json are the same bytes whenever and wherever the experiment is run.
"""

import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TextIO

from arena.commands.errors import CommandError
from arena.commands.terminal import json_text
from arena.local.deal_blocks import NamedBot
from arena.replacing import replacing

_LIBRARIES: Final = ("bluff-arena", "numpy", "scipy", "onnxruntime", "torch")
"""The packages whose versions are written down, where they are installed."""


class ExperimentFolder:
    """The folder of one experiment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.matches = path / "matches.jsonl"

    def open(self, text: str, bots: Mapping[str, str]) -> None:
        """Make the folder, or resume one of the same experiment and bots.

        Args:
            text: The experiment's file.
            bots: The hash of each bot.

        Raises:
            CommandError: It holds something else, or another experiment.
        """
        kept = self.path / "experiment.toml"
        environment = self.path / "environment.json"
        if self.path.exists() and any(self.path.iterdir()) and not environment.exists():
            raise CommandError(f"{self.path} holds other files: name another folder with --out.")
        if environment.exists():
            before = json.loads(environment.read_text(encoding="utf-8"))
            changed = [name for name, one in bots.items() if before["bots"].get(name) != one]
            if kept.read_text(encoding="utf-8") != text:
                changed.insert(0, "the experiment's file")
            if before["versions"]["bluff-arena"] != version("bluff-arena"):
                changed.append("the version of Bluff Arena")
            if changed:
                raise CommandError(
                    f"{self.path} was played with others: {', '.join(changed)} changed since. Name "
                    "another folder with --out, or delete this one."
                )
            return
        self.path.mkdir(parents=True, exist_ok=True)
        kept.write_text(text, encoding="utf-8")
        self.matches.touch()
        self.write("environment.json", environment_of_run() | {"bots": dict(bots)})

    def write(self, name: str, value: Any) -> None:
        """Write a file of JSON; it is replaced as a whole."""
        write_json(self.path / name, value)

    def blocks(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the stored blocks in order; truncate the file after the last complete one."""
        _drop_incomplete(self.matches)
        block = []
        with self.matches.open(encoding="utf-8") as lines:
            for line in lines:
                block.append(json.loads(line))
                if "complete" in block[-1]:
                    yield block
                    block = []


def append(file: TextIO, rows: Sequence[dict[str, Any]]) -> None:
    """Append the matches of a block, with the last one marked as its end."""
    *before, last = rows
    for row in before:
        file.write(json_text(row, compact=True) + "\n")
    file.write(json_text(last | {"complete": True}, compact=True) + "\n")


def hash_of(entry: NamedBot) -> str:
    """Return the SHA-256 of a bot's file, or of the command that starts a program."""
    content = " ".join(entry.command).encode() if entry.command else Path(entry.bot).read_bytes()
    return sha256(content).hexdigest()


def _drop_incomplete(file: Path) -> None:
    """Truncate the file after the last complete block."""
    end = at = 0
    with file.open("rb") as lines:
        for line in lines:
            at += len(line)
            if line.endswith(b',"complete":true}\n'):
                end = at
    with file.open("r+b") as whole:
        whole.truncate(end)


def write_json(file: Path, value: Any) -> None:
    """Write a file of JSON; it is replaced as a whole."""
    with replacing(file) as part:
        part.write_text(json_text(value, indent=2) + "\n", encoding="utf-8")


def environment_of_run() -> dict[str, Any]:
    """Return how a result was made: versions, platform, command and time."""
    return {
        "versions": {"python": platform.python_version()} | _versions(),
        "platform": platform.platform(),
        "command": sys.argv[1:],
        "begun_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
