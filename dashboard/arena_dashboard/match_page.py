"""What surrounds the player on the page of a match: facts as HTML; pure functions."""

from collections.abc import Sequence

from arena.storage.rows import MatchRow
from arena_dashboard.markup import Html, badge, tag
from arena_dashboard.tables import options


def match_facts(row: MatchRow, doubt: str | None, signed_by: str | None) -> Html:
    """The facts about the whole match. `doubt` is what is wrong with its transcript, if anything;
    `signed_by` is the key that signed it."""
    ended = row.finished_at
    facts = [tag("time", f"{ended:%Y-%m-%d %H:%M} UTC", datetime=ended.isoformat())]
    if row.options:
        facts.append(tag("span", options(row.options.items())))
    if row.voided:
        facts.append(badge("void", "bad", "Its block is void; it does not count."))
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
            about = f"The arena signed this transcript by its key {signed_by}."
            facts.append(badge("signed", "good", about))
    else:
        facts.append(badge("not verified", "bad", doubt))
        facts.append(tag("span", doubt, class_="ba-bad-text"))
    return tag("div", *facts, class_="ba-facts")


def neighbours(block: Sequence[MatchRow], match_id: str) -> dict[str, str | None]:
    """The matches before and after a match in its block, for the player."""
    ids = [None, *(row.match_id for row in block), None]
    at = ids.index(match_id)
    return {"previous": ids[at - 1], "next": ids[at + 1]}


def block_label(row: MatchRow) -> str:
    """A match of a block in words: which one it is, and who sits where."""
    return f"Match {row.position + 1}: {' – '.join(seat.bot for seat in row.seats)}"
