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
_PRIME: Final = 2**255 - 19
_EIGHTH: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER: Final = {0, 1, _PRIME - 1, _EIGHTH, _PRIME - _EIGHTH}
"""The y coordinates of the eight points of order 1, 2, 4 and 8 (RFC 8032, 5.1).

With such a public key, signatures that are valid for many texts can be made without any private
key.
"""


class Signer:
    """A signer of transcripts that keeps its private key hidden."""

    def __init__(self, private_key: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private_key)
        self.public_key: Final = self._private.public_key().public_bytes_raw()

    def signed(self, transcript: Transcript) -> Transcript:
        """Return the transcript with a signature."""
        value = self._private.sign(canonical(transcript))
        return replace(transcript, signature=Signature(self.public_key, value))

    def sign_document(self, data: bytes) -> bytes:
        """Return the signature of a document other than a transcript: 64 bytes."""
        return self._private.sign(_DOCUMENT + data)


_DOCUMENT: Final = b"bluff-arena document\n"
"""The prefix of the signed bytes of every document; no transcript begins with it."""


def check_document(data: bytes, signature: bytes, key: bytes) -> bool:
    """Return whether `key` has signed a document (`Signer.sign_document`)."""
    if _is_small_order(key):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, _DOCUMENT + data)
    except (InvalidSignature, ValueError):
        return False
    return True


def new_private_key() -> bytes:
    """Return a new random private key."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def check_signature(transcript: Transcript, key: bytes | None = None) -> None:
    """Raise TranscriptError unless the transcript is signed by `key`.

    Without `key`, accept an unsigned transcript, or a valid signature by the key that the
    transcript names.
    """
    signature = transcript.signature
    if signature is None:
        if key is not None:
            raise TranscriptError(f"signature is missing; it must be by the key {key.hex()}")
        return
    if key is not None and signature.key != key:
        raise TranscriptError(
            f"signature.key: found {signature.key.hex()}; it must be by the key {key.hex()}"
        )
    if _is_small_order(signature.key):
        raise TranscriptError(
            f"signature.key: found {signature.key.hex()}; this is a point of small order, "
            "with which anyone can sign"
        )
    try:
        Ed25519PublicKey.from_public_bytes(signature.key).verify(
            signature.value, canonical(transcript)
        )
    except (InvalidSignature, ValueError) as error:
        raise TranscriptError("signature: the key did not sign this transcript") from error


def _is_small_order(key: bytes) -> bool:
    """Return whether the key is a point of small order, in any encoding.

    The highest bit is the sign of x, and y may be encoded without reduction modulo the prime.
    """
    y = int.from_bytes(key, "little") % 2 ** (8 * KEY_BYTES - 1)
    return len(key) == KEY_BYTES and y % _PRIME in _SMALL_ORDER
