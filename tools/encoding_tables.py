"""Write the tables of encodings on docs/learn.md: `python -m tools.encoding_tables`."""

import re
from pathlib import Path

from arena.learn import Encoding, encoding

PAGE = Path(__file__).parents[1] / "docs" / "learn.md"
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_tables(PAGE.read_text()))


def with_tables(page: str) -> str:
    """Return the page with the table of each game that it names."""
    return _TABLE.sub(lambda found: found[1] + _table(found[2]) + found[3], page)


def _table(game: str) -> str:
    encoded = encoding(game, 2, history=True)
    most = encoding(game, encoded.game.seat_counts[-1])
    return "\n".join([_sizes(encoded, most), "", *_rows(encoded), ""])


def _sizes(encoded: Encoding, most: Encoding) -> str:
    short = encoding(encoded.game.name, 2)
    return (
        f"`{encoded.version}`: at 2 seats {encoded.actions:,} actions and {short.size:,} numbers "
        f"({encoded.size:,} with history); at {most.seats} seats {most.actions:,} actions and "
        f"{most.size:,} numbers."
    )


def _rows(encoded: Encoding) -> list[str]:
    without = encoding(encoded.game.name, 2).fields
    rows = ["| field | indices | shape | range | meaning |", "| --- | --- | --- | --- | --- |"]
    for part in encoded.parts:
        at = encoded.fields[part.name]
        indices = f"{at.start}" if at.stop == at.start + 1 else f"{at.start} to {at.stop - 1}"
        shape = f"{' × '.join(map(str, part.shape))} ({part.axes})" if part.shape else "1"
        name = f"`{part.name}`" + ("" if part.name in without else ", history")
        span = f"{part.lowest:g} to {part.highest:g}"
        rows.append(f"| {name} | {indices} | {shape} | {span} | {part.meaning} |")
    return rows


if __name__ == "__main__":
    main()
