"""Bots' notes on matches, as far as a visitor may read them, and the usage of their answers.

The sums of usage are public and read from the database. The pages' database role cannot read notes:
the referee returns those that the visitor may read.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from arena.clients.operator_client import OperatorClient
from arena.clients.referee_client import AddressError
from arena.database.rows import MatchRow
from arena.match.notes import Note, Usage, summed
from arena.server.results.notes import usage_of_matches
from arena.showing.usage import cost_in_words, usage_in_words
from arena_dashboard.owners import owners
from arena_dashboard.parts.markup import Html, in_markdown, scrolling, table_of, tag
from arena_dashboard.parts.rows import heads, number, row_head, row_of
from arena_dashboard.parts.tables import replay_link, time_of
from arena_dashboard.reading import data

KEPT_SECONDS = 10.0
"""How long notes are cached; their owner may begin or stop sharing them meanwhile."""


@dataclass(frozen=True, slots=True)
class SeatUsage:
    """The usage of one seat's answers in a match, as its bot reported it."""

    bot: str
    answers: int
    """The number of answers for which the bot reported usage."""
    usage: Usage
    """The sum over these answers."""


@dataclass(frozen=True, slots=True)
class NotedTurn:
    """A note, and the step of the transcript that its turn became."""

    note: Note
    step: int


def usages(match_ids: Collection[str]) -> dict[str, dict[int, SeatUsage]]:
    """Return the reported usage by match and seat; a seat without notes is left out."""
    found: dict[str, dict[int, SeatUsage]] = {}
    for row in data.read(usage_of_matches(match_ids)):
        usage = Usage(row.input_tokens, row.output_tokens, row.cost_microusd, row.latency_ms)
        seats = found.setdefault(str(row.match_id), {})
        seats[row.seat] = SeatUsage(row.bot, row.measured, usage)
    return found


def readable(match_id: str) -> list[NotedTurn]:
    """Return the notes of a match that this page's visitor may read. Raises OwnerCallError."""
    try:
        client = owners.referee()
    except AddressError:
        client = None
    if client is None:
        return []
    owner = owners.visitor()
    notes = _notes(client, match_id, None if owner is None else owner.key)
    steps = data.steps_of_turns(match_id) if notes else ()
    # A damaged match may have fewer turns than it was played with.
    known = [note for note in notes if note.turn_number <= len(steps)]
    return [NotedTurn(note, steps[note.turn_number - 1]) for note in known]


@st.cache_data(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False)
def _notes(_client: OperatorClient, match_id: str, key: str | None) -> list[Note]:
    return _client.notes(match_id, key)


def for_player(turns: Sequence[NotedTurn]) -> list[dict[str, object]]:
    """Return notes for the player; `types.js` describes their form."""
    return [
        {
            "step": turn.step,
            "seat": turn.note.seat,
            "text": turn.note.text,
            "usage": "" if turn.note.usage is None else usage_in_words(turn.note.usage),
        }
        for turn in turns
    ]


def show_notes(
    match_id: str,
    view: str,
    seats: Mapping[int, SeatUsage],
    turns: Sequence[NotedTurn],
    unread: str,
) -> None:
    """Show the sums of usage in a match, which are public, and the notes the visitor may read.

    `unread` says why notes cannot be read now, if so.
    """
    st.subheader("Notes")
    lines = [
        f"{one.bot}, in {one.answers} answers: {usage_in_words(one.usage)}."
        for _, one in sorted(seats.items())
        if one.answers
    ]
    if lines:
        st.html(tag("ul", *(tag("li", line) for line in lines), class_="ba-dates"))
        st.caption("Usage of a language model, as the bots report it.")
    if turns:
        st.html(note_list(match_id, view, seats, turns))
    elif unread:
        st.caption(in_markdown(unread))
    else:
        st.caption(
            "When signed in, the owners of these bots can read their notes here, as long as they "
            "are kept."
        )


def note_list(
    match_id: str, view: str, seats: Mapping[int, SeatUsage], turns: Sequence[NotedTurn]
) -> Html:
    """Return all notes, each with a link to its moment."""
    items = (
        tag(
            "li",
            tag("a", f"Step {turn.step}", href=replay_link(match_id, turn.step, view)),
            f" {seats[turn.note.seat].bot}: " if turn.note.seat in seats else " ",
            tag("span", turn.note.text, class_="ba-noted"),
        )
        for turn in turns
    )
    return tag(
        "details",
        tag("summary", f"All {len(turns)} notes" if len(turns) > 1 else "The note"),
        tag("ul", *items, class_="ba-dates"),
        class_="ba-notes",
    )


def usage_table(
    rows: Sequence[tuple[MatchRow, SeatUsage]], all_of_them: Sequence[SeatUsage]
) -> Html:
    """Return a table with the mean per match of `all_of_them`, and a row for each of `rows`."""
    number = len(all_of_them)
    sums = summed(one.usage for one in all_of_them)
    mean = Usage(*(round(one / number) for one in sums))
    answers = round(sum(one.answers for one in all_of_them) / number)
    lines = [_usage_row(f"Mean of {number}", SeatUsage("", answers, mean))]
    for row, one in rows:
        link = tag("a", time_of(row.finished_at), href=replay_link(row.match_id))
        lines.append(_usage_row(link, one))
    numbers = ("Answers", "Tokens read", "Written", "Cost", "Time")
    head = heads("Match", *((text, "ba-number") for text in numbers))
    caption = "Usage of a language model per match"
    return scrolling(f"{caption}; scrolls sideways", table_of(caption, head, lines))


def _usage_row(name: str, one: SeatUsage) -> Html:
    numbers = (
        f"{one.answers:,}",
        f"{one.usage.input_tokens:,}",
        f"{one.usage.output_tokens:,}",
        cost_in_words(one.usage.cost_microusd),
        f"{one.usage.latency_ms / 1000:,.1f} s",
    )
    return row_of(row_head(name), *map(number, numbers))
