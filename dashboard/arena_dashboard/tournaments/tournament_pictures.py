"""A tournament as a picture: brackets, crosstables and matrices, by its format; pure functions.

Each pairing links to its matches.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from arena.server.tournaments.summary import (
    EntryNumber,
    FormatName,
    PlayedPairing,
    Standing,
    going_on,
    group_tables,
    of_knockout,
    points_text,
)
from arena.server.tournaments.tournament import Tournament
from arena_dashboard.parts.markup import Html, scrolling, table_of, tag, together
from arena_dashboard.parts.rows import Cell, cell, heads, number, row_head, row_of
from arena_dashboard.parts.tables import to_bot
from arena_dashboard.tournaments.tournament_data import TournamentView
from arena_dashboard.tournaments.tournament_tables import pairing_link

MOST_ENTRIES = 64
"""The most bots of a readable picture; with more, the page has only the list of pairings."""
MATRIX_ENTRIES = 40


def picture(view: TournamentView) -> Html | None:
    """Return the picture of a tournament's format.

    None if there is none or the field is too large.
    """
    tournament = view.record.tournament
    if not view.played or len(tournament.entries) > MOST_ENTRIES:
        return None
    match tournament.rules.format:
        case FormatName.KNOCKOUT:
            return bracket(tournament, view.played)
        case FormatName.GROUPS:
            return groups(tournament, view)
        case FormatName.SWISS:
            return crosstable(tournament, view)
        case FormatName.ROUND_ROBIN if len(tournament.entries) <= MATRIX_ENTRIES:
            caption = "Matrix: a row's points, by the rank of the opponent"
            return matrix(tournament, view.standings, view.played, caption)
        case _:
            return None


def groups(tournament: Tournament, view: TournamentView) -> Html:
    """Return the bracket, once it is paired, and the matrix of each group."""
    last = of_knockout(tournament, view.played)
    paired_last = {one.pairing for one in last}
    shown = [bracket(tournament, last)] if last else []
    for group in group_tables(view.record):
        entries = {line.entry for line in group.lines}
        own = [
            one
            for one in view.played
            if one.pairing not in paired_last and entries.issuperset(one.pairing.entries)
        ]
        caption = (
            f"Group {group.name} ({group.through} go on): a row's points, by the place of the "
            "opponent"
        )
        shown.append(matrix(tournament, group.lines, own, caption, group.through))
    return together(*shown)


def bracket(tournament: Tournament, played: Sequence[PlayedPairing]) -> Html:
    """Return the rounds of a knockout side by side; rounds that are not paired yet are empty."""
    rounds: dict[int, dict[int, PlayedPairing]] = {}
    for one in played:
        rounds.setdefault(one.pairing.round, {})[one.pairing.table] = one
    number = min(rounds)
    columns, boxes = [], max(rounds[number])
    while True:
        found = rounds.get(number, {})
        boxes = max(boxes, *found, 1)
        final = boxes == 1
        columns.append(
            tag(
                "div",
                tag("h4", "Final" if final else f"Round {number}"),
                tag(
                    "ol",
                    *(
                        tag("li", _box(tournament, found.get(table)))
                        for table in range(1, boxes + 1)
                    ),
                ),
                class_="ba-round",
            )
        )
        if final or (tournament.rules.seats > 2 and number + 1 not in rounds):
            break
        number, boxes = number + 1, (boxes + 1) // 2 if tournament.rules.seats == 2 else 1
    return scrolling("Bracket", tag("div", *columns, class_="ba-bracket"))


def _box(tournament: Tournament, played: PlayedPairing | None) -> Html:
    if played is None:
        return tag("div", tag("p", "open", class_="ba-faint"), class_="ba-pairing")
    pairing = played.pairing
    through = going_on(tournament, played)
    total = dict(zip(pairing.entries, played.total(), strict=True))
    lines = [
        tag(
            "p",
            to_bot(_bot(tournament, entry), class_="ba-name" if entry in through else None),
            tag(
                "span",
                "bye" if pairing.is_bye else points_text(total[entry]),
                class_="ba-faint" if entry not in through else "ba-through",
            ),
        )
        for entry in sorted(total, key=lambda one: (one not in through, -total[one], one))
    ]
    link = pairing_link(tournament.name, pairing.round, pairing.table)
    matches = tag("a", "matches", href=link) if played.blocks else Html("")
    return tag("div", *lines, tag("small", matches), class_="ba-pairing")


def crosstable(tournament: Tournament, view: TournamentView) -> Html:
    """Return each bot's points by round with the opponents' ranks, best bot first."""
    ranks = {one.entry: one.rank for one in view.standings}
    by_entry: dict[EntryNumber, dict[int, PlayedPairing]] = {}
    for one in view.played:
        for entry in one.pairing.entries:
            by_entry.setdefault(entry, {})[one.pairing.round] = one
    rounds = range(1, max(one.pairing.round for one in view.played) + 1)
    numbered = ((f"R{number}", "", f"Round {number}") for number in rounds)
    head = heads("#", "Bot", *numbered, "Points")
    rows = [
        row_of(
            number(str(line.rank)),
            _name(tournament, line.entry),
            *(
                _round_cell(tournament, line.entry, by_entry.get(line.entry, {}).get(number), ranks)
                for number in rounds
            ),
            number(tag("b", points_text(line.points))),
        )
        for line in view.standings
    ]
    return _table(
        "Crosstable: points of each round's blocks, and the opponents' ranks",
        head,
        rows,
    )


def _round_cell(
    tournament: Tournament,
    entry: EntryNumber,
    played: PlayedPairing | None,
    ranks: Mapping[EntryNumber, int],
) -> Cell:
    if played is None:
        return cell("–", class_="ba-heat ba-faint")
    if played.pairing.is_bye:
        return cell("bye", class_="ba-heat ba-faint")
    total = dict(zip(played.pairing.entries, played.total(), strict=True))
    others = [one for one in played.pairing.entries if one != entry]
    against = ", ".join(_bot(tournament, one) for one in others)
    words = f"{_bot(tournament, entry)} against {against}: {points_text(total[entry])}"
    return _cell(
        tournament,
        played,
        points_text(total[entry]),
        "#" + ", ".join(str(ranks[one]) for one in others),
        words,
        _share(total[entry], len(played.blocks)),
    )


def matrix(
    tournament: Tournament,
    lines: Sequence[Standing],
    played: Sequence[PlayedPairing],
    caption: str,
    through: int = 0,
) -> Html:
    """Return the matrix of points that the row's bot took at tables with the column's bot.

    `lines` are the rows, best first; bots of rank `through` or better go on.
    """
    meetings: dict[tuple[EntryNumber, EntryNumber], list[PlayedPairing]] = {}
    for met in played:
        for one in met.pairing.entries:
            for other in met.pairing.entries:
                if one != other:
                    meetings.setdefault((one, other), []).append(met)
    order = [line.entry for line in lines]
    ranked = ((str(line.rank), "", _bot(tournament, line.entry)) for line in lines)
    head = heads("#", "Bot", *ranked, "Points")
    rows = [
        row_of(
            number(str(line.rank)),
            _name(tournament, line.entry),
            *(
                _met(tournament, line.entry, other, meetings.get((line.entry, other), []))
                for other in order
            ),
            number(tag("b", points_text(line.points))),
            class_="ba-goes-on" if line.rank <= through else None,
        )
        for line in lines
    ]
    return _table(caption, head, rows)


def _met(
    tournament: Tournament,
    entry: EntryNumber,
    other: EntryNumber,
    meetings: Sequence[PlayedPairing],
) -> Cell:
    if entry == other:
        return cell("", class_="ba-heat")
    blocks = sum(len(one.blocks) for one in meetings)
    if not blocks:
        return cell("–", class_="ba-heat ba-faint")
    points = sum(
        (dict(zip(one.pairing.entries, one.total(), strict=True))[entry] for one in meetings),
        Fraction(0),
    )
    words = f"{_bot(tournament, entry)} at tables with {_bot(tournament, other)}: "
    return _cell(
        tournament,
        meetings[0],
        points_text(points),
        f"of {blocks}",
        f"{words}{points_text(points)} of {blocks}",
        _share(points, blocks),
    )


def _cell(
    tournament: Tournament,
    played: PlayedPairing,
    points: str,
    small: str,
    words: str,
    share: int,
) -> Cell:
    pairing = played.pairing
    link = pairing_link(tournament.name, pairing.round, pairing.table)
    return cell(
        tag("a", tag("b", points), href=link, aria_label=words) if played.blocks else points,
        tag("small", small),
        class_=f"ba-heat ba-heat{share}",
        title=words,
    )


def _share(points: Fraction, blocks: int) -> int:
    """Return the share of the possible points in tenths, for the colour."""
    return round(10 * points / blocks) if blocks else 5


def _bot(tournament: Tournament, entry: EntryNumber) -> str:
    return tournament.entries[entry - 1].registered.entrant.bot


def _name(tournament: Tournament, entry: EntryNumber) -> Cell:
    return row_head(to_bot(_bot(tournament, entry)))


def _table(caption: str, head: Html, rows: Sequence[Html]) -> Html:
    table = table_of(f"{caption}.", head, rows, "ba-matrix", caption_class="ba-faint")
    return scrolling(caption, table)
