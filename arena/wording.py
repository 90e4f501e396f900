"""Text fragments for messages: ranges, alternatives, counts, lists."""

from collections.abc import Sequence


def span(low: int, high: int) -> str:
    """Return a range as text: "2 to 4", or "exactly 2" if it holds one number."""
    return f"exactly {low}" if low == high else f"{low} to {high}"


def one_of(choices: Sequence[object]) -> str:
    """Return alternatives as text: "3", "3 or 4", "3, 4 or 5"; "" for none."""
    if len(choices) < 2:
        return "".join(map(str, choices))
    return f"{', '.join(map(str, choices[:-1]))} or {choices[-1]}"


def number_of(count: int, thing: str, things: str | None = None) -> str:
    """Return a number with its noun: "1 die", "2 dice"; the default plural adds an s."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def listed(words: Sequence[str]) -> str:
    """Return a list in words: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
