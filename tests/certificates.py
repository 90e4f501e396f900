"""Certificates for tests: an authority, and what it issues, in files."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.server.app.tls import TlsFiles

NAME = "play.example.org"


@dataclass(frozen=True)
class Issued:
    """A certificate and its key, in files."""

    cert: Path
    key: Path

    @property
    def files(self) -> TlsFiles:
        return TlsFiles(self.cert, self.key)


class Authority:
    """Issues certificates into a directory."""

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self._issued = 0
        own = _unsigned(self._name, self._name, self._key, days=30)
        own = own.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.cert = directory / f"{name}.pem"
        self.cert.write_bytes(_pem(own.sign(self._key, hashes.SHA256())))

    def issue(self, *names: str, days: int = 30, passphrase: str | None = None) -> Issued:
        """Issue a certificate that is valid for that many days."""
        self._issued += 1
        stem = self._directory / f"{self.cert.stem}-{self._issued}"
        issued = Issued(stem.with_suffix(".crt"), stem.with_suffix(".key"))
        key = ec.generate_private_key(ec.SECP256R1())
        made = _unsigned(_name(names[0]), self._name, key, days=days).add_extension(
            x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False
        )
        issued.cert.write_bytes(_pem(made.sign(self._key, hashes.SHA256())))
        issued.key.touch(mode=0o600)
        issued.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.BestAvailableEncryption(passphrase.encode())
                if passphrase
                else serialization.NoEncryption(),
            )
        )
        return issued


def _unsigned(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=60))
        .not_valid_after(now + timedelta(days=days))
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
