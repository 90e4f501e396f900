"""Sources that resemble each other, by winnowing.

Winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003) finds common passages of at least NOISE
characters, ignoring names and comments of Python; the library is copydetect. Passages of texts that
many programs start from, such as the first bot of the documentation, do not count.
"""

import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import PurePosixPath
from typing import Any, Final

NOISE: Final = 25
"""Common passages of fewer characters of filtered code do not count."""
WINDOW: Final = 6
"""Common passages of at least NOISE + WINDOW - 1 characters are always found."""
LARGEST_FILE: Final = 400_000
"""The most characters of a source file; larger files are taken for data."""
_PYTHON: Final = ".py"


@dataclass(frozen=True, slots=True)
class Source:
    """The text files of a bot's build."""

    bot: str
    owner: str
    sha256: bytes
    files: tuple[tuple[str, str], ...]
    """Path and text."""


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two bots, and how much of each is in the other."""

    one: Source
    other: Source
    share: float
    """The share of the first one's code that is in the other, 0 to 1."""
    share_of_other: float
    files: tuple[str, str]
    """The paths of the two files that have most in common."""
    passages: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
    """The common passages in these two files: start and end, in characters."""

    @property
    def identical(self) -> bool:
        """Whether the builds are the same, byte for byte."""
        return self.one.sha256 == self.other.sha256


def source(bot: str, owner: str, sha256: bytes, file_name: str, data: bytes) -> Source:
    """Return the text files of a build, which must have been accepted."""
    if file_name.endswith(_PYTHON):
        return Source(bot, owner, sha256, _texts([(file_name, data)]))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [
            (one.filename, archive.read(one))
            for one in archive.infolist()
            if not one.is_dir() and one.file_size <= 4 * LARGEST_FILE
        ]
    return Source(bot, owner, sha256, _texts(files))


def similar(sources: Sequence[Source], common: Iterable[str] = ()) -> list[SimilarPair]:
    """Return the pairs of different owners that have code in common, the most similar first.

    Passages of the Python texts `common` do not count.
    """
    import numpy as np

    known = [_fingerprint("common.py", text, ()) for text in common]
    boilerplate = np.array(sorted(set().union(*(one.hashes for one in known))))
    prints = [
        [(path, _fingerprint(path, text, boilerplate)) for path, text in one.files]
        for one in sources
    ]
    found = []
    for (one, ours), (other, theirs) in combinations(zip(sources, prints, strict=True), 2):
        if one.owner != other.owner:
            pair = _compared(one, ours, other, theirs)
            if pair.share or pair.share_of_other or pair.identical:
                found.append(pair)
    return sorted(found, key=lambda pair: (-max(pair.share, pair.share_of_other), pair.one.bot))


def _texts(files: Iterable[tuple[str, bytes]]) -> tuple[tuple[str, str], ...]:
    found = []
    for path, data in files:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue  # a binary
        if text.strip() and len(text) <= LARGEST_FILE and "\0" not in text:
            found.append((path, text))
    return tuple(found)


def _fingerprint(path: str, text: str, boilerplate: Any) -> Any:
    # Imported here: it is an optional extra, and its import of charts takes a second.
    from copydetect import CodeFingerprint

    python = PurePosixPath(path).suffix == _PYTHON
    return CodeFingerprint(
        path,
        NOISE,
        WINDOW,
        boilerplate=boilerplate,
        filter=python,
        language="python" if python else None,
        fp=io.StringIO(text),
    )


def _compared(
    one: Source, ours: Sequence[tuple[str, Any]], other: Source, theirs: Sequence[tuple[str, Any]]
) -> SimilarPair:
    from copydetect import compare_files

    best: tuple[float, tuple[str, str], Any] = (0.0, ("", ""), ((), ()))
    covered: dict[tuple[int, str], float] = {}
    for path, mine in ours:
        for their_path, yours in theirs:
            overlap, shares, slices = compare_files(mine, yours)
            for side, name, share, whole in (
                (0, path, shares[0], mine.token_coverage),
                (1, their_path, shares[1], yours.token_coverage),
            ):
                key = (side, name)
                covered[key] = max(covered.get(key, 0.0), float(share) * float(whole))
            if overlap > best[0]:
                best = float(overlap), (path, their_path), slices
    sums = [sum(value for (at, _), value in covered.items() if at == side) for side in (0, 1)]
    totals = [
        sum(float(one_file.token_coverage) for _, one_file in prints) for prints in (ours, theirs)
    ]
    share, share_of_other = (
        min(1.0, part / whole) if whole else 0.0 for part, whole in zip(sums, totals, strict=True)
    )
    return SimilarPair(
        one, other, share, share_of_other, best[1], (_passages(best[2][0]), _passages(best[2][1]))
    )


def _passages(slices: Any) -> tuple[tuple[int, int], ...]:
    if len(slices) == 0:
        return ()
    return tuple((int(start), int(end)) for start, end in zip(slices[0], slices[1], strict=True))
