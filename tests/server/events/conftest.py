"""A course that is organised over the wire."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from arena.builds.hosted import HostingTerms
from arena.records import Owner, SignUp
from arena.server.limits.limits import Limits
from arena.v1.organiser_pb2_grpc import OrganiserServiceStub
from tests.scene import Scene, opened
from tests.server.events.cups import enrolled, said
from tests.service_calls import bearing, refused

LIMITS = Limits(refusal_seconds=0.0, calls_burst=1_000, changes_burst=1_000)


@dataclass
class Course:
    """A course with one team, and the keys of who calls."""

    scene: Scene
    stub: Any
    keys: dict[str, str]

    async def ask(self, call: str, request: Any, caller: str = "organiser") -> Any:
        return await getattr(self.stub, call)(request, metadata=bearing(self.keys[caller]))

    async def refused(self, call: str, request: Any, caller: str = "organiser") -> tuple[str, str]:
        metadata = bearing(self.keys[caller]) if caller else ()
        return await refused(getattr(self.stub, call)(request, metadata=metadata))

    async def by(self, caller: str) -> Owner:
        owner = await self.scene.arena.store.owners.by_key(self.keys[caller])
        assert owner is not None
        return owner


@pytest.fixture
async def course(database: str) -> AsyncIterator[Course]:
    async with opened(
        database, limits=LIMITS, sign_up=SignUp.OPEN, hosting=HostingTerms()
    ) as scene:
        store = scene.arena.store
        keys = {name: await scene.key(name) for name in ("organiser", "other", "stranger")}
        for name in ("cup", "cup-of-another"):
            event, _ = await store.events.create(name, said(), "me")
            await store.organisers.add(event, "organiser" if name == "cup" else "other", "me")
        cup, _ = await store.events.named("cup")
        people = await enrolled(store, cup, "name,team\nAnn Real,Team\nBob Real,Team\n")
        keys["captain"], keys["member"] = (one.key for one in people)
        owner = await store.owners.by_key(keys["organiser"])
        assert owner is not None
        keys["assistant"] = await store.owners.add_member(owner, "Assistant")
        yield Course(scene, OrganiserServiceStub(scene.channel), keys)
