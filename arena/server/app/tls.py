"""TLS of the referee's port: certificate and key in files that are read again when they change.

Before every handshake gRPC asks which certificate to use. If a file has changed in the meantime (as
after a renewal), all are read again; an unusable file is logged once, and the certificate in use
stays. Open connections keep theirs.

Exception
└── TlsError    a file that cannot be used; the message says which and why
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import grpc
import structlog
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from arena.errors import UserError

log = structlog.get_logger()


class TlsError(UserError):
    """The error for a certificate, key or client authorities that cannot be used."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The paths of the certificate chain, its key, and the authorities of clients' certificates."""

    cert: Path
    key: Path
    client_ca: Path | None = None
    """If given, only clients with a certificate of one of these authorities may connect."""


_Seen: TypeAlias = tuple[tuple[int, int, int] | None, ...]
"""Modification time, size and inode of each file; None for one whose status cannot be read."""


def server_credentials(files: TlsFiles) -> grpc.ServerCredentials:
    """Return the credentials for a server's port. Raises TlsError for unusable files."""
    changed = changes(files)  # before the files are read, so that no change is missed
    return grpc.dynamic_ssl_server_credentials(
        read(files),
        changed,  # type: ignore[arg-type]  # it may return None, as gRPC documents
        require_client_authentication=files.client_ca is not None,
    )


def changes(files: TlsFiles) -> Callable[[], grpc.ServerCertificateConfiguration | None]:
    """Return a function that returns a changed configuration, or None if nothing changed.

    gRPC calls it in threads of its own, whenever a client connects.
    """
    seen = _look(files)

    def changed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal seen
        now = _look(files)
        if now == seen:
            return None
        seen = now
        try:
            return read(files)
        except TlsError as error:
            log.error("the new certificate cannot be used; the old one stays", why=str(error))
            return None

    return changed


def read(files: TlsFiles) -> grpc.ServerCertificateConfiguration:
    """Return the certificate in the files, verified to fit the key. Raises TlsError."""
    chain, key = _bytes(files.cert), _bytes(files.key)
    certificate = _first(files.cert, chain)
    try:
        private = serialization.load_pem_private_key(key, password=None)
    except TypeError as error:
        raise TlsError(f"the key {files.key} has a passphrase: write it without one.") from error
    except ValueError as error:
        raise TlsError(f"{files.key} holds no private key in PEM format.") from error
    if private.public_key() != certificate.public_key():
        raise TlsError(f"the key {files.key} is not that of the certificate {files.cert}.")
    authorities = None
    if files.client_ca is not None:
        authorities = _bytes(files.client_ca)
        _first(files.client_ca, authorities)
    _warn(files, certificate)
    log.info(
        "certificate read",
        name=name_in(certificate),
        until=certificate.not_valid_after_utc.isoformat(" ", "minutes"),
    )
    return grpc.ssl_server_certificate_configuration([(key, chain)], authorities)


def certificate_name(cert: Path) -> str | None:
    """Return a host name for which the certificate in a file is valid. Raises TlsError."""
    return name_in(_first(cert, _bytes(cert)))


def name_in(certificate: x509.Certificate) -> str | None:
    """Return a host name for which a certificate is valid.

    Returns None if it names no host; it may name an IP address.
    """
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return None
    found = names.get_values_for_type(x509.DNSName)
    return found[0].replace("*", "arena", 1) if found else None


def _first(path: Path, data: bytes) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificates(data)[0]
    except ValueError as error:
        raise TlsError(f"{path} holds no certificate in PEM format.") from error


def _warn(files: TlsFiles, certificate: x509.Certificate) -> None:
    """Log a warning if others may read the private key, or the certificate is not valid now."""
    with suppress(OSError):  # removed in the meantime: the next handshake notices
        if files.key.stat().st_mode & 0o007:
            log.warning("everybody on this machine may read the private key", file=str(files.key))
    if not certificate.not_valid_before_utc <= datetime.now(UTC) < certificate.not_valid_after_utc:
        log.warning("the certificate is not valid now: clients refuse it", file=str(files.cert))


def _look(files: TlsFiles) -> _Seen:
    return tuple(_look_at(path) for path in (files.cert, files.key, files.client_ca) if path)


def _look_at(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TlsError(f"cannot read {path} ({error.strerror}).") from error
