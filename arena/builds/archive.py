"""The files of an untrusted .zip: listed, and refused unless all of them are harmless.

The decision reads only the list of contents, so that it takes milliseconds. A file is never
unpacked beyond its size in the list.
"""

import io
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final

from arena.builds.errors import BuildRefusedError

MOST_FILES: Final = 2_000
MOST_UNPACKED_BYTES: Final = 200 * 1024 * 1024
"""The most bytes of all files together, as a worker caches the builds that it ran last."""
LONGEST_NAME: Final = 200
DEEPEST: Final = 16
"""The most levels of folders within folders."""
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_UNIX: Final = 3
_PART_BYTES: Final = 64 * 1024
MOST_OF_A_REASON: Final = 200
"""The most characters of a library's message about a damaged file, which may contain file names."""
_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError),
    ValueError,  # for an offset before the start of the file
)
"""The exceptions that `zipfile` raises for a damaged file; some are undocumented."""
_LEFT_OUT: Final = ("__MACOSX/",)
"""The folders that some programs add to every archive."""
_CONTENTS_BYTES: Final = 1024 * 1024
"""The most bytes of the list of contents: 2,000 names take at most half of it."""
_END_OF_CONTENTS: Final = b"PK\x05\x06"
_ZIP64: Final = b"PK\x06\x07"
_ZIP64_BYTES: Final = 20
"""The size of a ZIP64 locator, which may precede the end record; ZIP64's numbers then replace the
numbers in the end record.
"""


def open_archive(data: bytes) -> zipfile.ZipFile:
    """Return the archive in a file. Raises BuildRefusedError if it is not one."""
    _require_few(data)
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGED as error:
        raise BuildRefusedError(f"The file is not a .zip that can be read ({error}).") from error


def _require_few(data: bytes) -> None:
    """Refuse an archive with too many files according to its end record, before they are listed."""
    at = data.rfind(_END_OF_CONTENTS)
    if at < 0 or at + 22 > len(data):
        raise BuildRefusedError("The file is not a .zip that can be read (its end is missing).")
    if data[max(0, at - _ZIP64_BYTES) :].startswith(_ZIP64):
        raise BuildRefusedError(
            "The .zip has the form ZIP64, which only bigger ones need: pack it without (zip -fz-)."
        )
    number = int.from_bytes(data[at + 10 : at + 12], "little")
    size = int.from_bytes(data[at + 12 : at + 16], "little")
    if number > MOST_FILES or size > _CONTENTS_BYTES:
        raise _too_many()


def _too_many() -> BuildRefusedError:
    return BuildRefusedError(f"The .zip holds too many files: {MOST_FILES:,} are allowed.")


def harmless_files(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive by their paths, without folders. Raises BuildRefusedError."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES:
        raise _too_many()
    files: dict[str, zipfile.ZipInfo] = {}
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    total = 0
    for entry in entries:
        _require_plain(entry)
        path = entry.filename
        if path.startswith(_LEFT_OUT) or path.endswith("/.DS_Store"):
            continue
        if entry.is_dir():
            _require_inside(path.rstrip("/"))
            folders.setdefault(_alike(path.rstrip("/")), path.rstrip("/"))
            continue
        _require_inside(path)
        total += entry.file_size
        if total > MOST_UNPACKED_BYTES:
            raise BuildRefusedError(
                f"The .zip is too big when it is unpacked: {MOST_UNPACKED_BYTES >> 20} MiB are "
                "allowed."
            )
        if _alike(path) in seen:
            other = seen[_alike(path)]
            raise BuildRefusedError(
                f"The .zip holds {_shown(path)} twice."
                if other == path
                else f"The .zip holds {_shown(other)} and {_shown(path)}, whose names differ in "
                "case or form only: rename one of them."
            )
        seen[_alike(path)] = path
        files[path] = entry
        for folder in _folders(path):
            folders.setdefault(_alike(folder), folder)
    for one, path in seen.items():
        if one in folders:
            raise BuildRefusedError(f"In the .zip {_shown(path)} is a file and a folder.")
    return files


def file_in(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the bytes of a file in parts, up to its size in the list.

    Raises BuildRefusedError if it is damaged. `ZipFile.read` would unpack everything into memory
    before it stops at that size.
    """
    try:
        with archive.open(entry) as file:
            while part := file.read(_PART_BYTES):
                yield part
    except _DAMAGED as error:
        raise BuildRefusedError(
            f"In the .zip {_shown(entry.filename)} is damaged ({str(error)[:MOST_OF_A_REASON]})."
        ) from error


def _require_plain(entry: zipfile.ZipInfo) -> None:
    """Refuse an entry that is not a plain file or folder, or cannot be read."""
    name = _shown(entry.filename)
    mode = entry.external_attr >> 16 if entry.create_system == _UNIX else 0
    if stat.S_ISLNK(mode):
        raise BuildRefusedError(
            f"In the .zip {name} is a link: put the file itself there (zip without --symlinks)."
        )
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BuildRefusedError(f"In the .zip {name} is neither a file nor a folder.")
    if mode & (stat.S_ISUID | stat.S_ISGID):
        raise BuildRefusedError(
            f"In the .zip {name} has the setuid or setgid bit: remove it (chmod ug-s)."
        )
    if entry.flag_bits & _ENCRYPTED:
        raise BuildRefusedError(f"In the .zip {name} is encrypted: the arena cannot read it.")
    if entry.compress_type not in _METHODS:
        raise BuildRefusedError(
            f"In the .zip {name} is compressed in a way that is not allowed: use deflate, the "
            "usual one."
        )


def _require_inside(path: str) -> None:
    """Refuse a path that leads out of the folder, or is not allowed for other reasons."""
    parts = path.split("/")
    if (
        path.startswith("/")
        or "\\" in path
        or ":" in path
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise BuildRefusedError(
            f"In the .zip the path {_shown(path)} is not allowed: paths are relative, and hold no "
            "`..`, `\\` or `:`."
        )
    if any(unicodedata.category(one)[0] == "C" for one in path):
        raise BuildRefusedError(f"In the .zip the path {_shown(path)} holds control characters.")
    if len(path.encode()) > LONGEST_NAME or len(parts) > DEEPEST:
        raise BuildRefusedError(
            f"In the .zip the path {_shown(path)} is too long or too deep: {LONGEST_NAME} bytes "
            f"and {DEEPEST} levels are allowed."
        )


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _alike(path: str) -> str:
    """Return a key that is equal for paths that some file system treats as the same."""
    return unicodedata.normalize("NFKC", path).casefold()


def _shown(path: str) -> str:
    return ascii(path[:60] + "…" if len(path) > 60 else path)
