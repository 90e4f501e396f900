"""`WebhookService`: the calls of owners about the webhooks of their bots."""

from typing import Any

import grpc.aio

from arena.codec.mirrored import message_of
from arena.records import Owner
from arena.server.accounts.owner_calls import OwnerCalls, OwnerKeys
from arena.server.limits.gate import Gate
from arena.server.notices.webhooks import BotWebhooks
from arena.v1 import webhook_pb2 as pb


class WebhookService:
    """The implementation of the proto's WebhookService."""

    def __init__(self, keys: OwnerKeys, webhooks: BotWebhooks, gate: Gate) -> None:
        self._calls = OwnerCalls(keys, gate, pb)
        self._webhooks = webhooks

    @property
    def handlers(self) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
        """The calls by name, for the server."""
        return {
            "AddWebhook": self._calls.of_owner("AddWebhook", self._add, changes=True),
            "ListWebhooks": self._calls.of_owner("ListWebhooks", self._list),
            "RemoveWebhook": self._calls.of_owner("RemoveWebhook", self._remove, changes=True),
        }

    async def _add(self, request: pb.AddWebhookRequest, owner: Owner) -> pb.AddWebhookResponse:
        secret = await self._webhooks.add(owner, request.url, request.bot or None)
        return pb.AddWebhookResponse(secret=secret)

    async def _list(
        self, _request: pb.ListWebhooksRequest, owner: Owner
    ) -> pb.ListWebhooksResponse:
        found = await self._webhooks.of(owner)
        return pb.ListWebhooksResponse(webhooks=[message_of(pb.BotWebhook, one) for one in found])

    async def _remove(self, request: pb.RemoveWebhookRequest, owner: Owner) -> None:
        await self._webhooks.remove(owner, request.url, request.bot or None)
