"""Cards of Blöff in JSON: numbers and names."""

import pytest
from pydantic import TypeAdapter, ValidationError

from arena.games.bloeff.values import NotedCard


@pytest.mark.parametrize("card", [5, 7, -3, "4", "jump", None, True])
def test_an_action_card_has_a_name_and_no_number(card: object) -> None:
    with pytest.raises(ValidationError, match='a card is a number from -2 to 4, "reverse"'):
        TypeAdapter(NotedCard).validate_python(card)
