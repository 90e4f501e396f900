"""The names that bots, versions and owners may have.

Names of bots and owners may be in any script. A name is stored normalised (NFKC), is found in any
case (`folded`), and is refused if it looks like an existing one (`skeleton`, by Unicode's table of
confusable characters, UTS #39). Labels of versions and names of tournaments are ASCII.
"""

import re
import unicodedata

from arena.database.errors import NameRefusedError

LONGEST = 40
"""The greatest length of a name, in characters."""
ALLOWED = (
    f"1 to {LONGEST} letters of any script, digits, dots, underscores, hyphens and single spaces, "
    "of which one is a letter or a digit"
)
"""Characters allowed in the name of a bot or an owner, for error messages."""
ALLOWED_LABEL = (
    f"1 to {LONGEST} letters, digits, dots, underscores and hyphens, of which one is a letter or a "
    "digit"
)
"""Characters allowed in the label of a version or the name of an event, for error messages."""
_LABEL = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9._-]{1,40}")
_MOST_MARKS = 3
"""The most combining marks on one letter: more of them would overlap other lines."""
# Invisible letters and marks: two names that differ only in these would look the same.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_RESERVED = frozenset(
    ("house", "operator", "arena", "bluffarena", "admin", "administrator", "moderator", "referee")
)
"""Names of owners that are reserved for the operator.

They are reserved in all spellings: with separators, a number at the end, or similar letters.
"""


def check_name(kind: str, name: str) -> None:
    """Raise NameRefusedError unless `name` may name a `kind` (version, event)."""
    if not _LABEL.fullmatch(name):
        raise _refused(kind, name, ALLOWED_LABEL)


def normal_name(kind: str, name: str) -> str:
    """Return the stored form of the name of a `kind` (bot, owner). Raises NameRefusedError."""
    # Do not normalise a name that is too long to become short enough.
    normal = unicodedata.normalize("NFKC", name) if len(name) <= 4 * LONGEST else ""
    normal = normal.strip(" ")
    if not (1 <= len(normal) <= LONGEST) or "  " in normal or not all(map(_allowed, normal)):
        raise _refused(kind, name)
    if not any(unicodedata.category(one)[0] in "LN" for one in normal):
        raise _refused(kind, name)
    if not skeleton(normal) or _marks_in_a_row(normal) > _MOST_MARKS:
        raise _refused(kind, name)
    return normal


def fitted(kind: str, text: str, instead: str, most: int = LONGEST) -> str:
    """Return a text made into an allowed name of at most `most` characters, or else `instead`."""
    kept = "".join(
        one if _allowed(one) else " " for one in unicodedata.normalize("NFKC", text[: 4 * LONGEST])
    )
    try:
        return normal_name(kind, " ".join(kept.split())[:most].strip(" "))
    except NameRefusedError:
        return instead


def check_not_reserved(name: str) -> None:
    """Raise NameRefusedError if an owner's name would pass for the operator's."""
    reserved = {_letters_of(one) for one in _RESERVED}
    without_number = name.rstrip("0123456789 ._-")
    written = {_letters_of(reading) for one in (name, without_number) for reading in readings(one)}
    if not reserved.isdisjoint(written):
        raise NameRefusedError(f"The name {name} is the operator's: choose another one.")


def readings(name: str) -> tuple[str, ...]:
    """Return the name and its likely readings: without marks, and in Latin letters.

    A reader who overlooks marks on letters, or reads the name aloud, would read one of these.
    """
    # Imported here and below, because callers that only look a name up do not need the library.
    from disarm import strip_accents, transliterate

    # Remove the marks first, as the library transliterates whole letters.
    bare = strip_accents(name)
    return name, bare, transliterate(name), transliterate(bare)


def _letters_of(name: str) -> str:
    """Return a name's skeleton without separators, with `i` read as `l`.

    A capital I looks like l and means i.
    """
    letters = re.sub(r"[ ._-]", "", skeleton(re.sub(r"[ ._-]", "", name)))
    return letters.replace("i", "l")


def folded(name: str) -> str:
    """Return the key by which a name is found, equal for names that differ in case only."""
    # A string far longer than any name cannot match; cutting it saves time.
    name = name[: 4 * LONGEST]
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def skeleton(name: str) -> str:
    """Return a key that is equal for names that look alike."""
    from disarm import skeleton_key

    # The library lacks this one pair of Unicode's table.
    return skeleton_key(name, digit_policy="tr39").replace("rn", "m")


def _allowed(one: str) -> bool:
    return (
        one in " ._-" or unicodedata.category(one)[0] in "LM" or unicodedata.category(one) == "Nd"
    ) and one not in _INVISIBLE


def _marks_in_a_row(name: str) -> int:
    longest = count = 0
    for one in unicodedata.normalize("NFD", name):
        count = count + 1 if unicodedata.category(one) in ("Mn", "Me") else 0
        longest = max(longest, count)
    return longest


def _refused(kind: str, name: str, allowed: str = ALLOWED) -> NameRefusedError:
    if not name.strip():
        return NameRefusedError(f"The name of the {kind} is missing: use {allowed}.")
    shown = name if len(name) <= 2 * LONGEST else name[: 2 * LONGEST] + "…"
    return NameRefusedError(f"{shown!r} cannot name the {kind}: use {allowed}.")
