"""Pure functions that render the facts and links around the player on the page of a match."""

from collections.abc import Sequence
from urllib.parse import urlencode

from arena.database.rows import MatchRow
from arena_dashboard.parts.markup import Html, badge, faint, tag, turning
from arena_dashboard.parts.tables import options, time_in_words, time_of, unrated_in_words


def match_facts(row: MatchRow, doubt: str | None, signed_by: str | None) -> Html:
    """Return the facts about the whole match.

    `doubt` is what is wrong with its transcript, if anything; `signed_by` is the key that signed
    it.
    """
    ended = row.finished_at
    facts = [time_of(ended)]
    if row.options:
        facts.append(tag("span", options(row.options.items())))
    if row.time_control.name:
        facts.append(tag("span", time_in_words(row.time_control.name)))
    if row.voided:
        facts.append(badge("void", "bad", "Its block is void; it does not count."))
    elif row.unrated:
        facts.append(badge("unrated", "plain", unrated_in_words(row)))
    elif row.rated:
        facts.append(badge("rated", "plain", "It counts for the ratings."))
    if doubt is None:
        facts.append(
            badge(
                "dealing verified",
                "good",
                "Every draw was computed again from the opened secret, and the result from the "
                "steps.",
            )
        )
        if signed_by is not None:
            about = f"The arena signed this transcript with its key {signed_by}."
            facts.append(badge("signed", "good", about))
    else:
        facts.append(badge("not verified", "bad", doubt))
        facts.append(tag("span", doubt, class_="ba-bad-text"))
    return tag("div", *facts, class_="ba-facts")


def neighbours(block: Sequence[MatchRow], match_id: str) -> tuple[str | None, str | None]:
    """Return the ids of the matches before and after a match in its block; None at either end."""
    ids = [None, *(row.match_id for row in block), None]
    at = ids.index(match_id)
    return ids[at - 1], ids[at + 1]


def links(row: MatchRow, block: Sequence[MatchRow], tournament: str | None, view: str) -> Html:
    """Return links to a match's tournament and, from `view`, to the other matches of its block."""
    made = []
    if tournament is not None:
        href = "tournaments?" + urlencode({"name": tournament})
        made.append(tag("a", f"Tournament {tournament}", href=href))
    others = [other for other in block if other.match_id != row.match_id]
    if others:
        made.append(faint("The same bots, seats rotated:"))
    for other in others:
        seats = " – ".join(seat.bot for seat in other.seats)
        href = "replay?" + urlencode({"match": other.match_id, "view": view})
        made.append(tag("a", f"Match {other.position + 1}: {seats}", href=href))
    about = "The tournament, and the other matches of the block"
    return turning(*made, about=about) if made else Html("")
