"""`Build`: a bot's uploaded program, a .py file or a .zip with bot.toml."""

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from arena.builds.archive import file_in, harmless_files, open_archive
from arena.builds.errors import BuildRefusedError
from arena.builds.manifest import MANIFEST, MOST_MANIFEST_BYTES, Manifest, Protocol, read_manifest

MOST_BUILD_BYTES: Final = 20 * 1024 * 1024
"""The most bytes of a build as it is uploaded, unless the operator sets another limit."""
MOST_SOURCE_BYTES: Final = 1024 * 1024
"""The most bytes of a .py file."""
PYTHON_FILE: Final = "bot.py"
"""The name under which a .py file is stored."""
ZIP_FILE: Final = "bot.zip"


@dataclass(frozen=True, slots=True)
class Build:
    """A valid build; the contents of its files, except bot.toml, were not checked."""

    file_name: str
    """PYTHON_FILE or ZIP_FILE."""
    data: bytes
    """The file as it was uploaded."""
    manifest: Manifest
    root: str = ""
    """The folder in the .zip that contains all files, with a slash; empty if there is none."""

    @property
    def sha256(self) -> bytes:
        """The hash that identifies the build."""
        return hashlib.sha256(self.data).digest()


def read_build(file_name: str, data: bytes, most_bytes: int = MOST_BUILD_BYTES) -> Build:
    """Return the build in a file. Raises BuildRefusedError."""
    check_size(file_name, len(data), most_bytes)
    if not data:
        raise BuildRefusedError("The file is empty.")
    kind = _kind(file_name)
    if kind == ".py":
        return _python(data)
    if kind == ".zip":
        return _zip(data)
    raise BuildRefusedError(
        f"{file_name[:60]!r} is neither a .py file with one bot nor a .zip with {MANIFEST}."
    )


def most_source_bytes(most_bytes: int) -> int:
    """Return the most bytes of a .py file where a build may have `most_bytes`."""
    return min(most_bytes, MOST_SOURCE_BYTES)


def check_size(file_name: str, size: int, most_bytes: int) -> None:
    """Raise BuildRefusedError for a file beyond the limit of its kind.

    A build may have `most_bytes`.
    """
    if size < 0:
        raise BuildRefusedError(f"A file of {size:,} bytes cannot be: say how many it has.")
    python = _kind(file_name) == ".py"
    allowed = most_source_bytes(most_bytes) if python else most_bytes
    if size <= allowed:
        return
    what = ".py file" if python else "build"
    more = f": put tables into files of their own, in a .zip with {MANIFEST}"
    more = more if allowed < most_bytes else ""
    raise BuildRefusedError(f"The {what} has {size:,} bytes, and {allowed:,} are allowed{more}.")


def unpack(build: Build, folder: Path) -> None:
    """Write the files of a build into an empty folder. Raises BuildRefusedError."""
    if build.file_name == PYTHON_FILE:
        (folder / PYTHON_FILE).write_bytes(build.data)
        return
    with open_archive(build.data) as archive:
        for path, entry in harmless_files(archive).items():
            target = folder / path.removeprefix(build.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            begin = b""
            with target.open("wb") as file:
                for part in file_in(archive, entry):
                    begin = begin or part[:4]
                    file.write(part)
            # A .zip made on Windows marks no file as executable.
            target.chmod(0o755 if begin.startswith((b"\x7fELF", b"#!")) else 0o644)


def _kind(file_name: str) -> str:
    return PurePosixPath(file_name.replace("\\", "/")).suffix.lower()


def _python(data: bytes) -> Build:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BuildRefusedError(f"The .py file is not UTF-8 text ({error}).") from error
    if "\0" in text:
        raise BuildRefusedError("The .py file holds a null character: it is not Python.")
    return Build(PYTHON_FILE, data, Manifest((PYTHON_FILE,)))


def _zip(data: bytes) -> Build:
    with open_archive(data) as archive:
        files = harmless_files(archive)
        root = _root(list(files))
        entry = files.get(root + MANIFEST)
        if entry is None:
            raise BuildRefusedError(
                f"The .zip holds no {MANIFEST}: it must lie at its top, and say how the bot is "
                'started (command = ["node", "bot.js"]).'
            )
        if entry.file_size > MOST_MANIFEST_BYTES:
            raise BuildRefusedError(
                f"{MANIFEST} is too big: {MOST_MANIFEST_BYTES:,} bytes are allowed."
            )
        text = b"".join(file_in(archive, entry))
    names = {path.removeprefix(root) for path in files}
    return Build(ZIP_FILE, data, read_manifest(text, names), root)


def _root(paths: list[str]) -> str:
    """Return the one folder that contains all files, with a slash, or "".

    There is one if a folder was packed instead of its files.
    """
    first = paths[0].partition("/")[0] + "/" if paths else ""
    return first if first and all(path.startswith(first) for path in paths) else ""


__all__ = ["MOST_BUILD_BYTES", "Build", "BuildRefusedError", "Protocol", "read_build", "unpack"]
