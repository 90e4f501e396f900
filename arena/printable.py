"""Text from outside, made safe to show on a terminal."""


def printable(text: str, *, keep: str = "") -> str:
    r"""The text with everything that is not printed as itself escaped, as in `\x1b` for ESC.

    Escape sequences, control characters and marks that reverse the direction of writing could
    otherwise change what a terminal shows elsewhere. Characters in `keep` are left alone.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
