"""`arena sample-bots`: which of them play."""

from arena.commands.serving.children import house_tokens
from arena.commands.serving.table_option import table_types
from arena.local.loading import sample_names
from arena.server.app.store import open_store
from tests.commands.running import arena


async def test_a_bot_that_thinks_for_long_plays_only_where_it_is_asked_to(database: str) -> None:
    tables = table_types(["bluff:2"])
    async with open_store(database) as store:
        usual = await house_tokens(store, tables)
        assert {"honest", "bayes"} <= set(usual) < set(sample_names())
        assert "search" not in usual
        assert set(await house_tokens(store, tables, ["search", "bloeff_honest"])) == {"search"}


def test_an_unknown_sample_bot_is_refused_with_those_there_are() -> None:
    result = arena("sample-bots", "--bot", "honest", "--bot", "nobody")
    assert result.exit_code == 2
    assert "There is no sample bot nobody: choose among" in result.stderr
    assert "search" in result.stderr
