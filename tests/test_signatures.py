"""Signatures bind everything in a transcript, over a form that any language can make."""

import copy
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import signatures
from arena.codec.transcript import from_bytes, to_bytes
from arena.match.canonical import canonical
from arena.match.replay import TranscriptError
from arena.match.transcript import Entrant, Signature, Transcript
from arena.match.transcript_json import from_json, to_json
from arena.match.verify import verify
from arena.signatures import Signer, check_signature, new_private_key
from tests.games.contract import Case, cases
from tests.independent_referee import check as referee_again
from tests.match.forging import vandalise
from tests.match.matches import some_match
from tests.thoroughness import tries

every_case = pytest.mark.parametrize("case", cases(), ids=str)
BLUFF = Case("bluff", (), 2)
SIGNER = Signer(bytes(range(32)))


def rfc_8785(value: Any) -> str:
    """Written from RFC 8785, for values without fractions."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return f"{{{','.join(f'{rfc_8785(name)}:{rfc_8785(value[name])}' for name in names)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(rfc_8785, value))}]"
    if isinstance(value, str):
        short = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
        return (
            '"'
            + "".join(
                short.get(ord(sign), f"\\u{ord(sign):04x}" if ord(sign) < 32 else sign)
                for sign in value
            )
            + '"'
        )
    return json.dumps(value)


@every_case
@pytest.mark.parametrize("faulty", [0.0, 0.2], ids=["well", "with faults"])
def test_what_is_signed_is_the_canonical_form_of_the_document(case: Case, faulty: float) -> None:
    transcript = some_match(case, seed=7, faulty=faulty)
    expected = rfc_8785(to_json(transcript)).encode()
    assert canonical(transcript) == expected
    assert canonical(SIGNER.signed(transcript)) == expected


@settings(max_examples=tries(60, quick=15), deadline=None)
@given(st.tuples(st.text(), st.text(), st.text()))
def test_names_of_any_characters_are_signed_as_rfc_8785_writes_them(
    names: tuple[str, str, str],
) -> None:
    transcript = some_match(BLUFF, seed=1)
    entrants = (Entrant(*names), transcript.setup.entrants[1])
    odd = replace(transcript, setup=replace(transcript.setup, entrants=entrants))
    assert canonical(odd) == rfc_8785(to_json(odd)).encode()
    check_signature(from_json(to_json(SIGNER.signed(odd))), SIGNER.public_key)


@pytest.mark.parametrize("match_id", ["ä", '","format":"'])
def test_an_identifier_of_any_characters_is_signed_like_a_name(match_id: str) -> None:
    transcript = some_match(BLUFF, seed=1)
    odd = replace(transcript, setup=replace(transcript.setup, match_id=match_id))
    assert canonical(odd) == rfc_8785(to_json(odd)).encode()


DOCUMENT = (Path(__file__).parents[1] / "docs" / "transcript.md").read_text()


def test_the_test_vectors_of_the_documentation_hold() -> None:
    example = json.loads(DOCUMENT.split("```json\n", 1)[1].split("```", 1)[0])
    odd = copy.deepcopy(example)
    odd["seats"][1]["owner"] = 'Zoë "€\x0b\U0001f3b2\\/"'
    assert json.dumps(odd["seats"][1]["owner"]) in DOCUMENT
    assert f"{SIGNER.public_key.hex()}\n" in DOCUMENT
    for vector in (example, odd):
        signed = SIGNER.signed(from_json(vector))
        form = canonical(signed)
        assert signed.signature is not None
        assert (
            f"{len(form)} bytes, SHA-256 `{hashlib.sha256(form).hexdigest()}` "
            f"| `{signed.signature.value.hex()}` |"
        ) in DOCUMENT
    beginning = DOCUMENT.split("canonical form begins\n\n```\n", 1)[1].split("\n", 1)[0]
    assert canonical(from_json(example)).decode().startswith(beginning)


@every_case
def test_a_signed_match_survives_json_and_the_wire(case: Case) -> None:
    signed = SIGNER.signed(some_match(case, seed=5, faulty=0.1))
    for again in (from_json(json.loads(json.dumps(to_json(signed)))), from_bytes(to_bytes(signed))):
        assert again == signed
        verify(again)
        check_signature(again)
        check_signature(again, SIGNER.public_key)
    referee_again(to_json(signed))


@settings(max_examples=tries(150, quick=15), deadline=None)
@given(st.sampled_from(cases()[:9]), st.integers(0, 2**32))
def test_whatever_is_altered_anywhere_the_signature_does_not_hold(case: Case, change: int) -> None:
    original: Any = json.loads(json.dumps(to_json(SIGNER.signed(some_match(case, 3, 0.1)))))
    altered = copy.deepcopy(original)
    vandalise(altered, Random(change))
    if altered == original and json.dumps(altered) == json.dumps(original):
        return
    with pytest.raises(TranscriptError):
        check_signature(from_json(altered), SIGNER.public_key)


def test_an_unsigned_transcript_is_in_order_unless_a_key_is_demanded() -> None:
    transcript = some_match(BLUFF, seed=1)
    check_signature(transcript)
    with pytest.raises(
        TranscriptError, match=r"^signature is missing; it must be by the key 03a107"
    ):
        check_signature(transcript, SIGNER.public_key)


def test_a_signature_by_another_key_is_one_of_another_arena() -> None:
    other = Signer(new_private_key()).signed(some_match(BLUFF, seed=1))
    check_signature(other)
    with pytest.raises(TranscriptError, match=r"^signature.key: found .*; it must be by the key"):
        check_signature(other, SIGNER.public_key)


@pytest.mark.parametrize(
    "signature",
    [
        Signature(SIGNER.public_key, bytes(64)),
        Signature(SIGNER.public_key, b""),
        Signature(b"", bytes(64)),
        Signature(b"\x02" + bytes(31), bytes(64)),
    ],
)
def test_what_is_no_signature_is_reported_in_a_sentence(signature: Signature) -> None:
    forged: Transcript = replace(some_match(BLUFF, seed=1), signature=signature)
    with pytest.raises(TranscriptError, match=r"^signature: the key did not sign this transcript$"):
        check_signature(forged)


def test_a_signer_does_not_show_its_key() -> None:
    assert repr(SIGNER).startswith("<arena.signatures.Signer object at ")
    assert not {bytes(range(32)), bytes(range(32)).hex()} & set(map(str, vars(SIGNER).values()))


PRIME = 2**255 - 19


@pytest.mark.parametrize(
    "y", [y for y in (*signatures._SMALL_ORDER, PRIME, PRIME + 1) for y in (y, y + 2**255)]
)
def test_a_key_of_small_order_with_which_anyone_can_sign_is_refused(y: int) -> None:
    key = y.to_bytes(32, "little")
    neutral = (1).to_bytes(32, "little")
    transcript = some_match(BLUFF, seed=1)
    forged = replace(transcript, signature=Signature(key, neutral + bytes(32)))
    for demanded in (None, key):
        with pytest.raises(TranscriptError, match=rf"^signature.key: found {key.hex()}; .* small"):
            check_signature(forged, demanded)


@pytest.mark.slow
def test_the_points_of_small_order_solve_their_equations() -> None:
    d = -121665 * pow(121666, -1, PRIME)
    # y of orders 1 and 2, of order 4, and of order 8: the points whose double has y = 0.
    solved = [
        y
        for y in signatures._SMALL_ORDER
        if y * (y * y - 1) % PRIME == 0 or (d * y**4 + 2 * y * y - 1) % PRIME == 0
    ]
    assert len(solved) == 5
