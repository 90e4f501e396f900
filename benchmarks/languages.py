"""How fast the starters of all languages answer.

A referee of its own asks each starter that is named, or all, the recorded turns of Bluff
(sample_bots/vectors), with one match and with 32 at once, each match always having one open turn.
Printed per starter: decisions a second, also as a ratio to the Python starter in the same run, the
median time from a turn sent to its answer received, CPU time of the starter for a decision, its
resident memory, and the time from its start to its first answer.

Then `arena play` with two of the compiled starters takes turns with the load of
`benchmarks.referee` on a referee with a database: decisions a second of both, and their ratio.

The starters must be built; one that is not is left out. All languages take about four minutes.
"""

import asyncio
import json
import shlex
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.asking import SAMPLE_BOTS, Asking, program, serving
from benchmarks.memory import resident_mb
from benchmarks.options import command
from benchmarks.referee import MANY_MATCHES, STREAMS
from benchmarks.referee_load.stage import arena, database, measure, referee, register
from benchmarks.rounds import Figures, alternate, ratios
from benchmarks.tables import Table


@dataclass(frozen=True, slots=True)
class Starter:
    """A starter of a language."""

    folder: Path
    command: str
    made: str
    """The path, in its folder, that exists once it is built."""

    @property
    def built(self) -> bool:
        return (self.folder / self.made).exists()


PYTHON = SAMPLE_BOTS / "python/arena_sample_bots/starters/python"
STARTERS = {
    "python": Starter(PYTHON, f"{shlex.quote(sys.executable)} bot.py", "bot.py"),
    "javascript": Starter(SAMPLE_BOTS / "javascript", "node main.js", "node_modules"),
    "typescript": Starter(SAMPLE_BOTS / "typescript", "node dist/main.js", "dist/main.js"),
    "java": Starter(SAMPLE_BOTS / "java", "java -jar target/bot.jar", "target/bot.jar"),
    "go": Starter(SAMPLE_BOTS / "go", "./bot", "bot"),
    "rust": Starter(SAMPLE_BOTS / "rust", "target/release/arena-bot", "target/release/arena-bot"),
    "cpp": Starter(SAMPLE_BOTS / "cpp", "build/bot", "build/bot"),
}
WARM_UP_SECONDS = 3.0
SECONDS = 6.0
MATCHES = (1, 32)
COMPILED = ("go", "rust", "cpp")
"""The first two of these that are built play in `arena play`."""
ROUNDS = 3
HOME_MATCHES = 3_000
COUNTED_MATCHES = 500
"""The matches whose decisions are counted."""


def main(*languages: str) -> None:
    chosen = dict.fromkeys(["python", *(languages or STARTERS)])
    if unknown := set(chosen) - set(STARTERS):
        sys.exit(f"no starter in {', '.join(sorted(unknown))}: there is {', '.join(STARTERS)}")
    built = [language for language in chosen if STARTERS[language].built]
    for language in chosen.keys() - built:
        print(f"{language} is not built: left out", file=sys.stderr)
    table, python = Table(), dict[int, float]()
    with asyncio.Runner() as loop:  # grpc.aio's poller belongs to the process, and remembers a loop
        for language, matches in product(built, MATCHES):
            figures = loop.run(_figures(STARTERS[language], matches))
            rate = python.setdefault(matches, figures["decisions/s"])
            row = {"starter": language, "matches": matches} | figures
            table.add(row, {"to Python": figures["decisions/s"] / rate})
    compiled = [one for one in COMPILED if one in built][:2]
    if len(compiled) == 2:
        at_home(table, compiled)


async def _figures(starter: Starter, matches: int) -> Figures:
    asking = Asking(matches)
    async with (
        serving(asking) as port,
        program(shlex.split(starter.command), starter.folder, port) as process,
    ):
        figures = await asking.figures(process, WARM_UP_SECONDS, SECONDS)
        return figures | {"MB": resident_mb(process)}


def at_home(table: Table, bots: Sequence[str]) -> None:
    """Compare `arena play` with the load of the referee's benchmark."""
    with database() as url, tempfile.TemporaryDirectory() as folder:
        tokens = asyncio.run(register(url, STREAMS, "bot"))
        transcripts = Path(folder, "transcripts")
        _matches_a_second(bots, COUNTED_MATCHES, "--transcripts", str(transcripts))
        steps = [json.loads(line)["steps"] for line in transcripts.read_text().splitlines()]
        decisions = sum(step["actor"] != "dealer" for match in steps for step in match) / len(steps)

        def home() -> Figures:
            return {"decisions/s": _matches_a_second(bots, HOME_MATCHES) * decisions}

        with referee(url) as (port, _):
            playing = ("players", "play", port, MANY_MATCHES, SECONDS)

            def served() -> Figures:
                return {"decisions/s": measure(*playing, tokens=tokens)["per_second"]}

            arms = {f"arena play, {' against '.join(bots)}": home, "a referee": served}
            found = alternate(arms, ROUNDS)
    rates = [runs["decisions/s"] for runs in found.values()]
    for (name, runs), other in zip(found.items(), rates[::-1], strict=True):
        table.add({"": name}, runs, {"to the other": ratios(runs["decisions/s"], other)})


def _matches_a_second(bots: Sequence[str], matches: int, *more: str) -> float:
    """Return how many matches of Bluff a second `arena play` plays among starters."""
    commands = [str(STARTERS[bot].folder / STARTERS[bot].command) for bot in bots]
    said = arena("play", *commands, "-n", matches, "--json", *more)
    rate: float = json.loads(said)["matches_per_second"]
    return rate


if __name__ == "__main__":
    command(main)
