"""Writes sample_bots/vectors/: run it after a change of the games, the codec or the honest bots.

    python -m tools.bot_vectors.write [DIRECTORY]

The same code writes the same bytes.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tools.bot_vectors.chance import draw_vectors
from tools.bot_vectors.matches import match_vectors, tampered_vectors
from tools.bot_vectors.turns import turn_vectors

DIRECTORY = Path(__file__).parents[2] / "sample_bots" / "vectors"


def files() -> dict[str, str]:
    """The contents of the files by name."""
    return {
        "draws.json": json.dumps(draw_vectors(), indent=1, ensure_ascii=False) + "\n",
        "matches.jsonl": _lines(match_vectors()),
        "tampered.jsonl": _lines(tampered_vectors()),
        **{
            f"turns_{game}.jsonl": _lines(turn_vectors(game))
            for game in ("bluff", "bluff_you", "bloeff")
        },
    }


def _lines(objects: Iterable[Mapping[str, Any]]) -> str:
    return "".join(
        json.dumps(one, separators=(",", ":"), ensure_ascii=False) + "\n" for one in objects
    )


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (directory / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY)
