"""HTML that is escaped by construction: text becomes markup only through `tag`.

Streamlit's own sanitiser lets HTML through, but no SVG.
"""

import re
from html import escape

_MARKDOWN = re.compile(r"[\\`*_\[\]<>~$]")


class Html(str):
    """Markup. Any other string is text, and is escaped when it becomes part of markup."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | int | None) -> Html:
    """Return an element.

    `class_` is the class, `aria_label` is aria-label; None leaves one out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{together(*children)}</{name}>")


def together(*parts: str) -> Html:
    """Parts joined; those that are not markup are escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def with_code(sentence: str) -> Html:
    """Return a sentence in which what stands between two backticks is code."""
    words = sentence.split("`")
    if len(words) % 2 == 0:  # of no sentence of ours, but of what a program printed
        return together(sentence)
    return together(*(tag("code", one) if at % 2 else one for at, one in enumerate(words)))


def badge(text: str, kind: str = "plain", hint: str | None = None) -> Html:
    """Return a short label, shown as a pill."""
    return tag("span", text, class_=f"ba-badge ba-{kind}", title=hint)


def unfolding(text: str, words: str, kind: str = "plain") -> Html:
    """Return a badge that is pressed, by a key or a finger as well, to read what it means."""
    return tag("details", tag("summary", badge(text, kind)), tag("div", words), class_="ba-why")


def command(line: str) -> Html:
    """Return a line for a terminal, with a button that copies it (see shell.js).

    For `st.code`, which can colour code, too, a page loads 1.6 MB.
    """
    return tag(
        "div",
        tag("pre", tag("code", line), tabindex="0"),
        tag("button", "Copy", type="button"),
        class_="ba-command",
    )


def in_markdown(text: str) -> str:
    """Text for what Streamlit reads as Markdown: without links, pictures and emphasis."""
    return _MARKDOWN.sub(r"\\\g<0>", text)
