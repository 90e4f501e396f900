"""`arena backup` and `arena restore` with the built-in database, which asks for a password."""

from pathlib import Path

import pytest

from arena.database.embedded import EmbeddedPostgres
from arena.database.schema import migrate
from tests.commands.running import arena


@pytest.mark.slow
def test_an_arena_is_moved_to_another_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_DATABASE_URL", raising=False)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "old"))
    file = tmp_path / "arena.backup"
    found = arena("backup", file)
    assert (found.exit_code, "there is no arena in" in found.stderr) == (2, True)
    (tmp_path / "old").mkdir(mode=0o700)
    with EmbeddedPostgres(tmp_path / "old" / "postgres", durable=False) as url:
        migrate(url)
        found = arena("backup", file)
    assert (found.exit_code, found.stderr) == (0, "Writing the backup.\n")
    assert f"{file}: 0 bots, 0 owners, 0 matches, " in found.stdout
    assert "name another file, or give --force" in arena("backup", file).stderr
    missing = tmp_path / "missing"
    assert f"{missing} is no directory" in arena("backup", missing / "file").stderr
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "new"))
    assert "No such file" in arena("restore", missing).stderr
    assert not (tmp_path / "new").exists()
    found = arena("restore", file)
    assert (found.exit_code, "0 bots, 0 owners, 0 matches, as of" in found.stdout) == (0, True)
    assert "no rated match yet" in arena("leaderboard").stdout
    found = arena("restore", file)
    assert (found.exit_code, "There is an arena already" in found.stderr) == (2, True)
