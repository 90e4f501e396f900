"""A map from lines to the tests that run them, with durations, measured once and kept in a file.

If only test modules changed since, these are measured again; after any other change, all are. A run
may ask for some tests only; what it measures is added, so packages can be measured one by one.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import pytest
from coverage import CoverageData

from tools.mutation.mutants import Mutant
from tools.mutation.recorder import DURATIONS

LEFT_OUT = (
    *("tests/browser", "tests/test_docs.py"),
    *("tests/games/test_bluff_solved.py", "tests/rating/test_coverage.py"),
    "tests/rating/test_luck_column.py::test_on_a_ladder_just_old_enough",
    "tests/rating/test_sprt.py::test_a_better_version_is_missed_at_most",
    "tests/rating/test_sprt.py::test_equal_bots_are_called_better_at_most",
)
"""Prefixes of the ids of tests that take too long, or do not test the rules or the referee."""
READ_VALUES = (
    "tests/test_documented_limits.py",
    "tests/database/test_schema.py::test_the_migrations_make_exactly_the_tables",
)
"""Tests that read constants and table definitions, and run no line of the modules with these."""
BATCHES = "tests/games/test_batches.py"
"""Tests that run the batches of kits in a program of their own, where no lines are seen."""


@dataclass
class TestsByLine:
    """The result of a measurement."""

    __test__ = False  # pytest would take the class for a test because of its name

    seconds: dict[str, float] = field(default_factory=dict)
    """The duration by test; only tests that pass."""
    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    """Tests by path and line."""
    digests: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the measured test modules, and of all other code, by path."""

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that may notice a mutant, the likeliest and fastest first.

        First the tests that run its lines, then those that run other lines of its module, because
        with caches only the first test computes a value; in each group, tests of the module's own
        folders first. If no test process runs the lines, or the module only runs before the first
        test: all tests of the package, and those that start programs. For a value that is set at
        import, first the tests that read such values; for batches of kits, those that run them.
        """
        by_line = self.lines.get(mutant.path, {})
        of_module = {test for tests in by_line.values() for test in tests}
        own = {
            test
            for line in range(mutant.line, mutant.end_line + 1)
            for test in by_line.get(line, ())
        }
        if not own and not (mutant.at_import and of_module):
            package = mutant.path.split("/")[1].removesuffix(".py")
            folders = (f"tests/{package}/", f"tests/test_{package}", "tests/end_to_end/")
            own = {test for test in self.seconds if test.startswith(folders)}
        readers = {test for test in self.seconds if test.startswith(READ_VALUES)}
        first = readers if mutant.at_import else set()
        if "/kit/batch" in mutant.path:
            first = first | {test for test in self.seconds if test.startswith(BATCHES)}
        groups = (first, own - first, of_module - own - first)

        def key(test: str) -> tuple[int, float, str]:
            return -_shared_folders(test, mutant.path), self.seconds[test], test

        return [test for group in groups for test in sorted(group & self.seconds.keys(), key=key)]

    def save(self, path: Path) -> None:
        """Write the measurement to a file as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.__dict__))


def _shared_folders(test: str, module: str) -> int:
    """Return how many folders the path of a test shares with that of a module, from the first."""
    folders = (path.split("/")[1:-1] for path in (test, module))
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*folders, strict=False)))


def load(path: Path) -> TestsByLine:
    """The measurement saved by an earlier run; an empty one if there is none."""
    if not path.exists():
        return TestsByLine()
    kept = TestsByLine(**json.loads(path.read_text()))
    kept.lines = {
        name: {int(line): tests for line, tests in by_line.items()}
        for name, by_line in kept.lines.items()
    }
    return kept


def brought_up_to_date(
    kept: TestsByLine, tree: Path, tests: Sequence[str], *, slow: bool = False
) -> TestsByLine:
    """The measurement for a copy of the project; only what changed since `kept` is measured.

    `tests` are the folders and modules whose tests it must include; with `slow`, those marked slow
    as well.
    """
    digests = {
        str(path.relative_to(tree)): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("arena", "tests", "sample_bots")
        for path in sorted((tree / folder).rglob("*.py"))
    }
    others = {path: digest for path, digest in digests.items() if not _is_test(path)}
    if others != {path: digest for path, digest in kept.digests.items() if not _is_test(path)}:
        kept = TestsByLine(digests=others)
    _forget(kept, {path for path in kept.digests if kept.digests[path] != digests.get(path)})
    missing = [
        path
        for path in sorted(digests.keys() - kept.digests.keys())
        if path.startswith(tuple(tests)) and not path.startswith(LEFT_OUT)
    ]
    if missing:
        _measure(kept, tree, missing, slow=slow)
        kept.digests |= {path: digests[path] for path in missing}
    return kept


def _is_test(path: str) -> bool:
    return Path(path).name.startswith("test_")


def _forget(kept: TestsByLine, modules: set[str]) -> None:
    def stays(test: str) -> bool:
        return test.partition("::")[0] not in modules

    kept.digests = {path: digest for path, digest in kept.digests.items() if path not in modules}
    kept.seconds = {test: taken for test, taken in kept.seconds.items() if stays(test)}
    for by_line in kept.lines.values():
        for line, tests in by_line.items():
            by_line[line] = [test for test in tests if stays(test)]


def _measure(kept: TestsByLine, tree: Path, modules: Sequence[str], *, slow: bool) -> None:
    """Run tests of modules under coverage.py, and add their lines.

    With all slow ones it would take hours; a mutant that only these kill counts as survived.
    """
    data, durations = tree / ".coverage", tree / ".durations.json"
    data.unlink(missing_ok=True)
    print(f"Measuring which test of {len(modules)} modules runs which line", flush=True)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "coverage", "run", f"--data-file={data}", "--source=arena"),
            *("--concurrency=thread,greenlet", "-m", "pytest", "-p", "tools.mutation.recorder"),
            *("-q", "-n0", "-m", "not system" if slow else "not slow", "-o", "timeout=600"),
            *(f"--deselect={test}" for test in LEFT_OUT),
            *modules,
        ],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "CI": "true", DURATIONS: str(durations)},
    )
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"The tests were not measured: pytest ended with code {done.returncode}.")
    add(kept, tree, data, durations)


def add(kept: TestsByLine, tree: Path, data: Path, durations: Path) -> None:
    """Add the output of coverage.py and of the recorder."""
    kept.seconds |= json.loads(durations.read_text())
    measured = CoverageData(str(data))
    measured.read()
    for name in measured.measured_files():
        by_line = kept.lines.setdefault(str(Path(name).relative_to(tree)), {})
        tests_by_line = defaultdict(list, by_line)
        for line, contexts in measured.contexts_by_lineno(name).items():
            tests_by_line[line] += [test for test in contexts if test]
        by_line.update(tests_by_line)
