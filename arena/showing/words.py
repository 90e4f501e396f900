"""Words that the scenes of several games share."""

from collections.abc import Sequence


def listed(words: Sequence[str]) -> str:
    """Return a list in words: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun, such as "1 die" or "2 dice"."""
    return f"{count} {one if count == 1 else many or one + 's'}"
