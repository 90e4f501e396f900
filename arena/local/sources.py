"""The project's own files in a folder, for archives that are given to others.

Other files in the folder, such as an operator's keys, are never included.
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
"""The files of the project by suffix or name, where neither an installation nor git lists them."""
_BUILT: Final = frozenset(("__pycache__", "bin", "build", "dist", "node_modules", "target", "wire"))
_STREAMLIT: Final = ".streamlit"
"""The only hidden folder of the project. Others are private, such as an arena's home with keys."""
_SECRETS: Final = "secrets.toml"
"""The file with secrets beside Streamlit's configuration."""
_GIT_SECONDS: Final = 30.0


def source_files(folder: Path) -> Iterator[Path]:
    """Yield the project's files in and below a folder, without links; none if it does not exist.

    These are the files that an installation lists, or else those that git tracks, with their
    present content. If neither lists any, the files are chosen by suffix and name.
    """
    within = folder.resolve()
    for path in _installed(folder) or _tracked(folder) or _of_our_kinds(folder):
        # A folder above the file may also be a link.
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
    # Without git's variables: in a git hook they name the hook's own repository.
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
