"""The report of `arena play --variants` for people."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table

from arena.commands.home.faults import fault_text
from arena.commands.home.logs import where_printed
from arena.commands.home.play_report import MOST_REASONS
from arena.commands.terminal import Terminal
from arena.games.game import AnyGame

if TYPE_CHECKING:
    from arena.rating.paired import PairedDifference


def difference_json(difference: "PairedDifference") -> dict[str, Any]:
    """Return a difference as JSON."""
    return {
        name: round(value, 6) if isinstance(value, float) else value
        for name, value in asdict(difference).items()
    }


def print_variants(console: Terminal, game: AnyGame, summary: dict[str, Any]) -> None:
    """Print the table of the variants, then their differences to the first, and faults."""
    options = ", ".join(f"{name}={value}" for name, value in summary["options"].items())
    table = Table(
        title=f"{game.title}{f' ({options})' if options else ''}: {summary['bot']} against "
        f"{', '.join(summary['opponents'])}, {summary['matches']:,} matches each, "
        f"seed {summary['seed']}",
        title_justify="left",
    )
    table.add_column(summary["setting"])
    table.add_column("bot")
    for heading in ("wins", "share", "95 % interval", "mean placing"):
        table.add_column(heading, justify="right")
    for one in summary["variants"]:
        table.add_row(
            one["value"],
            one["bot"],
            f"{one['wins']:,.2f}".removesuffix(".00"),
            f"{one['share']:.1%}",
            f"{one['share_low']:.1%} to {one['share_high']:.1%}",
            f"{one['mean_placing']:.2f}",
        )
    console.print_table(table)
    setting = summary["setting"]
    for one in summary["differences"]:
        console.print(
            f"{setting}={one['value']} less {setting}={one['to']}: {_difference(one)}", end=""
        )
        if (adjusted := one["without_luck"]) is not None:
            factor = adjusted["variance_factor"]
            said = f"; without luck {_difference(adjusted)}, variance {factor:.2f} of that"
            console.print(said, end="")
        console.print(".")
    shared = {
        "deal": "In a block all variants have the same seat, the same deal and the same opponents.",
        "seat": "In a block all variants have the same seat and opponents; each match of programs "
        "is dealt afresh.",
    }
    console.print(shared[summary["blocks"]])
    for fault in summary["faults"][:MOST_REASONS]:
        console.print(fault_text(fault))
    if summary["logs"] and (printed := where_printed(summary["logs"])):
        console.print(f"What the programs printed: {printed}")


def _difference(one: dict[str, Any]) -> str:
    return f"{one['difference']:+.1%} ({one['low']:+.1%} to {one['high']:+.1%})"
