"""Strangers are known by their age, in all and by address."""

from arena.server.limits.unknown_connections import UnknownConnections


def test_the_oldest_of_all_and_of_an_address() -> None:
    strangers = UnknownConnections[int]()
    for connection, address in enumerate(["a", "b", "a", "b", "a"]):
        strangers.add(address, connection)
    assert (len(strangers), strangers.count("a"), strangers.count("b")) == (5, 3, 2)
    assert (strangers.oldest(), strangers.oldest("a"), strangers.oldest("b")) == (0, 0, 1)
    strangers.discard("a", 0)
    strangers.discard("a", 0)
    assert (len(strangers), strangers.count("a")) == (4, 2)
    assert (strangers.oldest(), strangers.oldest("a")) == (1, 2)


def test_an_address_that_nobody_has_any_more_has_none() -> None:
    strangers = UnknownConnections[int]()
    strangers.discard("a", 1)
    strangers.add("a", 1)
    strangers.discard("a", 1)
    assert (len(strangers), strangers.count("a")) == (0, 0)
    assert strangers._by_address == {}, "it takes no memory"
    strangers.add("a", 2)
    assert strangers.oldest("a") == 2
