"""`arena messages`: what organisers and the operator wrote to the owner."""

from arena.addresses import DEFAULT_ADDRESS
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, login_at
from arena.commands.terminal import say, say_json
from arena.moments import in_utc, iso_utc


def messages(
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Show what organisers and the operator wrote to you, newest first, and mark it as read."""
    client, key = client_of(address), login_at(address).key
    found = client.messages(key)
    if found and not found[0].read:
        client.mark_messages_read(key, found[0].id)
    if as_json:
        say_json(
            [
                {"from": one.sender, "sent": iso_utc(one.sent), "read": one.read, "text": one.text}
                for one in found
            ]
        )
        return
    if not found:
        say("Nobody has written to you.")
    for one in found:
        say(f"{in_utc(one.sent)}, {one.sender}{'' if one.read else ' (new)'}:")
        say("\n".join(f"  {line}" for line in one.text.splitlines()))
