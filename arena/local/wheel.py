"""The wheel of the installed package, for authors without a checkout; no package index has it.

It is packed from the installed files, because an installed wheel is not kept, and a checkout never
has one, as its environment refers to the checkout's folders.

UserError
└── NoWheelError    the package is not installed, only on Python's path
"""

import csv
import io
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arena.errors import UserError
from arena.local.loading import SAMPLE_BOTS
from arena.local.sources import PACKAGE, source_files

_PACKAGES: Final = ("arena", "arena_dashboard", "arena_sample_bots")
_CHECKOUT: Final = SAMPLE_BOTS.parents[2]
_OF_CHECKOUTS: Final = {
    "proto/arena": "arena/proto/arena",
    **{
        f"sample_bots/{name}": f"arena_sample_bots/starters/{name}"
        for name in (
            *("cpp", "go", "java", "javascript", "rust", "stdio", "typescript"),
            "vectors",
        )
    },
}
"""Folders of a checkout that belong elsewhere in the packages, with their places in the wheel."""
_DOCUMENTATION: Final = "dashboard/arena_dashboard/docs"
"""The site that `make docs` builds in a checkout; git does not track it."""
_METADATA: Final = ("METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE")
_TIME: Final = (2020, 2, 2, 0, 0, 0)
"""A fixed time of all members, so that equal files give an equal wheel."""
_PACKING: Final = Lock()


class NoWheelError(UserError):
    """The package's metadata are missing, as it is not installed; the message says what to do."""


@cache
def wheel_name() -> str:
    """Return the wheel's file name in the form that installers require. Raises NoWheelError."""
    return f"{_stem(_installed())}-py3-none-any.whl"


def wheel() -> bytes:
    """Return the wheel of the installed package; made at the first call. Raises NoWheelError."""
    # Concurrent callers wait for it: with only the cache, each would make its own.
    with _PACKING:
        return _packed()


@cache
def _packed() -> bytes:
    installed = _installed()
    information = f"{_stem(installed)}.dist-info"
    members = {name: path.read_bytes() for name, path in sorted(_files())}
    for name in _METADATA:
        text = installed.read_text(name)
        if text is not None:
            members[f"{information}/{name}"] = text.encode()
    record = f"{information}/RECORD"
    members[record] = _record(members, record)
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            member = ZipInfo(name, _TIME)
            member.external_attr = 0o100644 << 16
            archive.writestr(member, content, ZIP_DEFLATED)
    return packed.getvalue()


def _installed() -> Distribution:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError as error:
        raise NoWheelError(
            f"{PACKAGE} runs here without being installed, so there is no wheel of it: in a "
            "checkout `make setup` installs it."
        ) from error


def _stem(installed: Distribution) -> str:
    return f"{PACKAGE.replace('-', '_')}-{installed.version}"


def _files() -> Iterator[tuple[str, Path]]:
    """Yield the files of the packages, and their names in the wheel."""
    for package in _PACKAGES:
        # Not imported: the dashboard's code is not needed.
        spec = find_spec(package)
        for folder in () if spec is None else spec.submodule_search_locations or ():
            yield from _below(Path(folder), package)
    for folder, place in _OF_CHECKOUTS.items():
        yield from _below(_CHECKOUT / folder, place)
    documentation = _CHECKOUT / _DOCUMENTATION
    for path in documentation.rglob("*"):
        if path.is_file():
            yield f"arena_dashboard/docs/{path.relative_to(documentation).as_posix()}", path


def _below(folder: Path, place: str) -> Iterator[tuple[str, Path]]:
    for path in source_files(folder):
        yield f"{place}/{path.relative_to(folder).as_posix()}", path


def _record(members: dict[str, bytes], own_name: str) -> bytes:
    """Return the RECORD file: the wheel's members with their digests."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    for name, content in members.items():
        digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
        table.writerow((name, f"sha256={digest}", len(content)))
    table.writerow((own_name, "", ""))
    return lines.getvalue().encode()
