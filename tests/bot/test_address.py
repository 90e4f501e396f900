"""The addresses of referees, and the files that a connection to one needs."""

import asyncio
from pathlib import Path

import pytest

from arena.bot.address import Address, AddressError, Trust
from arena.bot.connection import keep_playing
from arena.bot.conversation import Conversation
from arena.bot.referees import Referees
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
