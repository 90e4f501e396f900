"""Signatures of transcripts: Ed25519 (RFC 8032) over their canonical form.

This module needs the library `cryptography`, which servers have and bots do not need.
"""

from dataclasses import replace
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from arena.match.canonical import canonical
from arena.match.replay import TranscriptError
from arena.match.transcript import Signature, Transcript

KEY_BYTES: Final = 32
"""The length of a public key and of a private key."""


class Signer:
    """A signer of transcripts that keeps its private key hidden."""

    def __init__(self, private_key: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private_key)
        self.public_key: Final = self._private.public_key().public_bytes_raw()

    def signed(self, transcript: Transcript) -> Transcript:
        """The transcript with a signature."""
        value = self._private.sign(canonical(transcript))
        return replace(transcript, signature=Signature(self.public_key, value))


def new_private_key() -> bytes:
    """A new random private key."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def check_signature(transcript: Transcript, key: bytes | None = None) -> None:
    """Raise TranscriptError unless the transcript is signed by `key`. Without `key`, an unsigned
    transcript and a valid signature by the key it names are accepted."""
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
