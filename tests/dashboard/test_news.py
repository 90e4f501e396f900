"""News for open pages, with values that the test sets."""

import asyncio
from collections.abc import AsyncIterator

from arena.database.errors import StorageError
from arena_dashboard.news.news import MOST_PAGES, News
from tests.bots import PATIENCE

SECONDS = 0.01


class Source:
    """A value, and how often it was asked for."""

    def __init__(self) -> None:
        self.value, self.asked, self.away = 1, 0, False

    def __call__(self) -> int:
        self.asked += 1
        if self.away:
            raise StorageError("The database does not answer.")
        return self.value


async def until_new(told: AsyncIterator[bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await anext(told):
            pass


async def test_a_page_is_told_once_of_each_value_that_it_does_not_show() -> None:
    news, source = News(SECONDS), Source()
    news.shows("page", "topic", 1, source)
    told = aiter(news.of("page"))
    assert [await anext(told) for _ in range(5)] == [False] * 5
    source.value = 2
    await until_new(told)
    assert [await anext(told) for _ in range(5)] == [False] * 5
    news.shows("page", "topic", 2, source)
    source.value = 3
    await until_new(told)


async def test_what_changed_while_a_tab_was_hidden_is_told_at_once() -> None:
    news, source = News(SECONDS), Source()
    news.shows("page", "topic", 0, source)
    assert await anext(aiter(news.of("page")))


async def test_pages_on_one_topic_ask_for_it_once() -> None:
    news, source = News(seconds=0.5), Source()
    pages = [str(number) for number in range(10)]
    for page in pages:
        news.shows(page, "topic", 0, source)
    assert all(await asyncio.gather(*(anext(aiter(news.of(page))) for page in pages)))
    assert source.asked == 1


async def test_a_database_that_is_away_is_no_news() -> None:
    news, source = News(SECONDS), Source()
    news.shows("page", "topic", 1, source)
    told = aiter(news.of("page"))
    source.away = True
    assert [await anext(told) for _ in range(5)] == [False] * 5
    assert source.asked
    source.away, source.value = False, 2
    await until_new(told)


async def test_a_page_that_is_not_known_has_no_news() -> None:
    assert [new async for new in News(SECONDS).of("nobody")] == []


async def test_a_topic_is_forgotten_with_its_last_page_and_read_anew_by_the_next() -> None:
    news, source = News(SECONDS), Source()
    news.shows("page", "topic", 1, source)
    assert not await anext(aiter(news.of("page")))
    for number in range(MOST_PAGES):
        news.shows(str(number), "another", 1, source)
    assert [new async for new in news.of("page")] == []
    later = Source()
    news.shows("page", "topic", 0, later)
    assert await anext(aiter(news.of("page")))
    assert later.asked == 1


async def test_pages_of_other_topics_learn_nothing_of_a_value() -> None:
    """As those of a private event for members and for strangers."""
    news, seen, hidden = News(SECONDS), Source(), Source()
    news.shows("member", ("event", "cup", 1), 1, seen)
    news.shows("stranger", ("event", "cup", None), 1, hidden)
    told = aiter(news.of("stranger"))
    seen.value = 2
    await until_new(aiter(news.of("member")))
    assert [await anext(told) for _ in range(5)] == [False] * 5
