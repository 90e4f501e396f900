"""The command line that the benchmarks share: a description, and a file for the figures."""

import argparse
from json import dumps
from pathlib import Path
from typing import Any


def parser_of(doc: str | None, *, json: bool = False) -> argparse.ArgumentParser:
    """Return a parser that describes a program by the first paragraph of its docstring.

    With `json` it has the option of that name, the file for `write_json`.
    """
    parser = argparse.ArgumentParser(description=doc.split("\n\n")[0] if doc else None)
    if json:
        parser.add_argument("--json", type=Path, help="write all figures there")
    return parser


def write_json(path: Path | None, report: Any) -> None:
    """Write the figures, dataclasses included, if there is a file for them."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dumps(report, indent=2, default=vars) + "\n")
