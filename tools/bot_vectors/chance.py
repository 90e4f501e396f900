"""Vectors of the dealing: commitments, match keys, single draws and shuffles."""

from typing import Any

from arena.randomness import KeyedRandomness, commitment, match_key, shuffled

_MATCHES = (
    (
        "a43a50c2eaf2ad01b675833bc1490b610ac3b4acee6bf08fdbf52d658b47059b",
        "00000000-0000-4000-8000-000000001427",
        ("15e97c13eccd2bcfce45a44de19991d5af248f", "8476dd206f8a73a5ea097a93b2af9993"),
    ),
    (
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "fd9077fd-99f5-4e1d-8eb2-9597cd926744",
        ("ff" * 8, "00" * 64, "5f4f35441918db57648696e8ce88a140"),
    ),
)
"""Secret, match id and entropies by seat; the first is the worked example of transcript.md."""

_DRAWS = (
    ("start 1 seat 0 die 0", 6),
    ("start 1 seat 1 die 0", 6),
    ("round 1 seat 0 die 0", 6),
    ("round 12 seat 5 die 4", 6),
    ("round 2 seat 1 reroll 3 die 2", 6),
    ("opener", 3),
    ("turn 1 die 0", 6),
    ("turn 107 die 2", 6),
    ("deal 51", 52),
    ("deal 1", 2),
    ("recycle 1 6", 7),
    ("recycle 2 6", 7),
    ("doubter 7", 3),
    ("doubter 131", 5),
)

_SHUFFLES = (("deal", 52), ("recycle 1", 7), ("recycle 2", 7), ("recycle 3", 1))


def draw_vectors() -> list[dict[str, Any]]:
    """By match: its key, draws under the key, and shuffles of the numbers from 0 on."""
    vectors = []
    for secret, match_id, entropies in _MATCHES:
        opened = bytes.fromhex(secret)
        key = match_key(opened, match_id, [bytes.fromhex(entropy) for entropy in entropies])
        randomness = KeyedRandomness(key)
        vectors.append(
            {
                "secret": secret,
                "match_id": match_id,
                "entropies": entropies,
                "commitment": commitment(opened).hex(),
                "match_key": key.hex(),
                "draws": [
                    {"key": name, "bound": bound, "result": randomness.below(name, bound)}
                    for name, bound in _DRAWS
                ],
                "shuffles": [
                    {"key": name, "count": count, "order": shuffled(randomness, name, range(count))}
                    for name, count in _SHUFFLES
                ],
            }
        )
    return vectors
