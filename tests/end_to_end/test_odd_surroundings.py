"""`arena up` where variables, files and configuration of others lie about."""

import socket
from pathlib import Path

import pytest

from tests.end_to_end.programs import FEW_BOTS, program
from tests.free_port import free_port
from tests.littered import littered

NOBODY = "http://127.0.0.1:9"
PROXIES = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")
ODD = {
    **{name: NOBODY for one in PROXIES for name in (one, one.upper())},
    "no_proxy": "",
    "NO_PROXY": "corp.example",
    "PGHOSTADDR": "192.0.2.1",
    "PGHOST": "192.0.2.1",
    "PGPORT": "9",
    "PGSERVICE": "none",
    "PGSSLMODE": "verify-full",
    "PGTZ": "Mars/Base",
    "PGOPTIONS": "-c nonsense=1",
    "PGSERVICEFILE": "/nowhere",
    "PGPASSFILE": "/nowhere",
    "PGCLIENTENCODING": "LATIN1",
    "PGTARGETSESSIONATTRS": "standby",
    "PGREQUIREAUTH": "none",
    "PGDATESTYLE": "German",
    "PGGSSENCMODE": "require",
    "PGCONNECT_TIMEOUT": "x",
    "PGDATA": "/nowhere",
    "STREAMLIT_SERVER_BASE_URL_PATH": "elsewhere",
}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "[::1]"])
def test_an_arena_plays_in_odd_surroundings(home: Path, tmp_path: Path, host: str) -> None:
    if ":" in host and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    folder = tmp_path / "littered"
    folder.mkdir()
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit/config.toml").write_text('[server]\nbaseUrlPath = "elsewhere"\n')
    ports = ("--port", "0", "--dashboard-port", str(free_port()))
    words = ("up", *FEW_BOTS, *ports, "--stop-after", "4")
    with program(home, *words, cwd=littered(folder), ARENA_HOST=host, **ODD) as arena:
        assert arena.ended() == 0
        assert "ended with code" not in arena.complained
        assert "Stopped: " in arena.said
