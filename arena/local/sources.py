"""The files of the project in a folder, for what is given to others.

Other files there, an operator's keys for one, are never among them.
"""

import os
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from arena.processes import SubprocessError, own_environment, run_to_end

PACKAGE: Final = "bluff-arena"

_SUFFIXES: Final = frozenset(
    (
        *(".py", ".pyi", ".typed", ".proto", ".md", ".sql", ".mako", ".tables", ".npz"),
        *(".toml", ".json", ".jsonl", ".csv", ".js", ".css", ".svg", ".png"),
        *(".cpp", ".go", ".h", ".java", ".pl", ".rs", ".ts"),
    )
)
_NAMES: Final = frozenset(
    (
        *(".dockerignore", ".gitignore", "CMakeLists.txt", "Cargo.lock", "Dockerfile"),
        *("go.mod", "go.sum", "pom.xml"),
    )
)
"""The files of the project, where nothing lists them."""
_BUILT: Final = frozenset(("__pycache__", "bin", "build", "dist", "node_modules", "target", "wire"))
_STREAMLIT: Final = ".streamlit"
"""The hidden folder that is ours. Others are somebody's: an arena's home with its keys is one."""
_SECRETS: Final = "secrets.toml"
"""The private files of Streamlit, beside its configuration."""
_GIT_SECONDS: Final = 30.0


def source_files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and those below it, no links; none if there is no such folder.

    Of an installation those that it brought, of a checkout those that git tracks, as they are now.
    Where neither says anything, those of the kinds that the project consists of.
    """
    within = folder.resolve()
    for path in _installed(folder) or _tracked(folder) or _of_our_kinds(folder):
        # A folder above it may be a link, too.
        inside = path.resolve().is_relative_to(within)
        if inside and path.is_file() and not path.is_symlink():
            yield path


def _installed(folder: Path) -> list[Path]:
    try:
        recorded = distribution(PACKAGE).files or ()
    except PackageNotFoundError:
        return []
    paths = (Path(str(name.locate())) for name in recorded if "__pycache__" not in name.parts)
    return [path for path in paths if path.is_relative_to(folder)]


def _tracked(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    # A hook of git's is told of its own repository so.
    plain = {
        name: value for name, value in own_environment().items() if not name.startswith("GIT_")
    }
    command = ("git", "-C", str(folder), "ls-files", "-z")
    try:
        listed = run_to_end(command, env=plain, seconds=_GIT_SECONDS)
    except (OSError, SubprocessError):
        return []
    return [folder / os.fsdecode(name) for name in listed.split(b"\0") if name]


def _of_our_kinds(folder: Path) -> Iterable[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if _may_hold_sources(Path(place, name))]
        for name in names:
            hidden = name.startswith(".")
            ours = name in _NAMES or (not hidden and Path(name).suffix in _SUFFIXES)
            if ours and name != _SECRETS:
                yield Path(place, name)


def _may_hold_sources(folder: Path) -> bool:
    if (folder / "pyvenv.cfg").exists():
        return False
    hidden = folder.name.startswith(".") and folder.name != _STREAMLIT
    return not hidden and folder.name not in _BUILT
