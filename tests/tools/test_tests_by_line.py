"""Which test runs which line: what is measured, what is measured again, and what stays."""

import shutil
from pathlib import Path

import pytest

from tools.mutation.mutants import mutants_of
from tools.mutation.tests_by_line import READ_VALUES, TestsByLine, brought_up_to_date, load

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ONE = "tests/test_one.py::test_one"
TWO = "tests/test_two.py::test_two"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project of one module with two tests."""
    for folder in ("arena", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "arena/a.py").write_text("def one():\n    return 1\n\ndef two():\n    return 2\n")
    for name in ("one", "two"):
        test = f"from arena.a import {name}\n\ndef test_{name}():\n    assert {name}()\n"
        (tmp_path / f"tests/test_{name}.py").write_text(test)
    return tmp_path


def lines(known: TestsByLine) -> dict[int, list[str]]:
    return {line: tests for line, tests in known.lines["arena/a.py"].items() if tests}


def test_modules_of_tests_can_be_measured_one_after_another(tree: Path) -> None:
    known = brought_up_to_date(TestsByLine(), tree, ["tests/test_one.py"])
    assert lines(known) == {2: [ONE]}
    known = brought_up_to_date(known, tree, ["tests/test_two.py"])
    assert lines(known) == {2: [ONE], 5: [TWO]}
    known.save(tree / "map.json")
    assert load(tree / "map.json") == known


def test_a_changed_module_of_tests_is_measured_again_and_the_others_are_not(tree: Path) -> None:
    known = brought_up_to_date(TestsByLine(), tree, ["tests"])
    known.seconds[TWO] = 60
    module = tree / "tests/test_one.py"
    module.write_text(module.read_text().replace("test_one", "test_another"))
    known = brought_up_to_date(known, tree, ["tests"])
    assert lines(known) == {2: ["tests/test_one.py::test_another"], 5: [TWO]}
    assert known.seconds.keys() == {"tests/test_one.py::test_another", TWO}
    assert known.seconds[TWO] == 60


def test_all_is_measured_again_after_a_change_of_the_code(tree: Path) -> None:
    known = brought_up_to_date(TestsByLine(), tree, ["tests"])
    # Of another size: otherwise Python might load the compiled module of the same second.
    (tree / "arena/a.py").write_text("def two():\n    return 2\n\n\ndef one():\n    return 1\n")
    known = brought_up_to_date(known, tree, ["tests"])
    assert lines(known) == {6: [ONE], 2: [TWO]}


def test_a_value_that_is_set_at_import_is_tried_on_the_tests_that_read_values() -> None:
    found = mutants_of("arena/a.py", "def f():\n    return g()\n\nMOST = True\n")
    inside, at_import = found[0], found[-1]
    assert (inside.at_import, at_import.at_import) == (False, True)
    reads = f"{READ_VALUES[0]}::test_limits"
    known = TestsByLine({ONE: 1.0, reads: 2.0}, {"arena/a.py": {2: [ONE]}})
    assert known.of(at_import) == [reads, ONE]
    assert known.of(inside) == [ONE]


def test_tests_of_the_room_of_a_mutant_come_before_faster_ones_of_other_rooms() -> None:
    path = "arena/server/events/finals/draw.py"
    mutant = mutants_of(path, "def f():\n    return g()\n")[0]
    names = ("server/events/finals", "server/events", "server/ladder", "games/finals", "games")
    tests = [f"tests/{folder}/test_one.py::test_one" for folder in names]
    slower_first = {test: 9.0 - number for number, test in enumerate(tests)}
    known = TestsByLine(slower_first, {path: {2: tests}})
    assert known.of(mutant) == [*tests[:3], *tests[:2:-1]]
