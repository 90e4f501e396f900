"""The addresses of referees, and the files that a connection to one needs."""

import asyncio
import threading
from pathlib import Path
from queue import SimpleQueue

import pytest

from arena.bot.address import Address, AddressError, Trust
from arena.bot.connection import keep_playing
from arena.bot.conversation import Conversation
from arena.bot.referees import Referees, RefereeStream
from arena.v1 import referee_pb2 as pb
from tests.bot.scribe import Scribe
from tests.bot.scripted_referee import referee
from tests.certificates import Authority


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:50051", Address("127.0.0.1:50051")),
        ("http://arena:1", Address("arena:1")),
        ("https://arena.example:443/", Address("arena.example:443", encrypted=True)),
        ("unix:/run/arena/referee.sock", Address("unix:/run/arena/referee.sock")),
    ],
)
def test_an_address_says_whether_the_connection_is_encrypted(text: str, address: Address) -> None:
    assert Address.parse(text, {}) == address


@pytest.mark.parametrize(
    ("text", "environment", "message"),
    [
        ("arena", {}, "'arena' is not an address: write HOST:PORT"),
        ("ftp://arena:1", {}, "'ftp://arena:1' is no address of a referee: write https://"),
        ("https://a:1", {"ARENA_CA": "/not/there"}, "ARENA_CA: cannot read /not/there \\(No such"),
        ("https://a:1", {"ARENA_CA": __file__}, "ARENA_CA: .* is not a file in PEM format"),
        ("https://a:1", {"ARENA_CLIENT_CERT": "c"}, "ARENA_CLIENT_CERT and ARENA_CLIENT_KEY"),
        ("https://a:1", {"ARENA_CLIENT_KEY": "k"}, "ARENA_CLIENT_CERT and ARENA_CLIENT_KEY"),
    ],
)
def test_an_address_that_cannot_be_used_is_a_sentence(
    text: str, environment: dict[str, str], message: str
) -> None:
    with pytest.raises(AddressError, match=message):
        Address.parse(text, environment)


def test_files_for_tls_are_not_read_for_an_address_without_it() -> None:
    assert Address.parse("arena:1", {"ARENA_CA": "/not/there"}).trust == Trust()


async def test_a_certificate_file_that_cannot_be_read_for_a_moment_ends_no_bot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class EnoughError(Exception):
        pass

    ca = Authority(tmp_path).cert
    contents = iter([b"", ca.read_bytes()])  # as `cp new.pem ca.pem` replaces it

    def pause(_seconds: float) -> None:
        content = next(contents, None)
        if content is None:
            raise EnoughError
        ca.write_bytes(content)

    async with referee() as gone:
        pass
    address = Address.parse(f"https://{gone.target}", {"ARENA_CA": str(ca)})
    with pytest.raises(EnoughError):
        await asyncio.to_thread(
            keep_playing, Referees(Conversation(Scribe)), address, "secret", pause
        )
    first, second, third = caplog.messages
    assert "nothing listens there" in first
    assert f"ARENA_CA: {ca} is not a file in PEM format. Trying again in" in second
    assert "nothing listens there" in third


def test_referees_keep_their_places_while_a_certificate_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Four(Scribe):
        max_matches = 4

    ca = Authority(tmp_path).cert
    monkeypatch.setenv("ARENA_CA", str(ca))
    here, there = "https://a:1", "https://b:1"
    ending = threading.Event()

    def keep(_stream: RefereeStream) -> None:
        ending.wait()

    referees = Referees(Conversation(Four))
    referees.begin(Address.parse(here, {}), keep)
    first, both = referees.first, pb.Referees(addresses=[here, there])
    first.line.opened(SimpleQueue())
    welcome = pb.PlayResponse(welcome=pb.Welcome(address=here, referees=both, max_matches=4))
    first.conversation.hear(welcome, pb.PlayRequest())
    referees.heard(first, welcome)
    assert (referees.several, first.conversation.places) == (True, 2)
    ca.write_bytes(b"")
    referees.heard(first, pb.PlayResponse(referees=both))
    assert (referees.several, first.conversation.places) == (True, 2)
    ending.set()
    referees.join()
