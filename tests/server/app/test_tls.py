"""TLS on the referee's port: real certificates, real handshakes, files that change meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import grpc
import pytest
from structlog.testing import capture_logs

from arena.bot.address import Address
from arena.bot.connection import keep_playing
from arena.bot.conversation import Conversation
from arena.bot.referees import Referees
from arena.local.loading import load_bot
from arena.server.app.arena import Arena
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.server.app.tls import TlsError, TlsFiles, certificate_name, read
from arena.v1 import registry_pb2
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.bots import PATIENCE
from tests.certificates import NAME, Authority, Issued
from tests.commands.running import beside
from tests.scene import BLUFF, CALM


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def served(authority: Authority) -> Issued:
    return authority.issue(NAME, "other.example.org")


@asynccontextmanager
async def referee(database: str, files: TlsFiles) -> AsyncIterator[Arena]:
    async with running_arena(
        database, RefereeSettings(table_types=[BLUFF], terms=CALM, tls=files)
    ) as arena:
        yield arena


def address(arena: Arena, authority: Authority, **trust: str) -> Address:
    environment = {"ARENA_CA": str(authority.cert), "ARENA_SERVER_NAME": NAME} | trust
    return Address.parse(f"https://127.0.0.1:{arena.port}", environment)


async def ask(where: Address) -> str | None:
    """Ask for something that anybody may; None, or why there is no answer."""

    def call() -> str | None:
        with where.channel() as channel:
            try:
                asked = registry_pb2.GetSigningKeyRequest()
                RegistryServiceStub(channel).GetSigningKey(asked, timeout=PATIENCE)
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                return where.why_unreachable(error.details() or "")
            return None

    return await asyncio.to_thread(call)


class StoppedError(Exception):
    """The referee is gone, and the test over."""


async def test_bots_play_over_tls(database: str, authority: Authority, served: Issued) -> None:
    def stop(_seconds: float) -> None:
        raise StoppedError

    async with referee(database, served.files) as arena:
        recorded = asyncio.Event()
        arena.when_recorded(4, recorded.set)
        conversations, playing = [], []
        for name in ("honest", "timid"):
            _, token = await arena.store.register(name, name)
            conversations.append(Conversation(load_bot(name)))
            where = address(arena, authority)
            play = asyncio.to_thread(keep_playing, Referees(conversations[-1]), where, token, stop)
            playing.append(asyncio.create_task(play))
        async with asyncio.timeout(PATIENCE):
            await recorded.wait()
    ends = await asyncio.gather(*playing, return_exceptions=True)
    assert [type(end) for end in ends] == [StoppedError] * 2
    assert all(conversation.tally.failed_checks == 0 for conversation in conversations)


async def test_clients_that_expect_tls_where_there_is_none_are_told(
    database: str, authority: Authority
) -> None:
    async with running_arena(database, RefereeSettings(table_types=[BLUFF], terms=CALM)) as arena:
        why = await ask(address(arena, authority))
    assert why is not None
    assert "does not use TLS. (Leave out https:// in ARENA_ADDRESS or --address.)" in why


async def test_clients_that_do_not_trust_the_certificate_are_told_what_to_set(
    database: str, authority: Authority, served: Issued, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path, "stranger")
    async with referee(database, served.files) as arena:
        where = address(arena, authority)
        assert await ask(where) is None
        assert await ask(address(arena, authority, ARENA_SERVER_NAME="other.example.org")) is None
        # Its own certificate is enough: nobody need know who issued it.
        assert await ask(address(arena, authority, ARENA_CA=str(served.cert))) is None

        wrong_ca = await ask(address(arena, stranger))
        assert wrong_ca is not None
        assert "is not trusted here. (ARENA_CA" in wrong_ca
        wrong_name = await ask(address(arena, authority, ARENA_SERVER_NAME="example.com"))
        assert wrong_name is not None
        assert "for another name. (ARENA_SERVER_NAME" in wrong_name
        plain = await ask(Address(where.target))
        assert plain is not None
        assert "with https:// if it uses TLS" in plain


async def test_what_the_system_trusts_is_trusted(
    database: str,
    authority: Authority,
    served: Issued,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", raising=False)
    async with referee(database, served.files) as arena:
        where = address(arena, authority, ARENA_CA="")
        assert "is not trusted here" in str(await ask(where))
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.cert))
        assert await ask(where) is None


def put(renewed: Issued, files: TlsFiles) -> None:
    """Replace certificate and key as the programs that renew them do."""
    renewed.key.replace(files.key)
    renewed.cert.replace(files.cert)


async def test_a_renewed_certificate_is_used_without_a_restart(
    database: str, authority: Authority, served: Issued, tmp_path: Path
) -> None:
    old_only, new_only = tmp_path / "old.pem", tmp_path / "new.pem"
    old_only.write_bytes(served.cert.read_bytes())
    async with referee(database, served.files) as arena:
        with_old = address(arena, authority, ARENA_CA=str(old_only))
        with with_old.channel() as open_before:
            stub = RegistryServiceStub(open_before)
            asked = registry_pb2.GetSigningKeyRequest()
            await asyncio.to_thread(stub.GetSigningKey, asked)

            renewed = authority.issue(NAME)
            new_only.write_bytes(renewed.cert.read_bytes())
            put(renewed, served.files)
            assert await ask(address(arena, authority, ARENA_CA=str(new_only))) is None
            assert "is not trusted here" in str(await ask(with_old))
            # Connections that are open stay so.
            await asyncio.to_thread(stub.GetSigningKey, asked)


async def test_a_half_renewed_certificate_leaves_the_old_one_in_use(
    database: str, authority: Authority, served: Issued
) -> None:
    async with referee(database, served.files) as arena:
        where = address(arena, authority)
        renewed = authority.issue(NAME)
        with capture_logs() as lines:
            renewed.cert.replace(served.cert)  # and the key is still the old one
            assert await ask(where) is None
            assert await ask(where) is None
            served.key.unlink()
            assert await ask(where) is None
            renewed.key.replace(served.key)
            assert await ask(where) is None
        told = [(line["log_level"], line.get("why", "")) for line in lines]
        assert [level for level, _ in told] == ["error", "error", "info"]
        assert "is not that of the certificate" in told[0][1]
        assert "cannot read" in told[1][1]


async def test_a_referee_may_ask_its_clients_for_certificates(
    database: str, authority: Authority, served: Issued, tmp_path: Path
) -> None:
    clients = Authority(tmp_path, "clients")
    files = replace(served.files, client_ca=clients.cert)

    def trust(shown: Issued) -> dict[str, str]:
        return {"ARENA_CLIENT_CERT": str(shown.cert), "ARENA_CLIENT_KEY": str(shown.key)}

    async with referee(database, files) as arena:
        assert await ask(address(arena, authority, **trust(clients.issue("a bot")))) is None
        assert await ask(address(arena, authority, **trust(authority.issue("another")))) is not None
        without = await ask(address(arena, authority))
        assert without is not None
        assert "requires a certificate. (ARENA_CLIENT_CERT" in without
        mixed = trust(clients.issue("a bot")) | {"ARENA_CLIENT_KEY": str(served.key)}
        assert "ARENA_CLIENT_CERT or ARENA_CLIENT_KEY names is unusable" in str(
            await ask(address(arena, authority, **mixed))
        )


def test_files_that_cannot_be_used_name_themselves(
    authority: Authority, served: Issued, tmp_path: Path
) -> None:
    nothing, text = tmp_path / "nothing", tmp_path / "text"
    text.write_text("certainly no certificate")
    secret = authority.issue(NAME, passphrase="open sesame")
    for files, message in [
        (replace(served.files, cert=nothing), rf"cannot read {nothing} \(No such file"),
        (replace(served.files, key=nothing), rf"cannot read {nothing} \(No such file"),
        (replace(served.files, client_ca=nothing), rf"cannot read {nothing} \(No such file"),
        (replace(served.files, cert=text), rf"{text} holds no certificate in PEM format"),
        (replace(served.files, client_ca=text), rf"{text} holds no certificate in PEM format"),
        (replace(served.files, key=text), rf"{text} holds no private key in PEM format"),
        (replace(served.files, key=served.cert), r"holds no private key in PEM format"),
        (secret.files, rf"the key {secret.key} has a passphrase"),
        (replace(served.files, key=authority.issue(NAME).key), r"is not that of the certificate"),
    ]:
        with pytest.raises(TlsError, match=message):
            read(files)


def test_a_key_for_everybody_and_a_certificate_out_of_date_are_warned_of(
    authority: Authority, served: Issued
) -> None:
    with capture_logs() as lines:
        read(served.files)
    assert [line["log_level"] for line in lines] == ["info"]
    assert lines[0]["name"] == NAME

    served.key.chmod(0o644)
    with capture_logs() as lines:
        read(served.files)
        read(authority.issue(NAME, days=-1).files)
    warned = [line["event"] for line in lines if line["log_level"] == "warning"]
    assert warned == [
        "everybody on this machine may read the private key",
        "the certificate is not valid now: clients refuse it",
    ]


def test_the_name_of_a_certificate_is_one_that_clients_can_check(authority: Authority) -> None:
    assert certificate_name(authority.issue("*.example.org").cert) == "arena.example.org"
    assert certificate_name(authority.cert) is None


async def test_health_of_the_referee_of_the_settings_needs_no_address(
    database: str, served: Issued, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting in ("ADDRESS", "CA", "SERVER_NAME"):
        monkeypatch.delenv(f"ARENA_{setting}", raising=False)
    result = partial(beside, "health")
    async with referee(database, served.files) as arena:
        monkeypatch.setenv("ARENA_HOST", "0.0.0.0")
        monkeypatch.setenv("ARENA_PORT", str(arena.port))
        refused = await result()
        assert (refused.exit_code, "if it uses TLS" in refused.output) == (1, True)
        monkeypatch.setenv("ARENA_TLS_CERT", str(served.cert))
        half = await result()
        assert (half.exit_code, "ARENA_TLS_KEY are set both" in half.output) == (2, True)
        monkeypatch.setenv("ARENA_TLS_KEY", str(served.key))
        assert (await result()).exit_code == 0
        monkeypatch.setenv("ARENA_TLS_CLIENT_CA", str(served.cert))
        demanding = await result()
        assert (demanding.exit_code, "set ARENA_CLIENT_CERT" in demanding.output) == (2, True)
