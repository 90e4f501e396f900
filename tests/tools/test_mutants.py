"""The mutants of a module: which there are, and what is left alone."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from tools.mutation.mutants import Mutant, mutants_of
from tools.mutation.tests_by_line import BATCHES, TestsByLine

ROOT = Path(__file__).parents[2]
EQUIVALENT = tomllib.loads((ROOT / "tools/equivalent_mutants.toml").read_text()).get("mutant", [])


def becomes(source: str) -> set[str]:
    return {one.lines(source)[1] for one in mutants_of("a.py", source)}


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("a < b", {"a <= b", "a >= b", "pass"}),
        ("a == b", {"a != b", "pass"}),
        ("a is not b", {"a is b", "pass"}),
        ("(a) not in (b)", {"(a) in (b)", "pass"}),
        ("a and b or c", {"a or b or c", "a and b and c", "pass"}),
        ("a = not b", {"a = (b)"}),
        ("a = b + 1", {"a = b - 1", "a = b + 0", "a = b + 2"}),
        ("a = b // c ** d", {"a = b * c ** d", "a = b // c * d"}),
        ("a += b", {"a -= b", "pass"}),
        ("a = True", {"a = False"}),
        ("a.b = c", {"pass"}),
        ("a = b if c else d", {"a = b if (not (c)) else d"}),
        ("a = [b for b in c if d(b)]", {"a = [b for b in c if (not (d(b)))]"}),
        ("raise a", {"pass"}),
        ("a = 'ä' < b", {"a = 'ä' <= b", "a = 'ä' >= b"}),
    ],
    ids=lambda value: value if isinstance(value, str) else " or ".join(sorted(value)),
)
def test_every_kind_of_mistake_is_made(line: str, mutants: set[str]) -> None:
    assert becomes(f"{line}\n") == mutants


def test_what_a_function_returns_is_forgotten_once() -> None:
    source = "def f(a):\n    return a\ndef g():\n    return None\ndef h():\n    return\n"
    assert becomes(source) == {"return None"}
    assert [one.where for one in mutants_of("a.py", source)] == ["f"]


@pytest.mark.parametrize(
    "text",
    [
        '"""Words about 1 < 2."""',
        "a: Literal[1]",
        "def f(a: Literal[1]) -> Literal[2]:\n    pass",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "assert a < 1",
        "log.warning('late', by=1)",
        "a = f'{b + 1}'",
        "from .. import a",
        "assert_never(1)",
    ],
    ids=str,
)
def test_words_types_and_logs_are_left_alone(text: str) -> None:
    assert mutants_of("a.py", f"{text}\n") == []


def test_a_mutant_changes_one_place_and_nothing_else() -> None:
    source = "def f(a, b):\n    if a < b:  # a < b\n        return a\n    return b\n"
    (mutant,) = (one for one in mutants_of("a.py", source) if one.replacement == "<=")
    assert mutant.applied(source) == source.replace("a < b:", "a <= b:")
    assert (mutant.where, mutant.line, mutant.at_import) == ("f", 2, False)


@pytest.mark.parametrize(
    "source", ["a = 1", "@cache\ndef f():\n    return 1", "def f(a=1): ..."], ids=str
)
def test_what_runs_once_for_all_tests_is_known(source: str) -> None:
    assert {one.at_import for one in mutants_of("a.py", f"{source}\n")} == {True}


@cache
def mutants_in(path: str) -> set[tuple[str, str, str]]:
    """Where each mutant of a file is, the line, and what it becomes."""
    source = (ROOT / path).read_text()
    return {(one.where, *one.lines(source)) for one in mutants_of(path, source)}


@pytest.mark.slow
@pytest.mark.parametrize("one", EQUIVALENT, ids=lambda one: f"{one['path']}: {one['becomes']}")
def test_every_equivalent_mutant_is_still_one(one: dict[str, str]) -> None:
    assert (one["where"], one["was"], one["becomes"]) in mutants_in(one["path"])
    assert one["why"]


def line_2(path: str, at_import: bool = False) -> Mutant:
    return Mutant(path, "f", "constant", 2, 2, 0, 1, "", at_import)


def test_the_tests_of_a_line_come_first_and_the_fastest_of_them() -> None:
    known = TestsByLine(
        seconds={"slow": 3, "fast": 1, "other": 0.5, "failed elsewhere": 1},
        lines={"arena/a.py": {2: ["slow", "fast", "unknown"], 3: ["other", "slow"]}},
    )
    assert known.of(line_2("arena/a.py")) == ["fast", "slow", "other"]


def test_what_only_programs_run_is_left_to_the_tests_of_its_package() -> None:
    tests = ["tests/a/test_it.py::test", "tests/b/test_it.py::test", "tests/end_to_end/t.py::test"]
    known = TestsByLine(seconds=dict.fromkeys(tests, 1.0))
    for at_import in (False, True):
        assert known.of(line_2("arena/a/c.py", at_import)) == [tests[0], tests[2]]


def test_what_runs_as_a_module_is_imported_is_left_to_the_tests_of_the_module() -> None:
    known = TestsByLine(seconds={"one": 1.0, "other": 1.0}, lines={"arena/a.py": {3: ["one"]}})
    assert known.of(line_2("arena/a.py", at_import=True)) == ["one"]


def test_batches_of_kits_are_tried_first_on_the_test_that_runs_them_as_a_program() -> None:
    known = TestsByLine(seconds={"tests/games/test_a.py::test": 1.0, f"{BATCHES}::test": 9.0})
    found = known.of(line_2("arena/games/bluff/kit/batch_views.py"))
    assert found == [f"{BATCHES}::test", "tests/games/test_a.py::test"]
