"""`WebhookClient`: an EventClient that also looks after the webhooks of the owner's bots."""

from dataclasses import dataclass
from typing import Any

from arena.bot.address import Address
from arena.clients.event_client import EventClient
from arena.v1 import webhook_pb2 as pb
from arena.v1.webhook_pb2_grpc import WebhookServiceStub


@dataclass(frozen=True, slots=True)
class WebhookSeen:
    """A webhook of an owner."""

    url: str
    bot: str
    """The bot of which it gets notices; "" for all of the owner's."""
    delivered: int
    waiting: int
    """The number of notices that are tried again."""
    failure: str
    """Why the last try that failed did."""


class WebhookClient(EventClient):
    """Asks one referee. Threads may share it. Every method raises OwnerCallError."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        # The types of generated stubs are those of grpc.aio as well.
        self._hooks: Any = WebhookServiceStub(address.channel())

    def add_webhook(self, key: str, url: str, bot: str = "") -> str:
        """Post notices of a bot, or of all, to an address; return the secret that signs them."""
        request = pb.AddWebhookRequest(url=url, bot=bot)
        secret: str = self._ask(self._hooks.AddWebhook, request, key).secret
        return secret

    def webhooks(self, key: str) -> list[WebhookSeen]:
        """Return the owner's webhooks, the oldest first."""
        answer = self._ask(self._hooks.ListWebhooks, pb.ListWebhooksRequest(), key)
        return [
            WebhookSeen(one.url, one.bot, one.delivered, one.waiting, one.failure)
            for one in answer.webhooks
        ]

    def remove_webhook(self, key: str, url: str, bot: str = "") -> None:
        """Post nothing of a bot, or of all, to an address any more."""
        request = pb.RemoveWebhookRequest(url=url, bot=bot)
        self._ask(self._hooks.RemoveWebhook, request, key)
