"""Words that the scenes of several games share."""

from collections.abc import Sequence


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: "1 die", "2 dice"."""
    return f"{count} {one if count == 1 else many or one + 's'}"
