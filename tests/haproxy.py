"""The proxy of docker-compose.yml, deploy/haproxy/haproxy.cfg, in front of referees of tests."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.end_to_end.programs import PATIENCE, ROOT
from tests.free_port import free_port, free_ports_in_a_row

CONFIGURATION = ROOT / "deploy" / "haproxy" / "haproxy.cfg"
REFEREES = 8
"""The number of referees that the proxy knows."""


def require_haproxy() -> None:
    if shutil.which("haproxy") is None:
        assert "CI" not in os.environ, "CI must have haproxy"
        pytest.skip("haproxy is not installed")


@dataclass(frozen=True)
class Proxy:
    """haproxy, which is told where the referees are, as Docker's name server would tell it."""

    port: int = field(default_factory=free_port)
    """The port at which bots reach any of the referees."""
    first: int = field(default_factory=lambda: free_ports_in_a_row(REFEREES))
    """The first of the ports that lead to one referee each."""
    certificate: Path | None = None
    """A file with a certificate and its key, with which the proxy speaks TLS."""

    @property
    def address(self) -> str:
        return f"{self._scheme}127.0.0.1:{self.port}"

    @property
    def public_address(self) -> str:
        """The public address in the referees' settings."""
        return f"{self._scheme}127.0.0.1:{self.first}-{self.first + REFEREES - 1}"

    @property
    def _scheme(self) -> str:
        return "https://" if self.certificate else ""

    @contextlib.contextmanager
    def running(
        self, ports: Sequence[int], folder: Path, *, metrics: Sequence[int] = (), secret: str = ""
    ) -> Iterator[None]:
        """Run in front of referees at these ports; the block begins once it listens. Without their
        ports of `metrics` all count as live. `secret` is their ARENA_DASHBOARD_SECRET."""
        (folder / "haproxy.cfg").write_text(self._configuration(ports, metrics))
        environment = {"ARENA_DASHBOARD_SECRET": secret} if secret else {}
        if self.certificate:
            environment["ARENA_PROXY_BIND"] = f"ssl crt {self.certificate} alpn h2"
        with (folder / "haproxy.log").open("wb") as log:
            process = subprocess.Popen(
                ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")],
                env=os.environ | environment,
                stdout=log,
                stderr=log,
            )
        try:
            self._wait()
            yield
            assert process.poll() is None, (folder / "haproxy.log").read_text()
        finally:
            process.kill()
            process.wait()

    def _configuration(self, ports: Sequence[int], metrics: Sequence[int]) -> str:
        """The configuration with these ports for those of the containers, and no other change."""
        checks = [f"port {port}" for port in metrics] or ["no-check"] * len(ports)
        servers = "\n".join(
            f"    server referee{port} 127.0.0.1:{port} check-proto h1 {check}"
            for port, check in zip(ports, checks, strict=True)
        )
        text = CONFIGURATION.read_text()
        for pattern, ours, count in (
            (r"^ *server-template referee 8 referee:50051 check-proto h1$", servers, 1 + REFEREES),
            (r" port 9464 init-addr none resolvers docker$", "", 1),
            (r"bind :50051 ", f"bind 127.0.0.1:{self.port} ", 1),
            (r"bind :50061-50068 ", f"bind 127.0.0.1:{self.first}-{self.first + 7} ", 1),
            (r"dst_port,sub\(50060\)", f"dst_port,sub({self.first - 1})", 1),
            (r"dst_port 50051 ", f"dst_port {self.port} ", 1),
        ):
            text, found = re.subn(pattern, ours, text, flags=re.MULTILINE)
            assert found == count, pattern
        return text

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
                time.sleep(0.02)
