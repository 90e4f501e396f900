"""Pure functions that render comparisons as HTML: the matrix of results, and bots' numbers."""

from collections.abc import Mapping, Sequence

from arena.rating.dominance import dominance_in_words
from arena.rating.ladder_id import LadderId
from arena.records import VersionId
from arena.server.boards.board import BoardLine
from arena.server.boards.board_page import around
from arena.server.boards.comparisons import AcrossTables, Comparisons, WinCell
from arena.server.boards.fault_counts import FaultCounts
from arena.server.boards.model_check import ModelCheck
from arena_dashboard.ladders.ladder_choice import in_words, link
from arena_dashboard.parts.markup import Html, faint, scrolling, table_of, tag, together
from arena_dashboard.parts.rows import Cell, cell, heads, number, row_head, row_of
from arena_dashboard.parts.tables import to_bot

MATRIX_BOTS = 25
"""The most rows of a legible matrix, and of a page of comparisons."""
MOST_OPPONENTS = 50
"""The most opponents of a bot that are listed: the closest in rank."""


def versus_link(bot: str, opponent: str, ladder: LadderId) -> str:
    """Return the address of the page about two bots."""
    return link("versus", ladder, bot=bot, opponent=opponent)


def matrix(
    lines: Sequence[BoardLine], shown: range, comparisons: Comparisons, ladder: LadderId
) -> Html:
    """Return the matrix of the lines at the positions `shown`.

    A cell has the points that the row's bot took from the column's, in %, coloured, with their
    Wilson interval and, below it, their confidence sequence.
    """
    head = tag(
        "tr",
        tag("th", "#", scope="col", class_="ba-number"),
        tag("th", "Bot", scope="col"),
        *(
            tag("th", str(line.rank), scope="col", title=_name(line), aria_label=_name(line))
            for line in lines[shown.start : shown.stop]
        ),
    )
    rows = (
        row_of(
            number(str(lines[at].rank)),
            row_head(to_bot(lines[at].bot), " ", faint(f"v{lines[at].version}")),
            *(_cell(comparisons, at, other, lines, ladder) for other in shown),
        )
        for at in shown
    )
    table = table_of("Points taken, row from column, in percent", head, rows, "ba-matrix")
    return scrolling("Who beat whom; scrolls sideways", table)


def _cell(
    comparisons: Comparisons,
    at: int,
    other: int,
    lines: Sequence[BoardLine],
    ladder: LadderId,
) -> Cell:
    met = comparisons.met(at, other)
    if met is None:
        return cell("" if at == other else "–", class_="ba-heat ba-faint")
    said = (
        f"{_name(lines[at])} against {_name(lines[other])}: {met.wins} won, {met.ties} tied, "
        f"{met.losses} lost"
    )
    ends = (met.low, met.high), met.sequence
    return cell(
        tag(
            "a",
            f"{met.share:.0%}".removesuffix("%"),
            href=versus_link(lines[at].bot, lines[other].bot, ladder),
            title=said,
        ),
        *(tag("small", f"{low:.0%}–{high:.0%}".replace("%", "")) for low, high in ends),
        class_=f"ba-heat ba-heat{round(10 * met.share)}",
    )


def numbers(
    lines: Sequence[BoardLine],
    shown: range,
    comparisons: Comparisons,
    faults: Mapping[VersionId, FaultCounts],
    across: Mapping[VersionId, AcrossTables],
    check: ModelCheck | None,
) -> Html:
    """Return a table of the bots at the positions `shown`.

    Its columns are Elo, Nash weight, first places by table size, faults and forfeits, and the mean
    Elo of a bot's ladders if any bot is on several.
    """
    sizes = sorted({cell.seats for one in across.values() for cell in one.wins})
    several = any(len(one.elo) > 1 for one in across.values())
    mean = "The mean of its Elo on all its ladders, and their number. It is not a rating"
    head = heads(
        "Bot",
        ("Elo", "ba-number"),
        ("Nash", "ba-number", "Weight in the equilibrium of choosing a bot. Does not affect ranks"),
        *((f"Wins, {size} seats", "ba-number", f"{1 / size:.0%} is average") for size in sizes),
        ("Faults", "ba-number", "Late, illegal, malformed or missing answers"),
        ("Forfeits", "ba-number"),
        *[("Mean of ladders", "ba-number", mean)] * several,
    )
    rows = []
    for at in shown:
        line, weight = lines[at], comparisons.nash_weight[at]
        counted, one = faults.get(line.version_id), across[line.version_id]
        interval = check.nash_interval.get(line.version_id) if check else None
        cells = {cell.seats: cell for cell in one.wins}
        rows.append(
            row_of(
                cell(to_bot(line.bot), " ", faint(f"v{line.version}")),
                number(f"{line.elo:.0f}"),
                number(f"{weight:.2f}", f"{interval[0]:.2f}–{interval[1]:.2f}" if interval else ""),
                *(_wins(cells.get(size)) for size in sizes),
                number(str(counted.faults if counted else 0)),
                number(str(counted.forfeits if counted else 0)),
                *([number(f"{one.mean_elo:.0f}", f"of {len(one.elo)}")] if several else []),
            )
        )
    return scrolling("Comparisons", table_of("Comparisons", head, rows))


def opponents(
    lines: Sequence[BoardLine], comparisons: Comparisons, version: VersionId, ladder: LadderId
) -> Html:
    """Return a table of a version's opponents on a ladder, best first.

    If they are more than MOST_OPPONENTS, it has only those closest in rank.
    """
    at = comparisons.bots.index(version)
    bot = lines[at].bot
    head = heads(
        "Opponent",
        *((text, "ba-number") for text in ("Elo", "Won", "Tied", "Lost")),
        ("Points taken", "ba-number", "With its 95 % Wilson interval; a tie is half a point"),
        "",
    )
    rows = []
    every = [(other, comparisons.met(at, other)) for other in range(len(lines))]
    all_met = [(other, met) for other, met in every if met is not None]
    weaker = sum(other > at for other, _ in all_met)
    shown = around(len(all_met) - weaker, len(all_met), MOST_OPPONENTS)
    for other, met in all_met[shown.start : shown.stop]:
        line = lines[other]
        rows.append(
            row_of(
                cell(to_bot(line.bot), " ", faint(f"v{line.version}")),
                number(f"{line.elo:.0f}"),
                *(number(str(count)) for count in (met.wins, met.ties, met.losses)),
                number(f"{met.share:.1%}", f"{met.low:.0%}–{met.high:.0%}"),
                tag("a", "Head to head", href=versus_link(bot, line.bot, ladder)),
            )
        )
    table = scrolling("Opponents", table_of("Opponents", head, rows))
    if len(rows) == len(all_met):
        return table
    said = f"The {len(rows)} nearest in rank, of {len(all_met):,}."
    return together(tag("p", said, class_="ba-faint"), table)


def decided_in_words(lines: Sequence[BoardLine], comparisons: Comparisons) -> str:
    """Return who beats whom in a cycle and who is unbeaten; "" if no pair is decided."""
    names = {line.version_id: _name(line) for line in lines}
    return dominance_in_words(comparisons.dominance, names.__getitem__)


def worst_in_words(lines: Sequence[BoardLine], comparisons: Comparisons) -> str:
    """Return a sentence on the pair that the ratings explain worst.

    It is empty if no pair met often enough.
    """
    worst = comparisons.worst
    if worst is None:
        return ""
    names = {line.version_id: _name(line) for line in lines}
    return (
        f"Largest gap between ratings and results: {names[worst.bot]} against "
        f"{names[worst.opponent]} scores {worst.actual:.0%}, where the ratings expect "
        f"{worst.expected:.0%} ({worst.deviations:.1f} standard deviations apart)."
    )


def check_in_words(lines: Sequence[BoardLine], check: ModelCheck) -> str:
    """Return the result of the check by the exact model in words."""
    looked = f"Looked at {check.looked_at:,} of {check.matches:,} matches."
    if check.misfit is None:
        return f"The exact model supports only ladders on which every placing counts. {looked}"
    if not check.misfit:
        return f"No model misfit: Plackett–Luce with ties agrees. {looked}"
    names = {line.version_id: _name(line) for line in lines}
    beyond = (
        "a single strength does not describe "
        + ", ".join(names.get(bot, "a bot") for bot in check.displaced)
        if check.displaced
        else "no bot differs"
    )
    return (
        "Model misfit: Plackett–Luce with ties differs by more than the 95 % interval. Its scale "
        f"is {check.stretch:.2f} times the board's; apart from that, {beyond}. {looked}"
    )


def standing(ladders: Sequence[tuple[LadderId, Sequence[BoardLine]]]) -> Html:
    """Return a table of the ranks and ratings of a bot's versions on their ladders."""
    rank = "The place by Elo, provisional bots last, and the range that the results allow"
    head = heads(
        "Ladder",
        "Version",
        ("Rank", "ba-number", rank),
        ("Elo", "ba-number", "With its 95 % interval"),
        ("Matches", "ba-number"),
        ("Win share", "ba-number", "First places per match"),
    )
    rows = [
        row_of(
            tag("a", in_words(ladder), href=link("leaderboard", ladder)),
            f"v{line.version}",
            number(
                str(line.rank),
                f"{line.rank_low}–{line.rank_high}" if line.rank_low < line.rank_high else "",
            )
            if line.ranked
            else number("–", "old"),
            number(
                f"{line.elo:.0f}",
                "anchor" if line.anchor else f"{line.interval[0]:.0f}–{line.interval[1]:.0f}",
            ),
            number(f"{line.matches:,}"),
            number(f"{line.win_share:.1%}"),
        )
        for ladder, lines in ladders
        for line in lines
    ]
    return scrolling("Ratings", table_of("Ratings", head, rows))


def _wins(cell: WinCell | None) -> Cell:
    if cell is None:
        return number("–")
    low, high = cell.interval
    return number(f"{cell.share:.1%}", f"{low:.0%}–{high:.0%}")


def _name(line: BoardLine) -> str:
    return f"{line.bot} {line.version}"
