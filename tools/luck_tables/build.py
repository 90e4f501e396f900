"""The command line that all programs for building luck tables share."""

import argparse
import hashlib
from collections.abc import Callable
from pathlib import Path


def main(program: str, table: Callable[[int, str], bytes], *, matches: int) -> None:
    """Build a table, write it and print its hash. `table` gets the number of matches, by default
    `matches`, and the seed."""
    parser = argparse.ArgumentParser(prog=f"python -m tools.luck_tables.{program}")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--matches", type=int, default=matches)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    content = table(options.matches, options.seed)
    options.file.write_bytes(content)
    print(f"{options.file}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")
