"""Tables as CSV for spreadsheets."""

import csv
import io
from collections.abc import Iterable

from arena.printable import not_a_formula


def csv_text(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV; no cell is read as a formula."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(head)
    for row in rows:
        lines.writerow(not_a_formula(cell) if isinstance(cell, str) else cell for cell in row)
    return text.getvalue()
