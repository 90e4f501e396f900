"""What the `arena` command says where an extra of the package is missing."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

from arena.extras import MODULES, missing_extra

ROOT = Path(__file__).parents[1]


def names(requirements: list[str]) -> set[str]:
    """The distributions of requirements."""
    return {re.split(r"[\[>=<;]", requirement)[0] for requirement in requirements}


@pytest.mark.slow
def test_every_module_of_an_extra_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for of_no_command in ("fast", "llm"):
        assert len(extras.pop(of_no_command)) == 1
    assert list(extras) == list(MODULES)
    for extra, requirements in extras.items():
        # Each contains the one before it, and may bound what all need.
        wanted = names(requirements) - names(project["dependencies"]) - {project["name"]}
        brought = {
            module
            for module, distributions in packages_distributions().items()
            if wanted & {name.lower().replace("_", "-") for name in distributions}
            and not module.startswith("_")
            and "/" not in module  # a part of a package
        }
        assert brought == MODULES[extra], extra


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("numpy", ["rate", "results.jsonl"], "play"),
        ("cryptography", ["check", "--", "./bot"], "play"),
        ("structlog", ["play", "./bot", "honest"], "play"),
        ("networkx", ["tournament", "play"], "play"),
        ("pydantic_settings", ["tournament", "list"], "server"),
        ("sqlalchemy", ["verify", "an-id"], "server"),
        ("numpy", ["luck", "--missing"], "server"),
        ("structlog", ["up"], "dashboard"),
        ("structlog", ["up", "--no-dashboard"], "server"),
        ("streamlit", ["dashboard"], "dashboard"),
    ],
)
def test_the_extra_is_the_one_that_the_whole_command_needs(
    module: str, arguments: list[str], extra: str
) -> None:
    assert f"{module} is not installed" in str(missing_extra(module, arguments))
    assert f"'bluff-arena[{extra}]'" in str(missing_extra(module, arguments))


@pytest.mark.skipif("CI" not in os.environ, reason="who does not change it need not compile it")
def test_ci_has_the_compiled_core() -> None:
    assert find_spec("bluff_arena_fast"), "make fast needs cargo"


@pytest.mark.slow
def test_what_owners_ask_a_referee_needs_no_extra() -> None:
    blocked = sorted(set().union(*MODULES.values()))
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked!r}))\n"
        "import arena.clients.upload_client, arena.bot.challenging\n"
        "import arena.clients.results_client, arena.match.fault_steps\n"
        "import arena.clients.organiser_client, arena.server.events.roster_file\n"
        "from arena.cli import application\n"
        "for command in ('signup', 'login', 'submit', 'bot', 'challenge', 'event', 'messages',\n"
        "                'new-bot', 'bridge'):\n"
        "    application([command])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_referee_for_the_programs_of_a_command_needs_nothing_of_the_server() -> None:
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({sorted(MODULES['server'])!r}))\n"
        "import arena.local.programs.local_referee, arena.commands.home.play"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_up_without_the_pages_is_offered_where_only_they_are_missing() -> None:
    assert "`arena up --no-dashboard`" in str(missing_extra("streamlit", ["up"]))
    assert "--no-dashboard" not in str(missing_extra("streamlit", ["dashboard"]))


def test_who_lacks_the_server_learns_where_results_can_be_read() -> None:
    assert "pages of its dashboard" in str(missing_extra("sqlalchemy", ["matches"]))
    assert "pages of its dashboard" not in str(missing_extra("sqlalchemy", ["serve"]))


@pytest.mark.parametrize("command", ["tournament list", "key", "audit", "luck an-id", "matches"])
def test_who_lacks_the_server_learns_that_the_database_must_be_here(command: str) -> None:
    explained = "the database of an arena on this machine"
    assert explained in str(missing_extra("sqlalchemy", command.split()))
    assert explained not in str(missing_extra("sqlalchemy", ["up"]))


def test_a_module_that_no_extra_brings_is_not_explained() -> None:
    assert missing_extra("something_else", ["play"]) is None
