"""The proxy of docker-compose.yml, deploy/haproxy/haproxy.cfg, in front of two referees."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.certificates import NAME, Authority
from tests.end_to_end.programs import ROOT
from tests.free_port import free_port, free_ports_in_a_row
from tests.several_referees import BOTS, Referees, leave

pytestmark = pytest.mark.slow

CONFIGURATION = ROOT / "deploy" / "haproxy" / "haproxy.cfg"
REFEREES = 8
"""As many as the proxy knows."""


@dataclass(frozen=True)
class Proxy:
    """haproxy, which is told where the referees are, as Docker's name server would tell it."""

    port: int
    """Where bots come to whichever referee."""
    first: int
    """The first of the ports that lead to one referee each."""
    metrics: tuple[int, ...]
    """Of the referees."""
    certificate: Path | None = None
    """And its key, in one file: the proxy speaks TLS."""

    @property
    def address(self) -> str:
        return f"{self._scheme}127.0.0.1:{self.port}"

    @property
    def public_address(self) -> str:
        """What the referees are told."""
        return f"{self._scheme}127.0.0.1:{self.first}-{self.first + REFEREES - 1}"

    @property
    def _scheme(self) -> str:
        return "https://" if self.certificate else ""

    @contextlib.contextmanager
    def running(self, ports: list[int], folder: Path) -> Iterator[None]:
        """In front of referees at these ports."""
        text = CONFIGURATION.read_text()
        behind = "\n".join(
            f"    server referee{port} 127.0.0.1:{port} port {metrics}"
            for port, metrics in zip(ports, self.metrics, strict=True)
        )
        text, found = re.subn(r"^ *server-template referee 8 .*$", behind, text, flags=re.MULTILINE)
        assert found == 1 + REFEREES
        text = text.replace(" port 9464 init-addr none resolvers docker", "")
        text = text.replace("bind :50051", f"bind 127.0.0.1:{self.port}")
        for number in range(REFEREES):
            text = text.replace(f"bind :{50061 + number}", f"bind 127.0.0.1:{self.first + number}")
        (folder / "haproxy.cfg").write_text(text)
        tls = f"ssl crt {self.certificate} alpn h2" if self.certificate else ""
        with (folder / "haproxy.log").open("wb") as log:
            process = subprocess.Popen(
                ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")],
                env=os.environ | {"ARENA_PROXY_BIND": tls},
                stdout=log,
                stderr=log,
            )
        try:
            yield
            assert process.poll() is None, (folder / "haproxy.log").read_text()
        finally:
            process.kill()
            process.wait()


def require_haproxy() -> None:
    if shutil.which("haproxy") is None:
        assert "CI" not in os.environ, "CI must have haproxy"
        pytest.skip("haproxy is not installed")


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
    proxy = Proxy(
        free_port(), free_ports_in_a_row(REFEREES), (free_port(), free_port()), certificate
    )
    for metrics in proxy.metrics:
        referees.start(
            ARENA_HOST="0.0.0.0",
            ARENA_PUBLIC_ADDRESS=proxy.public_address,
            ARENA_METRICS_PORT=str(metrics),
        )
    ports = [int(address.rpartition(":")[2]) for address in referees.addresses]
    with proxy.running(ports, referees.home):
        bots = referees.start_bots(proxy.address)
        referees.until_all_play()
        leave(bots)


def test_bots_behind_the_proxy_play_at_all_referees_and_one_that_dies_costs_no_match(
    referees: Referees,
) -> None:
    require_haproxy()
    proxy = Proxy(free_port(), free_ports_in_a_row(REFEREES), (free_port(), free_port()))
    running = [
        referees.start(
            ARENA_HOST="0.0.0.0",  # as in a container: it has no address of its own
            ARENA_PUBLIC_ADDRESS=proxy.public_address,
            ARENA_METRICS_PORT=str(metrics),
        )
        for metrics in proxy.metrics
    ]
    ports = [int(address.rpartition(":")[2]) for address in referees.addresses]
    with proxy.running(ports, referees.home):
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
