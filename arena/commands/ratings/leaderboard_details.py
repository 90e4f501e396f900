"""The output of `arena leaderboard --details`: head to head, first places, faults, Nash weights."""

from typing import Any

from rich.table import Table

from arena.commands.ratings.page import Page
from arena.commands.terminal import Terminal, members
from arena.rating.dominance import dominance_in_words
from arena.records import VersionId
from arena.server.boards.board import BoardLine
from arena.server.boards.details import Details
from arena.server.boards.model_check import ModelCheck

MATRIX_BOTS = 10
"""The maximum number of columns that fit a terminal; --json has all."""


def details_json(found: Details) -> dict[str, Any]:
    """Return all details, by bot and by pair, as of one moment."""
    compared = found.comparisons
    names = {line.version_id: _key(line) for line in found.board.lines}
    bots, pairs, worst, cycle, unbeaten = [], [], None, [], []
    if compared is not None:
        for at, line in enumerate(found.board.lines):
            weight, value = compared.nash_weight[at], compared.nash_value[at]
            bots.append(_key(line) | {"nash_weight": weight, "nash_value": value})
            bots[-1] |= _trouble_json(found, line) | _across_json(found, line)
            for other in range(at + 1, len(compared.bots)):
                met = compared.met(at, other)
                if met is not None:
                    pairs.append(
                        {
                            **names[compared.bots[at]],
                            "opponent": names[compared.bots[other]],
                            **members(met, "wins", "ties", "losses", "share"),
                            "interval": (met.low, met.high),
                            "sequence": met.sequence,
                        }
                    )
        cycle = [names[bot] for bot in compared.dominance.cycle]
        unbeaten = [names[bot] for bot in compared.dominance.unbeaten]
        if compared.worst is not None:
            worst = {
                **names[compared.worst.bot],
                "opponent": names[compared.worst.opponent],
                **members(compared.worst, "expected", "actual", "pairs", "deviations"),
            }
    return {
        **members(found.board, "matches", "sequence"),
        "bots": bots,
        "head_to_head": pairs,
        "cycle": cycle,
        "unbeaten": unbeaten,
        "worst_residual": worst,
        "model_check": None if found.check is None else _check_json(found.check, names),
    }


def _key(line: BoardLine) -> dict[str, Any]:
    return members(line, "bot", "version")


def _trouble_json(found: Details, line: BoardLine) -> dict[str, Any]:
    counted = found.board.faults.get(line.version_id)
    names = ("faults", "faulty_matches", "forfeits")
    return members(counted, *names) if counted else dict.fromkeys(names, 0)


def _across_json(found: Details, line: BoardLine) -> dict[str, Any]:
    across = found.across_tables[line.version_id]
    return {
        "win_shares": [
            members(cell, "seats", "matches", "share", "interval", "mean_placing")
            for cell in across.wins
        ],
        "ladders": [{"table_sizes": list(sizes), "elo": elo} for sizes, elo in across.elo],
        "mean_elo_over_ladders": across.mean_elo,
    }


def _check_json(check: ModelCheck, names: dict[VersionId, dict[str, Any]]) -> dict[str, Any]:
    return {
        **members(check, "matches", "looked_at", "misfit", "stretch"),
        "displaced": [names[bot] for bot in check.displaced],
        "nash_intervals": [
            {**names[bot], "interval": interval} for bot, interval in check.nash_interval.items()
        ],
    }


def print_details(console: Terminal, found: Details, page: Page) -> None:
    """Print the details of the page's lines as tables. Raises CommandError if its bot has none."""
    if found.comparisons is None:
        return
    names = {line.version_id: f"{line.bot} {line.version}" for line in found.board.lines}
    console.print_table(_bots(found, page.of(found.board.lines)))
    console.print_table(_matrix(found, page.within(MATRIX_BOTS).of(found.board.lines)))
    worst = found.comparisons.worst
    if worst is not None:
        console.print(
            f"Worst explained: {names[worst.bot]} took {worst.actual:.1%} from "
            f"{names[worst.opponent]} where the ratings expect {worst.expected:.1%} "
            f"({worst.deviations:.1f} standard deviations, {worst.pairs:.0f} meetings)."
        )
    decided = dominance_in_words(found.comparisons.dominance, names.__getitem__)
    if decided:
        console.print(decided)
    if found.check is not None:
        console.print(_check(found.check, names))


def _bots(found: Details, shown: range) -> Table:
    sizes = sorted({cell.seats for across in found.across_tables.values() for cell in across.wins})
    ladders = max(len(across.elo) for across in found.across_tables.values())
    heads = ["bot", "Nash weight", "faults", "forfeits", *(f"wins at {size}" for size in sizes)]
    if ladders > 1:
        heads.append("mean of its ladders' Elo")
    table = Table(*heads, title="Comparisons")
    assert found.comparisons is not None
    for at in shown:
        line, weight = found.board.lines[at], found.comparisons.nash_weight[at]
        counted = found.board.faults.get(line.version_id)
        across = found.across_tables[line.version_id]
        shares = {cell.seats: cell for cell in across.wins}
        cells = [
            f"{line.bot} {line.version}",
            _weight(weight, found.check, line.version_id),
            str(counted.faults) if counted else "0",
            str(counted.forfeits) if counted else "0",
        ]
        for size in sizes:
            cell = shares.get(size)
            cells.append(
                f"{cell.share:.1%} ({cell.interval[0]:.0%}–{cell.interval[1]:.0%})" if cell else ""
            )
        if ladders > 1:
            cells.append(f"{across.mean_elo:.0f} ({len(across.elo)})")
        table.add_row(*cells)
    return table


def _weight(weight: float, check: ModelCheck | None, bot: VersionId) -> str:
    interval = check.nash_interval.get(bot) if check else None
    return f"{weight:.2f}" + (f" ({interval[0]:.2f}–{interval[1]:.2f})" if interval else "")


def _matrix(found: Details, shown: range) -> Table:
    assert found.comparisons is not None
    lines = found.board.lines
    title = "Points taken, row from column, in % with 95 % Wilson intervals"
    if len(shown) < len(lines):
        title += f" ({len(shown)} of {len(lines)} bots; --json has all)"
    table = Table("#", "bot", *(str(lines[at].rank) for at in shown), title=title)
    for at in shown:
        cells = []
        for other in shown:
            met = found.comparisons.met(at, other)
            cells.append(
                f"{100 * met.share:.0f}\n{100 * met.low:.0f}–{100 * met.high:.0f}" if met else ""
            )
        table.add_row(str(lines[at].rank), f"{lines[at].bot} {lines[at].version}", *cells)
    return table


def _check(check: ModelCheck, names: dict[VersionId, str]) -> str:
    looked = f"in {check.looked_at} of {check.matches} matches"
    if check.misfit is None:
        return "Model misfit: not checked; the exact model does not support --score winner."
    if not check.misfit:
        return f"Model misfit: none; Plackett-Luce with ties agrees ({looked})."
    said = (
        f"Model misfit: Plackett-Luce with ties differs by more than the 95 % interval ({looked}). "
        f"Its scale is {check.stretch:.2f} times the board's; "
    )
    if not check.displaced:
        return said + "apart from that no bot differs."
    out = ", ".join(names[bot] for bot in check.displaced)
    return said + f"apart from that, a single strength does not describe {out}."
