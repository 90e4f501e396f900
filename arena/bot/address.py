"""`Address`: a referee's address, from which every client of a referee opens its channel.

A program without a network reaches a referee through a Unix socket: `unix:/path`.

Environment variables configure TLS authentication in both directions:

ARENA_CA             the certificates to trust instead of those that the system trusts
ARENA_SERVER_NAME    the name in the referee's certificate, if it is not the address's host
ARENA_CLIENT_CERT    the certificate to show to a referee that requires one
ARENA_CLIENT_KEY     its key

The files are read whenever a channel is opened, so that a bot that reconnects uses new files.
"""

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import grpc

from arena.addresses import on_loopback
from arena.errors import UserError
from arena.keepalive import keepalive

_CHANNEL_OPTIONS: tuple[tuple[str, object], ...] = (
    # Keepalive pings detect a lost referee even though a waiting bot sends nothing.
    *keepalive(60_000, 20_000),
    # The bot implements the back-off; a shared subchannel would add its own.
    ("grpc.use_local_subchannel_pool", 1),
)

_SYSTEM_ROOTS = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
"""The usual locations of trusted certificates; OpenSSL's own default may be a directory."""

_PEM = b"-----BEGIN "


class AddressError(UserError):
    """An error in an address, or in a file that its connection needs."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The TLS settings of a client; an empty setting means the system's default."""

    ca: str = ""
    name: str = ""
    cert: str = ""
    key: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Trust":
        """Read the settings from the variables.

        Raises AddressError for a certificate without a key.
        """
        ca, name, cert, key = (
            environment.get(f"ARENA_{word}", "").strip()
            for word in ("CA", "SERVER_NAME", "CLIENT_CERT", "CLIENT_KEY")
        )
        if bool(cert) != bool(key):
            raise AddressError("ARENA_CLIENT_CERT and ARENA_CLIENT_KEY are set both, or neither.")
        return cls(ca, name, cert, key)

    def credentials(self) -> grpc.ChannelCredentials:
        """Return the credentials for a channel.

        Raises AddressError for a file that cannot be used.
        """
        roots = _read("ARENA_CA", self.ca) if self.ca else _system_roots()
        if not self.cert:
            return grpc.ssl_channel_credentials(roots)
        cert = _read("ARENA_CLIENT_CERT", self.cert)
        return grpc.ssl_channel_credentials(roots, _read("ARENA_CLIENT_KEY", self.key), cert)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a referee.

    It is `host:port`, `https://host:port` for an encrypted connection, or `unix:/path`.
    """

    target: str
    encrypted: bool = False
    trust: Trust = Trust()

    @classmethod
    def parse(cls, text: str, environment: Mapping[str, str]) -> "Address":
        """Parse an address and, for https://, the TLS settings in the environment.

        Args:
            text: `host:port`, `http://host:port`, `https://host:port` or `unix:/path`.
            environment: The environment variables; see the module.

        Raises:
            AddressError: The text is no address, or a certificate file cannot be read.
        """
        if text.startswith("unix:/"):
            return cls(text)
        scheme, _, rest = text.rpartition("://")
        if scheme not in ("", "http", "https"):
            raise AddressError(f"{text!r} is no address of a referee: write https:// or http://.")
        host, _, port = rest.rstrip("/").rpartition(":")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            raise AddressError(
                f"{text!r} is not an address: write an IPv6 address in brackets, as [::1]:50051."
            )
        if not port.isdigit():
            raise AddressError(f"{text!r} is not an address: write HOST:PORT, as 127.0.0.1:50051.")
        if scheme != "https":
            return cls(rest.rstrip("/"))
        trust = Trust.of(environment)
        trust.credentials()  # reports errors in the files now
        return cls(rest.rstrip("/"), encrypted=True, trust=trust)

    def channel(self) -> grpc.Channel:
        """Open a new channel. Raises AddressError for a file that cannot be used."""
        if not self.encrypted:
            return grpc.insecure_channel(self.target, self._options)
        return grpc.secure_channel(self.target, self.trust.credentials(), self._options)

    def aio_channel(self) -> "grpc.aio.Channel":
        """Open a new channel for asyncio. Raises AddressError for a file that cannot be used."""
        import grpc.aio  # not needed by bots

        if not self.encrypted:
            return grpc.aio.insecure_channel(self.target, self._options)
        return grpc.aio.secure_channel(self.target, self.trust.credentials(), self._options)

    @property
    def _options(self) -> tuple[tuple[str, object], ...]:
        options = _CHANNEL_OPTIONS
        if self._on_this_machine:
            options += (("grpc.enable_http_proxy", 0),)
        if self.encrypted and self.trust.name:
            options += (("grpc.ssl_target_name_override", self.trust.name),)
        return options

    @property
    def _on_this_machine(self) -> bool:
        """Whether the referee runs on this machine, where no proxy can reach it.

        To a proxy, the loopback names denote the proxy's own machine.
        """
        return self.target.startswith("unix:") or on_loopback(self.target.rpartition(":")[0])

    def why_unreachable(self, details: str) -> str:
        """Return a sentence that explains the status UNAVAILABLE, from gRPC's details."""
        if "CERTIFICATE_VERIFY_FAILED" in details:
            return (
                f"The referee at {self.target} shows a certificate that is not trusted here. "
                "(ARENA_CA names a file with the certificates to trust.)"
            )
        if "Hostname Verification" in details:
            return (
                f"The certificate of the referee at {self.target} is for another name. "
                "(ARENA_SERVER_NAME says which name to expect.)"
            )
        if "security handshaker" in details:
            return "A file that ARENA_CA, ARENA_CLIENT_CERT or ARENA_CLIENT_KEY names is unusable."
        if self.encrypted and "Socket closed" in details and not self.trust.cert:
            # A referee that requires a certificate closes the connection without a message.
            return (
                f"The referee at {self.target} closed the connection: it is stopping, or requires "
                "a certificate. (ARENA_CLIENT_CERT and ARENA_CLIENT_KEY name the files.)"
            )
        if self.encrypted and "WRONG_VERSION_NUMBER" in details:
            return (
                f"The server at {self.target} does not use TLS. (Leave out https:// in "
                "ARENA_ADDRESS or --address.)"
            )
        if "Connection refused" in details:
            return (
                f"The referee at {self.target} cannot be reached: nothing listens there. "
                "(ARENA_ADDRESS or --address says which referee; `arena up` starts one here.)"
            )
        return (
            f"The referee at {self.target} cannot be reached or is stopping. "
            "(ARENA_ADDRESS or --address says which referee, with https:// if it uses TLS.)"
        )


def _read(setting: str, path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise AddressError(f"{setting}: cannot read {path} ({error.strerror}).") from error
    if _PEM not in data:
        raise AddressError(f"{setting}: {path} is not a file in PEM format.")
    return data


def _system_roots() -> bytes | None:
    """Return the certificates that the system trusts.

    None leaves the choice to gRPC, which has its own list.
    """
    if "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH" in os.environ:
        return None  # gRPC reads it
    for path in (ssl.get_default_verify_paths().cafile, *_SYSTEM_ROOTS):
        if path and Path(path).is_file():
            return Path(path).read_bytes()
    return None
