"""Owners sign in by an identity provider: only by its own word for this arena, fresh and once."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from arena.records import SignUp
from arena.server.accounts.identity_provider import (
    MOST_AGE_SECONDS,
    REFETCH_SECONDS,
    IdentityProvider,
)
from arena.server.limits.limits import Limits
from arena.v1 import owner_pb2 as pb
from arena.v1.owner_pb2_grpc import OwnerServiceStub
from tests.identity_server import CLIENT, IdentityServer, identity_server
from tests.scene import Scene, opened
from tests.server.accounts.test_owner_calls import sign_up
from tests.service_calls import bearing, refused


@pytest.fixture(scope="module")
def server() -> Iterator[IdentityServer]:
    with identity_server() as running:
        yield running


@pytest.fixture
def provider(server: IdentityServer) -> IdentityServer:
    server.silent = False
    return server


@asynccontextmanager
async def signing_in(
    database: str, provider: IdentityServer, by: SignUp = SignUp.OPEN
) -> AsyncIterator[tuple[Scene, Any]]:
    limits = Limits(refusal_seconds=0.0)
    known = provider.issuer, CLIENT
    async with opened(database, limits=limits, sign_up=by, identity_provider=known) as scene:
        yield scene, OwnerServiceStub(scene.channel)


def asked(token: str, **more: str) -> pb.SignInRequest:
    return pb.SignInRequest(id_token=token, **more)


async def test_a_new_identity_becomes_an_owner_and_is_the_same_owner_ever_after(
    database: str, provider: IdentityServer
) -> None:
    async with signing_in(database, provider) as (scene, stub):
        terms = await stub.GetSignUpTerms(pb.GetSignUpTermsRequest())
        assert terms.identity_issuer == provider.issuer
        token = provider.token()
        first = await stub.SignIn(asked(token))
        assert (first.owner, first.key, first.suggested_name) == ("", "", "Zoë")
        made = await stub.SignIn(asked(token, name="Zoë from 3b"))
        assert made.owner == "Zoë from 3b"
        mine = bearing(made.key)
        assert (await stub.GetOwner(pb.GetOwnerRequest(), metadata=mine)).owner == made.owner
        again = await stub.SignIn(asked(provider.token(name="Zoë the second"), name="Other"))
        assert (again.owner, again.suggested_name) == (made.owner, "")
        assert again.key not in ("", made.key)
        other = await stub.SignIn(asked(provider.token(sub="another")))
        assert other.owner == ""
        (row,) = await scene.arena.store.owners.audit()
        assert (row.actor, row.action) == ("Zoë from 3b", "sign up")
        assert row.details == {"identity": f"{provider.subject} of {provider.issuer}"}


BAD: dict[str, tuple[Callable[[IdentityServer], str], str]] = {
    "nothing": (lambda _: "", "this ID token is not signed by"),
    "a key": (lambda _: "arena_owner_x", "this ID token is not signed by"),
    "very long": (lambda _: "x" * 20_000, "this ID token is malformed"),
    "no signature": (IdentityServer.token_of_none, "this ID token is not signed by"),
    "the public key": (IdentityServer.token_by_public_key, "this ID token is not signed by"),
    "another's key": (IdentityServer.token_of_another, "this ID token is not signed by"),
    "cut": (lambda known: known.token()[:-9], "this ID token is not signed by"),
    "issuer": (lambda known: known.token(iss="https://x.example"), "is of another issuer"),
    "no issuer": (lambda known: known.token(iss=None), "is of another issuer"),
    "audience": (lambda known: known.token(aud="other"), "is for another application"),
    "no audience": (lambda known: known.token(aud=None), "is for another application"),
    "audiences": (lambda known: known.token(aud=[CLIENT, "other"]), "for another application"),
    "party": (lambda known: known.token(azp="other"), "is for another application"),
    "expired": (lambda known: known.token(exp=int(time.time()) - 60), "is expired: sign in again"),
    "old": (
        lambda known: known.token(iat=time.time() - MOST_AGE_SECONDS - 60),
        "is expired: sign in again",
    ),
    "of the future": (lambda known: known.token(iat=time.time() + 300), "is of the future"),
    "not before": (lambda known: known.token(nbf=time.time() + 300), "is of the future"),
    "no expiry": (lambda known: known.token(exp=None), "has no valid exp claim"),
    "a word": (lambda known: known.token(exp="tomorrow"), "has no valid exp claim"),
    "truth": (lambda known: known.token(iat=True), "has no valid iat claim"),
    "the end of time": (lambda known: known.token(exp=1e300), "has no valid exp claim"),
    "not before a word": (lambda known: known.token(nbf="x"), "has no valid nbf claim"),
    "nobody": (lambda known: known.token(sub=None), "has no valid sub claim"),
    "a list": (lambda known: known.token(sub=["x"]), "has no valid sub claim"),
}


@pytest.fixture
async def known(provider: IdentityServer) -> IdentityProvider:
    return IdentityProvider(provider.issuer, CLIENT)


@pytest.mark.parametrize("bad", BAD)
async def test_a_token_that_is_not_the_providers_for_this_arena_and_fresh_is_refused(
    provider: IdentityServer, known: IdentityProvider, bad: str
) -> None:
    make, words = BAD[bad]
    with pytest.raises(Exception, match="ID token") as error:
        await known.identity(make(provider))
    assert error.value.code is grpc.StatusCode.UNAUTHENTICATED  # type: ignore[attr-defined]
    assert words in str(error.value)


async def test_a_token_for_this_arena_among_others_is_taken_from_the_party_it_was_made_for(
    provider: IdentityServer, known: IdentityProvider
) -> None:
    token = provider.token(aud=[CLIENT, "other"], azp=CLIENT, name="x" * 99)
    identity = await known.identity(token)
    assert (identity.subject, identity.suggested_name) == (provider.subject, "")


async def test_new_keys_of_the_provider_are_fetched_and_unknown_ones_seldom(
    provider: IdentityServer,
) -> None:
    now = time.time()
    known = IdentityProvider(provider.issuer, CLIENT, lambda: now)
    await known.identity(provider.token())
    fetched = provider.fetches
    await known.identity(provider.token())
    assert provider.fetches == fetched
    provider.renew_keys()
    for _ in range(20):
        with pytest.raises(Exception, match="by no key of the identity provider"):
            await known.identity(provider.token())
    assert provider.fetches == fetched
    now += REFETCH_SECONDS + 1
    await known.identity(provider.token(iat=now))
    assert provider.fetches == fetched + 2


async def test_while_the_provider_is_silent_known_keys_are_used_and_nothing_is_used_up(
    database: str, provider: IdentityServer
) -> None:
    provider.silent = True
    async with signing_in(database, provider) as (_, stub):
        token = provider.token(sub="patient")
        code, words = await refused(stub.SignIn(asked(token, name="Patient")))
        assert (code, words[:34]) == ("UNAVAILABLE", "the identity provider does not ans")
    provider.silent = False
    async with signing_in(database, provider) as (_, stub):
        assert (await stub.SignIn(asked(token, name="Patient"))).owner == "Patient"


async def test_a_token_signs_in_once_also_after_a_restart_and_at_the_same_moment(
    database: str, provider: IdentityServer
) -> None:
    async with signing_in(database, provider) as (_, stub):
        token = provider.token()
        await stub.SignIn(asked(token, name="Ann"))
        code, words = await refused(stub.SignIn(asked(token)))
        assert (code, words) == (
            "UNAUTHENTICATED",
            "This ID token was used before: sign in again.",
        )
        fresh = provider.token()
        at_once = [stub.SignIn(asked(fresh)) for _ in range(8)]
        answers = await asyncio.gather(*at_once, return_exceptions=True)
        assert sum(isinstance(one, pb.SignInResponse) for one in answers) == 1
    async with signing_in(database, provider) as (_, stub):
        assert (await refused(stub.SignIn(asked(fresh))))[0] == "UNAUTHENTICATED"


async def test_the_terms_of_signing_up_hold_for_identities_and_what_fails_uses_up_nothing(
    database: str, provider: IdentityServer
) -> None:
    async with signing_in(database, provider, SignUp.INVITE) as (scene, stub):
        code = await scene.arena.store.owners.invite(1, 1, "operator")
        token = provider.token()
        for name, invite, status in (
            ("Ann", "", "UNAUTHENTICATED"),
            ("Ann", "AAAA-BBBB", "UNAUTHENTICATED"),
            ("<b>", code, "INVALID_ARGUMENT"),
            ("0perator", code, "INVALID_ARGUMENT"),
        ):
            call = stub.SignIn(asked(token, name=name, invite=invite))
            assert (await refused(call))[0] == status
        assert (await stub.SignIn(asked(token, name="Ann", invite=code))).owner == "Ann"
        # Without an identity nobody becomes an owner.
        call = stub.SignUp(pb.SignUpRequest(name="Bob", invite=code))
        assert (await refused(call))[0] == "PERMISSION_DENIED"
    async with signing_in(database, provider, SignUp.CLOSED) as (_, stub):
        call = stub.SignIn(asked(provider.token(sub="late"), name="Late"))
        assert (await refused(call))[0] == "PERMISSION_DENIED"
        assert (await stub.SignIn(asked(provider.token()))).owner == "Ann"


async def test_an_owner_binds_an_identity_by_key_once_and_for_good(
    database: str, provider: IdentityServer
) -> None:
    async with signing_in(database, provider, SignUp.CLOSED) as (scene, stub):
        _, key = await scene.arena.store.owners.sign_up("Ann", None)
        _, other = await scene.arena.store.owners.sign_up("Bob", None)
        token = provider.token()
        code, _ = await refused(stub.SignIn(asked(token, key="arena_owner_x")))
        assert code == "UNAUTHENTICATED"
        assert (await stub.SignIn(asked(token, key=key))).owner == "Ann"
        assert (await stub.SignIn(asked(provider.token()))).owner == "Ann"
        call = stub.SignIn(asked(provider.token(sub="second"), key=key))
        assert (await refused(call))[0] == "PERMISSION_DENIED"
        assert (await stub.SignIn(asked(provider.token(), key=other))).owner == "Ann"
        actions = [(row.actor, row.action) for row in await scene.arena.store.owners.audit()]
        assert actions[0] == ("Ann", "bind identity")


async def test_a_ban_and_a_new_key_end_sign_ins(database: str, provider: IdentityServer) -> None:
    async with signing_in(database, provider) as (scene, stub):
        made = await stub.SignIn(asked(provider.token(), name="Ann"))
        renewed = await stub.RenewKey(pb.RenewKeyRequest(), metadata=bearing(made.key))
        whose = stub.GetOwner(pb.GetOwnerRequest(), metadata=bearing(renewed.key))
        assert (await whose).owner == "Ann"
        whose = stub.GetOwner(pb.GetOwnerRequest(), metadata=bearing(made.key))
        assert (await refused(whose))[0] == "UNAUTHENTICATED"
        fresh = provider.token()
        await scene.arena.store.owners.ban("Ann", "operator")
        assert (await refused(stub.SignIn(asked(fresh))))[0] == "PERMISSION_DENIED"
        await scene.arena.store.owners.ban("Ann", "operator", banned=False)
        assert (await stub.SignIn(asked(fresh))).owner == "Ann"
        reset = await scene.arena.store.owners.reset_key("Ann", "operator")
        whose = stub.GetOwner(pb.GetOwnerRequest(), metadata=bearing(renewed.key))
        assert (await refused(whose))[0] == "UNAUTHENTICATED"
        assert (await stub.GetOwner(pb.GetOwnerRequest(), metadata=bearing(reset))).owner == "Ann"


async def test_without_a_provider_nobody_signs_in_by_a_token(database: str) -> None:
    async with opened(database, limits=Limits(refusal_seconds=0.0), sign_up=SignUp.OPEN) as scene:
        stub = OwnerServiceStub(scene.channel)
        assert (await refused(stub.SignIn(asked("x"))))[0] == "UNIMPLEMENTED"
        assert await sign_up(stub, "Ann")
