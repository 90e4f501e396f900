"""Escaping of untrusted text for a terminal, and for a spreadsheet."""

import re

_FORMULA = re.compile(r"'*\s*[=+\-@＝＋－＠]|'*[\t\r\n]")
"""The start of a cell that some spreadsheet reads as a formula, also after leading apostrophes."""


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


def not_a_formula(text: str) -> str:
    """Return a text that spreadsheets do not evaluate.

    A text that begins like a formula gets a leading apostrophe. Removing the first apostrophe of
    such a cell restores the text.
    """
    return f"'{text}" if _FORMULA.match(text) else text
