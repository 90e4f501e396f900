"""`arena run`: plays the experiment of a file into a folder; the same command resumes it."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.table import Table

from arena.commands.errors import CommandError
from arena.commands.experiments.experiment import Experiment, read_experiment
from arena.commands.experiments.figures import experiment_figures, write_figures
from arena.commands.experiments.folder import ExperimentFolder, append, hash_of
from arena.commands.experiments.pairings import (
    LOOK_MATCHES,
    PairingTally,
    SeededPairing,
    precise_enough,
    rows_of,
)
from arena.commands.home.line_up import check_seats, entries
from arena.commands.jobs_option import Cluster, Jobs, check_cluster, where_of
from arena.commands.options import time_control
from arena.commands.progress import Advance, progress
from arena.commands.terminal import Terminal, say, say_json
from arena.games import make_game
from arena.games.game import AnyGame
from arena.local.bot_modules import BotFileError
from arena.local.deal_blocks import Series
from arena.local.loading import settings_and_bot
from arena.local.playing import PlaySeries, playing

Key: TypeAlias = tuple[str, str, str]
"""A pairing's bot, opponents and seed."""


def run(
    file: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="A .toml file: docs/experiments.md.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where everything goes; else beside the file."),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Play an experiment into a folder: configuration, versions, matches, results, figures.

    The same command goes on after Ctrl-C, and repeats the experiment in a new folder.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}.") from error
    experiment = read_experiment(text, file)
    rules = make_game(experiment.game, experiment.options)
    control = time_control(experiment.time)
    check_seats(experiment.seats, rules)
    pairings = _pairings(experiment, rules, file.parent)
    programs = any(entry.command for one in pairings for entry in one.entries)
    if programs and experiment.same_deals:
        raise CommandError("A program cannot play a deal twice: set same_deals = false.")
    check_cluster(cluster, programs=programs)
    folder = ExperimentFolder(out or file.with_suffix(""))
    folder.open(text, _hashes(pairings))
    logs = folder.path / "logs" if programs else None
    if logs is not None:
        logs.mkdir(exist_ok=True)
    total = len(pairings) * experiment.stop.matches
    by_key = {pairing.key: _PairingProgress(PairingTally(pairing)) for pairing in pairings}
    for rows in folder.blocks():
        by_key[rows[0]["bot"], rows[0]["opponents"], rows[0]["seed"]].add(experiment, rows)
    try:
        with (
            where_of(jobs, cluster, logs, if_it_pays=jobs is None) as where,
            progress(total, "Playing") as advance,
        ):
            advance(sum(one.tally.rates.matches for one in by_key.values()))
            for current in by_key.values():
                if current.over(experiment):
                    continue
                pairing = current.tally.pairing
                lineups = len(pairing.lineups)
                with playing(rules, pairing.entries, lineups, where, control) as play:
                    _play_out(experiment, current, folder, play, advance)
    except KeyboardInterrupt:
        say("Stopped. The same command goes on where it was.", err=True)
        raise
    results = _results(experiment, by_key, folder)
    folder.write("results.json", results)
    drawn = write_figures(folder.path / "figures", experiment_figures(results["pairings"]))
    if as_json:
        say_json(results)
    else:
        _print(results)
        say(f"Everything is in {folder.path}.")
    if not drawn:
        say("Without PNG files: they need `pip install 'bluff-arena[figures]'`.", err=True)


def _pairings(experiment: Experiment, rules: AnyGame, beside: Path) -> list[SeededPairing]:
    """Return all pairings; files of bots are looked for beside the experiment's file.

    Raises CommandError.
    """

    def located(word: str) -> str:
        _, bot = settings_and_bot(word)
        path = beside / bot
        is_beside = path.suffix == ".py" and path.is_file()
        return f"{word.removesuffix(bot)}{path}" if is_beside else word

    pairings = []
    for table in experiment.opponents:
        opponents = experiment.name_of(table)
        for bot in experiment.bots:
            words = (bot, *experiment.others(table))
            try:
                named = tuple(entries([located(word) for word in words], rules))
            except BotFileError as error:
                raise CommandError(str(error)) from error
            pairings += [
                SeededPairing(words, opponents, seed, named, experiment.same_deals)
                for seed in experiment.seeds
            ]
    return pairings


def _hashes(pairings: Sequence[SeededPairing]) -> dict[str, str]:
    """Return the hash of each bot, as the experiment's file names it."""
    named = [each for one in pairings for each in zip(one.words, one.entries, strict=True)]
    return {word: hash_of(entry) for word, entry in sorted(dict(named).items())}


@dataclass(slots=True)
class _PairingProgress:
    """How far a pairing is."""

    tally: PairingTally
    looks: list[dict[str, Any]] = field(default_factory=list)
    """The numbers at each look at the interval."""
    blocks: int = 0
    stopped: bool = False
    """Whether the interval was narrow enough at the last look."""

    def add(self, experiment: Experiment, rows: Sequence[dict[str, Any]]) -> None:
        """Count a block."""
        self.tally.add(rows)
        self.blocks += 1
        if self.blocks % _look(self.tally.pairing) == 0:
            self.looks.append(_numbers(self.tally))
            self.stopped = precise_enough(experiment, self.tally)

    def over(self, experiment: Experiment) -> bool:
        """Return whether all is played."""
        return self.stopped or self.tally.rates.matches >= experiment.stop.matches


def _look(pairing: SeededPairing) -> int:
    """Return the number of blocks from one look to the next."""
    return max(1, LOOK_MATCHES // len(pairing.lineups))


def _play_out(
    experiment: Experiment,
    current: _PairingProgress,
    folder: ExperimentFolder,
    play: PlaySeries,
    advance: Advance,
) -> None:
    """Play the rest of a pairing; look by look if the interval may end it early."""
    pairing = current.tally.pairing
    size, look = len(pairing.lineups), _look(pairing)
    most = -(-experiment.stop.matches // size)
    with folder.matches.open("a", encoding="utf-8") as file:
        while not current.over(experiment):
            one_go = experiment.stop.half_width is None
            end = most if one_go else min(most, (current.blocks // look + 1) * look)
            series = Series(pairing.lineups, pairing.deals, end, first=current.blocks)
            with closing(play([series])) as blocks:
                for played in blocks:
                    rows = rows_of(pairing, current.blocks, played)
                    append(file, rows)
                    current.add(experiment, rows)
                    advance(size)
            file.flush()


def _results(
    experiment: Experiment, progress: Mapping[Key, _PairingProgress], folder: ExperimentFolder
) -> dict[str, Any]:
    """Return the results: by bot and opponents, over all seeds."""
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    tallies: dict[tuple[str, str], PairingTally] = {}
    for (bot, opponents, seed), one in progress.items():
        tallies.setdefault((bot, opponents), PairingTally(one.tally.pairing))
        line = lines.setdefault((bot, opponents), {"bot": bot, "opponents": opponents})
        end = _numbers(one.tally)
        looks = one.looks if end in one.looks else [*one.looks, end]
        line.setdefault("seeds", []).append({"seed": seed, **end, "looks": looks})
    for rows in folder.blocks():
        tallies[rows[0]["bot"], rows[0]["opponents"]].add(rows)
    for key, line in lines.items():
        rate = tallies[key].rate
        line |= _numbers(tallies[key])
        line |= {"mean_placing": round(rate.mean_placing, 6), "faults": rate.faults}
    return {
        "experiment": experiment.model_dump(mode="json"),
        "interval": "95 %, Wilson's, a deal block being one cluster"
        if experiment.same_deals
        else "95 %, Wilson's",
        "pairings": list(lines.values()),
    }


def _numbers(tally: PairingTally) -> dict[str, Any]:
    rate = tally.rate
    low, high = rate.interval
    return {
        "matches": tally.rates.matches,
        "share": round(rate.share, 6),
        "low": round(low, 6),
        "high": round(high, 6),
    }


def _print(results: dict[str, Any]) -> None:
    table = Table("bot", "opponents")
    for heading in ("matches", "won", "95 % interval", "faults"):
        table.add_column(heading, justify="right")
    for one in results["pairings"]:
        interval = f"{one['low']:.1%} to {one['high']:.1%}"
        numbers = (f"{one['matches']:,}", f"{one['share']:.1%}", interval, f"{one['faults']:,}")
        table.add_row(one["bot"], one["opponents"], *numbers)
    Terminal().print_table(table)
