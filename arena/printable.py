"""Escaping of untrusted text for a terminal."""


def printable(text: str, *, keep: str = "") -> str:
    r"""Return the text with every non-printable character escaped, such as `\x1b` for ESC.

    Escape sequences, control characters and marks that reverse the writing direction could
    otherwise change what a terminal shows elsewhere. Characters in `keep` stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
