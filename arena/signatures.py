"""Signatures of transcripts: Ed25519 (RFC 8032) over their canonical form.

Needs the library `cryptography`, which the server has and a bot may do without.
"""

from dataclasses import replace
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena.match.canonical import canonical
from arena.match.replay import TranscriptError
from arena.match.transcript import Signature, Transcript

KEY_BYTES: Final = 32
"""Of a public key, and of a private one."""


class Signer:
    """Signs transcripts with a private key, which it keeps to itself."""

    def __init__(self, private_key: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private_key)
        self.public_key: Final = self._private.public_key().public_bytes_raw()

    def signed(self, transcript: Transcript) -> Transcript:
        """The transcript with its signature."""
        value = self._private.sign(canonical(transcript))
        return replace(transcript, signature=Signature(self.public_key, value))


def new_private_key() -> bytes:
    """A private key nobody can guess."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def check_signature(transcript: Transcript, key: bytes | None = None) -> None:
    """Raises TranscriptError unless the transcript is signed by `key`; without one, unless it is
    unsigned or signed by the key that it names."""
    signature = transcript.signature
    if signature is None:
        if key is not None:
            raise TranscriptError(f"signature is missing; it must be by the key {key.hex()}")
        return
    if key is not None and signature.key != key:
        raise TranscriptError(
            f"signature.key: found {signature.key.hex()}; it must be by the key {key.hex()}"
        )
    try:
        Ed25519PublicKey.from_public_bytes(signature.key).verify(
            signature.value, canonical(transcript)
        )
    except (InvalidSignature, ValueError) as error:
        raise TranscriptError("signature: the key did not sign this transcript") from error
