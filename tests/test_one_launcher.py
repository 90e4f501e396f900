"""Only `arena.processes` starts processes: every child gets the same environment, group and end."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("arena", "dashboard/arena_dashboard", "sample_bots/python")
HERE = ROOT / "arena/processes"
STAGE = ROOT / "arena/worker/stage.py"
"""Executes a program in place of itself, within the sandbox."""
STARTERS = {
    *("subprocess", "pty", "_posixsubprocess"),
    *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
    *("fork", "forkpty", "system", "popen", "posix_spawn", "posix_spawnp"),
    *(f"{kind}{how}" for kind in ("exec", "spawn") for how in ("l", "le", "lp", "lpe")),
    *(f"{kind}{how}" for kind in ("exec", "spawn") for how in ("v", "ve", "vp", "vpe")),
    *("get_context", "Pool", "set_start_method", "forkserver"),
}
"""Modules and functions of the standard library that start processes."""


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=imported):
                yield from ((node.lineno, one.name) for one in imported)
            case ast.ImportFrom(module=module, names=imported):
                yield node.lineno, module or ""
                yield from ((node.lineno, one.name) for one in imported)
            case ast.Attribute(attr=name):
                yield node.lineno, name


@pytest.mark.slow
def test_nothing_else_starts_a_process() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for folder in SOURCES
        for file in sorted((ROOT / folder).rglob("*.py"))
        if HERE not in file.parents and file != STAGE
        for line, name in names(ast.parse(file.read_text(encoding="utf-8")))
        if name.partition(".")[0] in STARTERS
    ]
    assert found == []


@pytest.mark.slow
def test_no_module_is_started_by_an_option_that_looks_into_the_working_directory() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for folder in SOURCES
        for file in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.List | ast.Tuple)
        and any(isinstance(one, ast.Constant) and one.value == "-m" for one in node.elts)
        and "executable" in ast.unparse(node)
    ]
    assert found == []
