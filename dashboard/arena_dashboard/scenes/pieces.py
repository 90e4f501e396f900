"""Parts of scenes that several games share: seats, dice, speech."""

from collections.abc import Iterable, Sequence

from arena_dashboard.markup import Html, badge, picture, tag, together


def table(header: Html, middle: Sequence[str], seats: Iterable[Html]) -> Html:
    """A scene: the state of the match, the middle of the table, the seats around it."""
    return tag(
        "section",
        tag("div", header, class_="ba-header"),
        tag("div", *middle, class_="ba-middle"),
        tag("div", *seats, class_="ba-seats"),
        class_="ba-scene",
        aria_label="The table",
    )


def seat_card(
    seat: int, name: str, *body: str, acting: bool = False, out: bool = False, note: str = ""
) -> Html:
    """One seat: its bot and what lies in front of it."""
    kind = "ba-seat" + (" ba-acting" if acting else "") + (" ba-out" if out else "")
    return tag(
        "div",
        tag(
            "div",
            tag("span", name, class_="ba-name"),
            tag("span", f"seat {seat}", class_="ba-faint"),
            badge("to act", "accent") if acting else "",
            tag("span", note, class_="ba-note") if note else "",
            class_="ba-seat-head",
        ),
        *body,
        class_=kind,
    )


def die(face: int, *, star: bool = False, kind: str = "") -> Html:
    """A die that shows `face`; with `star` a six is drawn as a star."""
    shown = "ba-star" if star and face == 6 else f"ba-f{face}"
    return tag("span", class_=f"ba-die {shown} {kind}".strip(), aria_hidden="true")


def hidden_dice(count: int) -> Html:
    """Dice whose faces the viewpoint may not see."""
    return together(*(tag("span", "?", class_="ba-die ba-hidden", aria_hidden="true"),) * count)


def group(label: str, *pieces: str, kind: str = "") -> Html:
    """Pieces that belong together; `label` is their text for screen readers."""
    return picture(label, *pieces, class_=f"ba-group {kind}".strip())


def labelled(label: str, pieces: Html) -> Html:
    """Pieces under a small heading."""
    return tag("div", tag("span", label, class_="ba-label"), pieces, class_="ba-labelled")


def speech(who: str, words: str, answer: str = "") -> Html:
    """A speech bubble: who says what, and the answer."""
    return tag(
        "div",
        tag("span", who, class_="ba-faint"),
        tag("q", words),
        tag("span", answer, class_="ba-answer") if answer else "",
        class_="ba-speech",
    )


def facts(*texts: str) -> Html:
    """Short facts in a row."""
    return together(*(tag("span", text) for text in texts if text))


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(count: int, one: str, many: str | None = None) -> str:
    """ "1 die", "2 dice"."""
    return f"{count} {one if count == 1 else many or one + 's'}"
