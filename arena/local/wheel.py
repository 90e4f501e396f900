"""The wheel of what is installed here, for authors who have no checkout; no index has it.

Packed again from the installed files, because a wheel is gone once it is installed, and a checkout
never had one: its environment refers to the checkout's folders.

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
"""The files that lie elsewhere in a checkout than in the packages they become part of."""
_DOCUMENTATION: Final = "dashboard/arena_dashboard/docs"
"""The site that `make docs` builds in a checkout; git does not track it."""
_METADATA: Final = ("METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE")
_TIME: Final = (2020, 2, 2, 0, 0, 0)
"""The same files are the same wheel."""
_PACKING: Final = Lock()


class NoWheelError(UserError):
    """There is nothing that says what the wheel's metadata are; the message says what to do."""


@cache
def wheel_name() -> str:
    """Return the file's name, by which installers know what it is. Raises NoWheelError."""
    return f"{_stem(_installed())}-py3-none-any.whl"


def wheel() -> bytes:
    """Return the wheel of what is installed here; made at the first call. Raises NoWheelError."""
    # Those that come meanwhile wait for it: the cache alone would let each make its own.
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
        # Found, not imported: nothing here needs the dashboard.
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
    """Return what the wheel holds, with digests, as installers want it."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    for name, content in members.items():
        digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
        table.writerow((name, f"sha256={digest}", len(content)))
    table.writerow((own_name, "", ""))
    return lines.getvalue().encode()
