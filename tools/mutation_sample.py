"""Tests a random sample of mutants and reports those that survive.

    python -m tools.mutation_sample --count 200 --seed 1
    python -m tools.mutation_sample arena/match/clock.py --count 50 --json .mutation/clock.json
    python -m tools.mutation_sample --again .mutation/clock.json   # those that survived

Every mutant is tried in a copy of the project, on the quick tests that run its lines.

Why not mutmut or cosmic-ray: mutmut 3 does not change properties, other decorated functions and
module-level values, which are half of the rules' data and all context managers; it draws no sample.
cosmic-ray runs one command for all mutants of a session, so the choice of tests would still be our
code, and it removes no statements. coverage.py does the rest.
"""

import argparse
import difflib
import json
import random
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from tools.mutation.mutants import Mutant, mutants_of
from tools.mutation.tests_by_line import TestsByLine, brought_up_to_date, load
from tools.mutation.trial import Outcome, Trial, copy_of_project, try_all

ROOT = Path(__file__).parents[1]
PACKAGES = ("games", "match", "rating", "scheduling", "server")
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.toml"


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw a sample, try it, and print the report."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # also remove the copies on SIGTERM
    sources = dict(_sources(options.paths))
    everything = [one for path, text in sources.items() for one in mutants_of(path, text)]
    equivalent = _equivalent(EQUIVALENT)
    if options.again:
        survivors = _survivors(options.again)
        sample = [one for one in everything if _key(one, sources) in survivors]
    else:
        count = min(options.count, len(everything))
        sample = random.Random(options.seed).sample(everything, count)
    asked = [one for one in sample if _key(one, sources) not in equivalent]
    with ExitStack() as stack:
        trees = [stack.enter_context(copy_of_project(ROOT)) for _ in range(options.jobs)]
        known = brought_up_to_date(load(options.map), trees[0], options.tests, slow=options.slow)
        known.save(options.map)
        of = "that survived" if options.again else f"of {len(everything)}, seed {options.seed}"
        print(f"{len(sample)} mutants {of}", flush=True)
        trials = _tried(asked, sources, known, trees, options.seconds)
    done = {one.mutant for one in trials} | (set(sample) - set(asked))
    _print_table(trials, Counter(_package(one) for one in sample if one in done))
    if options.json:
        report = [_as_json(one, sources[one.mutant.path]) for one in trials]
        options.json.write_text(json.dumps(report, indent=1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = [Path("arena", package) for package in PACKAGES]
    parser.add_argument("paths", nargs="*", type=Path, default=default, help="folders or files")
    parser.add_argument("--count", type=int, default=100, help="mutants to try (100)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed, the same sample (1)")
    parser.add_argument("--again", type=Path, help="try the survivors in this file of --json")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried at the same time (1)")
    parser.add_argument(
        "--seconds", type=float, default=60, help="tests to run on a mutant, by their time (60)"
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        default=["tests"],
        help="folders or modules of tests to measure, besides those measured before (tests)",
    )
    parser.add_argument("--slow", action="store_true", help="measure tests marked slow as well")
    parser.add_argument(
        "--map",
        type=Path,
        default=ROOT / ".mutation" / "tests_by_line.json",
        help="where it is kept which test runs which line",
    )
    parser.add_argument("--json", type=Path, help="write all outcomes to this file")
    return parser


def _sources(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The modules to change, by path, except migrations, which no longer change."""
    for path in paths:
        found = sorted((ROOT / path).rglob("*.py")) or [ROOT / path]
        for file in found:
            if not file.is_file():
                sys.exit(f"{path} is neither a Python file nor a folder with any.")
            if "migrations" not in file.parts:
                yield str(file.relative_to(ROOT)), file.read_text()


def _key(mutant: Mutant, sources: dict[str, str]) -> tuple[str, ...]:
    return (mutant.path, mutant.where, *mutant.lines(sources[mutant.path]))


def _equivalent(path: Path) -> set[tuple[str, ...]]:
    """The known equivalent mutants; the file has a reason for each."""
    known = tomllib.loads(path.read_text()).get("mutant", [])
    for one in known:
        if not one["why"]:
            sys.exit(f"{path} does not say why this one is equivalent: {one}")
    return {(one["path"], one["where"], one["was"], one["becomes"]) for one in known}


def _survivors(path: Path) -> set[tuple[str, ...]]:
    return {
        (one["path"], one["where"], one["was"], one["becomes"])
        for one in json.loads(path.read_text())
        if one["outcome"] == Outcome.SURVIVED
    }


def _tried(
    mutants: Sequence[Mutant],
    sources: dict[str, str],
    known: TestsByLine,
    trees: Sequence[Path],
    seconds: float,
) -> list[Trial]:
    """All trials, each printed as it ends; after Ctrl-C, those that have ended."""
    done: list[Trial] = []
    trials = try_all(mutants, trees, lambda one: _within(seconds, known.of(one), known))
    with suppress(KeyboardInterrupt), closing(trials):
        for trial in trials:
            done.append(trial)
            mutant = trial.mutant
            print(
                f"{len(done):4}/{len(mutants)} {trial.outcome:9} {mutant.path}:{mutant.line}"
                f" {mutant.operator} ({trial.tests} tests, {trial.seconds:.1f} s) {trial.failed}",
                flush=True,
            )
            if trial.outcome is Outcome.SURVIVED:
                print(_diff(mutant, sources[mutant.path]), flush=True)
    return done


def _within(seconds: float, tests: Sequence[str], known: TestsByLine) -> tuple[list[str], float]:
    """The first tests that fit in `seconds`, at least one, and the seconds that they take."""
    chosen: list[str] = []
    taken = 0.0
    for test in tests:
        if chosen and taken + known.seconds[test] > seconds:
            break
        chosen.append(test)
        taken += known.seconds[test]
    return chosen, taken


def _package(mutant: Mutant) -> str:
    """The package of a mutant; in the server, the package within it."""
    _, package, room, *_ = [*mutant.path.split("/"), ""]
    return room if package == "server" else package.removesuffix(".py")


def _diff(mutant: Mutant, source: str) -> str:
    lines = difflib.unified_diff(
        source.splitlines(keepends=True),
        mutant.applied(source).splitlines(keepends=True),
        f"a/{mutant.path}",
        f"b/{mutant.path}",
        n=2,
    )
    return "".join(lines)


def _print_table(trials: Sequence[Trial], sampled: Counter[str]) -> None:
    print(f"{'package':12} {'sampled':>8} {'equivalent':>11} {'killed':>9} {'':>7}")
    tried, killed = Counter[str](), Counter[str]()
    for trial in trials:
        tried[_package(trial.mutant)] += 1
        killed[_package(trial.mutant)] += trial.outcome is not Outcome.SURVIVED
    sampled["all"], tried["all"], killed["all"] = sampled.total(), tried.total(), killed.total()
    for package, count in sampled.items():
        of = tried[package]
        share = f"{killed[package] / of:.1%}" if of else "–"
        done = f"{killed[package]}/{of}"
        print(f"{package:12} {count:8} {count - of:11} {done:>9} {share:>7}")


def _as_json(trial: Trial, source: str) -> dict[str, object]:
    was, becomes = trial.mutant.lines(source)
    return {
        "path": trial.mutant.path,
        "line": trial.mutant.line,
        "where": trial.mutant.where,
        "operator": trial.mutant.operator,
        "was": was,
        "becomes": becomes,
        "outcome": str(trial.outcome),
        "failed": trial.failed,
        "tests": trial.tests,
        "seconds": round(trial.seconds, 1),
        "diff": _diff(trial.mutant, source),
    }


if __name__ == "__main__":
    main()
