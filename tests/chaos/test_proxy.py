"""The proxy of docker-compose.yml, deploy/haproxy/haproxy.cfg, in front of two referees."""

import subprocess
from pathlib import Path

import pytest

from tests.certificates import NAME, Authority
from tests.free_port import free_port
from tests.haproxy import CONFIGURATION, Proxy, require_haproxy
from tests.several_referees import BOTS, Referees, leave

pytestmark = pytest.mark.slow


def test_the_configuration_is_valid() -> None:
    require_haproxy()
    done = subprocess.run(["haproxy", "-c", "-f", CONFIGURATION], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_behind_a_proxy_that_speaks_tls_bots_play_at_all_referees(
    referees: Referees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_haproxy()
    authority = Authority(tmp_path)
    issued = authority.issue(NAME)
    certificate = tmp_path / "proxy.pem"
    certificate.write_bytes(issued.cert.read_bytes() + issued.key.read_bytes())
    monkeypatch.setenv("ARENA_CA", str(authority.cert))
    monkeypatch.setenv("ARENA_SERVER_NAME", NAME)
    proxy = Proxy(certificate=certificate)
    metrics = [free_port(), free_port()]
    for port in metrics:
        referees.start(
            ARENA_HOST="0.0.0.0",
            ARENA_PUBLIC_ADDRESS=proxy.public_address,
            ARENA_METRICS_PORT=str(port),
        )
    ports = [int(address.rpartition(":")[2]) for address in referees.addresses]
    with proxy.running(ports, referees.home, metrics=metrics):
        bots = referees.start_bots(proxy.address)
        referees.until_all_play()
        leave(bots)


def test_bots_behind_the_proxy_play_at_all_referees_and_one_that_dies_costs_no_match(
    referees: Referees,
) -> None:
    require_haproxy()
    proxy = Proxy()
    metrics = [free_port(), free_port()]
    running = [
        referees.start(
            ARENA_HOST="0.0.0.0",  # as in a container: it has no address of its own
            ARENA_PUBLIC_ADDRESS=proxy.public_address,
            ARENA_METRICS_PORT=str(port),
        )
        for port in metrics
    ]
    ports = [int(address.rpartition(":")[2]) for address in referees.addresses]
    with proxy.running(ports, referees.home, metrics=metrics):
        bots = referees.start_bots(proxy.address)
        referees.until_all_play()
        kept = "SELECT id FROM running_matches"
        referees.until(lambda: referees.ids(kept), "nothing is kept")
        at_play = referees.ids(kept)
        running[0].kill()
        referees.until_taken_over()
        at_play |= referees.ids(kept)
        referees.until_all_play()
        # One that comes gets the address that is free again, and places of all bots.
        referees.start(
            ARENA_HOST="0.0.0.0",
            ARENA_PUBLIC_ADDRESS=proxy.public_address,
        )
        told = "SELECT address FROM leases"
        assert referees.ids(told) == {f"127.0.0.1:{proxy.first + n}" for n in range(2)}
        assert [bot.poll() for bot in bots] == [None] * BOTS, referees.said()
        leave(bots)
    referees.check(at_play)
