"""HTML that is escaped by construction: text becomes markup only through `tag`.

Streamlit's own sanitiser lets HTML through, but no SVG.
"""

import re
from collections.abc import Iterable
from html import escape

_MARKDOWN = re.compile(r"[\\`*_\[\]<>~$]")
_ADDRESS = re.compile(r"(?<=www)(?=\.)|(?<=http)(?=:)|(?<=https)(?=:)|(?<=@)", re.IGNORECASE)
"""The places in addresses at which a word joiner is inserted."""
_WORD_JOINER = "\u2060"
"""An invisible character. Without it addresses would become links although they are escaped."""


class Html(str):
    """A string of markup; any other string is text, which is escaped when it is put into markup."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | int | None) -> Html:
    """Return an element with escaped children and attributes.

    `class_` is the attribute class, `aria_label` is aria-label; an attribute of None is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{together(*children)}</{name}>")


def together(*parts: str) -> Html:
    """Return the parts joined; those that are not markup are escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def with_code(sentence: str) -> Html:
    """Return a sentence as markup, in which text between two backticks becomes code."""
    words = sentence.split("`")
    if len(words) % 2 == 0:  # an odd number of backticks: the output of a program
        return together(sentence)
    return together(*(tag("code", one) if at % 2 else one for at, one in enumerate(words)))


def badge(text: str, kind: str = "plain", hint: str | None = None) -> Html:
    """Return a short label, shown as a pill."""
    return tag("span", text, class_=f"ba-badge ba-{kind}", title=hint)


def turning(*links: str, about: str | None = None) -> Html:
    """Return the links below the content of a page; `about` names them to screen readers."""
    return tag("nav", *links, class_="ba-turning", aria_label=about)


def unfolding(text: str, words: str, kind: str = "plain") -> Html:
    """Return a badge that unfolds its meaning, `words`, by click, key or touch."""
    return tag("details", tag("summary", badge(text, kind)), tag("div", words), class_="ba-why")


def faint(text: str) -> Html:
    """Return text in a paler colour."""
    return tag("span", text, class_="ba-faint")


def table_of(
    caption: str, head: str, rows: Iterable[Html], more: str = "", caption_class: str = "ba-unseen"
) -> Html:
    """Return a table with a caption, which is for screen readers unless its class shows it.

    With an empty `head` it has only rows. `more` are further classes of the table.
    """
    return tag(
        "table",
        tag("caption", caption, class_=caption_class),
        tag("thead", head) if head else "",
        tag("tbody", *rows),
        class_=f"ba-table {more}".strip(),
    )


def scrolling(label: str, content: Html) -> Html:
    """Return content that scrolls sideways on narrow screens, also by keyboard."""
    return tag("div", content, tabindex="0", role="region", aria_label=label, class_="ba-scroll")


def command(line: str) -> Html:
    """Return a line for a terminal, with a button that copies it (see shell.js).

    `st.code`, which also colours code, would make a page load 1.6 MB.
    """
    return tag(
        "div",
        tag("pre", tag("code", line), tabindex="0"),
        tag("button", "Copy", type="button"),
        class_="ba-command",
    )


def in_markdown(text: str) -> str:
    """Return text escaped for Markdown of Streamlit, without links, pictures and emphasis."""
    return _ADDRESS.sub(_WORD_JOINER, _MARKDOWN.sub(r"\\\g<0>", text))
