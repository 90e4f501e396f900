"""Token buckets, and the addresses that they are kept for."""

import pytest

from arena.server.limits.limits import Bucket, Buckets, LimitError
from arena.server.limits.peers import address_of


def test_a_bucket_gives_its_burst_at_once_and_then_as_much_as_it_regains() -> None:
    bucket = Bucket(3, 0.5)
    assert [bucket.take(10.0) for _ in range(3)] == [0, 0, 0]
    assert bucket.take(10.0) == pytest.approx(2)
    assert bucket.take(11.0) == pytest.approx(1)
    assert bucket.take(12.0) == 0
    assert bucket.take(12.0) > 0


@pytest.mark.parametrize("per_second", [0.05, 0.2, 0.3, 1.0, 7.0])
def test_who_waits_as_long_as_told_is_not_refused_again(per_second: float) -> None:
    bucket, now = Bucket(5, per_second), 123.456
    for _ in range(200):
        wait = bucket.take(now)
        if wait:
            now += wait
            assert bucket.take(now) == 0


def test_what_is_put_back_can_be_taken_again() -> None:
    buckets: Buckets[str] = Buckets(1, 0.01)
    for _ in range(10):
        assert buckets.take("address", 0.0) == 0
        buckets.put_back("address")


def test_more_than_the_burst_at_once_is_never_given() -> None:
    assert Bucket(10, 1.0).take(0.0, 11) > 0


def test_a_table_of_buckets_stays_bounded_and_keeps_who_used_it_last() -> None:
    buckets: Buckets[int] = Buckets(1, 0.001, most=100)
    for key in range(1_000):
        assert buckets.take(key, 0.0) == 0
        assert len(buckets) <= 100
    assert buckets.take(999, 0.0) > 0


def test_of_a_full_table_those_that_used_it_last_are_remembered() -> None:
    buckets: Buckets[int] = Buckets(1, 0.001, most=10)
    for key in range(10):
        buckets.take(key, 0.0)
    assert buckets.take(10, 0.0) == 0
    # The older half is forgotten, and may take again.
    assert [buckets.take(key, 0.0) > 0 for key in range(5, 11)] == [True] * 6
    assert len(buckets) == 6
    assert buckets.take(4, 0.0) == 0


def test_of_a_full_table_those_that_miss_most_are_remembered() -> None:
    buckets: Buckets[int] = Buckets(3, 0.001, most=10)
    for _ in range(3):
        buckets.take(0, 0.0)
    for key in range(1, 30):
        assert buckets.take(key, 0.0) == 0
    assert buckets.take(0, 0.0) > 0


def test_of_a_full_table_those_that_miss_nothing_are_forgotten_first() -> None:
    buckets: Buckets[int] = Buckets(1, 1.0, most=10)
    for key in range(10):
        buckets.take(key, 0.0 if key < 5 else 10.0)
    buckets.take(10, 10.0)
    assert [buckets.take(key, 10.0) > 0 for key in range(5, 11)] == [True] * 6
    assert len(buckets) == 6


def test_each_key_has_a_bucket_of_its_own_and_amounts_add_up() -> None:
    buckets: Buckets[str] = Buckets(10, 2.0)
    assert buckets.take("a", 0.0, 8) == 0
    assert buckets.take("b", 0.0, 10) == 0
    assert buckets.take("a", 0.0, 3) == pytest.approx(0.5)
    buckets.put_back("a", 1)
    assert buckets.take("a", 0.0, 3) == 0
    buckets.put_back("nobody")
    assert len(buckets) == 2


def test_one_is_put_back_unless_an_amount_is_told() -> None:
    buckets: Buckets[str] = Buckets(3, 0.001)
    buckets.take("key", 0.0, 3)
    buckets.put_back("key")
    assert [buckets.take("key", 0.0) > 0 for _ in range(2)] == [False, True]
    buckets.put_back("key", 2)
    assert [buckets.take("key", 0.0) > 0 for _ in range(3)] == [False, False, True]


def test_what_is_put_back_too_often_is_not_more_than_the_burst() -> None:
    bucket = Bucket(2, 1.0)
    for _ in range(10):
        bucket.put_back()
    assert [bucket.take(0.0) for _ in range(2)] == [0, 0]
    assert bucket.take(0.0) > 0


def test_a_bucket_is_full_again_when_it_has_regained_what_was_taken() -> None:
    bucket = Bucket(5, 2.0)
    assert bucket.full(0.0)
    bucket.take(100.0, 3)
    assert not bucket.full(101.4)
    assert bucket.full(101.5)


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:50123", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50123", "2001:db8:1:2::"),
        ("ipv6:[2001:db8:1:2::9]:1", "2001:db8:1:2::"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:50123", "192.0.2.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:50123", "fe80::"),
        ("unix:", "unix"),
    ],
)
def test_a_guest_is_known_by_its_address_or_its_network(peer: str, address: str) -> None:
    assert address_of(peer) == address


def test_who_is_refused_is_told_when_to_come_back_in_whole_seconds() -> None:
    error = LimitError("calls", "too many calls from this address", 0.2)
    assert error.sentence == "too many calls from this address: come back in 1 s"
    assert LimitError("calls", "x", 61.2).seconds == 62
